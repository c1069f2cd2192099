"""Turns a freshly forked copy of the fork server into a process of its own (POSIX only)."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def adopt_orphans() -> None:
    """What a descendant leaves behind becomes a child of this process, so that it can be ended (Linux)."""
    if _libc is not None:
        _libc.prctl(_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """End with the process that forked this one, however that ends (Linux)."""
    if _libc is not None:
        _libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def become(streams: Sequence[int], keep: Collection[int] = ()) -> None:
    """Own session, default signals, `streams` as fds 0, 1 and 2, and nothing else open but `keep`."""
    os.setsid()
    die_with_parent()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))
    fresh_streams()


def fresh_streams() -> None:
    """New `sys.stdin`, `sys.stdout`, `sys.stderr` over fds 0, 1 and 2, as a new interpreter has them."""
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(_raw(0, "r")), "utf-8")
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(io.BufferedWriter(_raw(1, "w")), "utf-8")
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        io.BufferedWriter(_raw(2, "w")), "utf-8", errors="backslashreplace", line_buffering=True
    )


def flush_streams() -> None:
    """What `os._exit` would drop."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def children() -> set[int]:
    """The direct children of this process, ended or not; empty where the system does not tell."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.update(int(pid) for pid in task.read_text().split())
    return found


def end_children(spare: Collection[int] = ()) -> None:
    """Kill and reap every child but `spare`, until none is left: their orphans become children in turn."""
    while left := children() - set(spare):
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def end_group(leader: int) -> None:
    """Kill the process group of `leader`, which this process must not have reaped yet."""
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


def _raw(fd: int, mode: str) -> io.FileIO:
    return io.FileIO(fd, mode, closefd=False)
