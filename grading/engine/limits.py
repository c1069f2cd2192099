"""Limits on what a run may use, where the platform has them (`resource`: Linux, macOS)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grading.engine.jobs import Limits


def apply(limits: Limits, seconds: float) -> None:
    """Limit this process and all that it starts. `seconds` bounds processor time, far above the wall limit.

    A limit that the platform refuses is left out: time and output are bounded by the runner anyway.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": int(seconds * 4) + 10,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_NPROC": _running() + limits.processes,
        "RLIMIT_AS": _address_space() + limits.memory,
    }
    for name, value in wanted.items():
        which = getattr(resource, name, None)
        if which is None or (name == "RLIMIT_AS" and sys.platform != "linux"):
            continue
        try:
            hard = resource.getrlimit(which)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(which, (value, value))
        except (OSError, ValueError):
            continue


def _address_space() -> int:
    """Bytes of address space that this process has now; 0 when unknown."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def _running() -> int:
    """How many threads this user runs now (RLIMIT_NPROC counts them), generously: all there are."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].split("/")[1])
    except (OSError, ValueError, IndexError):
        return 4096
