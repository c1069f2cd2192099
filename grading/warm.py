"""Makes a process worth forking: everything slow imported, everything lazy done once.

Never imports `helpdesk`: whoever is forked must meet its own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
import sys
import tempfile
import threading
from pathlib import Path

from grading import child
from grading.jobs import Job
from grading.tree import PACKAGE

SLOW = (
    "mcp", "mcp.client", "mcp.client.stdio", "mcp.client.streamable_http",
    "mcp.server.lowlevel", "mcp.server.stdio", "mcp.server.streamable_http_manager",
    "mcp.server.auth.routes", "mcp.server.auth.middleware.bearer_auth",
    "mcp_types", "mcp_types.jsonrpc",
    "pytest", "hypothesis", "hypothesis.stateful", "jsonschema", "uvicorn", "uvicorn.protocols.http.h11_impl", "uvicorn.lifespan.on", "uvicorn.loops.auto",
    "starlette.applications", "starlette.routing", "starlette.testclient", "jwt", "httpx2", "httpcore2",
    "anyio._backends._asyncio", "sqlite3", "asyncio", "concurrent.futures.thread", "runpy",
    "http.client", "subprocess", "difflib", "pprint", "grading.session", "grading.stuck", "grading.program",
)  # fmt: skip

_DUMMY = """
import pytest
from hypothesis import given, settings, strategies as st

def test_passes(tmp_path):
    assert tmp_path.is_dir()

@pytest.mark.xfail(strict=False)
def test_fails():
    assert {"a": [1, 2]} == {"a": [1, 3]}

@settings(max_examples=2)
@given(st.text(max_size=2), st.integers())
def test_given(text, number):
    assert isinstance(text, str)
"""


def up(plugins: tuple[str, ...] = ("grading.fixtures",)) -> None:
    """Import, run one dummy session and one request, put the garbage aside.

    Modules that are not installed are left out; plugins that do not exist are too. Raises `RuntimeError` when the
    process would not be safe to fork afterwards.
    """
    for name in SLOW:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _dummy_session(tuple(name for name in plugins if importlib.util.find_spec(name)))
    _one_request()
    if any(name == PACKAGE or name.startswith(PACKAGE + ".") for name in sys.modules):
        raise RuntimeError("the fork server has imported a help desk; every run would meet that one")
    if threading.active_count() != 1:
        raise RuntimeError(f"the fork server has threads: {threading.enumerate()}")
    gc.collect()
    gc.freeze()


def _dummy_session(plugins: tuple[str, ...]) -> None:
    import pytest

    with tempfile.TemporaryDirectory() as scratch:
        test = Path(scratch, "test_dummy.py")
        test.write_text(_DUMMY)
        here, environ, path = Path.cwd(), dict(os.environ), list(sys.path)
        os.chdir(scratch)
        child.quiet_hypothesis()
        job = Job(Path(scratch), (str(test),), rootdir=Path(scratch), plugins=plugins)
        status = pytest.main([*child.pytest_args(job, scratch), str(test)])
        os.chdir(here)
        os.environ.clear()
        os.environ.update(environ)
        sys.path[:] = path
    sys.modules.pop("test_dummy", None)
    if status != 0:
        raise RuntimeError(f"the dummy session ended with status {status}")


def _one_request() -> None:
    """A toy server and one call to it: the SDK builds its models on first use."""
    import anyio
    import mcp_types as types
    from mcp.client import Client
    from mcp.server.lowlevel import Server

    async def tools(context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="toy", input_schema={"type": "object"})])

    async def call(context: object, params: object) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text="hello")])

    async def talk() -> None:
        for mode in ("2026-07-28", "legacy"):
            async with Client(Server("toy", on_list_tools=tools, on_call_tool=call), mode=mode) as client:
                await client.list_tools()
                await client.call_tool("toy", {})

    anyio.run(talk)
