"""The layer that judges the token's scope by the body of a message."""

import asyncio
import json

import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE
from starlette.testclient import TestClient

from helpdesk.scope_check import ScopeCheck, needed_scope
from helpdesk.tools import TOOLS

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"
METADATA = "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"

CALLS = {
    "tickets_search": {},
    "ticket_get": {"ticket_id": 4},
    "ticket_create": {"title": "t", "body": "b", "customer": "carol"},
    "ticket_comment": {"ticket_id": 4, "body": "b"},
    "ticket_close": {"ticket_id": 4, "resolution": "r"},
    "ticket_reopen": {"ticket_id": 5},
    "ticket_assign": {"ticket_id": 4, "assignee": "bob"},
    "desk_export": {},
}


@pytest.fixture
def post(env, era):
    """Posts a raw body to the whole app, with a session where the era has them."""
    with TestClient(env.app(), base_url="http://127.0.0.1:8000") as client:
        version = "2026-07-28" if era == "modern" else "2025-11-25"
        session = {}

        def send(body, token, **headers):
            given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            given |= {
                "authorization": f"Bearer {token}",
                "mcp-protocol-version": version,
                **session,
                **headers,
            }
            return client.post("/mcp", content=body, headers=given)

        if era == "legacy":
            info = {"name": "checks", "version": "1"}
            params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
            first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
            opened = send(json.dumps(first), env.token("dave", READ))
            session["mcp-session-id"] = opened.headers["mcp-session-id"]
        yield send


def call(name, arguments, **more):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params, **more}


def named(message):
    """The headers in which a modern client repeats method and name."""
    return {"mcp-method": message["method"], "mcp-name": message["params"]["name"]}


def test_each_tool_needs_its_own_scope_and_no_other(post, env):
    scopes = {tool.name: tool.scope for tool in TOOLS}
    assert scopes.keys() == CALLS.keys()
    for name, arguments in CALLS.items():
        message = call(name, arguments)
        others = [scope for scope in (READ, WRITE, ADMIN) if scope != scopes[name]]
        before = list(env.conn.iterdump())
        refused = post(json.dumps(message), env.token("dave", *others), **named(message))
        assert (name, refused.status_code) == (name, 403)
        assert refused.json()["error"] == "insufficient_scope"
        assert refused.headers["www-authenticate"] == (
            f'Bearer error="insufficient_scope", scope="{scopes[name]}", resource_metadata="{METADATA}"'
        )
        assert list(env.conn.iterdump()) == before
        allowed = post(json.dumps(message), env.token("dave", scopes[name]), **named(message))
        assert (name, allowed.status_code) == (name, 200)
        assert (name, allowed.json()["result"]["isError"]) == (name, False)


def test_a_header_that_names_a_harmless_tool_helps_nobody(post, env):
    message = call("ticket_close", CALLS["ticket_close"])
    refused = post(
        json.dumps(message),
        env.token("dave", READ),
        **{"mcp-method": "tools/call", "mcp-name": "ticket_get"},
    )
    assert refused.status_code == 403
    quiet = post(json.dumps(message), env.token("dave", READ), **{"mcp-method": "tools/list"})
    assert quiet.status_code == 403
    assert env.rows("SELECT status FROM tickets WHERE id = 4") == [("open",)]


def test_a_key_that_comes_twice_cannot_hide_a_call(post, env):
    token = env.token("dave", READ)
    close, get = call("ticket_close", CALLS["ticket_close"]), call("ticket_get", {"ticket_id": 4})
    shown, hidden = json.dumps(get["params"]), json.dumps(close["params"])
    twice_called = json.dumps(close["params"]).replace('"name"', '"name": "ticket_get", "name"')
    for body in (
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{shown},"params":{hidden}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{hidden}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{twice_called}}}',
    ):
        for headers in (named(get), named(close)):
            assert post(body, token, **headers).status_code == 403
    last_is_harmless = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{hidden},"params":{shown}}}'
    answer = post(last_is_harmless, token, **named(get))
    assert answer.json()["result"]["structuredContent"]["id"] == 4
    assert env.rows("SELECT status FROM tickets WHERE id = 4") == [("open",)]


def test_a_body_that_is_not_json_is_a_parse_error(post, env):
    export = json.dumps(call("desk_export", {})).encode()
    get = json.dumps(call("ticket_get", {"ticket_id": "?"})).encode()
    bodies = {
        "empty": b"",
        "cut off": export[:-1],
        "words": b"nonsense",
        "in UTF-16": export.decode().encode("utf-16"),
        "after a byte order mark": b"\xef\xbb\xbf" + export,
        "before a NUL": export + b"\x00",
        "two": export + export,
        "not UTF-8": get.replace(b"?", b"\xff"),
        "with half a character": get.replace(b"?", b"\\ud800"),
        "nested without end": get.replace(b'"?"', b"[" * 5000 + b"]" * 5000),
        "with a number without end": get.replace(b'"?"', b"9" * 5000),
    }
    token = env.token("dave", READ)
    for what, body in bodies.items():
        answer = post(body, token, **{"mcp-method": "tools/call", "mcp-name": "desk_export"})
        assert (what, answer.status_code) == (what, 400)
        assert (what, answer.json()["error"]["code"], answer.json()["id"]) == (what, -32700, None)


