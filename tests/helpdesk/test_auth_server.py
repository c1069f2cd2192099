"""The development authorization server, one endpoint after the other, in process."""

import base64
import hashlib
import json
import re
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from starlette.testclient import TestClient

from helpdesk import auth_server, sign_ins

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"
HOME = "http://127.0.0.1:8000"
BACK = "http://127.0.0.1:3000/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def test_each_role_gets_of_the_scopes_asked_for_what_fits_it(site):
    for user, scopes in (("carol", [READ, WRITE]), ("alice", [READ, WRITE]), ("dave", [READ, WRITE, ADMIN])):
        _, tokens = site.sign_in(user)
        assert (user, tokens["scope"].split()) == (user, scopes)
        assert site.status(tokens["access_token"]) == 200
        assert site.status(tokens["access_token"], "desk_export") == (200 if user == "dave" else 403)
    _, tokens = site.sign_in("dave", scope=READ)
    assert tokens["scope"] == READ
    _, tokens = site.sign_in("dave", scope=None)
    assert tokens["scope"].split() == [READ, WRITE]


def test_who_can_give_nothing_of_it_or_is_unknown_or_refuses_gives_nothing(site):
    client_id = site.register().json()["client_id"]
    for user, scope in (("carol", ADMIN), ("mallory", READ), ("", READ)):
        answer = site.choose(site.authorize(client_id, scope=scope), user)
        assert answer == {"error": "access_denied", "state": "a state", "iss": HOME}


def test_the_answer_names_state_and_issuer(site):
    client_id = site.register().json()["client_id"]
    answer = site.choose(site.authorize(client_id), "carol")
    assert answer.keys() == {"code", "state", "iss"}
    assert (answer["state"], answer["iss"]) == ("a state", HOME)


def test_tokens_are_given_for_this_server_only(site):
    client_id = site.register().json()["client_id"]
    for resource in ("https://other.example/mcp", f"{HOME}/other", HOME):
        assert site.told(site.authorize(client_id, resource=resource))["error"] == "invalid_target"
    for resource in (f"{HOME}/mcp", f"{HOME}/mcp/", None):
        code = site.choose(site.authorize(client_id, resource=resource), "carol")["code"]
        access = site.exchange(client_id, code).json()["access_token"]
        assert jwt.decode(access, options={"verify_signature": False})["aud"] == f"{HOME}/mcp"


