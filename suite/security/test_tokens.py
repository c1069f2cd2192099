"""Tokens, scopes and ownership over HTTP, through the whole application, in process."""

import base64
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from grading.fixtures.env import KEY
from helpdesk.auth import current_user
from helpdesk.auth import main as token_command

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"
HOME = "http://127.0.0.1:8000"
AWAY = "http://desk.example:8000"
BACK = "http://127.0.0.1:3000/callback"


def challenge(answer):
    return answer.headers.get("www-authenticate", "")


def claims_of(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))


def test_without_a_token_nobody_comes_in_and_learns_where_to_get_one(http, site, away, env):
    refused = http.call("tickets_search", {}, None)
    assert refused.status == 401
    assert challenge(refused).startswith("Bearer")
    assert 'resource_metadata="' in challenge(refused)
    assert f'scope="{READ} {WRITE}"' in challenge(refused)
    where = challenge(refused).split('resource_metadata="')[1].split('"')[0]
    metadata = http.get(where.removeprefix(HOME))
    assert metadata.status == 200
    assert metadata.body["resource"] == f"{HOME}/mcp"
    assert set(metadata.body["scopes_supported"]) == {READ, WRITE, ADMIN}
    assert metadata.body.get("authorization_servers") == [HOME]
    assert "max-age" in metadata.headers.get("cache-control", "")
    assert http.send("tools/list", {}, None).status == 401
    assert http.call("tickets_search", {}, "").status == 401
    assert http.call("tickets_search", {}, None, origin="http://evil.example").status in (401, 403)

    about = http.get("/.well-known/oauth-authorization-server").body
    assert isinstance(about, dict), f"the authorization server does not describe itself: {about}"
    assert about["issuer"] == HOME
    assert about["code_challenge_methods_supported"] == ["S256"]
    assert set(about["scopes_supported"]) == {READ, WRITE, ADMIN}
    assert about.get("authorization_response_iss_parameter_supported") is True
    for endpoint in ("token", "revocation"):
        assert "none" in about.get(f"{endpoint}_endpoint_auth_methods_supported", []), "a secret is asked for"
    page = site.ask(scope=f"{READ} {WRITE} {ADMIN}", resource=f"{HOME}/mcp/")
    assert page.startswith(HOME)
    shown = site.http.get(page)
    assert (shown.status_code, shown.headers.get("cache-control")) == (200, "no-store")
    assert "frame-ancestors 'none'" in shown.headers.get("content-security-policy", "")
    choices = re.findall(r'<button name="user" value="([^"]*)"', shown.text)
    assert choices == ["alice", "bob", "carol", "dave", "erin", "frank", ""], "everybody, and nobody"
    assert parse_qs(urlsplit(page).query)["request"][0] in shown.text
    assert shown.text.startswith("<!doctype html>")
    assert "Checks" in shown.text, "the page names the client"
    assert shown.text.count(ADMIN) == 2, "it is asked for, and one of the users can give it"
    answer = site.choose(page, "carol")
    assert (answer["state"], answer["iss"]) == ("s", HOME)
    tokens = site.granted(site.exchange(answer["code"]))
    assert tokens["scope"] == f"{READ} {WRITE}", "what fits a customer"
    assert tokens["expires_in"] == 3600
    assert site.search(tokens) == 4
    assert claims_of(tokens["access_token"])["aud"] == f"{HOME}/mcp", "for this server and no other"
    assert site.hello(tokens).headers["content-type"] == "application/json"
    dave = site.sign_in("dave", scope=f"{READ} {ADMIN}", resource=f"{HOME}/mcp")
    assert dave["scope"] == f"{READ} {ADMIN}"

    # There are no passwords, so nobody signs in at a desk that other machines can call.
    assert "authorization_servers" not in away.http.get("/.well-known/oauth-protected-resource/mcp").json()
    assert away.register(BACK).status_code == 404
    tokens = [env.token("dave", READ, **claims) for claims in ({}, {"iss": AWAY})]
    assert [away.search({"access_token": token}) for token in tokens] == [12, 401], "only the key makes one"
    with pytest.raises(RuntimeError):
        current_user()  # without a request nobody is taken for anybody


