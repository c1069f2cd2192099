"""Starts modules of the tested tree as real programs, for the stdio and HTTP fixtures.

`start_program("helpdesk.stdio_main", ["--user", "carol"])` gives a process with real pipes. In a forked run
the fork server forks it (a tenth of a second); everywhere else a new interpreter starts (about two seconds).
Either way `helpdesk` is the tree's own, and the program ends with the run.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from grading.engine import finder, packets

_ANSWER_WITHIN = 30.0


class Program(ABC):
    """A running program. `stdin`, `stdout` and `stderr` are binary files over real pipes."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    pid: int

    @abstractmethod
    def wait(self, timeout: float | None = None) -> int:
        """The exit status, minus the signal's number for one that was killed.

        Raises `TimeoutError` when it still runs after `timeout` seconds.
        """

    @abstractmethod
    def signal(self, number: int) -> None:
        """Send a signal; nothing happens when the program has ended."""

    def poll(self) -> int | None:
        """The exit status, or None while it runs."""
        try:
            return self.wait(0)
        except TimeoutError:
            return None

    def terminate(self) -> None:
        """Ask it to end."""
        self.signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Kill it if it still runs, wait for it, close the pipes."""
        if self.poll() is None:
            self.kill()
            self.wait(_ANSWER_WITHIN)
        for file in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                file.close()


def start_program(
    module: str,
    args: Sequence[str] = (),
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> Program:
    """Run `module` of the current tree as `__main__`, with `args`.

    `env` adds to the environment that programs get (this process's own, without what starts with `PYTHON`,
    `PYTEST` or `HELPDESK`). `cwd` is the working directory; this process's own if not given. Raises
    `ModuleNotFoundError` when there is no tree, `OSError` when the program cannot be started.
    """
    tree = finder.current_tree()
    environment = {**_environment(tree), **(env or {})}
    directory = str(cwd if cwd is not None else Path.cwd())
    if _asks is None:
        return _Started(module, args, environment, directory)
    return _Forked(_asks, module, args, environment, directory)


_asks: socket.socket | None = None
_one_at_a_time = threading.Lock()


def connect(asks: socket.socket) -> None:
    """From now on ask the fork server at the other end of `asks` for programs. Called in a forked run."""
    global _asks
    _asks = asks


def _environment(tree: Path) -> dict[str, str]:
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith(("PYTHON", "PYTEST", "HELPDESK"))
    }
    return {
        **ours,
        "PYTHONPATH": str(tree),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    }


class _Started(Program):
    """A program in a new interpreter."""

    def __init__(self, module: str, args: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        command = [sys.executable, "-m", module, *args]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self.stdin, self.stdout, self.stderr = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        self.pid = self._process.pid

    def wait(self, timeout: float | None = None) -> int:
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"the program still runs after {timeout:g} s") from None

    def signal(self, number: int) -> None:
        with contextlib.suppress(OSError):
            self._process.send_signal(number)


class _Forked(Program):
    """A program that the fork server forks. A pipe of its own tells pid and exit status."""

    def __init__(
        self, asks: socket.socket, module: str, args: Sequence[str], env: Mapping[str, str], cwd: str
    ) -> None:
        in_read, in_write = os.pipe()
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        self._news, news_write = os.pipe()
        self.stdin, self.stdout, self.stderr = (
            os.fdopen(in_write, "wb"),
            os.fdopen(out_read, "rb"),
            os.fdopen(err_read, "rb"),
        )
        self._status: int | None = None
        self._heard = b""
        self._lock = threading.Lock()
        theirs = (in_read, out_write, err_write, news_write)
        order = {"module": module, "args": list(args), "env": dict(env), "cwd": cwd}
        try:
            with _one_at_a_time:
                packets.send(asks, order, theirs)
                line = self._line(_ANSWER_WITHIN)
        finally:
            for fd in theirs:
                os.close(fd)
        if not line:
            raise OSError(f"the fork server did not start {module}")
        self.pid = int(line)

    def wait(self, timeout: float | None = None) -> int:
        with self._lock:
            if self._status is None:
                line = self._line(timeout)
                if line is None:
                    raise TimeoutError(f"the program still runs after {timeout:g} s")
                self._status = int(line or -signal.SIGKILL)
                os.close(self._news)
            return self._status

    def signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, number)

    def _line(self, timeout: float | None) -> bytes | None:
        """The next line from the fork server; b"" when it has gone, None when time is up."""
        while b"\n" not in self._heard:
            poll = select.poll()
            poll.register(self._news, select.POLLIN)
            if not poll.poll(None if timeout is None else timeout * 1000):
                return None
            data = os.read(self._news, 100)
            if not data:
                return b""
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        return line
