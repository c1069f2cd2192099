"""The whole ASGI app: who comes in, what the metadata say, both eras, sessions, strangers' names."""

import json
import warnings

import pytest
from starlette.testclient import TestClient

from helpdesk import http_app
from helpdesk.http_main import make_app

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"
HOME = "http://127.0.0.1:8000"
METADATA = "/.well-known/oauth-protected-resource/mcp"
KEY = "a key for these tests, thirty-two bytes"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "checks", "version": "1"},
    },
}


@pytest.fixture
def site(env):
    """A browser's view of the app: any path, any headers."""
    with TestClient(env.app(), base_url=HOME, follow_redirects=False) as client:
        yield client


def bearer(token):
    return {**JSON, "authorization": f"Bearer {token}"}


# Who comes in


def test_a_challenge_names_where_to_get_a_token_and_for_which_scopes(http, era):
    for token in (None, "nonsense", ""):
        refused = http.send("tools/list", {}, token)
        assert refused.status == 401
        challenge = refused.headers["www-authenticate"]
        assert challenge.startswith("Bearer ")
        assert f'resource_metadata="{HOME}{METADATA}"' in challenge
        assert f'scope="{READ} {WRITE}"' in challenge


@pytest.mark.parametrize(
    "claims",
    [
        {"key": "another key, of thirty-two bytes or more"},
        {"expires_in": -1},
        {"audience": "http://127.0.0.1:9000/mcp"},
        {"exp": None},
        {"aud": None},
        {"iss": "http://127.0.0.1:9000"},
    ],
    ids=str,
)
def test_a_token_that_is_not_good_is_refused(http, env, claims, era):
    assert http.send("tools/list", {}, env.token("carol", READ)).status == 200
    assert http.send("tools/list", {}, env.token("carol", READ, **claims)).status == 401


def test_a_token_in_the_query_or_under_another_scheme_is_none(site, env):
    token = env.token("carol", READ)
    body = json.dumps(INITIALIZE)
    assert site.post(f"/mcp?access_token={token}", content=body, headers=JSON).status_code == 401
    assert site.post("/mcp", content=body, headers={**JSON, "authorization": token}).status_code == 401
    assert (
        site.post("/mcp", content=body, headers={**JSON, "authorization": f"Basic {token}"}).status_code
        == 401
    )
    assert site.post("/mcp", content=body, headers=bearer(token)).status_code == 200


def test_the_scope_lets_a_customer_close_and_the_rule_of_the_desk_does_not(http, env, era):
    answer = http.call("ticket_close", {"ticket_id": 4, "resolution": "Mine."}, env.token("carol", WRITE))
    assert answer.status == 200
    assert answer.result["isError"] is True
    assert env.rows("SELECT status, resolution FROM tickets WHERE id = 4") == [("open", None)]


def test_each_call_is_made_for_the_user_of_its_token(http, env):
    for user, total in (("carol", 4), ("alice", 12), ("frank", 3)):
        found = http.call("tickets_search", {}, env.token(user, READ))
        assert (user, found.result["structuredContent"]["total"]) == (user, total)


def test_a_user_whom_the_desk_does_not_know_may_do_nothing(http, env, era):
    refused = http.call("tickets_search", {}, env.token("mallory", READ))
    assert refused.result["isError"] is True
    assert env.errors == []


def test_answers_are_json_in_both_eras(http, env, era):
    answer = http.call("ticket_get", {"ticket_id": 4}, env.token("carol", READ))
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.result["content"][0]["text"]) == answer.result["structuredContent"]


# Metadata


def test_the_metadata_name_the_server_its_issuer_and_every_scope(site):
    described = site.get(METADATA, headers={"origin": "http://localhost:6274"})
    assert described.status_code == 200
    assert described.headers["access-control-allow-origin"] == "*"
    told = described.json()
    assert told["resource"] == f"{HOME}/mcp"
    assert told["authorization_servers"] == [HOME]
    assert told["scopes_supported"] == [READ, WRITE, ADMIN]
    assert told["bearer_methods_supported"] == ["header"]


def test_the_issuer_describes_itself_under_the_name_that_the_metadata_give(site):
    told = site.get("/.well-known/oauth-authorization-server").json()
    assert told["issuer"] == HOME
    assert told["authorization_response_iss_parameter_supported"] is True
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["scopes_supported"] == [READ, WRITE, ADMIN]
    for name in ("authorization", "token", "registration", "revocation"):
        assert told[f"{name}_endpoint"].startswith(f"{HOME}/")


