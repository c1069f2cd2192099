"""An MCP client on the raw wire: `TextWire`, which opens a session in either era, lists and calls.

What it sends and reads as text is in `testkit.raw`, what counts as a message in `testkit.messages`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from testkit.messages import (
    LEGACY_VERSION,
    MODERN_VERSION,
    SERVER_INFO_KEY,
    NotAMessage,
    WireFailure,
    shortened,
)
from testkit.raw import AUTO, Era, NoReply, RawWire, WireEnded

__all__ = [
    "AUTO",
    "Era",
    "NoReply",
    "NotAMessage",
    "Refused",
    "ServerInfo",
    "TextWire",
    "WireEnded",
    "WireFailure",
]


class Refused(WireFailure):
    """The server answered with a protocol error where the kit needed a result. `.error` holds it."""

    def __init__(self, method: str, error: Mapping[str, Any]) -> None:
        super().__init__(f"{method} was refused: {error.get('code')} {error.get('message')!r}")
        self.error = error


@dataclass(frozen=True)
class ServerInfo:
    """What a server said about itself when it was connected to."""

    name: str
    version: str
    protocol: str
    capabilities: dict[str, Any]
    instructions: str | None
    result: dict[str, Any]
    """The whole result, as it came."""


class TextWire(RawWire):
    """A client of one server, over a pair of binary files: what the server writes, and what it reads."""

    def connect(self) -> ServerInfo:
        """Open the session the way of the era: `server/discover`, or `initialize` and `initialized`.

        Raises:
            Refused: the server answered with an error.
        """
        if self.era == "modern":
            result = self.result("server/discover")
            about = (result.get("_meta") or {}).get(SERVER_INFO_KEY) or {}
            protocol = MODERN_VERSION
        else:
            hello = {
                "protocolVersion": LEGACY_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "testkit", "version": "1"},
            }
            result = self.result("initialize", hello)
            about = result.get("serverInfo") or {}
            protocol = str(result.get("protocolVersion"))
            self.notify("notifications/initialized")
        return ServerInfo(
            name=str(about.get("name", "")),
            version=str(about.get("version", "")),
            protocol=protocol,
            capabilities=result.get("capabilities") or {},
            instructions=result.get("instructions"),
            result=result,
        )

    def result(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request that must not be refused. Raises `Refused`."""
        reply = self.request(method, params)
        if "error" in reply:
            raise Refused(method, reply["error"] if isinstance(reply["error"], Mapping) else {})
        if not isinstance(reply["result"], dict):
            raise WireFailure(f"the result of {method} is no object: {reply['result']!r}")
        return reply["result"]

    def list_tools(self, max_pages: int = 20) -> list[dict[str, Any]]:
        """All tools, page by page.

        Raises:
            WireFailure: a page has no list of tools, or the list does not end within `max_pages`.
        """
        tools: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        for _ in range(max_pages):
            page = self.result("tools/list", params)
            if not isinstance(page.get("tools"), list):
                raise WireFailure(
                    f"tools/list answered without a list of tools: {shortened(json.dumps(page))}"
                )
            tools += page["tools"]
            if page.get("nextCursor") is None:  # the empty string is a cursor
                return tools
            params = {"cursor": page["nextCursor"]}
        raise WireFailure(
            f"tools/list did not end within {max_pages} pages (last cursor: {params['cursor']!r})"
        )

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of one tool call, `isError` or not. Raises `Refused` on a protocol error."""
        return self.result("tools/call", {"name": tool, "arguments": dict(arguments or {})})
