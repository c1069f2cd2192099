"""JSON objects over a stream socket, with file descriptors beside them (POSIX only)."""

from __future__ import annotations

import array
import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

_HEAD = 4
_LONGEST = 16 << 20


class Closed(ConnectionError):
    """The other side has gone."""


def send(sock: socket.socket, message: Mapping[str, Any], fds: Sequence[int] = ()) -> None:
    """Send one message. Raises `Closed` when nobody is there."""
    body = json.dumps(message).encode()
    data = len(body).to_bytes(_HEAD, "big") + body
    extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    try:
        sent = sock.sendmsg([data], extra)
        sock.sendall(data[sent:])
    except OSError as gone:
        raise Closed(str(gone)) from gone


def receive(sock: socket.socket, most_fds: int = 8) -> tuple[dict[str, Any], list[int]]:
    """Wait for one message and the descriptors sent with it. Raises `Closed` at the end of the stream.

    The descriptors are not inherited by programs that this process starts.
    """
    fds: list[int] = []
    try:
        size = int.from_bytes(_exactly(sock, _HEAD, fds, most_fds), "big")
        if size > _LONGEST:
            raise Closed(f"a message of {size:,} bytes")
        message = json.loads(_exactly(sock, size, fds, most_fds))
        if not isinstance(message, dict):
            raise Closed("not a message")
        return message, fds
    except (OSError, ValueError) as problem:
        for fd in fds:
            os.close(fd)
        if isinstance(problem, Closed):
            raise
        raise Closed(str(problem)) from problem


def _exactly(sock: socket.socket, size: int, fds: list[int], most_fds: int) -> bytes:
    data = b""
    while len(data) < size:
        part, ancillary, _, _ = sock.recvmsg(size - len(data), socket.CMSG_SPACE(most_fds * 4))
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                got = array.array("i")
                got.frombytes(content[: len(content) - len(content) % got.itemsize])
                fds.extend(got)
        if not part:
            raise Closed("the other side has closed")
        data += part
    for fd in fds:
        os.set_inheritable(fd, False)
    return data
