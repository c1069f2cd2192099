"""What the SDK's HTTP transport leaves to the server: the reason for the scope check and the verifier."""

import inspect
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from pydantic import AnyHttpUrl

from testkit.messages import LEGACY_VERSION, MODERN_VERSION, modern_meta

URL = "http://127.0.0.1:8000/mcp"
CALL = {"name": "work", "arguments": {"a": 1}}


class Verifier:
    """Takes every token; the token's text is its audience."""

    async def verify_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="x", scopes=["read"], resource=token, expires_at=None)


def settings(*scopes: str, validate: bool | None = None) -> AuthSettings:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SDK warns that the default changes in 3.0
        return AuthSettings(
            issuer_url=AnyHttpUrl("http://127.0.0.1:8000"),
            resource_server_url=AnyHttpUrl(URL),
            required_scopes=list(scopes),
            validate_token_resource=validate,
        )


@asynccontextmanager
async def client(server: Server[Any], auth: AuthSettings | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    verifier = Verifier() if auth else None
    app = server.streamable_http_app(json_response=True, auth=auth, token_verifier=verifier)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), headers=HEADERS) as opened,
    ):
        yield opened


HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


async def ask(
    http: httpx2.AsyncClient, method: str, params: dict[str, Any], token: str | None = None
) -> httpx2.Response:
    """One request of the modern era."""
    headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": modern_meta()}}
    return await http.post(URL, json=body, headers=headers)


@pytest.mark.parametrize(
    ("version", "body", "code"),
    [
        (MODERN_VERSION, "{bad", -32700),
        (MODERN_VERSION, "5", -32600),
        (MODERN_VERSION, "[]", -32600),
        (MODERN_VERSION, '{"jsonrpc":"2.0","id":null,"method":"x"}', -32600),
        (LEGACY_VERSION, "{bad", -32700),
        # JSON-RPC 2.0 wants -32600 for these two as well; the text is pydantic's, and long.
        (LEGACY_VERSION, "5", -32602),
        (LEGACY_VERSION, "[]", -32602),
    ],
)
def test_a_body_that_is_no_message_is_answered_with_status_400(tiny: Any, version: str, body: str, code: int):
    async def probe() -> None:
        async with client(tiny()) as http:
            headers = {"MCP-Protocol-Version": version, "Mcp-Method": "x"}
            response = await http.post(URL, content=body, headers=headers)
            assert (response.status_code, response.json()["error"]["code"]) == (400, code), (
                f"HTTP now answers {body} with {response.status_code} {response.text}: see whether the desk"
                " still has to mend it, and whether helpdesk/lines.py gives the same code over stdio."
            )

    anyio.run(probe)


def test_scopes_are_asked_of_the_whole_server_and_not_of_a_tool(tiny: Any):
    async def probe() -> None:
        async with client(tiny(), settings("write")) as http:
            refused = await ask(http, "tools/list", {}, token=URL)
            assert refused.status_code == 403
            challenge = refused.headers["WWW-Authenticate"]
            assert "scope=" not in challenge.replace("insufficient_scope", ""), (
                f"The SDK's 403 now names the scope ({challenge}): helpdesk/scope_check.py may leave it that."
            )
            assert 'error="insufficient_scope"' in challenge

    anyio.run(probe)
    options = {*AuthSettings.model_fields, *inspect.signature(Server.streamable_http_app).parameters}
    assert {name for name in options if "scope" in name} == {"required_scopes"}, (
        "The SDK has new options about scopes: see whether one of them is per tool, and replaces"
        " helpdesk/scope_check.py."
    )
    assert not {name for name in types.Tool.model_fields if "scope" in name or "auth" in name}


def test_a_token_for_another_audience_is_accepted_unless_that_is_asked_for(tiny: Any):
    async def status(validate: bool | None) -> int:
        async with client(tiny(), settings("read", validate=validate)) as http:
            return (await ask(http, "tools/list", {}, token="https://elsewhere.example/mcp")).status_code

    assert anyio.run(status, None) == 200, (
        "The SDK now refuses a token for another server by itself: the desk's own check of the audience is a"
        " second one, and the defect audience_unchecked needs another edit."
    )
    assert anyio.run(status, True) == 401


@pytest.mark.parametrize("given", [False, True])
def test_a_call_runs_the_list_handler_first_unless_the_schema_can_be_had_otherwise(given: bool):
    ran: list[str] = []

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        ran.append("list")
        return types.ListToolsResult(tools=[types.Tool(name="work", input_schema={"type": "object"})])

    async def call_tool(ctx: Any, params: Any) -> types.CallToolResult:
        ran.append("call")
        return types.CallToolResult(content=[])

    async def probe() -> None:
        get = (lambda name: {"type": "object"}) if given else None
        server = Server("tiny", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=get)
        async with client(server) as http:
            assert (await ask(http, "tools/call", CALL)).status_code == 200

    anyio.run(probe)
    assert ran == (["call"] if given else ["list", "call"]), (
        f"A call over HTTP now runs {ran}: see whether helpdesk/app.py still has to give"
        " get_tool_input_schema."
    )
