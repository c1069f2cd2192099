"""What is slow to import and wanted by every run. Never `helpdesk`: each run must meet its own."""

from __future__ import annotations

import contextlib
import importlib

MODULES: tuple[str, ...] = tuple("""
    mcp mcp.client mcp.client.stdio mcp.client.streamable_http
    mcp.server.lowlevel mcp.server.stdio mcp.server.streamable_http_manager
    mcp.server.auth.routes mcp.server.auth.middleware.bearer_auth
    mcp_types mcp_types.jsonrpc
    pytest hypothesis hypothesis.stateful anyio._backends._asyncio
    jsonschema jwt httpx2 httpcore2
    uvicorn uvicorn.protocols.http.h11_impl uvicorn.lifespan.on uvicorn.loops.auto
    starlette.applications starlette.routing starlette.testclient
    asyncio concurrent.futures.thread difflib http.client pprint runpy sqlite3 subprocess
    grading.engine.session grading.engine.stuck
""".split())  # noqa: SIM905  # fmt: skip


def imports() -> None:
    """Import them. What is not installed is left out: who needs it will say so."""
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
