"""A development authorization server, so that a real MCP client can sign in. Not for production.

There are no passwords: the page lists the users of the desk, and whoever sees it may choose any of them.
For that reason it runs inside the desk's own server and on a loopback address only. The endpoints are the
SDK's OAuth routes (metadata, registration, authorization code with PKCE, token, refresh, revocation); this
file holds what they ask for and the page. Everything is kept in memory and bounded; a restart signs
everybody out.
(MCP 2026-07-28, basic/authorization; OAuth 2.1; RFC 8707 resource, RFC 9207 `iss`, RFC 7009 revocation.)
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from mcp.server.auth.handlers.metadata import MetadataHandler
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.routes import build_metadata, cors_middleware, create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl, AnyUrl
from starlette.routing import Route

from helpdesk.auth import SCOPES, Verifier, origin
from helpdesk.oauth_routes import completed
from helpdesk.service import Desk
from helpdesk.sign_in_page import page_routes
from helpdesk.sign_ins import SignIns, keep

__all__ = ["EVERYDAY", "SignIn"]

EVERYDAY: tuple[str, ...] = (
    "tickets:read",
    "tickets:write",
)  # what a client gets that asks for nothing in particular
ROLE_SCOPES = {"customer": EVERYDAY, "staff": EVERYDAY, "admin": SCOPES}

CODE_SECONDS = 60
PAGE_SECONDS = 600

CLIENT_MOST = 10_000  # characters that a client may tell about itself, or ask in
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
NO_REDIRECT = ("javascript", "data", "vbscript", "file", "blob", "about", "view-source", "ftp", "ws", "wss")


@dataclass
class Asked:
    """A client's request for authorization, while its user looks at the page."""

    client: OAuthClientInformationFull
    params: AuthorizationParams
    scopes: list[str]
    until: float


