"""How far a matrix is, on standard error: a bar in a terminal, a plain line now and then in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

__all__ = ["Bar", "Lines", "show_progress", "time_left"]

_EVERY = 5.0  # seconds between two lines in a log


def show_progress(stream: TextIO | None = None, what: str = "servers") -> Bar | Lines:
    """The progress that fits this stream, standard error if none is given. `what` is judged, one by one."""
    where = stream or sys.stderr
    return Bar(where) if where.isatty() else Lines(where, what)


def time_left(done: int, total: int, elapsed: float) -> float | None:
    """Seconds left if the rest takes what was done took; None until a tenth is done."""
    return elapsed / done * (total - done) if done * 10 >= total else None


class Lines:
    """A line every few seconds, for logs."""

    def __init__(self, stream: TextIO, what: str = "servers") -> None:
        self._stream, self._what = stream, what
        self._total = self._done = 0
        self._began = self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Nothing is left to clear away."""

    def begin(self, servers: int) -> None:
        """So many servers will be judged."""
        self._total, self._done = servers, 0
        self._began = self._said = time.monotonic()

    def now(self, name: str) -> None:
        """A log need not know what runs now."""

    def done(self, name: str) -> None:
        """A server is judged."""
        self._done += 1
        now = time.monotonic()
        if now - self._said >= _EVERY:
            self._said = now
            left = time_left(self._done, self._total, now - self._began)
            soon = "" if left is None else f", {left:.0f} s left"
            print(f"{self._done} of {self._total} {self._what}{soon}: {name}", file=self._stream)


class Bar:
    """A bar with the server that runs now and the time left. It is cleared away at the end."""

    def __init__(self, stream: TextIO) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.completed:.0f} of {task.total:.0f}"),
            TextColumn("{task.fields[left]}"),
            console=Console(file=stream, highlight=False),
            transient=True,
            expand=True,
        )
        self._task = self._progress.add_task("starting".ljust(28), total=1, left="")
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Clear the bar away."""
        self._progress.stop()

    def begin(self, servers: int) -> None:
        """So many servers will be judged."""
        self._began = time.monotonic()
        self._progress.update(self._task, total=servers, completed=0)

    def now(self, name: str) -> None:
        """This server is what runs longest now."""
        self._progress.update(self._task, description=name[:28].ljust(28))

    def done(self, name: str) -> None:
        """A server is judged."""
        self._progress.advance(self._task)
        task = self._progress.tasks[0]
        left = time_left(int(task.completed), int(task.total or 0), time.monotonic() - self._began)
        self._progress.update(self._task, left="" if left is None else f"{left:.0f} s left")
