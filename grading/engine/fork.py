"""Runs jobs in forks of a warm process (Linux)."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

from grading.engine import child, packets
from grading.engine.runner import EngineError, Runner
from grading.engine.supervise import Child, Event

# macOS can fork, but its system libraries may crash in the child; Windows cannot.
AVAILABLE = sys.platform == "linux"
_CHUNK = 1 << 16
_LOST: dict[str, Any] = {"ended": None}


class ForkRunner(Runner):
    """Each run is a fork of a worker, each worker a fork of one server that has imported everything slow."""

    def __enter__(self) -> Self:
        if not AVAILABLE:
            raise EngineError("forked runs need Linux; use the cold runner")
        super().__enter__()
        self._free: list[_Worker] = []
        self._live: set[_Worker] = set()
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._boot()
        return self

    def _boot(self) -> None:
        """Start the fork server; it gets warm while the caller lays its trees."""
        self._sock, theirs = socket.socketpair()
        self._ready = False
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the server
        engine = str(Path(__file__).resolve().parents[2])
        scratch = self._scratch / "server"
        scratch.mkdir(exist_ok=True)
        environment = child.environment(str(scratch), engine)
        del environment["PYTHONDONTWRITEBYTECODE"]  # its own modules may be kept
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-P", "-m", "grading.engine.forkserver", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=environment,
                cwd=scratch,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def _lease(self) -> _Worker:
        with self._lock:
            if self._free:
                return self._free.pop()
            if self._closing:
                raise EngineError("the runner is closed")
            for attempt in (1, 2):
                try:
                    worker = self._new_worker()
                except packets.Closed as gone:
                    # a run may kill the server; nothing of anybody's ran in it
                    if attempt == 2 or not self._ready or self._closing:
                        raise EngineError(f"the fork server did not start: {self._said()}") from gone
                    self._drop_server()
                    self._boot()
                else:
                    self._live.add(worker)
                    return worker
            raise AssertionError("unreachable")

    def _new_worker(self) -> _Worker:
        if not self._ready:
            packets.receive(self._sock)
            self._ready = True
        ours, theirs = socket.socketpair()
        with theirs:
            packets.send(self._sock, {"worker": True}, [theirs.fileno()])
        answer, _ = packets.receive(self._sock)
        return _Worker(ours, int(answer["pid"]))

    def _release(self, worker: _Worker) -> None:
        with self._lock:
            if worker.lost or self._closing:
                worker.end()
                self._live.discard(worker)
            else:
                self._free.append(worker)

    def _start(self, order: Mapping[str, Any]) -> Child:
        for _ in range(3):
            worker = self._lease()
            try:
                return _ForkedChild(worker, order, self._release)
            except packets.Closed:  # killed since its last run, by that run
                worker.lost = True
                self._release(worker)
        raise EngineError(f"workers die before they can run anything: {self._said()}")

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace").strip()[-2000:] or "it said nothing"

    def _end_all(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)  # whoever waits for a worker holds the lock
        with self._lock:
            for worker in self._live:
                worker.hang_up()

    def _clean_up(self) -> None:
        for worker in self._live:
            worker.close()
        self._drop_server()

    def _drop_server(self) -> None:
        self._sock.close()
        assert self._server is not None
        if not self._ready:
            self._server.terminate()  # it is still importing, and listens to nobody
        try:
            self._server.wait(5)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._log.close()


class _Worker:
    """The runner's end of one worker."""

    def __init__(self, sock: socket.socket, pid: int) -> None:
        self.sock = sock
        self.pid = pid
        self.run_pid = 0
        self.lost = False

    def hang_up(self) -> None:
        """The worker and whoever waits for it here see the end of the stream."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """For a worker that does not answer any more."""
        self.close()
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        if self.run_pid:
            with contextlib.suppress(OSError):
                os.killpg(self.run_pid, signal.SIGKILL)

    def close(self) -> None:
        self.sock.close()


class _ForkedChild:
    """One run in a fork; see `supervise.Child`."""

    def __init__(self, worker: _Worker, order: Mapping[str, Any], release: Any) -> None:
        self._worker = worker
        self._release = release
        self._events: deque[Event] = deque()
        self._done = False
        verdicts, verdicts_write = os.pipe()
        output, output_write = os.pipe()
        self._pipes: dict[int, Any] = {verdicts: "verdicts", output: "output"}
        for fd in self._pipes:
            os.set_blocking(fd, False)
        try:
            packets.send(worker.sock, {"run": order}, [verdicts_write, output_write])
        except packets.Closed:
            for fd in self._pipes:
                os.close(fd)
            raise
        finally:
            os.close(verdicts_write)
            os.close(output_write)

    def next(self, timeout: float) -> Event | None:
        until = time.monotonic() + timeout
        while not self._events:
            left = until - time.monotonic()
            self._listen(max(0.0, left))
            if left <= 0:
                break
        return self._events.popleft() if self._events else None

    def _listen(self, timeout: float) -> None:
        poll = select.poll()
        news = self._worker.sock.fileno()
        for fd in (*self._pipes, news):
            poll.register(fd, select.POLLIN)
        for fd, _ in sorted(poll.poll(timeout * 1000)):
            if fd in self._pipes:
                self._read(fd)
            elif fd == news and not self._done:
                self._news()

    def _read(self, fd: int) -> bool:
        """Read once. False when there is nothing (any more)."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            del self._pipes[fd]
            os.close(fd)
            return False
        kind = self._pipes[fd]
        self._events.append((kind, data))
        return True

    def _news(self) -> None:
        try:
            message, _ = packets.receive(self._worker.sock)
        except packets.Closed:
            self._worker.lost = True
            message = _LOST
        if "pid" in message:
            self._worker.run_pid = int(message["pid"])
        if "ended" in message:
            self._done = True
            for fd in list(self._pipes):
                while self._read(fd):
                    pass
            self._events.append(("ended", message["ended"]))

    def abort(self) -> None:
        self._tell("abort")

    def kill(self) -> None:
        self._tell("kill")

    def _tell(self, end: str) -> None:
        if not self._done:
            with contextlib.suppress(packets.Closed):
                packets.send(self._worker.sock, {"end": end})

    def close(self) -> None:
        if not self._done:
            # not even a kill ended it in time, or the runner is being interrupted: the worker goes too
            self._worker.lost = True
        for fd in self._pipes:
            os.close(fd)
        self._pipes.clear()
        self._release(self._worker)
