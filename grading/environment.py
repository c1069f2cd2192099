"""The environment that grade.py runs the grader in: where it is, and whether it will do.

Standard library only, for it runs before there is anything else. A folder is ours when it holds our
state file; a folder that is not ours is used or refused, never changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import sysconfig
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
STATE = "helpdesk-setup.json"


class NoEnvironment(Exception):
    """No environment could be had; the text says what to do."""


def place() -> Path:
    """Where the environment is or will be."""
    return Path(os.environ.get("HELPDESK_VENV") or ROOT / ".venv").expanduser().absolute()


def python_of(place: Path) -> Path:
    """The environment's interpreter; not resolved, for it is the link that makes it one."""
    return place / "Scripts" / "python.exe" if os.name == "nt" else place / "bin" / "python"


def is_ours(place: Path) -> bool:
    """Whether grade.py made this folder."""
    return (place / STATE).is_file()


def is_usable(place: Path, inside: bool) -> bool:
    """Whether the running interpreter may run the grader.

    It may in an environment of ours that is whole, and in one of the user's that has all it takes.
    inside: it was started as the interpreter of `place`. Raises NoEnvironment when that is the
    user's own and something is missing there.
    """
    inside = inside or (place.exists() and os.path.samefile(sys.prefix, place))
    if inside and is_ours(place):
        whole = read_state(place) == expected_state()
        if whole:
            link(Path(sysconfig.get_path("purelib")))
        return whole
    if os.environ.get("HELPDESK_VENV") and not inside:
        return False
    missing = lacking()
    if inside and missing:
        raise NoEnvironment(
            f"{place} was not made by grade.py, and lacks {', '.join(missing)}. Install that there, move "
            "the folder away, or name another place with HELPDESK_VENV."
        )
    return not missing


def lock_hash() -> str:
    """The lock's SHA-256: another lock asks for another environment."""
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def expected_state() -> dict[str, str]:
    """What a finished set-up by this interpreter leaves."""
    return {"lock": lock_hash(), "python": f"{sys.version_info[0]}.{sys.version_info[1]}"}


def read_state(place: Path) -> dict[str, str]:
    """What a finished set-up left: the lock's hash and Python's version. Empty if it was interrupted."""
    try:
        return json.loads((place / STATE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def is_finished(place: Path) -> bool:
    """Whether an environment of ours is whole, as far as can be seen from outside."""
    return read_state(place).get("lock") == lock_hash() and python_of(place).exists()


def project() -> dict[str, Any]:
    """The project table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def lacking() -> list[str]:
    """The project's requirements that the running interpreter does not meet."""
    missing = []
    for requirement in project()["dependencies"]:
        try:
            met = meets(metadata.version(re.split("[<>=]", requirement)[0]), requirement)
        except metadata.PackageNotFoundError:
            met = False
        if not met:
            missing.append(requirement)
    return missing


def meets(version: str, requirement: str) -> bool:
    """Whether a version meets `name>=1.2,<3`: the two operators that pyproject.toml keeps to."""

    def release(text: str) -> list[int]:
        numbers = [int(number) for number in re.split(r"[^\d.]", text)[0].split(".") if number]
        while numbers and not numbers[-1]:
            numbers.pop()  # 3.0 is 3
        return numbers

    bounds = re.findall(r"(>=|<)([\d.]+)", requirement)
    return all((release(version) >= release(bound)) == (operator == ">=") for operator, bound in bounds)


def link(packages: Path) -> None:
    """Make this checkout importable from a packages folder, as an installed project that lives here.

    So plain `pytest` finds the fixtures, also for a copy of an exercise elsewhere, and
    `python -m helpdesk.stdio_main` works from any folder. Written again when the checkout has moved.
    """
    table = project()
    info = f"{table['name'].replace('-', '_')}-{table['version']}.dist-info"
    points = table.get("entry-points", {})
    files = {
        "mutant_helpdesk.pth": f"{ROOT}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {table['name']}\nVersion: {table['version']}\n",
        f"{info}/entry_points.txt": "".join(
            f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
            for group, entries in points.items()
        ),
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    for name, text in files.items():
        file = packages / name
        with contextlib.suppress(PermissionError):  # an environment to share: only plain pytest needs this
            if not file.exists() or file.read_text("utf-8") != text:
                file.parent.mkdir(exist_ok=True)
                file.write_text(text, encoding="utf-8")
