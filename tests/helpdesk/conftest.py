"""A client of the development authorization server and its user's browser, for the tests of both."""

import base64
import hashlib
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"
HOME = "http://127.0.0.1:8000"
BACK = "http://127.0.0.1:3000/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def form_of(page):
    """The hidden fields of the form, and under "user" the values of its buttons."""
    fields: dict[str, Any] = {"user": []}

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            given = dict(attrs)
            if tag == "input":
                fields[str(given["name"])] = given["value"]
            elif tag == "button":
                fields["user"].append(given["value"])

    Reader().feed(page)
    return fields


class Site:
    """A client of the authorization server and its user's browser, in one."""

    def __init__(self, http):
        self.http = http
        self.told = told
        self.form_of = form_of

    def register(self, **about):
        given = {
            "redirect_uris": [BACK],
            "client_name": "Checks",
            "token_endpoint_auth_method": "none",
            **about,
        }
        return self.http.post("/register", json=given)

    def authorize(self, client_id, **more):
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": BACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "a state",
            "scope": f"{READ} {WRITE} {ADMIN}",
            **more,
        }
        return self.http.get("/authorize", params={k: v for k, v in asked.items() if v is not None})

    def choose(self, sent, user):
        """From where /authorize sent the browser, through the page, to what the client is told."""
        page = self.http.get(sent.headers["location"])
        form = form_of(page.text)
        return told(self.http.post("/sign-in", data={"request": form["request"], "user": user}))

    def token(self, client_id, **more):
        return self.http.post("/token", data={"client_id": client_id, **more})

    def exchange(self, client_id, code, **more):
        given = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
        }
        return self.token(client_id, **{**given, **more})

    def refresh(self, client_id, refresh_token, **more):
        return self.token(client_id, grant_type="refresh_token", refresh_token=refresh_token, **more)

    def revoke(self, client_id, token):
        return self.http.post("/revoke", data={"client_id": client_id, "token": token})

    def sign_in(self, user, **more):
        """All of it: the client's id, and its tokens."""
        client_id = self.register().json()["client_id"]
        code = self.choose(self.authorize(client_id, **more), user)["code"]
        return client_id, self.exchange(client_id, code).json()

    def status(self, access_token, tool="tickets_search"):
        """The HTTP status of a call with this token."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": {}, "_meta": meta}
        headers = {
            "authorization": f"Bearer {access_token}",
            "accept": "application/json",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": tool,
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return self.http.post("/mcp", json=body, headers=headers).status_code


def told(answer):
    """What a redirect tells the client."""
    assert answer.status_code in (302, 303), answer.text
    assert answer.headers["location"].startswith(BACK)
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}


@pytest.fixture
def site(env):
    with TestClient(env.app(), base_url=HOME, follow_redirects=False) as http:
        yield Site(http)
