"""A worker: forks runs and their programs, one run at a time, and ends all that they leave (POSIX only).

Messages from the runner: `{"run": order}` with two descriptors (verdicts, output), `{"end": "abort"}` (dump
the stacks and die) and `{"end": "kill"}`. Answers: `{"pid": n}` when a run has begun, `{"ended": exit
status}` when nothing of it is left. A run asks its worker for programs over a socket of its own; see
`grading.engine.spawn`.

A worker knows nothing of sandboxes and needs none. It can serve inside one just as well, started there by a
launcher as `forkserver` starts it here; `kill(-1)` would then do what `_sweep` does.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
from collections.abc import Mapping
from typing import Any

from grading.engine import afterfork, child, finder, packets, program, rewriting, spawn
from grading.engine.jobs import Job


class Worker:
    """Serves one slot of the runner, over `sock`, until it is closed."""

    def __init__(self, sock: socket.socket) -> None:
        self._runner = sock
        self._asks: socket.socket | None = None
        self._job: Job | None = None
        self._scratch = ""
        self._pid = 0
        self._programs: dict[int, int] = {}  # pid -> where its exit status is to be written
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Serve until the runner closes the socket, then end what runs."""
        os.setsid()
        afterfork.die_with_parent()
        afterfork.adopt_orphans()
        self._wake, wake_write = os.pipe()
        self._wake_write = wake_write
        os.set_blocking(wake_write, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self._selector.register(self._runner, selectors.EVENT_READ, self._order)
        self._selector.register(self._wake, selectors.EVENT_READ, self._reap)
        with contextlib.suppress(packets.Closed):
            while True:
                for key, _ in self._selector.select():
                    if key.fileobj in (self._runner, self._asks, self._wake):  # not closed by the one before
                        key.data()
        if self._pid:
            self._end(signal.SIGKILL)
        self._sweep()

    def _order(self) -> None:
        message, fds = packets.receive(self._runner)
        if "run" in message:
            self._start(message["run"], *fds)
        elif self._pid:
            self._end(signal.SIGABRT if message["end"] == "abort" else signal.SIGKILL)

    def _start(self, order: Mapping[str, Any], verdicts: int, output: int) -> None:
        self._job = Job.from_json(order["job"])
        self._scratch = order["scratch"]
        finder.compile_ahead(self._job.tree)
        rewriting.ahead(self._job.rootdir / test.split("::", 1)[0] for test in self._job.tests)
        self._asks, theirs = socket.socketpair()
        self._selector.register(self._asks, selectors.EVENT_READ, self._program)
        afterfork.flush_streams()
        pid = os.fork()
        if pid == 0:
            try:
                self._let_go()
                nothing = os.open(os.devnull, os.O_RDONLY)
                afterfork.become((nothing, output, output), keep={verdicts, theirs.fileno()})
                spawn.connect(theirs)
                child.run(order, verdicts)
            finally:
                afterfork.flush_streams()
                os._exit(0)
        theirs.close()
        os.close(verdicts)
        os.close(output)
        self._pid = pid
        packets.send(self._runner, {"pid": pid})

    def _program(self) -> None:
        """The run asks for a program."""
        assert self._asks is not None and self._job is not None
        try:
            order, fds = packets.receive(self._asks)
            *streams, news = fds
        except (packets.Closed, ValueError):
            self._close_asks()
            return
        afterfork.flush_streams()
        pid = os.fork()
        if pid == 0:
            self._let_go()
            program.run(order, self._job, self._scratch, streams)
        for fd in streams:
            os.close(fd)
        self._programs[pid] = news
        _tell(news, pid)

    def _reap(self) -> None:
        """Some child has ended."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 1000)
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            pid = ended.si_pid
            if pid == self._pid:
                self._finish()
                return
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            news = self._programs.pop(pid, None)
            if news is not None:
                _tell(news, status)
                os.close(news)

    def _finish(self) -> None:
        """The run has ended: end what it left, then say so."""
        afterfork.end_group(self._pid)  # before it is reaped, while the number is still its own
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        self._pid = 0
        self._sweep()
        packets.send(self._runner, {"ended": status})

    def _sweep(self) -> None:
        for pid in self._programs:
            afterfork.end_group(pid)
        afterfork.end_children()
        for pid, news in self._programs.items():
            with contextlib.suppress(ChildProcessError):  # reaped above, where the system lists children
                os.waitpid(pid, 0)
            os.close(news)
        self._programs.clear()
        self._close_asks()

    def _end(self, number: int) -> None:
        with contextlib.suppress(OSError):
            if number == signal.SIGABRT:
                os.kill(self._pid, number)
            else:
                os.killpg(self._pid, number)
                os.kill(self._pid, number)

    def _close_asks(self) -> None:
        if self._asks is not None:
            self._selector.unregister(self._asks)
            self._asks.close()
            self._asks = None

    def _let_go(self) -> None:
        """In a forked copy: close the worker's own files, before their numbers are used again."""
        signal.set_wakeup_fd(-1)
        self._selector.close()
        self._runner.close()
        if self._asks is not None:
            self._asks.close()
        for fd in (self._wake, self._wake_write, *self._programs.values()):
            os.close(fd)


def _tell(news: int, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody waits for it any more
        os.write(news, f"{number}\n".encode())
