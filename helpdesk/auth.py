"""Bearer tokens of the desk: made here, read here.

A token is a JWT signed with HS256. It says who calls (`sub`), for which server (`aud`), until when
(`exp`), from whom it comes (`iss`), and in `scope` what it may be used for. The rules are those of MCP
2026-07-28, basic/authorization, of RFC 7519 (JWT) and of RFC 9068 (the claims of an access token).

    python -m helpdesk.auth mint --user carol --scopes tickets:read

Importing the SDK costs two seconds, and minting needs nothing of it: here it is imported inside the two
functions that do.
"""

import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jwt

from helpdesk.options import Parser

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

__all__ = [
    "DEVELOPMENT_KEY",
    "KEY_HELP",
    "NAME",
    "SCOPES",
    "Verifier",
    "current_user",
    "key_from",
    "mint",
    "origin",
]

SCOPES = ("tickets:read", "tickets:write", "desk:admin")

# Audience and issuer of a minted token. A fixed name, so that the token works at whatever port the server
# listens; a token from the sign-in page names the server's own URL instead.
NAME = "helpdesk"

ALGORITHM = "HS256"
DEVELOPMENT_KEY = "the development key of the help desk is no secret"
KEY_LEAST = 32  # bytes: RFC 7518, section 3.2, asks for a key as long as the hash
KEY_HELP = f"the signing key, {KEY_LEAST} bytes or more (default: HELPDESK_KEY, else the development key)"


def check_key(key: str) -> str:
    """The key, if it is long enough.

    Raises:
        ValueError: it has less than 32 bytes.
    """
    if len(key.encode()) < KEY_LEAST:
        raise ValueError(
            f"the key must have at least {KEY_LEAST} bytes, and this one has {len(key.encode())}"
        )
    return key


def key_from(option: str | None) -> str:
    """The key to use: the option, else the variable HELPDESK_KEY, else the development key.

    Raises:
        ValueError: the key is too short.
    """
    return check_key(os.environ.get("HELPDESK_KEY", DEVELOPMENT_KEY) if option is None else option)


def origin(url: str) -> str:
    """Scheme, host and port of a URL: the issuer of the tokens that a server at this URL gives out."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def mint(
    user: str,
    scopes: Iterable[str],
    *,
    key: str = DEVELOPMENT_KEY,
    audience: str = NAME,
    expires_in: int = 3600,
    **claims: Any,
) -> str:
    """A signed token for `user`, good for `expires_in` seconds.

    `claims` are added and override the usual ones; a claim that is None is left out, so `exp=None` makes a
    token that never expires (which no server of the desk accepts).

    Raises:
        ValueError: the key is too short.
    """
    now = int(time.time())
    payload = {
        "iss": NAME,
        "aud": audience,
        "sub": user,
        "scope": " ".join(scopes),
        "iat": now,
        "exp": now + expires_in,
        "jti": secrets.token_urlsafe(12),
        **claims,
    }
    present = {name: value for name, value in payload.items() if value is not None}
    return jwt.encode(present, check_key(key), algorithm=ALGORITHM)


class Verifier:
    """The SDK's `TokenVerifier` for the server at `url`.

    A token must be signed with `key`, carry `exp`, `aud`, `sub` and `iss`, be meant for `url` or for
    "helpdesk", and come from a holder of the key ("helpdesk") or from the sign-in page of this server.
    `signed_in` says of the id (`jti`) of a token from the sign-in page whether it is still good.
    """

    def __init__(self, key: str, url: str, signed_in: Callable[[str], bool] = lambda jti: False) -> None:
        self.key = check_key(key)
        self.url = url
        self.signed_in = signed_in

    async def verify_token(self, token: str) -> "AccessToken | None":
        """What the token says, or None when it is not to be trusted."""
        from mcp.server.auth.provider import AccessToken

        try:
            claims = jwt.decode(
                token,
                self.key,
                algorithms=[ALGORITHM],
                audience=[self.url, NAME],
                issuer=[origin(self.url), NAME],
                options={"require": ["exp", "aud", "sub", "iss"]},
            )
        except jwt.InvalidTokenError:
            return None
        if claims["iss"] != NAME and not self.signed_in(str(claims.get("jti"))):
            return None
        scope = claims.get("scope")
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id", claims["sub"])),
            scopes=scope.split() if isinstance(scope, str) else [],
            expires_at=int(claims["exp"]),
            resource=self.url,  # the audience was accepted, so the token is for this server
            subject=claims["sub"],
            claims=claims,
        )


def current_user() -> str:
    """The user whose token came with the current HTTP request.

    Raises:
        RuntimeError: there is none. Behind the SDK's authentication this cannot happen; if it does, nobody
            is taken for anybody.
    """
    from mcp.server.auth.middleware.auth_context import get_access_token

    token = get_access_token()
    if token is None or token.subject is None:
        raise RuntimeError("a request without a token reached a tool")
    return token.subject


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m helpdesk.auth mint …` prints one token. Options that make no sense end it with 2."""
    parser = Parser(prog="python -m helpdesk.auth", description="Tokens for the help desk's HTTP server.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser(
        "mint", help="print a token", description="Print a token for a server that has the same key."
    )
    command.add_argument("--user", required=True, help="the user name, such as carol")
    command.add_argument(
        "--scopes", required=True, nargs="+", metavar="SCOPE", choices=SCOPES, help=", ".join(SCOPES)
    )
    command.add_argument("--key", help=KEY_HELP)
    command.add_argument("--expires-in", type=int, default=3600, metavar="SECONDS", help="default: 3600")
    options = parser.parse_args(argv)
    if not options.user:
        command.error("--user is empty")
    if options.expires_in < 1:
        command.error(f"--expires-in must be at least 1 second, not {options.expires_in}")
    try:
        print(mint(options.user, options.scopes, key=key_from(options.key), expires_in=options.expires_in))
    except ValueError as error:
        command.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
