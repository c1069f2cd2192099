"""Ends a check that takes too long, and says on which line it hangs.

A timer signal does it: its handler runs between two instructions of the main thread, sees the frames there
and those of the coroutines that wait, reports them and leaves the process; the runner goes on in a new one.
Where there is no such signal (Windows), `faulthandler`'s own thread dumps the stacks and leaves. A loop
inside C code stops neither; the runner then aborts the process, and `faulthandler` dumps on that signal.
"""

from __future__ import annotations

import asyncio
import faulthandler
import linecache
import os
import re
import signal
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from grading.engine.messages import Reporter

HAS_TIMER = hasattr(signal, "setitimer")
Spot = tuple[str, int, str]  # file, line, function


class Alarm:
    """A time limit on whatever runs between `arm` and `disarm`."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        if HAS_TIMER:
            signal.signal(signal.SIGALRM, self._ring)
        faulthandler.enable(file=reporter.fd, all_threads=True)

    def arm(self, seconds: float) -> None:
        """Start the clock anew."""
        if HAS_TIMER:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        else:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._reporter.fd)

    def disarm(self) -> None:
        """Stop the clock."""
        if HAS_TIMER:
            signal.setitimer(signal.ITIMER_REAL, 0)
        else:
            faulthandler.cancel_dump_traceback_later()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self._reporter.send("stuck", stacks=list(stacks(frame)))
        os._exit(75)


def stacks(frame: FrameType | None) -> Iterator[list[Spot]]:
    """The main thread's stack and one for each waiting task of its event loop; innermost spot first.

    A loop that waits tells nothing, so its tasks come before it; a thread that computes comes first.
    """
    main = list(_frames(frame))
    try:
        tasks = asyncio.all_tasks(asyncio.get_running_loop())
    except RuntimeError:
        tasks = set()
    waiting = [list(_awaits(task.get_coro()))[::-1] for task in sorted(tasks, key=asyncio.Task.get_name)]
    # who waits for the tasks of its own group comes after those tasks
    waiting.sort(key=lambda stack: bool(stack) and stack[0][2] == "__aexit__")
    idle = main and Path(main[0][0]).name in ("selectors.py", "windows_events.py")
    yield from [*waiting, main] if idle else [main, *waiting]


def _frames(frame: FrameType | None) -> Iterator[Spot]:
    count = 0
    while frame is not None and count < 200:
        yield frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame, count = frame.f_back, count + 1


def _awaits(awaited: Any) -> Iterator[Spot]:
    for _ in range(200):
        for kind in ("cr", "gi", "ag"):
            frame = getattr(awaited, f"{kind}_frame", None)
            if isinstance(frame, FrameType):
                yield frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
                break
        else:
            return
        awaited = getattr(awaited, f"{kind}_await", None) or getattr(awaited, f"{kind}_yieldfrom", None)


_DUMPED = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<function>.*)$')


def dumped(text: str) -> list[list[Spot]]:
    """The stacks in a dump of `faulthandler`, the main thread's first."""
    found: list[list[Spot]] = []
    for line in text.splitlines():
        if line.rstrip().endswith("(most recent call first):"):
            found.append([])
        elif found and (match := _DUMPED.match(line)):
            found[-1].append((match["file"], int(match["line"]), match["function"]))
    return found[::-1]


def spot(stacks: Iterable[Sequence[Sequence[Any]]], file: str, rootdir: Path, tree: Path) -> tuple[str, str]:
    """Where it hangs, as ("file:line" in the tests, words); ("", "") when no stack tells.

    Names the innermost line in the test's own `file` (relative to `rootdir`), else the innermost below
    `rootdir`; and the innermost one below `tree` when that is deeper.
    """
    every = [[(str(f), int(n), str(name)) for f, n, name in stack] for stack in stacks]
    for home in (rootdir / file, rootdir):
        for stack in every:
            for depth, (path, line, function) in enumerate(stack):
                if not _below(path, home) or _below(path, tree):
                    continue
                place = f"{Path(path).relative_to(rootdir).as_posix()}:{line}"
                words = f"{place} in {function}{_source(path, line)}"
                inner = next((s for s in stack[:depth] if _below(s[0], tree)), None)
                return place, words + (f", inside {_short(inner, tree)}" if inner else "")
    for stack in every:
        for inner in stack:
            if _below(inner[0], tree):
                return "", _short(inner, tree) + _source(inner[0], inner[1])
    return "", _short(every[0][0], tree) if every and every[0] else ""


def _below(file: str, folder: Path) -> bool:
    return Path(file).is_relative_to(folder) and "site-packages" not in file and "<" not in file


def _short(where: Spot, tree: Path) -> str:
    file = Path(where[0])
    name = file.relative_to(tree).as_posix() if file.is_relative_to(tree) else file.name
    return f"{name}:{where[1]} in {where[2]}"


def _source(file: str, line: int) -> str:
    text = linecache.getline(file, line).strip()
    return f" ({text[:120]})" if text else ""
