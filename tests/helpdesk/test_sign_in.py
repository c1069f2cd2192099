"""Signing in: the SDK's own client on a real socket, from the first 401 to a tool's answer."""

import re
import socket
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import jwt
import uvicorn
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from helpdesk.http_main import make_app

READ, WRITE, ADMIN = "tickets:read", "tickets:write", "desk:admin"
BACK = "http://127.0.0.1:3000/callback"
KEY = "a key for these tests, thirty-two bytes"


@asynccontextmanager
async def serving(desk):
    """The app on a free port of this machine; gives the URL of its MCP endpoint."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
        app = make_app(desk, key=KEY, url=url)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [sock])
            yield url
            server.should_exit = True


class Person:
    """Opens the address that a client sends her to, and chooses a user there; the client's memory, too."""

    def __init__(self, user):
        self.user = user
        self.visits = []
        self.tokens: OAuthToken | None = None
        self.client_info = None

    async def open(self, url: str):
        self.visits.append(parse_qs(urlsplit(url).query))
        async with httpx2.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            page = await browser.get(url)
            [number] = re.findall(r'name="request" value="([^"]+)"', page.text)
            gone = await browser.post(
                page.url.copy_with(query=None),
                data={"request": number, "user": self.user},
                follow_redirects=False,
            )
        self.answer = {
            name: values[0] for name, values in parse_qs(urlsplit(gone.headers["location"]).query).items()
        }

    async def come_back(self):
        return AuthorizationCodeResult.model_validate(self.answer)

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


@asynccontextmanager
async def signed_in(url, person, era):
    """An SDK client that knows the URL, and a person."""
    about = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)], client_name="Checks")
    provider = OAuthClientProvider(url, about, person, person.open, person.come_back)
    mode = "2026-07-28" if era == "modern" else "legacy"
    async with (
        httpx2.AsyncClient(auth=provider, timeout=10, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def test_a_real_client_signs_a_customer_in_and_works_as_her(desk, era):
    async def scenario():
        carol = Person("carol")
        async with serving(desk) as url, signed_in(url, carol, era) as client:
            assert len((await client.list_tools()).tools) == 8
            found = await client.call_tool("tickets_search", {})
            assert found.structured_content["total"] == 4
            written = await client.call_tool("ticket_comment", {"ticket_id": 4, "body": "Any news?"})
            assert written.structured_content["author"] == "carol"
            closed = await client.call_tool("ticket_close", {"ticket_id": 4, "resolution": "Mine."})
            assert closed.is_error is True
        assert carol.tokens is not None
        assert len(carol.visits) == 1
        assert carol.visits[0]["resource"] == [url]
        assert carol.visits[0]["scope"] == [f"{READ} {WRITE}"]
        claims = jwt.decode(carol.tokens.access_token, KEY, ["HS256"], audience=url)
        assert (claims["sub"], claims["iss"], claims["scope"]) == (
            "carol",
            url.removesuffix("/mcp"),
            f"{READ} {WRITE}",
        )

    anyio.run(scenario)


def test_a_real_client_asks_for_more_when_a_tool_needs_more(desk, era):
    async def scenario():
        dave = Person("dave")
        async with serving(desk) as url, signed_in(url, dave, era) as client:
            await client.list_tools()  # the SDK's client answers one challenge a request: this is the first
            exported = await client.call_tool("desk_export", {})
            assert len(exported.structured_content["tickets"]) == 12
        assert [visit["scope"] for visit in dave.visits] == [[f"{READ} {WRITE}"], [f"{READ} {WRITE} {ADMIN}"]]

    anyio.run(scenario)
