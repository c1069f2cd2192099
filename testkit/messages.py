"""What is a JSON-RPC message, and what a modern request carries."""

from __future__ import annotations

import json
from typing import Any

LEGACY_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"


class WireFailure(AssertionError):
    """A server did not keep to the protocol. An assertion, so that a test fails by it and does not err."""


class NotAMessage(WireFailure):
    """A line on stdout that is no JSON-RPC message. `.line` holds it whole."""

    def __init__(self, line: str) -> None:
        super().__init__(f"stdout carried a line that is not a JSON-RPC message: {shortened(line)!r}")
        self.line = line


def modern_meta() -> dict[str, Any]:
    """The `_meta` that each request of 2026-07-28 must carry (basic/index of that revision)."""
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "testkit", "version": "1"},
    }


def parse(line: bytes) -> dict[str, Any]:
    """The message in one line.

    A message is a JSON object with `"jsonrpc": "2.0"` and either a `method`, or an `id` with a `result`, or
    an `error` with a code and words. An id is a string or an integer; an error that answers something
    unreadable may have null or none. Batches are no messages: both eras took them out of the protocol.

    Raises:
        NotAMessage: it is something else.
    """
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not _is_message(message):
        raise NotAMessage(line.decode("utf-8", "backslashreplace"))
    return message


def _is_message(value: dict[str, Any]) -> bool:
    if value.get("jsonrpc") != "2.0":
        return False
    fields = value.keys() & {"method", "result", "error"}
    has_id = type(value.get("id")) in (str, int)
    if fields == {"method"}:
        return isinstance(value["method"], str) and (has_id or "id" not in value)
    if fields == {"result"}:
        return has_id
    if fields == {"error"}:
        error = value["error"]
        worded = (
            isinstance(error, dict)
            and type(error.get("code")) is int
            and isinstance(error.get("message"), str)
        )
        return worded and (has_id or value.get("id") is None)
    return False


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are exactly the same: 1 is neither "1" nor 1.0 nor true."""
    return type(one) is type(other) and one == other


def shortened(text: str, limit: int = 400) -> str:
    """The text, or its beginning and how long it was."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
