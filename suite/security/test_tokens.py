"""Tokens, scopes and ownership over HTTP, through the whole application, in process."""

import base64
import json

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"


def challenge(answer):
    return answer.headers.get("www-authenticate", "")


def test_without_a_token_nobody_comes_in_and_learns_where_to_get_one(http):
    refused = http.call("tickets_search", {}, None)
    assert refused.status == 401
    assert challenge(refused).startswith("Bearer")
    assert 'resource_metadata="' in challenge(refused)
    where = challenge(refused).split('resource_metadata="')[1].split('"')[0]
    metadata = http.get(where.removeprefix("http://127.0.0.1:8000"))
    assert metadata.status == 200
    assert metadata.body["resource"] == "http://127.0.0.1:8000/mcp"
    assert set(metadata.body["scopes_supported"]) == {READ, WRITE, ADMIN}
    assert metadata.body["authorization_servers"]
    assert http.send("tools/list", {}, None).status == 401
    assert http.call("tickets_search", {}, "").status == 401
    assert http.call("tickets_search", {}, None, origin="http://evil.example").status in (401, 403)


def test_a_forged_expired_or_misdirected_token_is_refused(http, env):
    good = env.token("carol", READ)
    assert http.call("tickets_search", {}, good).status == 200
    header, claims, signature = good.split(".")
    changed = json.loads(base64.urlsafe_b64decode(claims + "=="))
    changed["sub"] = "dave"
    forged = base64.urlsafe_b64encode(json.dumps(changed).encode()).decode().rstrip("=")
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    for what, token in {
        "signed with another key": env.token("carol", READ, key="another key, of thirty-two bytes or more"),
        "changed claims": f"{header}.{forged}.{signature}",
        "not signed": f"{unsigned}.{claims}.",
        "expired": env.token("carol", READ, expires_in=-60),
        "for another audience": env.token("carol", READ, audience="http://127.0.0.1:9000/mcp"),
        "no token at all": "carol",
    }.items():
        refused = http.call("tickets_search", {}, token)
        assert refused.status == 401, f"a token {what} came in: {refused.status} {refused.body}"
    assert http.call("tickets_search", {}, good, origin="http://evil.example").status == 403
    assert http.call("tickets_search", {}, good, host="evil.example").status in (403, 421)


def test_a_token_that_may_only_read_cannot_write(http, env):
    reader = env.token("carol", READ)
    assert http.call("ticket_get", {"ticket_id": 4}, reader).status == 200
    for tool, arguments in (
        ("ticket_create", {"title": "t", "body": "b"}),
        ("ticket_comment", {"ticket_id": 4, "body": "b"}),
        ("ticket_close", {"ticket_id": 4, "resolution": "r"}),
        ("ticket_reopen", {"ticket_id": 5}),
        ("ticket_assign", {"ticket_id": 4, "assignee": "bob"}),
    ):
        before = list(env.conn.iterdump())
        for headers in ({}, {"mcp-name": "ticket_get"}):
            refused = http.call(tool, arguments, reader, **headers)
            assert refused.status in ((403,) if not headers else (400, 403)), (
                f"{tool}: {refused.status} {refused.body}"
            )
        refused = http.call(tool, arguments, reader)
        assert 'error="insufficient_scope"' in challenge(refused)
        assert f'scope="{WRITE}"' in challenge(refused)
        assert "resource_metadata=" in challenge(refused)
        assert list(env.conn.iterdump()) == before
    writer = env.token("carol", WRITE)
    assert http.call("ticket_get", {"ticket_id": 4}, writer).status == 403
    assert http.call("ticket_comment", {"ticket_id": 4, "body": "b"}, writer).result["isError"] is False


def test_an_export_needs_the_administrators_scope(http, env):
    refused = http.call("desk_export", {}, env.token("dave", READ, WRITE))
    assert refused.status == 403
    assert f'scope="{ADMIN}"' in challenge(refused)
    whole = http.call("desk_export", {}, env.token("dave", READ, ADMIN))
    assert whole.status == 200
    assert len(whole.result["structuredContent"]["tickets"]) == 12
    for user in ("carol", "alice"):
        granted = http.call("desk_export", {}, env.token(user, READ, WRITE, ADMIN))
        assert granted.result["isError"] is True, f"a scope made {user} an administrator"
        assert "structuredContent" not in granted.result


def test_behind_the_scope_stands_the_record_rule(http, env):
    answer = http.call(
        "ticket_close", {"ticket_id": 4, "resolution": "Mine."}, env.token("carol", READ, WRITE)
    )
    assert answer.status == 200, "the scope passes"
    assert answer.result["isError"] is True, "the rule of the desk refuses"
    assert answer.result["content"][0]["text"] == (
        "Only support staff can close tickets. Add a comment with `ticket_comment` to ask staff to do it."
    )
    assert env.rows("SELECT status, resolution FROM tickets WHERE id = 4") == [("open", None)]
    closed = http.call("ticket_close", {"ticket_id": 4, "resolution": "Done."}, env.token("alice", WRITE))
    assert closed.result["isError"] is False, "each request acts for the user of its own token"
    stranger = http.call("tickets_search", {}, env.token("mallory", READ))
    assert stranger.status != 200 or stranger.result["isError"] is True


def test_another_customers_ticket_reads_as_missing_and_the_list_is_the_same_for_all(http, env):
    carol = env.token("carol", READ, WRITE)
    texts = [http.call("ticket_get", {"ticket_id": n}, carol).result["content"][0]["text"] for n in (3, 99)]
    assert texts[0] == "No ticket 3 that you can see. Call `tickets_search` to list the tickets you can see."
    assert texts[1] == texts[0].replace("3", "99")
    assert http.call("ticket_comment", {"ticket_id": 3, "body": "b"}, carol).result["isError"] is True
    found = http.call("tickets_search", {}, carol).result["structuredContent"]
    assert {ticket["customer"] for ticket in found["tickets"]} == {"carol"}
    lists = [
        http.send("tools/list", {}, token).result["tools"]
        for token in (carol, env.token("erin", READ), env.token("dave", READ, WRITE, ADMIN))
    ]
    assert len(lists[0]) == 8
    assert lists[0] == lists[1] == lists[2]
    policy = http.send("resources/read", {"uri": "desk://policy"}, carol).result
    assert "carol" not in json.dumps(policy)
