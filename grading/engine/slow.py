"""What is slow to import and wanted by every run. Never `helpdesk`: each run must meet its own."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path

#: Where hypothesis finds its tables of characters, as it does in plain pytest at the top of the repository.
TABLES = Path(__file__).resolve().parents[2] / ".hypothesis"

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
    testkit.lint testkit.reader testkit.snapshot testkit.wire
    grading.engine.session grading.engine.stuck
""".split())  # noqa: SIM905  # fmt: skip


def imports() -> None:
    """Import them. What is not installed is left out: who needs it will say so."""
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(ImportError):
        _tables_of_characters()


def _tables_of_characters() -> None:
    """Have hypothesis read its tables. Where it finds none it works them out, which takes four seconds."""
    from hypothesis import configuration, strategies

    configuration.set_hypothesis_home_dir(TABLES)
    strategies.text().validate()
    configuration.set_hypothesis_home_dir(None)
