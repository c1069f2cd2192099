"""Who is signed in, with which client: the access and refresh tokens of the authorization server.

A sign-in has one access token and one refresh token at a time; both carry its number before the first
dot. A refresh replaces both, a revocation ends the sign-in. All is in memory: a restart ends them all.
"""

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

from mcp.server.auth.provider import RefreshToken
from mcp.shared.auth import OAuthToken

from helpdesk.auth import mint, origin

__all__ = ["MOST", "SignIns", "keep"]

ACCESS_SECONDS = 3600
SIGNED_IN_SECONDS = 12 * 3600
MOST = 1000  # things of a kind that are kept in memory

Kept = TypeVar("Kept")


@dataclass
class SignedIn:
    """One user's sign-in with one client. `access_id` is the `jti` of its access token."""

    client_id: str
    user: str
    scopes: list[str]
    until: float
    access_id: str = ""
    refresh: str = ""


class SignIns:
    """The sign-ins at the server at `url`, whose tokens are signed with `key`."""

    def __init__(self, key: str, url: str) -> None:
        self.key = key
        self.url = url
        self.by_number: OrderedDict[str, SignedIn] = OrderedDict()

    def begin(self, client_id: str, user: str, scopes: list[str]) -> OAuthToken:
        """Sign a user in, and give the client its first tokens."""
        number = secrets.token_urlsafe(12)
        keep(self.by_number, number, SignedIn(client_id, user, scopes, time.time() + SIGNED_IN_SECONDS))
        return self.renew(number, scopes)

    def renew(self, token: str, scopes: list[str]) -> OAuthToken:
        """New tokens for the sign-in of a refresh token; those that it had are good for nothing now."""
        number = number_of(token)
        sign_in = self.by_number[number]
        sign_in.access_id = f"{number}.{secrets.token_urlsafe(12)}"
        sign_in.refresh = f"{number}.{secrets.token_urlsafe(32)}"
        access = mint(
            sign_in.user,
            scopes,
            key=self.key,
            audience=self.url,
            expires_in=ACCESS_SECONDS,
            iss=origin(self.url),
            jti=sign_in.access_id,
            client_id=sign_in.client_id,
        )
        return OAuthToken(
            access_token=access,
            expires_in=ACCESS_SECONDS,
            scope=" ".join(scopes),
            refresh_token=sign_in.refresh,
        )

    def find(self, refresh: str) -> RefreshToken | None:
        """What a refresh token stands for, if it is the current one of a sign-in."""
        sign_in = self.by_number.get(number_of(refresh))
        if sign_in is None or not secrets.compare_digest(sign_in.refresh.encode(), refresh.encode()):
            return None
        return RefreshToken(
            token=refresh,
            client_id=sign_in.client_id,
            scopes=sign_in.scopes,
            expires_at=int(sign_in.until),
            resource=self.url,
            subject=sign_in.user,
        )

    def is_current(self, access_id: str) -> bool:
        """Whether a token with this `jti` is the current access token of a sign-in."""
        sign_in = self.by_number.get(number_of(access_id))
        return sign_in is not None and sign_in.access_id == access_id

    def end(self, token: str) -> None:
        """End the sign-in to which a refresh token, or the `jti` of an access token, belongs."""
        self.by_number.pop(number_of(token), None)


def number_of(token: str) -> str:
    """The number of the sign-in with which the text begins."""
    return token.partition(".")[0]


def keep(shelf: OrderedDict[str, Kept], name: str, thing: Kept) -> None:
    """Put a thing on a shelf; where there are more than `MOST`, the oldest falls off."""
    shelf[name] = thing
    while len(shelf) > MOST:
        shelf.popitem(last=False)
