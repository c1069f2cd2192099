"""`grade.py test`: the project's own tests and the reference suite, in plain pytest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from grading.plan import ROOT

__all__ = ["main"]

_HELP = """\
usage: grade.py test [PYTEST ARGUMENTS]

Runs pytest on the project's own tests and on the reference suite, with your arguments:

    grade.py test -k race               what has race in its name
    grade.py test suite --layer unit    one layer of the suite
    grade.py test --help-pytest         what pytest itself takes
"""


def main(arguments: Sequence[str]) -> int:
    """Run pytest in this environment, from the repository. Returns pytest's own exit status."""
    if list(arguments) in (["--help"], ["-h"]):
        print(_HELP, end="")
        return 0
    words = ["--help" if word == "--help-pytest" else _from_here(word) for word in arguments]
    # Tests outside the repository have no pyproject.toml that names the fixtures.
    command = [sys.executable, "-m", "pytest", "-p", "grading.fixtures", *words]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _from_here(word: str) -> str:
    """A path, or a node id, that is meant from the user's folder, as pytest finds it from the repository."""
    path, colons, test = word.partition("::")
    if word.startswith("-") or not Path(path).exists() or Path.cwd() == ROOT:
        return word
    return f"{Path(path).resolve()}{colons}{test}"