def test_json_that_is_no_message_is_an_invalid_request_in_both_eras(post, env):
    token = env.token("dave", READ)
    for body in (
        "null",
        "[]",
        '"tools/call"',
        "{}",
        '{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        '{"id": 1, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": 1, "method": 5}',
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
        '{"jsonrpc": "2.0", "id": null, "method": "tools/call", "params": {"name": "desk_export"}}',
        '{"jsonrpc": "2.0", "id": 1.5, "method": "tools/call", "params": {"name": "desk_export"}}',
        f"[{json.dumps(call('desk_export', {}))}]",
    ):
        answer = post(body, token)
        assert (body, answer.status_code) == (body, 400)
        assert (body, answer.json()["error"]["code"]) == (body, -32600)


def test_a_message_that_is_also_a_response_is_judged_as_a_call(post, env):
    message = call("ticket_close", CALLS["ticket_close"], result={})
    assert post(json.dumps(message), env.token("dave", READ), **named(message)).status_code == 403
    odd = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["desk_export"], "result": {}}
    assert post(json.dumps(odd), env.token("dave", READ)).status_code in (202, 400)


def test_an_unknown_tool_is_a_protocol_error_and_no_question_of_scope(post, env):
    for name in ("ticket_delete", "Ticket_Close", "ticket_close ", ""):
        message = call(name, {})
        answer = post(json.dumps(message), env.token("dave", READ), **named(message))
        assert answer.json()["error"]["code"] == -32602


def test_a_notification_is_accepted(post, env):
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert post(json.dumps(note), env.token("dave", READ)).status_code == 202


def test_a_body_over_the_limit_is_refused_unread(post, env):
    message = json.dumps(
        call("ticket_comment", {"ticket_id": 4, "body": "x" * DEFAULT_MAX_REQUEST_BODY_SIZE})
    )
    assert post(message, env.token("dave", WRITE)).status_code == 413
    in_pieces = (b"x" * 65536 for _ in range(DEFAULT_MAX_REQUEST_BODY_SIZE // 65536 + 1))
    assert post(in_pieces, env.token("dave", WRITE)).status_code == 413  # and nobody asked whether it is JSON
    assert env.rows("SELECT count(*) FROM comments WHERE ticket_id = 4") == [(0,)]


def test_a_long_text_in_another_script_is_not_blown_up_beyond_the_limit(post, env):
    text = "й" * (DEFAULT_MAX_REQUEST_BODY_SIZE // 2 - 500)
    message = call("ticket_comment", {"ticket_id": 4, "body": text})
    answer = post(
        json.dumps(message, ensure_ascii=False).encode(), env.token("dave", WRITE), **named(message)
    )
    assert answer.status_code == 200
    assert answer.json()["result"]["isError"] is True  # too long for the desk, which says so itself


# The layer alone


def through(body, scopes, method="POST"):
    """What the app behind the layer is given, and what the client is answered."""
    handed, answered = [], []

    async def app(scope, receive, send):
        handed.append((dict(scope["headers"]), await receive(), await receive()))

    async def receive():
        return arriving.pop(0)

    async def send(message):
        answered.append(message)

    arriving = [*body, {"type": "http.disconnect"}]
    token = AccessToken(token="t", client_id="c", scopes=scopes, subject="carol")
    scope = {
        "type": "http",
        "method": method,
        "path": "/mcp",
        "headers": [(b"content-length", b"999"), (b"x-kept", b"yes")],
        "user": AuthenticatedUser(token),
    }
    asyncio.run(ScopeCheck(app, METADATA)(scope, receive, send))
    return handed, answered


def whole(text):
    return [{"type": "http.request", "body": text.encode(), "more_body": False}]


def test_the_sdk_reads_exactly_what_was_judged():
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "x", "method": "tools/list", "params": {"é": 1.50, "é": [2]}}'
    )
    [(headers, first, then)], answered = through(whole(body), [])
    written = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"é":[2]}}'.encode()
    assert first == {"type": "http.request", "body": written, "more_body": False}
    assert headers == {b"content-length": str(len(written)).encode(), b"x-kept": b"yes"}
    assert then == {"type": "http.disconnect"}
    assert answered == []


def test_a_body_in_pieces_is_judged_as_a_whole():
    body = json.dumps(call("desk_export", {}))
    pieces = [{"type": "http.request", "body": letter.encode(), "more_body": True} for letter in body]
    pieces.append({"type": "http.request", "body": b"", "more_body": False})
    handed, answered = through(pieces, [READ])
    assert handed == []
    assert answered[0]["status"] == 403


def test_a_client_that_leaves_in_the_middle_is_let_go():
    half = [{"type": "http.request", "body": b'{"jsonrpc":', "more_body": True}]
    assert through(half, [READ]) == ([], [])


@pytest.mark.parametrize("name", [None, 5, True, ["desk_export"], {"name": "desk_export"}], ids=str)
def test_a_name_that_is_no_text_names_no_tool(name):
    assert needed_scope({"method": "tools/call", "params": {"name": name}}) is None


def test_only_a_tool_call_needs_a_scope():
    for method in ("tools/list", "tools/Call", "prompts/get", None, ["tools/call"]):
        assert needed_scope({"method": method, "params": {"name": "desk_export"}}) is None
    assert needed_scope({"method": "tools/call", "params": {"name": "desk_export"}}) == ADMIN