def test_away_from_this_machine_nobody_can_sign_in_without_a_password(desk):
    app = make_app(desk, key=KEY, url="http://desk.example:8000/mcp")
    with TestClient(app, base_url="http://desk.example:8000") as site:
        told = site.get(METADATA).json()
        assert told["resource"] == "http://desk.example:8000/mcp"
        assert "authorization_servers" not in told
        for path in (
            "/sign-in",
            "/authorize",
            "/token",
            "/register",
            "/.well-known/oauth-authorization-server",
        ):
            assert site.get(path).status_code == 404
            assert site.post(path).status_code == 404


# Strangers' names


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/mcp"),
        ("GET", METADATA),
        ("POST", "/register"),
        ("GET", "/authorize"),
        ("GET", "/sign-in"),
        ("POST", "/sign-in"),
        ("POST", "/token"),
    ],
)
def test_a_page_that_calls_itself_by_a_strangers_name_gets_nothing(site, env, method, path):
    headers = bearer(env.token("dave", READ, WRITE, ADMIN))
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""):
        assert site.request(method, path, headers={**headers, "host": host}).status_code == 421
    for origin in ("http://evil.example", "http://127.0.0.1.evil.example:8000", "null"):
        assert site.request(method, path, headers={**headers, "origin": origin}).status_code == 403


def test_this_machine_is_no_stranger_by_any_of_its_names(http, env):
    token = env.token("carol", READ)
    for host in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000"):
        assert http.send("tools/list", {}, token, host=host, origin=f"http://{host}").status == 200
    assert http.send("tools/list", {}, token, origin="http://localhost:6274").status == 200


# Sessions and methods


def test_a_modern_endpoint_takes_only_posts(site, env):
    headers = {**bearer(env.token("carol", READ)), "mcp-protocol-version": "2026-07-28"}
    assert site.get("/mcp", headers=headers).status_code == 405
    assert site.delete("/mcp", headers=headers).status_code == 405
    assert site.get("/mcp", headers=JSON).status_code == 401
    assert site.delete("/mcp", headers=JSON).status_code == 401


def test_a_legacy_session_is_its_users_own_and_ends_with_delete(site, env):
    carol, erin = bearer(env.token("carol", READ)), bearer(env.token("erin", READ))
    opened = site.post("/mcp", json=INITIALIZE, headers=carol)
    session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert site.post("/mcp", json=ping, headers={**carol, **session}).status_code == 200
    assert site.post("/mcp", json=ping, headers={**erin, **session}).status_code == 404
    assert site.post("/mcp", json=ping, headers={**JSON, **session}).status_code == 401
    assert site.delete("/mcp", headers={**erin, **session}).status_code == 404
    assert site.delete("/mcp", headers={**carol, **session}).status_code == 200
    assert site.post("/mcp", json=ping, headers={**carol, **session}).status_code == 404


def test_a_renewed_token_of_the_same_user_goes_on_with_the_session(site, env):
    opened = site.post("/mcp", json=INITIALIZE, headers=bearer(env.token("carol", READ)))
    session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert (
        site.post("/mcp", json=ping, headers={**bearer(env.token("carol", WRITE)), **session}).status_code
        == 200
    )


def test_there_are_only_so_many_legacy_sessions(env, monkeypatch):
    monkeypatch.setattr(http_app, "MAX_SESSIONS", 2)
    headers = bearer(env.token("carol", READ))
    with TestClient(env.app(), base_url=HOME) as site:
        opened = [site.post("/mcp", json=INITIALIZE, headers=headers) for _ in range(3)]
        assert [answer.status_code for answer in opened] == [200, 200, 503]
        session = {"mcp-session-id": opened[0].headers["mcp-session-id"]}
        assert site.delete("/mcp", headers={**headers, **session}).status_code == 200
        assert site.post("/mcp", json=INITIALIZE, headers=headers).status_code == 200


def test_the_app_is_made_without_a_warning_and_not_with_a_short_key(desk):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_app(desk, key=KEY)
    with pytest.raises(ValueError, match="32 bytes"):
        make_app(desk, key="short")