def test_a_forged_expired_or_misdirected_token_is_refused(http, env, site):
    good = env.token("carol", READ)
    assert http.call("tickets_search", {}, good).status == 200
    header, claims, signature = good.split(".")
    assert claims_of(good)["exp"] - claims_of(good)["iat"] == 3600
    changed = {**claims_of(good), "sub": "dave"}
    forged = base64.urlsafe_b64encode(json.dumps(changed).encode()).decode().rstrip("=")
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    for what, token in {
        "signed with another key": env.token("carol", READ, key="another key, of thirty-two bytes or more"),
        "changed claims": f"{header}.{forged}.{signature}",
        "not signed": f"{unsigned}.{claims}.",
        "expired": env.token("carol", READ, expires_in=-60),
        "that never expires": env.token("carol", READ, exp=None),
        "for another audience": env.token("carol", READ, audience="http://127.0.0.1:9000/mcp"),
        "from another issuer": env.token("carol", READ, iss="http://127.0.0.1:9000"),
        "that no sign-in gave": env.token("carol", READ, iss=HOME),
        "no token at all": "carol",
    }.items():
        refused = http.call("tickets_search", {}, token)
        assert refused.status == 401, f"a token {what} came in: {refused.status} {refused.body}"
    assert http.call("tickets_search", {}, good, origin="http://evil.example").status == 403
    assert http.call("tickets_search", {}, good, host="evil.example").status in (403, 421)

    # With a good one, what is no call is told so, and comes to no tool.
    bearer = {"authorization": f"Bearer {good}", "content-type": "application/json"}
    for body, code, id in (
        ("{nonsense", -32700, None),
        ("[]", -32600, None),
        ('{"id": 7, "method": "tools/call"}', -32600, 7),
    ):
        answer = site.http.post("/mcp", content=body, headers=bearer)
        assert answer.status_code == 400, f"{body}: {answer.status_code}"
        assert (answer.json()["error"]["code"], answer.json()["id"]) == (code, id)
        assert answer.json()["error"].keys() == {"code", "message"}
    for params in ("", ', "params": {"name": []}'):
        nameless = f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call"{params}}}'
        assert site.http.post("/mcp", content=nameless, headers=bearer).status_code == 400
    modern = {**bearer, "mcp-protocol-version": "2026-07-28"}
    assert site.http.get("/mcp", headers=modern).status_code == 405, "a call is posted"

    # Nor does a sign-in give one that was not asked for rightly, or one that stays good too long.
    for address in ("http://evil.example/callback", "javascript:alert(1)", f"{BACK}#part"):
        assert site.register(BACK, address).status_code == 400, f"a code could be sent to {address}"
    assert site.register(BACK, name="x" * 20_000).status_code == 400, "nobody fills the memory"
    assert site.told(site.ask(scope=READ, state="x" * 20_000)).get("error") == "invalid_request"
    elsewhere = site.told(site.ask(resource="http://127.0.0.1:9000/mcp"))
    assert (elsewhere.get("error"), elsewhere["state"], elsewhere.get("iss")) == ("invalid_target", "s", HOME)
    page = site.ask(scope=f"{READ} {WRITE}")
    stranger = site.http.get(page, headers={"host": "evil.example"})
    assert stranger.status_code in (403, 421), "the page is shown to this machine alone"
    code = site.code(page, "carol")
    assert site.choose(page, "dave") == 400, "a page is answered once"
    gone = site.http.get(page)
    assert (gone.status_code, "<h1>" in gone.text) == (400, True), "and that is said on a page"
    assert site.exchange(code, code_verifier="w" * 64) == "invalid_grant", "a stolen code is good for nothing"
    first = site.granted(site.exchange(code))
    assert site.exchange(code) == "invalid_grant", "a code is good once"
    for user, scope in (("", READ), ("carol", ADMIN)):
        refusal = site.choose(site.ask(scope=scope), user)
        assert refusal == {"error": "access_denied", "state": "s", "iss": HOME}
    other = site.sign_in("carol")
    assert other["scope"] == f"{READ} {WRITE}", "who asks for nothing gets the everyday"
    second = site.granted(site.refresh(first, scope=READ))
    assert second["scope"] == READ
    assert site.refresh(first) == "invalid_grant", "a refresh replaces both tokens"
    assert [site.search(tokens) for tokens in (first, second)] == [401, 4]
    assert site.refresh(second, scope=ADMIN) == "invalid_scope"
    assert site.revoke(second["access_token"]) == 200
    assert site.search(second) == 401
    assert site.refresh(second) == "invalid_grant", "a revocation ends the sign-in"
    assert site.search(other) == 4, "and no other"
    assert site.revoke(other["refresh_token"]) == 200
    assert site.search(other) == 401


def test_a_token_that_may_only_read_cannot_write(http, env, capsys):
    assert token_command(["mint", "--user", "carol", "--scopes", READ, "--key", KEY]) == 0
    reader = capsys.readouterr().out.strip()
    assert claims_of(reader)["exp"] - claims_of(reader)["iat"] == 3600, (
        "an hour, where nothing else is asked for"
    )
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
        assert f'resource_metadata="{HOME}/' in challenge(refused)
        assert list(env.conn.iterdump()) == before
    listed = env.token("carol", scope=[READ])
    assert http.call("ticket_get", {"ticket_id": 4}, listed).status == 403, "scopes are one text"
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
