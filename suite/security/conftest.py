"""A client without a secret and its user's browser, before the application in process: the fixture `site`."""

import base64
import hashlib
from functools import cached_property
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from grading.fixtures.env import KEY
from grading.fixtures.http import LEGACY, message

HOME = "http://127.0.0.1:8000"
AWAY = "http://desk.example:8000"
BACK = "http://127.0.0.1:3000/callback"  # where the client waits for the browser to come back
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


class Site:
    """The application as a client without a secret sees it, and the browser of the user that signs in."""

    def __init__(self, http):
        self.http = http
        self.told = told
        self.granted = granted

    def register(self, *addresses, name="Checks"):
        about = {"redirect_uris": addresses, "token_endpoint_auth_method": "none", "client_name": name}
        return self.http.post("/register", json=about)

    @cached_property
    def client_id(self):
        answer = self.register(BACK)
        assert answer.status_code == 201, f"a client cannot register: {answer.text}"
        return answer.json()["client_id"]

    def ask(self, **more):
        """The client sends the browser to the desk: where the desk sends it on to."""
        asked = {"response_type": "code", "client_id": self.client_id, "redirect_uri": BACK, "state": "s",
                 "code_challenge": CHALLENGE, "code_challenge_method": "S256", **more}  # fmt: skip
        answer = self.http.get("/authorize", params=asked)
        assert "location" in answer.headers, f"the browser is sent nowhere: {answer.text}"
        return answer.headers["location"]

    def choose(self, page, user):
        """The user chooses on the page: what the client is told, or the status where it is told nothing."""
        request = parse_qs(urlsplit(page).query).get("request")
        answer = self.http.post("/sign-in", data={"request": request, "user": user})
        assert answer.headers.get("cache-control") == "no-store", "nobody keeps a code"
        return told(answer.headers["location"]) if answer.status_code == 303 else answer.status_code

    def code(self, page, user):
        answer = self.choose(page, user)
        assert isinstance(answer, dict) and "code" in answer, f"{user} gives no code: {answer}"
        return answer["code"]

    def token(self, **form):
        """What the token endpoint answers: tokens, or only the name of an error."""
        answer = self.http.post("/token", data={"client_id": self.client_id, **form})
        assert answer.status_code < 500, "the token endpoint failed"
        assert answer.headers.get("cache-control") == "no-store"
        return answer.json() if answer.is_success else answer.json().get("error")

    def exchange(self, code, **more):
        form = {"grant_type": "authorization_code", "redirect_uri": BACK, "code_verifier": VERIFIER}
        return self.token(code=code, **{**form, **more})

    def refresh(self, tokens, **more):
        return self.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"], **more)

    def sign_in(self, user, **more):
        return granted(self.exchange(self.code(self.ask(**more), user)))

    def revoke(self, token):
        return self.http.post("/revoke", data={"client_id": self.client_id, "token": token}).status_code

    def hello(self, tokens):
        """What a client of the older era is answered first."""
        about = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        body, headers = message("initialize", about, "legacy")
        headers["authorization"] = f"Bearer {tokens['access_token']}"
        return self.http.post("/mcp", json=body, headers=headers)

    def search(self, tokens):
        """How many tickets a search with the access token finds, or the status where it is refused."""
        body, headers = message("tools/call", {"name": "tickets_search", "arguments": {}}, "modern")
        headers["authorization"] = f"Bearer {tokens['access_token']}"
        answer = self.http.post("/mcp", json=body, headers=headers)
        if not answer.is_success:
            return answer.status_code
        return answer.json()["result"]["structuredContent"]["total"]


def granted(tokens):
    """The answer of the token endpoint, which must hold both tokens."""
    assert isinstance(tokens, dict), f"no tokens but {tokens}"
    assert {"access_token", "refresh_token", "scope", "expires_in"} <= tokens.keys()
    return tokens


def told(address):
    """What a browser that is sent back to the client tells it."""
    assert address.startswith(BACK), f"the browser was sent to {address}"
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


@pytest.fixture
def away(env):
    """The same desk at an address of its own, where other machines can call."""
    from helpdesk.http_main import make_app

    app = make_app(env.desk, key=KEY, url=f"{AWAY}/mcp")
    with TestClient(app, base_url=AWAY, raise_server_exceptions=False) as http:
        yield Site(http)


@pytest.fixture
def site(env):
    with TestClient(env.app(), base_url=HOME, follow_redirects=False, raise_server_exceptions=False) as http:
        yield Site(http)
