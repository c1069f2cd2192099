"""The SDK's OAuth routes, with what SDK 2.3.0 leaves out of two of them.

- `/revoke` asks every client for a secret, so a client that has none could never revoke (RFC 7009, section
  2.1: such a client sends its id).
- `/authorize` redirects its own errors without `iss`, which the metadata promises (RFC 9207, section 2; MCP
  2026-07-28, basic/authorization: clients refuse an answer without it).
"""

from collections.abc import Iterable
from urllib.parse import parse_qs, urlencode

from mcp.server.auth.provider import construct_redirect_uri
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE, RequestBodyLimitMiddleware
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helpdesk.scope_check import replay, with_length

__all__ = ["completed"]


def completed(routes: Iterable[Route], issuer: str) -> list[Route]:
    """The routes, with `/revoke` and `/authorize` mended."""
    mended: list[Route] = []
    for route in routes:
        layer: ASGIApp | None = None
        if route.path == "/revoke":
            layer = RequestBodyLimitMiddleware(SecretOptional(route.app), DEFAULT_MAX_REQUEST_BODY_SIZE)
        elif route.path == "/authorize":
            layer = NameIssuer(route.app, issuer)
        methods = sorted(route.methods or [])
        mended.append(route if layer is None else Route(route.path, layer, methods=methods))
    return mended


class SecretOptional:
    """ASGI layer: a form without `client_secret` reaches the SDK with an empty one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request."""
        body = await Request(scope, receive).body()
        if "client_secret" not in parse_qs(body.decode("latin-1"), keep_blank_values=True):
            body += b"&" + urlencode({"client_secret": ""}).encode()
        await self.app(with_length(scope, len(body)), replay(body, receive), send)


class NameIssuer:
    """ASGI layer: a redirect back to the client names the issuer."""

    def __init__(self, app: ASGIApp, issuer: str) -> None:
        self.app = app
        self.issuer = issuer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request."""

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 302:
                headers = MutableHeaders(scope=message)
                if not headers["location"].startswith(f"{self.issuer}/sign-in"):
                    headers["location"] = construct_redirect_uri(headers["location"], iss=self.issuer)
            await send(message)

        await self.app(scope, receive, named)
