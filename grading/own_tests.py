"""`grade.py test`: the project's own tests and the reference suite, in plain pytest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

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
    words = ["--help" if word == "--help-pytest" else word for word in arguments]
    return subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, check=False).returncode
