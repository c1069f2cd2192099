"""The desk as one ASGI app: the MCP endpoint behind its tokens, its metadata, the sign-in.

What a request to the endpoint passes, from the outside in: the guard against DNS rebinding; the SDK's
reading of the bearer token; its 401 without a good one; the limit on the body's size; the check of the
token's scope against the tool that is called; the SDK's endpoint, which serves both protocol eras and
answers in JSON.
"""

from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.routes import build_resource_metadata_url, cors_middleware
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from helpdesk.app import make_server
from helpdesk.auth import SCOPES, Verifier, current_user
from helpdesk.auth_server import EVERYDAY, SignIn
from helpdesk.scope_check import NameScopes, ScopeCheck
from helpdesk.service import Desk

__all__ = ["LOOPBACK", "make_app"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")  # the hosts at which this machine alone can call

MAX_SESSIONS = 1000  # of the older era, open at once; the next client gets 503
SESSION_IDLE_SECONDS = 600.0  # after which such a session is closed


def make_app(desk: Desk, *, key: str, url: str = "http://127.0.0.1:8000/mcp") -> Starlette:
    """The app for one desk, with its MCP endpoint at `url`. Its lifespan runs once, and must.

    Tokens are signed with `key`. At a loopback address users can sign in (`auth_server`); anywhere else
    the holder of the key mints tokens.

    Raises:
        ValueError: the key is too short.
    """
    parts = urlsplit(url)
    resource = AnyHttpUrl(url)
    metadata_url = build_resource_metadata_url(resource)
    sign_in = SignIn(desk, key=key, url=url) if parts.hostname in LOOPBACK else None
    verifier = Verifier(key, url) if sign_in is None else sign_in.verifier
    guard = guarding(parts.netloc)
    sessions = StreamableHTTPSessionManager(
        make_server(desk, current_user),
        json_response=True,
        security_settings=guard,
        max_sessions=MAX_SESSIONS,
        session_idle_timeout=SESSION_IDLE_SECONDS,
    )
    checked = ScopeCheck(sessions.handle_request, str(metadata_url))
    limited = RequestBodyLimitMiddleware(checked, DEFAULT_MAX_REQUEST_BODY_SIZE)
    endpoint = NameScopes(RequireAuthMiddleware(limited, [], metadata_url), EVERYDAY)
    return Starlette(
        routes=[
            Route(parts.path, endpoint),
            metadata_route(urlsplit(str(metadata_url)).path, url, sign_in),
            *(sign_in.routes() if sign_in else []),
        ],
        middleware=[
            Middleware(Guard, guard),
            Middleware(
                AuthenticationMiddleware, backend=BearerAuthBackend(verifier, resource_server_url=resource)
            ),
            Middleware(AuthContextMiddleware),
        ],
        lifespan=lambda app: sessions.run(),
    )


def metadata_route(path: str, url: str, sign_in: SignIn | None) -> Route:
    """What a client reads to learn where to get a token, and with which scopes (RFC 9728).

    The SDK's own route gives the scopes that every request needs, of which there are none here.
    """
    metadata: dict[str, Any] = {
        "resource": url,
        "resource_name": "Help desk",
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
    }
    if sign_in is not None:
        metadata["authorization_servers"] = [sign_in.issuer]

    async def describe(request: Request) -> Response:
        return JSONResponse(metadata, headers={"Cache-Control": "public, max-age=3600"})

    return Route(path, cors_middleware(describe, ["GET", "OPTIONS"]), methods=["GET", "OPTIONS"])


def guarding(netloc: str) -> TransportSecuritySettings:
    """The hosts that a request may name and the origins of pages that may send one.

    A page elsewhere can point a name of its own at this machine and then call as if it were at home (DNS
    rebinding); its name gives it away. (MCP, basic/transports, "Security Warning".)
    """
    local = ["127.0.0.1", "localhost", "[::1]"]
    hosts = [netloc, *local, *(f"{host}:*" for host in local)]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
    )


class Guard:
    """ASGI layer that holds every request to the guard: the SDK holds those to the endpoint only."""

    def __init__(self, app: ASGIApp, settings: TransportSecuritySettings) -> None:
        self.app = app
        self.security = TransportSecurityMiddleware(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request, unless its Host (421) or Origin (403) is a stranger's."""
        refusal = None
        if scope["type"] == "http":
            refusal = await self.security.validate_request(Request(scope))
        await (refusal or self.app)(scope, receive, send)
