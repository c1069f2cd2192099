"""Making the environment from the lock: plain `venv` and `pip`, one line a step.

Standard library only, for it runs before there is anything else. Our state file in the environment is
empty until the set-up is finished, and locked while one goes on: so an interrupted set-up is seen and
done anew, and two at once do not meet.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import util
from pathlib import Path
from typing import IO, Any

from grading.environment import LOCK, STATE, NoEnvironment, expected_state, is_finished, is_ours, python_of

LOG = "helpdesk-setup.log"


def prepare(place: Path, inside: bool) -> bool:
    """Make the environment unless it is there. Returns whether this call made it.

    inside: the running interpreter is the one of `place` and has found it wanting.
    Raises NoEnvironment with words for the user.
    """
    if is_ours(place):
        if not inside and is_finished(place):
            return False
    elif place.is_dir() and any(place.iterdir()):
        if python_of(place).exists():
            return False  # the user's own; it judges itself once it runs
        raise NoEnvironment(f"{place} holds something else. Name another place with HELPDESK_VENV.")
    try:
        place.mkdir(parents=True, exist_ok=True)
        with alone(place) as state:
            if not inside and is_finished(place):
                return False  # somebody else made it while we waited
            build(place, state, sys._base_executable if inside else sys.executable)  # type: ignore[attr-defined]
            return True
    except OSError as problem:
        raise NoEnvironment(f"cannot make {place}: {problem}. HELPDESK_VENV names another place.") from None


def say(words: str, end: str = "\n") -> None:
    """Tell the user; standard output belongs to the grader."""
    print(words, end=end, file=sys.stderr, flush=True)


@contextlib.contextmanager
def alone(place: Path) -> Iterator[IO[str]]:
    """Hold the state file, open for writing. The system lets go when its last holder has ended."""
    with open(place / STATE, "a", encoding="utf-8") as state:
        if not hold(state, wait=False):
            say(f"Another grade.py is making {place}; waiting for it.")
            hold(state, wait=True)
        yield state


def hold(file: IO[str], wait: bool) -> bool:
    """Lock a file; False when somebody else has it and we are not to wait."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(1 << 20)  # a byte nobody reads: on Windows a locked byte cannot be read
        while True:
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return True
            except OSError:  # LK_LOCK gives up after ten seconds
                if not wait:
                    return False
    else:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def build(place: Path, state: IO[str], python: str) -> None:
    """Empty the held place and fill it from the lock. The state is written last."""
    for module in ("venv", "ensurepip"):
        if util.find_spec(module) is None:
            raise NoEnvironment(cannot_make(module))
    state.truncate(0)
    for entry in place.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != STATE:
            entry.unlink()
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Setting up {place}. The packages come over the network, this once.")
    run_step(
        f"[1/2] an empty environment, Python {version}",
        [python, "-I", "-m", "venv", str(place)],
        place,
        state,
    )
    pip = [str(python_of(place)), "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    pip += ["--progress-bar=off", "--retries=3", "--only-binary=:all:", "--no-deps", "--require-hashes"]
    run_step(f"[2/2] the packages of {LOCK.name}", [*pip, "-r", str(LOCK)], place, state)
    json.dump(expected_state(), state)


def run_step(title: str, command: Sequence[str], place: Path, held: IO[str]) -> None:
    """Run one command: its output into the log, one line for the user. Raises NoEnvironment if it fails.

    The child holds the state file too, so that the next grade.py waits for a pip whose parent was killed.
    """
    env = {name: value for name, value in os.environ.items() if name not in ("PIP_TARGET", "PIP_PREFIX")}
    keep: dict[str, Any] = {} if os.name == "nt" else {"pass_fds": (held.fileno(),)}
    total = len(re.findall(r"(?m)^\w.*==", LOCK.read_text("utf-8")))
    collected, began, log = 0, time.monotonic(), place / LOG
    say(title, end=" ")
    with (
        open(log, "ab") as copy,
        subprocess.Popen(
            command,
            env={**env, "PIP_USER": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **keep,
        ) as child,
    ):
        for line in child.stdout or ():
            copy.write(line)
            total -= line.startswith(b"Ignoring ")  # a package for other systems
            collected += line.startswith(b"Collecting ")
            if sys.stderr.isatty() and line.startswith(b"Collecting "):
                say(f"\r{title}: {collected} of {total}", end=" ")
    if child.returncode:
        say("failed")
        raise NoEnvironment(f"{explain(log.read_text('utf-8', 'replace'))}\nIts whole output: {log}")
    say(f"({time.monotonic() - began:.1f} s)")


def cannot_make(module: str) -> str:
    """What to install when Python came without `venv`, `ensurepip` or `pip`, which some systems split off."""
    version = ".".join(map(str, sys.version_info[:2]))
    return (
        f"this Python ({sys.executable}) cannot make an environment: it came without `{module}`.\n"
        f"  Debian, Ubuntu: sudo apt install python{version}-venv\n"
        "  elsewhere: the package of your system that has Python's venv and pip, or Python from python.org\n"
        "Then run this again."
    )


NO_INDEX = "no package index could be reached. Setting up needs the network once; later runs need none."
REASONS = {  # from the surest sign to the vaguest
    "No module named pip": cannot_make("pip"),
    "ensurepip is not available": cannot_make("ensurepip"),
    "No space left on device": "the disk is full.",
    "DO NOT MATCH THE HASHES": "a package that came is not the one the lock names; a stale mirror or cache?",
    "CERTIFICATE_VERIFY_FAILED": "the package index's certificate is not trusted here. "
    "Behind a company's proxy, name its certificate file in PIP_CERT.",
    "onnection": NO_INDEX,
    "name resolution": NO_INDEX,
    "No matching distribution": "a package is not there ready-made for this Python. "
    "The lock is made for CPython 3.11 to 3.14 on Linux, macOS and Windows.",
}


def explain(log: str) -> str:
    """Why a step failed, from what venv or pip wrote."""
    for sign, reason in REASONS.items():
        if sign in log:
            return reason
    return f"the set-up failed: {(log.strip().splitlines() or ['it said nothing'])[-1]}"