class SignIn(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK's OAuth routes ask for, over the users of one desk.

    `url` is the MCP endpoint: the one resource that tokens are given for. Its origin is the issuer.
    """

    def __init__(self, desk: Desk, *, key: str, url: str) -> None:
        self.desk = desk
        self.url = url
        self.issuer = origin(url)
        self.sign_ins = SignIns(key, url)
        self.verifier = Verifier(key, url, self.sign_ins.is_current)
        self.clients: OrderedDict[str, OAuthClientInformationFull] = OrderedDict()
        self.asked: OrderedDict[str, Asked] = OrderedDict()
        self.codes: OrderedDict[str, AuthorizationCode] = OrderedDict()

    def routes(self) -> list[Route]:
        """The SDK's routes, with metadata that says all that is true, and the page."""
        issuer = AnyHttpUrl(self.issuer)
        registration = ClientRegistrationOptions(
            enabled=True, valid_scopes=list(SCOPES), default_scopes=list(SCOPES)
        )
        revocation = RevocationOptions(enabled=True)
        # The SDK ends an issuer in a slash and says neither that the redirect names the issuer (RFC 9207)
        # nor that clients without a secret are welcome. Of two routes with one path the first answers.
        metadata = build_metadata(issuer, None, registration, revocation)
        metadata = metadata.model_validate({**metadata.model_dump(), "issuer": self.issuer})
        metadata.authorization_response_iss_parameter_supported = True
        # It offers HTTP Basic too, and then asks for the client's id in the form all the same.
        methods = ["none", "client_secret_post"]
        metadata.token_endpoint_auth_methods_supported = methods
        metadata.revocation_endpoint_auth_methods_supported = methods
        described = cors_middleware(MetadataHandler(metadata).handle, ["GET", "OPTIONS"])
        path = "/.well-known/oauth-authorization-server"
        return [
            Route(path, described, methods=["GET", "OPTIONS"]),
            *completed(create_auth_routes(self, issuer, None, registration, revocation), self.issuer),
            *page_routes(self),
        ]

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """The registered client."""
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Remember a client. It may ask for any scope later; what it gets depends on the user.

        Raises:
            RegistrationError: it says too much, or has a redirect URI that is unsafe.
        """
        if len(client_info.model_dump_json()) > CLIENT_MOST:
            raise RegistrationError("invalid_client_metadata", f"more than {CLIENT_MOST} characters")
        for uri in client_info.redirect_uris or []:
            if not safe_redirect(uri):
                raise RegistrationError(
                    "invalid_redirect_uri", "use https, http on a loopback address, or an app's own scheme"
                )
        client_info.scope = " ".join(SCOPES)
        keep(self.clients, client_info.client_id, client_info)

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """The address of the page on which the user decides.

        Raises:
            AuthorizeError: `invalid_target`, when the token is asked for another server.
        """
        if len(params.model_dump_json()) > CLIENT_MOST:
            raise AuthorizeError("invalid_request", f"more than {CLIENT_MOST} characters")
        if params.resource is not None and params.resource.rstrip("/") != self.url.rstrip("/"):
            raise AuthorizeError("invalid_target", f"the only resource here is {self.url}")
        scopes = list(dict.fromkeys(params.scopes or EVERYDAY))
        number = secrets.token_urlsafe(32)
        keep(self.asked, number, Asked(client, params, scopes, time.time() + PAGE_SECONDS))
        return construct_redirect_uri(f"{self.issuer}/sign-in", request=number)

    def waiting(self, number: str) -> Asked | None:
        """The request that waits for its user under this number."""
        asked = self.asked.get(number)
        return asked if asked is not None and asked.until > time.time() else None

    def choices(self, asked: Asked) -> list[tuple[str, str, list[str]]]:
        """Everybody who may be chosen: name, role, and those of the scopes asked for that fit the role."""
        rows = self.desk.conn.execute("SELECT name, role FROM users ORDER BY name LIMIT 200").fetchall()
        return [(row["name"], row["role"], fitting(row["role"], asked.scopes)) for row in rows]

    def decide(self, number: str, user: str) -> str | None:
        """Where the browser goes once the user has chosen: back to the client, with a code or a refusal.

        None when nothing waits under this number (any more). Somebody whom the desk does not know, or who
        can give none of the scopes, is a refusal.
        """
        asked = self.waiting(number)
        self.asked.pop(number, None)
        if asked is None:
            return None
        scopes = {name: fits for name, _, fits in self.choices(asked)}.get(user)
        params = asked.params
        answer = {"error": "access_denied"}
        if scopes:
            answer = {"code": secrets.token_urlsafe(32)}
            code = AuthorizationCode(
                code=answer["code"],
                scopes=scopes,
                expires_at=time.time() + CODE_SECONDS,
                client_id=asked.client.client_id,
                code_challenge=params.code_challenge,
                redirect_uri=params.redirect_uri,
                redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
                resource=self.url,
                subject=user,
            )
            keep(self.codes, code.code, code)
        return construct_redirect_uri(str(params.redirect_uri), **answer, state=params.state, iss=self.issuer)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """The code, if it has not been used. The SDK checks client, expiry, redirect and PKCE."""
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Tokens for a code, once.

        Raises:
            TokenError: `invalid_grant`, when the code was used meanwhile.
        """
        code = self.codes.pop(authorization_code.code, None)
        if code is None or code.subject is None:
            raise TokenError("invalid_grant", "authorization code does not exist")
        return self.sign_ins.begin(code.client_id, code.subject, code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """The refresh token, if it is the current one of a sign-in."""
        return self.sign_ins.find(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """New tokens for a sign-in; the old ones end. The user's role is looked up again.

        Raises:
            TokenError: `invalid_grant`, when the sign-in has ended or its user may do none of this any more.
        """
        current = self.sign_ins.find(refresh_token.token)
        if current is None or current.subject is None:
            raise TokenError("invalid_grant", "refresh token does not exist")
        fits = fitting(self.desk.role(current.subject), scopes)
        if not fits:
            raise TokenError("invalid_grant", "the user may do none of this any more")
        return self.sign_ins.renew(current.token, fits)

    async def load_access_token(self, token: str) -> AccessToken | None:
        """The access token, if it is good."""
        return await self.verifier.verify_token(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """End the sign-in to which the token belongs, with all its tokens."""
        if isinstance(token, AccessToken):
            self.sign_ins.end(str((token.claims or {}).get("jti")))
        else:
            self.sign_ins.end(token.token)


def fitting(role: str, scopes: Iterable[str]) -> list[str]:
    """Those of the scopes that a role may have."""
    return [scope for scope in scopes if scope in ROLE_SCOPES[role]]


def safe_redirect(uri: AnyUrl) -> bool:
    """Whether a client may be sent its code there: https, this machine, or an app's own scheme.

    MCP (2026-07-28, basic/security_best_practices) wants https or localhost; desktop hosts register schemes
    of their own, such as `cursor://`, and are let in.
    """
    if uri.fragment is not None:
        return False
    if uri.scheme == "http":
        return uri.host in LOOPBACK
    return uri.scheme not in NO_REDIRECT
