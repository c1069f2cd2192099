"""Raw lines of text to and from a server, so that a test sees what was really written.

The SDK's own client mends, drops and hides; this one does none of that. It writes exactly the text it
is given, keeps every line it reads, and treats a line that is no JSON-RPC message as a failure. Both
protocol eras are known: "modern" (2026-07-28, each request carries `_meta`) and "legacy" (2025-11-25).

Every wait has a deadline, in seconds, and nothing sleeps.
"""

from __future__ import annotations

import json
import os
import select
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, Literal, Self

from testkit.lines import Lines
from testkit.messages import (
    WireFailure,
    modern_meta,
    parse,
    same_id,
    shortened,
)

Era = Literal["modern", "legacy"]
AUTO: Any = object()
"""As a request's id: the next number, counted from 1."""

ATOMIC = 512  # bytes that a pipe which can be written to takes whole (POSIX, PIPE_BUF: 512 at least)


class NoReply(WireFailure):
    """The deadline passed without the message that was waited for."""


class WireEnded(WireFailure):
    """The server closed its output, or no longer reads its input."""


class RawWire:
    """Lines of text and messages, over a pair of binary files.

    Args:
        reader: what the server writes (its stdout).
        writer: what the server reads (its stdin).
        era: decides whether `request` adds `_meta`.
        deadline: seconds that any one wait may take.
    """

    def __init__(
        self, reader: IO[bytes], writer: IO[bytes], era: Era = "modern", *, deadline: float = 10.0
    ) -> None:
        self.era: Era = era
        self.deadline = deadline
        self.lines: list[str] = []
        """Every line looked at so far, in order, without its line end."""
        self.kept: list[dict[str, Any]] = []
        """Messages that came while something else was waited for, in order. `receive` hands them out "
        "first."""
        self._writer = writer
        self._incoming = Lines(reader)
        self._last_id = 0
        self._last_sent = "nothing was sent"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # Writing

    def send(self, text: str | bytes) -> None:
        """Write one line: the text as it is, then a line end. Bytes go out untouched, to send bad UTF-8.

        Raises:
            WireEnded: the server no longer reads.
            NoReply: the server did not take the text in time, because it reads nothing and the pipe is full.
        """
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        self._last_sent = shortened(data.decode("utf-8", "backslashreplace"))
        trouble: list[Exception] = []
        if len(data) < ATOMIC and self._writable():
            self._write(data + b"\n", trouble)
            taken = True
        else:
            writing = threading.Thread(target=self._write, args=(data + b"\n", trouble), daemon=True)
            writing.start()
            writing.join(self.deadline)
            taken = not writing.is_alive()
        if not taken:
            raise NoReply(f"the server did not read within {self.deadline:g} s: {self._last_sent}")
        if trouble:
            raise WireEnded(
                f"the server no longer reads its input; not sent: {self._last_sent}"
            ) from trouble[0]

    def _writable(self) -> bool:
        """Whether a line of less than `ATOMIC` bytes goes out at once, so that no thread need wait for it."""
        try:
            return os.name == "posix" and bool(select.select([], [self._writer], [], 0)[1])
        except (OSError, ValueError):  # closed, without a descriptor, or one too high for select
            return False

    def _write(self, data: bytes, trouble: list[Exception]) -> None:
        try:
            left = memoryview(data)
            while left:  # an unbuffered pipe may take only a part
                left = left[self._writer.write(left) or 0 :]
            self._writer.flush()
        except (OSError, ValueError) as error:  # ValueError: the file is closed
            trouble.append(error)

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification. No reply may follow; prove that with the reply to a later request."""
        self.send(
            json.dumps({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))
        )

    def post(self, method: str, params: Mapping[str, Any] | None = None, id: Any = AUTO) -> Any:
        """Send a request and return its id, without waiting. Fetch the answer with `reply(id)`."""
        if id is AUTO:
            self._last_id += 1
            id = self._last_id
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
        if self.era == "modern":
            given = dict(params or {})
            given["_meta"] = {**modern_meta(), **given.get("_meta", {})}
            message["params"] = given
        elif params is not None:
            message["params"] = dict(params)
        self.send(json.dumps(message))
        return id

    def request(self, method: str, params: Mapping[str, Any] | None = None, id: Any = AUTO) -> dict[str, Any]:
        """Send a request and return the whole reply, with its `result` or its `error`.

        Replies may come in any order; what belongs to something else goes to `kept`.
        """
        return self.reply(self.post(method, params, id))

    # Reading

    def receive(self) -> dict[str, Any]:
        """The next message of any kind, kept ones first.

        Raises:
            NotAMessage: the line that came is no JSON-RPC message. The next `receive` goes on after it.
            NoReply: nothing came in time.
            WireEnded: the server's output has ended.
        """
        return self.kept.pop(0) if self.kept else self._next(self._due())

    def reply(self, id: Any) -> dict[str, Any]:
        """The reply with exactly this id (1 is not "1"). Raises as `receive` does."""
        for at, message in enumerate(self.kept):
            if _answers(message, id):
                return self.kept.pop(at)
        due = self._due()
        while True:
            message = self._next(due)
            if _answers(message, id):
                return message
            self.kept.append(message)

    @property
    def unexpected(self) -> list[dict[str, Any]]:
        """Kept messages that are no replies: notifications, and requests by the server."""
        return [message for message in self.kept if "method" in message]

    def _due(self) -> float:
        return time.monotonic() + self.deadline

    def _next(self, due: float) -> dict[str, Any]:
        line = self._next_line(due)
        if line is None:
            raise WireEnded(f"the server's output ended; last sent: {self._last_sent}")
        return parse(line)

    def _next_line(self, due: float) -> bytes | None:
        try:
            line = self._incoming.next(due)
        except TimeoutError:
            raise NoReply(
                f"no reply within {self.deadline:g} s to: {self._last_sent}{self._aside()}"
            ) from None
        if line is not None:
            self.lines.append(line.decode("utf-8", "backslashreplace"))
        return line

    def _aside(self) -> str:
        return f" (kept aside meanwhile: {shortened(json.dumps(self.kept))})" if self.kept else ""

    def end_input(self) -> None:
        """Close the server's input, as a client does that leaves. Its output can still be read."""
        with suppress(OSError, ValueError):  # it is closed, or what was left in it cannot be written
            self._writer.close()

    def rest(self) -> list[dict[str, Any]]:
        """Every message up to the end of the output, kept ones first. Call `end_input` before.

        Raises:
            NoReply: the output did not end in time.
        """
        messages, self.kept = self.kept, []
        due = self._due()
        while (line := self._next_line(due)) is not None:
            messages.append(parse(line))
        return messages

    def close(self) -> None:
        """Close the input, wait for the output to end, and let go of it. Never raises."""
        self.end_input()
        self._incoming.close(min(self.deadline, 2.0))


def _answers(message: Mapping[str, Any], id: Any) -> bool:
    return "method" not in message and same_id(message.get("id"), id)
