#!/usr/bin/env python3
"""The one command of The Mutant Help Desk: prepares what it needs, then hands over to the grader.

Needs nothing but Python. An environment that already has what pyproject.toml asks for is used as it
is. Otherwise `.venv` beside this file is made from requirements.lock, once; HELPDESK_VENV names another
place. What follows on the command line goes to `grading`, which owns all commands.

The exit status is the grader's own, or 3 where no environment could be had.
"""

import contextlib
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Sequence

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
NO_ENVIRONMENT = 3
ARRIVED = "HELPDESK_HANDED_OVER"  # tells the next interpreter that it is the chosen one


def main(argv: Sequence[str]) -> int:
    """Find or make an environment, then run the grader in it with the arguments as they came."""
    complaint = too_old(sys.version_info)
    if complaint:
        return give_up(complaint)
    if sys.path[0] != str(ROOT):
        sys.path.insert(0, str(ROOT))
    from grading import environment, installing  # standard library only, but not for an old Python

    arrived = os.environ.pop(ARRIVED, "")
    place = environment.place()
    try:
        if environment.is_usable(place, inside=bool(arrived)):
            return run_grader(argv)
        if arrived == "made":
            return give_up(f"{place} was made and still cannot be used. Delete it and run again.")
        made = installing.prepare(place, inside=bool(arrived))
    except environment.NoEnvironment as problem:
        return give_up(str(problem))
    except KeyboardInterrupt:
        return give_up("stopped. A set-up that was under way starts anew next time.")
    return hand_over(environment.python_of(place), argv, "made" if made else "found")


def give_up(why: str) -> int:
    """Say why on standard error, which is not the grader's, and return the exit status for it."""
    print("grade.py:", why, file=sys.stderr)
    return NO_ENVIRONMENT


def too_old(version: Sequence[Any]) -> str:
    """What to tell somebody whose Python is too old, naming a newer one that is at hand; else nothing."""
    if tuple(version[:2]) >= OLDEST:
        return ""
    newer = [name for name in (f"python3.{minor}" for minor in range(14, 10, -1)) if shutil.which(name)]
    if newer:
        cure = f"Run it with one that is here: {newer[0]} grade.py"
    else:
        cure = "Install a newer one, from your system's packages or python.org, and run this with it."
    oldest, found = (".".join(map(str, numbers)) for numbers in (OLDEST, version[:3]))
    return f"needs Python {oldest} or newer, found {found}. {cure}"


def run_grader(argv: Sequence[str]) -> int:
    """Run `grading` in this interpreter. The working directory stays the user's, and is not imported from."""
    sys.argv = [str(ROOT / "grade.py"), *argv]
    runpy.run_module("grading", run_name="__main__", alter_sys=True)
    return 0


def hand_over(python: Path, argv: Sequence[str], arrived: str) -> int:
    """Start this file anew in the environment, where it runs the grader."""
    command = [str(python), str(ROOT / "grade.py"), *argv]
    os.environ[ARRIVED] = arrived
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    with subprocess.Popen(command) as child:
        while True:
            with contextlib.suppress(KeyboardInterrupt):  # the child has it too, and decides
                return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
