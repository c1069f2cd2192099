"""Lines from a binary file, each waited for until a deadline and no longer.

One thread reads the file into a queue: that works for pipes and sockets on every system, Windows
included, where a pipe cannot be asked whether something has come.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import IO

MAX_WAITING = 100_000  # lines read and not yet asked for; then the writer has to wait
MAX_PIECES = 50_000  # of at most 64 KB each; a "line" of more is a flood


class Lines:
    """The lines of a file, as they come."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._arrived: queue.Queue[bytes | None] = queue.Queue(MAX_WAITING)
        self._ended = False
        self._thread = threading.Thread(target=self._read_on, name="testkit lines", daemon=True)
        self._thread.start()

    def next(self, due: float) -> bytes | None:
        """The next line without its end, or None when the file has ended.

        Args:
            due: the deadline, in seconds of `time.monotonic`.

        Raises:
            TimeoutError: neither came in time.
        """
        if self._ended:
            return None
        try:
            line = self._arrived.get(timeout=max(0.0, due - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        self._ended = line is None
        return line

    def close(self, patience: float) -> None:
        """Close the file when it ends within `patience` seconds; else leave it to the reading thread.

        Closing a buffered file under a thread that reads it would block.
        """
        self._thread.join(patience)
        if not self._thread.is_alive():
            self._file.close()

    def _read_on(self) -> None:
        read = getattr(self._file, "read1", self._file.read)  # whichever gives what is there
        line: list[bytes] = []  # the pieces of a line whose end has not come yet
        try:
            while chunk := read(65536):
                *ends, rest = chunk.split(b"\n")
                for end in ends:
                    self._arrived.put(b"".join([*line, end]).removesuffix(b"\r"))
                    line = []
                line.append(rest)
                if len(line) > MAX_PIECES:
                    break
        except (OSError, ValueError):
            pass  # the file was closed under us: it has ended
        if any(line):
            self._arrived.put(b"".join(line))
        self._arrived.put(None)