def test_a_code_is_good_once_for_its_client_with_its_verifier(site):
    client_id, other = (site.register().json()["client_id"] for _ in range(2))
    code = site.choose(site.authorize(client_id), "carol")["code"]
    assert site.exchange(other, code).json()["error"] == "invalid_grant"
    assert site.exchange(client_id, code, code_verifier="w" * 64).json()["error"] == "invalid_grant"
    assert (
        site.exchange(client_id, code, redirect_uri="http://127.0.0.1:3001/").json()["error"]
        == "invalid_request"
    )
    assert site.exchange(client_id, code).status_code == 200
    again = site.exchange(client_id, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


def test_a_code_and_a_page_run_out(site, monkeypatch):
    client_id = site.register().json()["client_id"]
    with monkeypatch.context() as patch:
        patch.setattr(auth_server, "CODE_SECONDS", -1)
        code = site.choose(site.authorize(client_id), "carol")["code"]
    assert site.exchange(client_id, code).json()["error"] == "invalid_grant"
    with monkeypatch.context() as patch:
        patch.setattr(auth_server, "PAGE_SECONDS", -1)
        sent = site.authorize(client_id)
    assert site.http.get(sent.headers["location"]).status_code == 400
    number = parse_qs(urlsplit(sent.headers["location"]).query)["request"][0]
    assert site.http.post("/sign-in", data={"request": number, "user": "carol"}).status_code == 400


def test_a_page_is_answered_once(site):
    sent = site.authorize(site.register().json()["client_id"])
    number = parse_qs(urlsplit(sent.headers["location"]).query)["request"][0]
    assert site.http.post("/sign-in", data={"request": number, "user": "carol"}).status_code == 303
    assert site.http.post("/sign-in", data={"request": number, "user": "dave"}).status_code == 400
    assert site.http.post("/sign-in", data={"user": "dave"}).status_code == 400
    assert site.http.get("/sign-in").status_code == 400


def test_without_a_challenge_there_is_no_code(site):
    client_id = site.register().json()["client_id"]
    assert site.told(site.authorize(client_id, code_challenge=None))["error"] == "invalid_request"
    assert site.told(site.authorize(client_id, code_challenge_method="plain"))["error"] == "invalid_request"


def test_a_refresh_replaces_both_tokens(site):
    client_id, first = site.sign_in("carol")
    second = site.refresh(client_id, first["refresh_token"]).json()
    assert site.status(first["access_token"]) == 401
    assert site.status(second["access_token"]) == 200
    assert site.refresh(client_id, first["refresh_token"]).json()["error"] == "invalid_grant"
    assert site.refresh(client_id, "nonsense").json()["error"] == "invalid_grant"
    other = site.register().json()["client_id"]
    assert site.refresh(other, second["refresh_token"]).json()["error"] == "invalid_grant"
    narrow = site.refresh(client_id, second["refresh_token"], scope=READ).json()
    assert narrow["scope"] == READ
    assert site.refresh(client_id, narrow["refresh_token"], scope=ADMIN).json()["error"] == "invalid_scope"
    assert site.refresh(client_id, narrow["refresh_token"]).json()["scope"] == f"{READ} {WRITE}"


def test_a_refresh_looks_the_role_up_again(site, env):
    client_id, tokens = site.sign_in("dave")
    with env.conn:
        env.conn.execute("UPDATE users SET role = 'staff' WHERE name = 'dave'")
    assert site.refresh(client_id, tokens["refresh_token"]).json()["scope"] == f"{READ} {WRITE}"


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_revoked_sign_in_is_over(site, which):
    client_id, tokens = site.sign_in("carol")
    _, others = site.sign_in("carol")
    stranger = site.register().json()["client_id"]
    assert site.revoke(stranger, tokens[which]).status_code == 200
    assert site.status(tokens["access_token"]) == 200  # it was not the stranger's to revoke
    assert site.revoke(client_id, tokens[which]).status_code == 200
    assert site.status(tokens["access_token"]) == 401
    assert site.refresh(client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert site.status(others["access_token"]) == 200
    assert site.revoke(client_id, "nonsense").status_code == 200


def test_a_restart_signs_everybody_out_but_minted_tokens_stay_good(site, env):
    _, tokens = site.sign_in("carol")
    with TestClient(env.app(), base_url=HOME) as http:
        again = type(site)(http)
        assert again.status(tokens["access_token"]) == 401
        assert again.status(env.token("carol", READ)) == 200


def test_the_page_lists_everybody_and_says_what_each_would_give(site, env):
    sent = site.authorize(site.register().json()["client_id"])
    page = site.http.get(sent.headers["location"])
    assert site.form_of(page.text)["user"] == ["alice", "bob", "carol", "dave", "erin", "frank", ""]
    words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", page.text))
    assert "For development only." in words
    assert f"carol (customer) {READ}, {WRITE} dave (admin) {READ}, {WRITE}, {ADMIN} erin" in words
    assert "<script" not in page.text
    assert '<html lang="en">' in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


def test_names_on_the_page_are_text_and_nothing_else(site, env):
    with env.conn:
        env.conn.execute("""INSERT INTO users VALUES ('"><i>eve', 'customer')""")
    about = {"client_name": "<script>alert(1)</script>"}
    sent = site.authorize(site.register(**about).json()["client_id"])
    page = site.http.get(sent.headers["location"]).text
    assert "<script" not in page
    assert "<i>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert '"><i>eve' in site.form_of(page)["user"]


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "http://evil.example/",
        "http://127.0.0.1.evil.example/",
        "file:///x",
    ],
)
def test_a_client_cannot_be_sent_its_code_to_an_unsafe_place(site, uri):
    refused = site.register(redirect_uris=[BACK, uri])
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")


def test_a_client_may_be_an_app_or_a_site_or_on_this_machine(site):
    for uri in (
        "cursor://callback",
        "https://client.example/cb",
        "http://localhost:1/cb",
        "http://[::1]:1/cb",
    ):
        assert site.register(redirect_uris=[uri]).status_code == 201


def test_a_client_with_a_secret_needs_it(site):
    registered = site.register(token_endpoint_auth_method="client_secret_post").json()
    client_id = registered["client_id"]
    code = site.choose(site.authorize(client_id), "carol")["code"]
    assert site.exchange(client_id, code).status_code == 401
    assert site.exchange(client_id, code, client_secret="guess").status_code == 401
    assert site.exchange(client_id, code, client_secret=registered["client_secret"]).status_code == 200


def test_a_redirect_that_was_not_registered_is_not_followed(site):
    client_id = site.register().json()["client_id"]
    refused = site.authorize(client_id, redirect_uri="https://evil.example/")
    assert refused.status_code == 400
    assert "location" not in refused.headers
    assert site.authorize("nobody").status_code == 400


def test_what_is_kept_is_bounded_in_number_and_in_size(site, monkeypatch):
    monkeypatch.setattr(sign_ins, "MOST", 2)
    first, second, third = (site.register().json()["client_id"] for _ in range(3))
    assert site.authorize(first).status_code == 400
    pages = [site.authorize(client).headers["location"] for client in (second, third, third)]
    assert [site.http.get(page).status_code for page in pages] == [400, 200, 200]
    assert site.register(client_name="x" * 20_000).status_code == 400
    assert site.told(site.authorize(third, state="x" * 20_000))["error"] == "invalid_request"


def test_the_oldest_sign_in_makes_room_for_the_newest(site, monkeypatch):
    monkeypatch.setattr(sign_ins, "MOST", 2)
    signed = [site.sign_in("carol")[1]["access_token"] for _ in range(3)]
    assert [site.status(token) for token in signed] == [401, 200, 200]


def test_an_error_of_the_token_endpoint_is_not_kept_by_anybody(site):
    answer = site.token("nobody", grant_type="authorization_code", code="x", code_verifier="y")
    assert answer.status_code == 401
    assert answer.headers["cache-control"] == "no-store"
    assert json.loads(answer.text)["error"] == "invalid_client"
