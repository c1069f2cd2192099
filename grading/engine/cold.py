"""Runs jobs in new interpreters: slower, and the same everywhere (Windows, macOS, Linux)."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Literal, Self

from grading.engine import child
from grading.engine.runner import EngineError, Runner
from grading.engine.supervise import Child, Event

_CHUNK = 1 << 16


class ColdRunner(Runner):
    """Each run is `python -m grading.engine.child`; the programs of its tests are interpreters too."""

    def __enter__(self) -> Self:
        super().__enter__()
        self._live: set[_ColdChild] = set()
        self._lock = threading.Lock()
        return self

    def _start(self, order: Mapping[str, Any]) -> Child:
        with self._lock:
            if self._closing:
                raise EngineError("the runner is closed")
            started = _ColdChild(order, self._live)
            self._live.add(started)
            return started

    def _end_all(self) -> None:
        with self._lock:
            for running in list(self._live):
                running.kill()


class _ColdChild:
    """One run in a new interpreter; see `supervise.Child`.

    Threads read and wait, since a pipe cannot be waited for with a time limit everywhere.
    """

    def __init__(self, order: Mapping[str, Any], live: set[_ColdChild]) -> None:
        self._live = live
        self._events: queue.Queue[Event] = queue.Queue(64)
        self._closed = False
        engine = str(Path(__file__).resolve().parents[2])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grading.engine.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child.environment(order["scratch"], engine),
            cwd=order["scratch"],
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(order).encode())
            self._process.stdin.close()
        self._readers = [
            threading.Thread(target=self._read, args=("verdicts", self._process.stdout), daemon=True),
            threading.Thread(target=self._read, args=("output", self._process.stderr), daemon=True),
        ]
        self._waiter = threading.Thread(target=self._wait, daemon=True)
        for thread in (*self._readers, self._waiter):
            thread.start()

    def _read(self, kind: Literal["verdicts", "output"], pipe: IO[bytes]) -> None:
        while data := os.read(pipe.fileno(), _CHUNK):
            if not self._closed:
                self._events.put((kind, data))

    def _wait(self) -> None:
        """Wait for the process, end what it left (which may hold the pipes), then for the last bytes."""
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            _end_group(self._process.pid)  # while the number is still its own
        status = self._process.wait()
        for thread in self._readers:
            thread.join(10)
        if not self._closed:
            self._events.put(("ended", status))

    def next(self, timeout: float) -> Event | None:
        try:
            return self._events.get(timeout=timeout) if timeout > 0 else self._events.get_nowait()
        except queue.Empty:
            return None

    def abort(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                self._process.send_signal(signal.SIGABRT)

    def kill(self) -> None:
        if self._process.poll() is not None:
            return
        if hasattr(os, "killpg"):
            _end_group(self._process.pid)
        else:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self._process.pid)], capture_output=True)
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        self._closed = True
        self.kill()
        until = time.monotonic() + 10
        while self._waiter.is_alive() and time.monotonic() < until:
            with contextlib.suppress(queue.Empty):  # make room for whoever still wants to put something
                self._events.get(timeout=0.05)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            if not any(thread.is_alive() for thread in self._readers):
                pipe.close()
        self._live.discard(self)


def _end_group(leader: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
