"""Makes a process worth forking: everything slow imported, everything lazy done once.

Never imports `helpdesk`: whoever is forked must meet its own.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
import tempfile
import threading
from pathlib import Path

from grading.engine import child, slow
from grading.engine.jobs import Job
from grading.engine.remembered import approved_schemas, remember_schema_checks
from grading.engine.tree import PACKAGE

SNAPSHOT = Path(__file__).parents[2] / "suite" / "snapshot" / "approved_tools.json"

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

    Modules that are not installed are left out; plugins that do not exist are too. Raises `RuntimeError`
    when the process would not be safe to fork afterwards.
    """
    slow.imports()
    gc.collect()
    gc.freeze()  # pytest collects garbage at its end, thoroughly: let it not look at all this
    _dummy_session(tuple(name for name in plugins if importlib.util.find_spec(name)))
    remember_schema_checks(approved_schemas(SNAPSHOT))
    _one_request()
    refuse_what_must_not_be_forked()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # a run is short: it need not look for garbage every 700 objects


def refuse_what_must_not_be_forked() -> None:
    """Raise `RuntimeError` when this process has met a help desk, or has threads."""
    if any(name == PACKAGE or name.startswith(PACKAGE + ".") for name in sys.modules):
        raise RuntimeError("the fork server has imported a help desk; every run would meet that one")
    if threading.active_count() != 1:
        raise RuntimeError(f"the fork server has threads: {threading.enumerate()}")


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
    from starlette.testclient import TestClient

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
    server = Server("toy", on_list_tools=tools, on_call_tool=call)
    with TestClient(server.streamable_http_app(json_response=True), base_url="http://127.0.0.1:8000") as http:
        http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
