"""The token's scope against the tool that a message calls, before the SDK sees the message.

The SDK knows one list of scopes for a whole server; here each tool needs its own. The header `Mcp-Name`
is the client's word and absent in the older era, so what counts is the body. It is read once and written
anew from what was read: no other parser, and no second key of the same name, can find another call in it
than the one that was judged.
(MCP 2026-07-28, basic/authorization: a token without the scope is 403 `insufficient_scope`, and the
challenge names the scope and the metadata; a 401 should name the scope too.)
"""

import json
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp_types.jsonrpc import JSONRPCError
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helpdesk.lines import NotAMessage, judge
from helpdesk.tools import TOOLS

__all__ = ["NameScopes", "ScopeCheck", "needed_scope"]

NEEDS = {tool.name: tool.scope for tool in TOOLS}


WORDS = {
    types.PARSE_ERROR: "Parse error: the body is not JSON in UTF-8.",
    types.INVALID_REQUEST: "Invalid request: the body is not one JSON-RPC request, notification or response.",
}


def needed_scope(message: dict[str, Any]) -> str | None:
    """The scope that a message needs, or None. An unknown tool needs none: the server says it is unknown."""
    if message.get("method") != "tools/call":
        return None
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return NEEDS.get(name) if isinstance(name, str) else None


class ScopeCheck:
    """ASGI layer round the SDK's MCP endpoint, behind its authentication and its limit on the body's size."""

    def __init__(self, app: ASGIApp, metadata_url: str) -> None:
        self.app = app
        self.metadata_url = metadata_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Judge a POST and hand it on, or answer it."""
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self.app(scope, receive, send)
        try:
            text, _ = judge(await Request(scope, receive).body())
        except ClientDisconnect:
            return
        except NotAMessage as refused:
            return await not_a_message(refused.reply)(scope, receive, send)
        message = json.loads(text)
        needed = needed_scope(message)
        user = scope.get("user")
        if needed is not None and not (isinstance(user, AuthenticatedUser) and needed in user.scopes):
            return await self.insufficient(needed)(scope, receive, send)
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        await self.app(with_length(scope, len(body)), replay(body, receive), send)

    def insufficient(self, needed: str) -> Response:
        """403, with the challenge from which a client learns what to ask the user for."""
        challenge = (
            f'Bearer error="insufficient_scope", scope="{needed}", resource_metadata="{self.metadata_url}"'
        )
        return JSONResponse(
            {
                "error": "insufficient_scope",
                "error_description": f"This call needs a token with the scope {needed}.",
            },
            status_code=403,
            headers={"WWW-Authenticate": challenge},
        )


class NameScopes:
    """ASGI layer that adds `scope` to the challenge of a 401, which the SDK's own leaves out."""

    def __init__(self, app: ASGIApp, scopes: Sequence[str]) -> None:
        self.app = app
        self.scopes = " ".join(scopes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request, and name the scopes if the answer is 401."""

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                headers = MutableHeaders(scope=message)
                headers["WWW-Authenticate"] = f'{headers["WWW-Authenticate"]}, scope="{self.scopes}"'
            await send(message)

        await self.app(scope, receive, named)


def not_a_message(reply: JSONRPCError) -> Response:
    """400 and the JSON-RPC error for a body that holds no message.

    Left to itself the SDK answers such a body in the older era with -32602, or with 202 and nothing more
    when only the id is wrong. JSON-RPC 2.0 has -32600 for both.
    """
    error = types.ErrorData(code=reply.error.code, message=WORDS[reply.error.code])
    answer = JSONRPCError(jsonrpc="2.0", id=reply.id, error=error)
    return JSONResponse(answer.model_dump(exclude_unset=True), status_code=400)


def with_length(scope: Scope, length: int) -> Scope:
    """The request's scope with the length of the body as it was written anew."""
    headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
    return {**scope, "headers": [*headers, (b"content-length", str(length).encode())]}


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once and then listens to the client again."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
