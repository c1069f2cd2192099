"""Bytes into lines, and lines into messages: what a client of the stdio server sends, judged one by one.

The SDK (2.3.0) drops a line that is no message without a word. JSON-RPC 2.0 wants an answer: -32700 for
what is not JSON, -32600 for JSON that is no message.
"""

import json
from collections.abc import Callable, Iterator
from typing import NoReturn

from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR, JSONRPCMessage, RequestId, jsonrpc_message_adapter
from pydantic import ValidationError

__all__ = ["LINE_LIMIT", "NotAMessage", "judge", "split"]

LINE_LIMIT = 4 * 1024 * 1024
"""Bytes in one line, at most: what the SDK allows the body of an HTTP request."""

ONE_A_LINE = "Send one message a line."


class NotAMessage(Exception):
    """A line that is no JSON-RPC message. `reply` is the answer that the client gets.

    Where no id could be read the reply's is null, as JSON-RPC 2.0 (section 5) says and the SDK's HTTP does.
    MCP's schema has a reply without the member; some clients accept only that and drop the other.
    """

    def __init__(self, code: int, message: str, id: RequestId | None = None) -> None:
        super().__init__(message)
        self.reply = JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))


def judge(line: bytes | None) -> tuple[str, JSONRPCMessage]:
    """The text of a line, and the message that the SDK will read in it. None is a line that is too long.

    The SDK's own adapter decides: `json.loads` lets lone surrogates and deep nesting pass, the adapter
    does not. It also reads a request whose id is null, true or 1.5 as a notification, which would get no
    answer; JSON-RPC 2.0 allows a string or an integer (MCP, basic/index: never null), so those are refused.

    Raises:
        NotAMessage: -32700 when the line is not JSON in UTF-8, -32600 when it is JSON and no message. The
            reply carries the line's id if that is a string or an integer, else null.
    """
    if line is None:
        raise NotAMessage(INVALID_REQUEST, f"Invalid request: a line has {LINE_LIMIT} bytes at most.")
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise NotAMessage(PARSE_ERROR, "Parse error: the line is not UTF-8.") from None
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as refusal:
        first = refusal.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            raise NotAMessage(PARSE_ERROR, f"Parse error: {first['msg']}. {ONE_A_LINE}") from None
        value = json.loads(text)
        what = "there are no batches" if isinstance(value, list) else "this is no JSON-RPC 2.0 message"
        raise NotAMessage(
            INVALID_REQUEST, f"Invalid request: {what}. {ONE_A_LINE}", usable_id(value)
        ) from None
    try:
        value = json.loads(text, parse_constant=no_number)  # the adapter takes NaN, which is not JSON
    except ValueError as error:
        raise NotAMessage(PARSE_ERROR, f"Parse error: {error}. {ONE_A_LINE}") from None
    if isinstance(message, JSONRPCNotification) and "id" in value:
        raise NotAMessage(INVALID_REQUEST, "Invalid request: an id is a string or an integer, never null.")
    return text, message


def no_number(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads and JSON (RFC 8259, section 6) does not have."""
    raise ValueError(f"{name} is not JSON")


def usable_id(value: object) -> RequestId | None:
    """The id of a decoded JSON value, if it has one that an answer may carry."""
    id = value.get("id") if isinstance(value, dict) else None
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None


def split(read: Callable[[], bytes], limit: int = LINE_LIMIT) -> Iterator[list[bytes | None]]:
    """Cut what `read` returns into lines, without their line feeds, until it returns nothing.

    Each list holds the lines that one read completed. None stands for a line of more than `limit` bytes:
    it comes as soon as the limit is passed, and the rest of the line is thrown away as it arrives.
    """
    parts: list[bytes] = []  # the line that is not complete yet
    size = 0
    skipping = False
    while chunk := read():
        lines: list[bytes | None] = []
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if not skipping:
                lines.append(b"".join((*parts, end)) if size + len(end) <= limit else None)
            parts, size, skipping = [], 0, False
        if rest and not skipping:
            parts.append(rest)
            size += len(rest)
            if size > limit:
                parts, skipping = [], True
                lines.append(None)
        if lines:
            yield lines
    if parts:
        yield [b"".join(parts)]
