"""Tokens: what is minted, what is believed, and the command that mints."""

import asyncio
import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jwt
import pytest

import helpdesk
from helpdesk.auth import DEVELOPMENT_KEY, SCOPES, Verifier, current_user, key_from, main, mint

KEY = "a key for these tests, and long enough for HS512 too, which asks for sixty-four bytes"
URL = "http://127.0.0.1:8000/mcp"


def believed(token, url=URL):
    return asyncio.run(Verifier(KEY, url).verify_token(token))


def test_a_minted_token_says_who_calls_with_which_scopes_and_for_which_server():
    token = believed(mint("carol", ["tickets:read", "tickets:write"], key=KEY, expires_in=60))
    assert token is not None
    assert token.subject == "carol"
    assert token.scopes == ["tickets:read", "tickets:write"]
    assert token.resource == URL
    assert token.claims is not None
    assert token.expires_at == token.claims["iat"] + 60


def test_a_minted_token_is_good_at_any_port():
    assert believed(mint("carol", [], key=KEY), "http://127.0.0.1:9000/mcp") is not None


def test_a_token_for_the_servers_own_address_is_believed_there_and_nowhere_else():
    token = mint("carol", [], key=KEY, audience=URL)
    assert believed(token) is not None
    assert believed(token, "http://127.0.0.1:9000/mcp") is None


def test_of_several_audiences_one_must_be_this_server():
    assert believed(mint("carol", [], key=KEY, aud=["https://other.example", URL])) is not None
    assert believed(mint("carol", [], key=KEY, aud=["https://other.example"])) is None


@pytest.mark.parametrize("name", ["exp", "aud", "sub", "iss"])
def test_a_token_without_a_claim_that_is_required_is_refused(name):
    left_out: dict[str, Any] = {name: None}
    assert believed(mint("carol", ["tickets:read"], key=KEY, **left_out)) is None


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1},
        {"exp": "soon"},
        {"nbf": 9_999_999_999},
        {"aud": "https://other.example/mcp"},
        {"aud": URL + "/other"},
        {"aud": ""},
        {"sub": 7},
        {"iss": "https://other.example"},
        {"iss": "http://127.0.0.1:8000"},  # the sign-in page's own, which gave out no such token
    ],
    ids=str,
)
def test_a_token_with_a_wrong_claim_is_refused(claims):
    assert believed(mint("carol", ["tickets:read"], key=KEY, **claims)) is None


def test_a_token_from_the_sign_in_page_is_good_while_its_sign_in_lasts_and_names_its_issuer():
    current = Verifier(KEY, URL, lambda jti: jti == "current")

    def accepted(**claims):
        return asyncio.run(current.verify_token(mint("carol", [], key=KEY, **claims))) is not None

    assert accepted(iss="http://127.0.0.1:8000", jti="current")
    assert not accepted(iss="http://127.0.0.1:8000", jti="former")
    assert not accepted(iss="http://127.0.0.1:8000", jti=None)
    assert not accepted(iss="http://127.0.0.1:9000", jti="current")


def test_a_token_signed_otherwise_is_refused():
    good = mint("carol", ["tickets:read"], key=KEY)
    claims = jwt.decode(good, options={"verify_signature": False})
    header, payload, signature = good.split(".")
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    changed = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "dave"}).encode()).decode().rstrip("=")
    refused = {
        "with another key": mint("carol", ["tickets:read"], key="another key of thirty-two bytes or more"),
        "with another algorithm": jwt.encode(claims, KEY, algorithm="HS512"),
        "not at all": jwt.encode(claims, "", algorithm="none"),
        "not at all, by its header": f"{unsigned}.{payload}.",
        "for another payload": f"{header}.{changed}.{signature}",
        "and no JWT": "carol",
        "empty": "",
        "not in ASCII": "é.é.é",
    }
    assert believed(good) is not None
    assert {what for what, token in refused.items() if believed(token) is not None} == set()


@pytest.mark.parametrize("scope", [None, 5, ["desk:admin"], {"desk:admin": True}], ids=str)
def test_scopes_that_are_no_text_are_no_scopes(scope):
    token = believed(mint("carol", [], key=KEY, scope=scope))
    assert token is not None
    assert token.scopes == []


def test_without_a_request_there_is_no_user():
    with pytest.raises(RuntimeError, match="without a token"):
        current_user()


# The key


def test_a_key_is_counted_in_bytes_and_needs_thirty_two(monkeypatch):
    monkeypatch.delenv("HELPDESK_KEY", raising=False)
    assert key_from("k" * 32) == "k" * 32
    assert key_from("é" * 16) == "é" * 16
    with pytest.raises(ValueError, match="at least 32 bytes, and this one has 31"):
        key_from("k" * 31)
    with pytest.raises(ValueError, match="32 bytes"):
        mint("carol", [], key="short")
    with pytest.raises(ValueError, match="32 bytes"):
        Verifier("short", URL)


def test_the_option_comes_before_the_environment_and_that_before_the_development_key(monkeypatch):
    monkeypatch.delenv("HELPDESK_KEY", raising=False)
    assert key_from(None) == DEVELOPMENT_KEY
    monkeypatch.setenv("HELPDESK_KEY", "e" * 32)
    assert key_from(None) == "e" * 32
    assert key_from("o" * 32) == "o" * 32


def test_an_empty_key_in_the_environment_is_too_short_and_not_the_development_key(monkeypatch):
    monkeypatch.setenv("HELPDESK_KEY", "")
    with pytest.raises(ValueError, match="this one has 0"):
        key_from(None)


# The command


def test_the_command_prints_one_token_that_a_server_with_that_key_believes(capsys, monkeypatch):
    monkeypatch.setenv("HELPDESK_KEY", KEY)
    assert main(["mint", "--user", "carol", "--scopes", *SCOPES, "--expires-in", "60"]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert err == ""
    token = believed(out.strip())
    assert token is not None
    assert token.subject == "carol"
    assert token.scopes == list(SCOPES)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--user", "carol", "--scopes", "tickets:reed"], "tickets:reed"),
        (["--user", "carol", "--scopes"], "--scopes"),
        (["--user", "carol"], "--scopes"),
        (["--scopes", "tickets:read"], "--user"),
        (["--user", "", "--scopes", "tickets:read"], "--user"),
        (["--user", "carol", "--scopes", "tickets:read", "--key", "short"], "32 bytes"),
        (["--user", "carol", "--scopes", "tickets:read", "--expires-in", "0"], "--expires-in"),
        (["--user", "carol", "--scopes", "tickets:read", "--expires-in", "-5"], "--expires-in"),
        (["--user", "carol", "--scopes", "tickets:read", "--expires-in", "soon"], "soon"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_options_that_make_no_sense_are_one_line_and_status_two(options, says, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["mint", *options])
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


def test_minting_does_not_wait_for_the_sdk():
    program = "import sys, helpdesk.auth; print('mcp' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(helpdesk.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout == "False\n"
