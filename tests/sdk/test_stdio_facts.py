"""What the SDK's stdio transport leaves to the server: the reason for `helpdesk/lines.py` and `wire.py`."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, cast

import anyio
import mcp_types as types
import pytest

from testkit.messages import modern_meta
from testkit.wire import Era, NotAMessage, TextWire

DEADLINE = 15.0  # seconds

NO_MESSAGE = {
    "malformed JSON": "{bad",
    "a JSON value": "5",
    "a batch": '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    "an id of null": '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
    "an id of 1.5": '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
}


@pytest.mark.parametrize("line", NO_MESSAGE.values(), ids=NO_MESSAGE.keys())
def test_a_line_that_is_no_message_gets_no_answer(tiny: Any, bare: Any, era: Era, line: str):
    with bare(tiny(), era) as wire:
        wire.connect()
        wire.send(line)
        wire.request("tools/list", id="later")
        assert not wire.kept, (
            f"The SDK now answers {line} itself, with {wire.kept}. helpdesk/wire.py would answer twice:"
            " compare the codes and drop what helpdesk/lines.py judges."
        )


def test_the_end_of_the_input_cancels_what_is_in_flight(tiny: Any, bare: Any, era: Era):
    started, cancelled = threading.Event(), threading.Event()

    async def work(ctx: Any, params: Any) -> types.CallToolResult:
        started.set()
        try:
            await anyio.sleep(DEADLINE)
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            raise
        return types.CallToolResult(content=[])

    with bare(tiny(work), era) as wire:
        wire.connect()
        wire.post("tools/call", {"name": "work", "arguments": {}}, id=1)
        assert started.wait(DEADLINE)
        wire.end_input()
        assert cancelled.wait(DEADLINE / 3), (
            "The SDK now lets requests finish after the end of the input: helpdesk/wire.py need not count"
            " them (Tally, Incoming, Outgoing)."
        )
        assert not [reply for reply in wire.rest() if "result" in reply]


def test_a_cancelled_request_is_reported_to_the_hook_that_the_desk_counts_on(tiny: Any, bare: Any, era: Era):
    started = threading.Event()

    async def work(ctx: Any, params: Any) -> types.CallToolResult:
        started.set()
        await anyio.sleep(DEADLINE)
        return types.CallToolResult(content=[])

    with bare(tiny(work), era) as wire:
        wire.connect()
        wire.post("tools/call", {"name": "work", "arguments": {}}, id=1)
        assert started.wait(DEADLINE)
        wire.notify("notifications/cancelled", {"requestId": 1})
        wire.request("tools/list", id=2)
        wire.end_input()
        assert not wire.rest(), (
            "The SDK now answers a cancelled request: helpdesk/wire.py would count it twice, as answered and"
            " as unanswered."
        )


def test_one_connection_serves_one_era(tiny: Any, bare: Any):
    told = "The SDK now serves both eras on one stdio connection: say so in the chapter on the two eras."
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    with bare(tiny(), "modern") as wire:
        wire.connect()
        assert wire.request("initialize", hello)["error"]["code"] == -32022, told
    with bare(tiny(), "legacy") as wire:
        wire.connect()
        assert wire.request("tools/list", {"_meta": modern_meta()})["error"]["code"] == -32600, told


def test_discovery_lists_the_modern_version_only(tiny: Any, bare: Any):
    with bare(tiny(), "modern") as wire:
        assert wire.connect().result["supportedVersions"] == ["2026-07-28"], (
            "server/discover now lists other versions: the two eras of the conformance checks may not be all."
        )


PRINTS = """
import sys
print("printed at import", flush=True)
import anyio, mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def call_tool(ctx, params):
    print("printed by the tool", flush=True)
    return types.CallToolResult(content=[types.TextContent(type="text", text=repr(sys.stdin.readline()))])

async def main():
    server = Server("tiny", on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
print("printed afterwards", flush=True)
"""


def test_prints_are_kept_off_the_wire_while_it_serves_and_only_then(tmp_path: Path):
    errors = tmp_path / "stderr.txt"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", PRINTS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
            bufsize=0,
        )
    wire = TextWire(cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin), deadline=DEADLINE)
    try:
        dropped = "The SDK now keeps this off stdout as well: the defect stdout_banner has lost its bite."
        with pytest.raises(NotAMessage, match="printed at import"):
            raise AssertionError(f"{dropped} Instead came {wire.receive()}")
        assert wire.call("anything")["content"][0]["text"] == "''", (
            "A tool can now read stdin: helpdesk/wire.py must go on diverting it."
        )
        wire.end_input()
        with pytest.raises(NotAMessage, match="printed afterwards"):
            raise AssertionError(f"{dropped} Instead came {wire.rest()}")
        assert process.wait(DEADLINE) == 0
        assert errors.read_text().splitlines() == ["printed by the tool"], (
            "The SDK no longer sends a tool's print to stderr while it serves: helpdesk/wire.py must."
        )
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        wire.close()
