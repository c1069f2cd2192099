"""The wire between a run and whoever holds its pipe: one JSON message a line, each behind a nonce.

The nonce is random for each run. A line without it is plain text (a stack dump of `faulthandler`, say),
never a verdict. Both sides bound what they keep, so that a run cannot fill its reader's memory.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Iterator
from typing import Any

LONGEST_LINE = 1 << 20
MOST_TEXT = 64 << 10


def new_nonce() -> str:
    """A fresh nonce: 32 hexadecimal digits."""
    return secrets.token_hex(16)


class Reporter:
    """The run's end. Only the process that made it may speak: a forked copy of a test stays silent."""

    def __init__(self, fd: int, nonce: str) -> None:
        self.fd = fd
        self._prefix = f"\n{nonce} ".encode()
        self._owner = os.getpid()
        self._lock = threading.RLock()

    def send(self, kind: str, **content: Any) -> None:
        """Write one message. Leaves the process when the pipe is gone: nobody is left to run for."""
        if os.getpid() != self._owner:
            return
        data = self._prefix + json.dumps({"kind": kind, **content}).encode() + b"\n"
        with self._lock:
            try:
                while data:
                    data = data[os.write(self.fd, data) :]
            except OSError:
                os._exit(70)


class Parser:
    """The reader's end: bytes in, messages out; other text is kept in `text`, bounded."""

    def __init__(self, nonce: str) -> None:
        self._prefix = f"{nonce} ".encode()
        self._rest = b""
        self._text: list[str] = []
        self._room = MOST_TEXT

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Yield the messages that `data` completes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        for line in lines:
            if line.startswith(self._prefix):
                try:
                    message = json.loads(line[len(self._prefix) :])
                except ValueError:
                    continue
                if isinstance(message, dict) and isinstance(message.get("kind"), str):
                    yield message
            elif line and self._room > 0:
                self._text.append(line[: self._room].decode(errors="replace"))
                self._room -= len(line)

    def take_text(self) -> str:
        """The plain lines since the last call."""
        text, self._text, self._room = "\n".join(self._text), [], MOST_TEXT
        return text


class Output:
    """What a run prints: the first bytes are kept, the rest is counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = bytearray()
        self._lost = 0

    def feed(self, data: bytes) -> None:
        """Keep what there is room for."""
        room = self._most - len(self._kept)
        self._kept += data[:room]
        self._lost += max(0, len(data) - room)

    def __str__(self) -> str:
        text = self._kept.decode(errors="replace")
        return f"{text}\n… and {self._lost:,} bytes more" if self._lost else text
