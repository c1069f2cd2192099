"""The SDK by itself: a tiny server, served by nothing of ours.

Each test in this folder is a probe. It holds one fact about the SDK that the desk works around, and fails
when an upgrade changes the fact; its message says what the desk may then drop. Nothing here imports the
desk.
"""

import io
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from testkit.wire import Era, TextWire

DEADLINE = 8.0  # seconds

CallTool = Callable[[Any, types.CallToolRequestParams], Awaitable[types.CallToolResult]]
Make = Callable[..., Server[Any]]
Bare = Callable[[Server[Any], Era], AbstractContextManager[TextWire]]


@pytest.fixture
def tiny() -> Make:
    """A function that makes a server with the given tools; a call does what `call_tool` does."""

    def make(
        call_tool: CallTool | None = None, tools: list[types.Tool] | None = None, **options: Any
    ) -> Server[Any]:
        async def say_done(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
            return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

        async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
            return types.ListToolsResult(
                tools=tools or [types.Tool(name="work", input_schema={"type": "object"})]
            )

        return Server("tiny", on_list_tools=list_tools, on_call_tool=call_tool or say_done, **options)

    return make


@pytest.fixture
def bare() -> Bare:
    """A function that serves over the SDK's own stdio transport, in a thread, and gives the client's end."""

    @contextmanager
    def serving(server: Server[Any], era: Era) -> Iterator[TextWire]:
        to_server, to_client = os.pipe(), os.pipe()
        stdin = io.TextIOWrapper(os.fdopen(to_server[0], "rb"), encoding="utf-8", errors="replace")
        stdout = io.TextIOWrapper(os.fdopen(to_client[1], "wb"), encoding="utf-8", newline="\n")
        wire = TextWire(os.fdopen(to_client[0], "rb"), os.fdopen(to_server[1], "wb"), era, deadline=DEADLINE)

        async def serve() -> None:
            async with stdio_server(anyio.wrap_file(stdin), anyio.wrap_file(stdout)) as (read, write):
                await server.run(read, write, server.create_initialization_options())

        def run() -> None:
            with stdin, stdout:
                anyio.run(serve)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield wire
        finally:
            wire.close()
            thread.join(DEADLINE)

    return serving
