"""What the SDK's low-level server leaves to the server: the reason for much of `helpdesk/tools.py`."""

import subprocess
import sys
from typing import Any

import mcp_types as types
import pytest

from testkit.wire import Era

DEADLINE = 20.0  # seconds
SECRET = "password=hunter2"


@pytest.mark.parametrize(("spoken", "code", "told"), [("modern", -32603, False), ("legacy", 0, True)])
def test_an_exception_in_a_handler_is_a_protocol_error(
    tiny: Any, bare: Any, spoken: Era, code: int, told: bool
):
    async def crash(ctx: Any, params: Any) -> types.CallToolResult:
        raise RuntimeError(SECRET)

    with bare(tiny(crash), spoken) as wire:
        wire.connect()
        error = wire.request("tools/call", {"name": "work", "arguments": {}})["error"]
    assert (error["code"], SECRET in str(error)) == (code, told), (
        f"In the {spoken} era the SDK now answers a crash with {error}. The desk catches before it does"
        " (ToolBox.call); see whether that is still needed, and which defect still has its bite."
    )


def test_neither_schema_is_applied(tiny: Any, bare: Any, era: Era):
    async def lie(ctx: Any, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[], structured_content={"number": "not a number"})

    tool = types.Tool(
        name="work",
        input_schema={"type": "object", "required": ["number"], "additionalProperties": False},
        output_schema={"type": "object", "properties": {"number": {"type": "integer"}}},
    )
    with bare(tiny(lie, [tool]), era) as wire:
        wire.connect()
        reply = wire.request("tools/call", {"name": "work", "arguments": {"nonsense": 1}})
    assert reply.get("result", {}).get("structuredContent") == {"number": "not a number"}, (
        f"The SDK now applies a tool's schemas ({reply}): ToolBox.call would do it twice, in other words."
    )


@pytest.mark.parametrize(
    "tools",
    [
        [types.Tool(name="twin", input_schema={"type": "object"})] * 2,
        [types.Tool(name="no name! " * 40, input_schema={"type": "object"})],
        [types.Tool(name="odd", input_schema={"type": "object", "properties": {"a": {"type": "nonsense"}}})],
    ],
    ids=["two of one name", "a bad name", "a schema that is none"],
)
def test_tools_are_listed_as_they_are(tiny: Any, bare: Any, era: Era, tools: list[types.Tool]):
    with bare(tiny(tools=tools), era) as wire:
        wire.connect()
        listed = [tool["name"] for tool in wire.list_tools()]
    assert listed == [tool.name for tool in tools], (
        f"The SDK now minds what a tool is called or what its schemas are, and lists {listed}: ToolBox need"
        " not refuse these at start."
    )


def test_cache_hints_say_never_and_private(tiny: Any, bare: Any):
    with bare(tiny(), "modern") as wire:
        for result in (wire.connect().result, wire.result("tools/list")):
            assert (result["ttlMs"], result["cacheScope"]) == (0, "private"), (
                "The SDK's own cache hints are other ones now: see whether CACHE_HINTS in helpdesk/app.py is"
                " still needed."
            )


def test_importing_the_server_imports_the_client_and_both_eras():
    # Counted, not timed: a time would say more about the machine. It was two seconds where this was written.
    asked = "import mcp.server.lowlevel, sys; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    loaded = ended.stdout.split()
    heavy = {"mcp.client.client", "mcp.server.mcpserver", "mcp_types._v2025_11_25", "mcp_types._v2026_07_28"}
    assert heavy <= set(loaded), (
        f"`import mcp.server.lowlevel` leaves out {heavy - set(loaded)} now and starts sooner: see whether"
        " the programs of the desk may import it at the top, and whether the grader needs its fork server."
    )
