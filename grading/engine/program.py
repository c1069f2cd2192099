"""The other end of `spawn`: what a forked program does with itself (POSIX only)."""

from __future__ import annotations

import atexit
import contextlib
import os
import runpy
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grading.engine import afterfork, finder, limits, reached
from grading.engine.jobs import Job


def run(order: Mapping[str, Any], job: Job, scratch: str, streams: Sequence[int]) -> None:
    """Become the program of `order`, run it to its end and leave. Never returns.

    `scratch` is the folder of the run that asked for it.
    """
    status = 70
    try:
        afterfork.become(streams)
        _settle(order, job, scratch)
        status = _main(order["module"])
    except BaseException:
        traceback.print_exc()
    finally:
        afterfork.flush_streams()
        os._exit(status & 0xFF)


def _settle(order: Mapping[str, Any], job: Job, scratch: str) -> None:
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    engine = str(Path(__file__).resolve().parents[2])
    sys.path[:] = [str(job.tree), *(entry for entry in sys.path if entry and entry != engine)]
    sys.dont_write_bytecode = True
    if job.trace:
        reached.tell(scratch)
    finder.install(job.tree, job.trace)
    limits.apply(job.limits, job.timeout)
    sys.argv = [order["module"], *order["args"]]


def _main(module: str) -> int:
    """Run `module` as `python -m` would, and end as an interpreter ends. Returns the exit status."""
    status = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as leave:
        status = _status(leave)
    except KeyboardInterrupt:
        traceback.print_exc()
        status = 130
    except BaseException:
        traceback.print_exc()
        status = 1
    with contextlib.suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as an interpreter does
    atexit._run_exitfuncs()
    return status


def _status(leave: SystemExit) -> int:
    if leave.code is None:
        return 0
    if isinstance(leave.code, int):
        return leave.code
    print(leave.code, file=sys.stderr)
    return 1
