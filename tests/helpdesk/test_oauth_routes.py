"""What the desk adds to the SDK's OAuth routes: revocation without a secret, the issuer in every redirect."""

from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

HOME = "http://127.0.0.1:8000"
BACK = "http://127.0.0.1:3000/callback"


@pytest.fixture
def site(env):
    with TestClient(env.app(), base_url=HOME, follow_redirects=False) as http:
        yield http


@pytest.fixture
def client_id(site):
    about = {"redirect_uris": [BACK], "token_endpoint_auth_method": "none"}
    return site.post("/register", json=about).json()["client_id"]


def test_the_metadata_offers_only_what_the_endpoints_take(site):
    metadata = site.get("/.well-known/oauth-authorization-server").json()
    assert metadata["token_endpoint_auth_methods_supported"] == ["none", "client_secret_post"]
    assert metadata["revocation_endpoint_auth_methods_supported"] == ["none", "client_secret_post"]


def test_a_client_without_a_secret_can_revoke(site, client_id):
    assert site.post("/revoke", data={"client_id": client_id, "token": "any"}).status_code == 200
    assert site.post("/revoke", data={"client_id": "nobody", "token": "any"}).status_code == 401


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": "root"}, "invalid_scope"),
        ({"resource": "http://127.0.0.1:1/mcp"}, "invalid_target"),
        ({"response_type": "token"}, "unsupported_response_type"),
    ],
)
def test_a_refused_request_goes_back_to_the_client_and_names_the_issuer(site, client_id, changed, error):
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": BACK,
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
        "state": "s",
    }
    sent = site.get(
        "/authorize", params={name: value for name, value in {**asked, **changed}.items() if value}
    )
    assert sent.status_code == 302
    assert sent.headers["location"].startswith(BACK)
    told = parse_qs(urlsplit(sent.headers["location"]).query)
    assert told["error"] == [error]
    assert told["state"] == ["s"]
    assert told["iss"] == [HOME]


@pytest.mark.parametrize("uri", ["ftp://x.example/cb", "ws://x.example/cb", "https://x.example/cb#part"])
def test_a_code_is_not_sent_where_others_can_read_it(site, uri):
    refused = site.post("/register", json={"redirect_uris": [uri], "token_endpoint_auth_method": "none"})
    assert refused.status_code == 400
    assert refused.json()["error"] == "invalid_redirect_uri"
