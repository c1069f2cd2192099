"""The stdio server's own part of the protocol: lines judged one by one, and nothing left unanswered."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server

from helpdesk import lines, wire
from testkit.wire import Era, TextWire

DEADLINE = 8.0  # seconds; less than wire.GRACE, so that a test which passes did not wait for it


# Serving: a server of three tools, in a thread, over pipes


@dataclass
class Served:
    """A server that is being served, and what became of it."""

    wire: TextWire
    thread: threading.Thread
    release: threading.Event
    started: threading.Event
    raised: list[BaseException] = field(default_factory=list)

    def call(self, tool: str, id: Any) -> None:
        self.wire.post("tools/call", {"name": tool, "arguments": {}}, id=id)

    def ended(self) -> bool:
        """Whether `serve` returned; waits for it."""
        self.thread.join(DEADLINE)
        return not self.thread.is_alive() and not self.raised


@contextmanager
def served(era: Era, connect: bool = True) -> Iterator[Served]:
    release, started = threading.Event(), threading.Event()

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        started.set()
        if params.name == "wait":
            await anyio.to_thread.run_sync(release.wait, DEADLINE)
        if params.name == "sleep":
            await anyio.sleep_forever()
        if params.name == "crash":
            raise OSError(5, "no disk")
        return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="wait", input_schema={"type": "object"})])

    server = Server("tiny", on_list_tools=list_tools, on_call_tool=call_tool)
    to_server, to_client = os.pipe(), os.pipe()
    ours = TextWire(os.fdopen(to_client[0], "rb"), os.fdopen(to_server[1], "wb"), era, deadline=DEADLINE)

    def run() -> None:
        with os.fdopen(to_server[0], "rb") as stdin, os.fdopen(to_client[1], "wb") as stdout:
            try:
                anyio.run(wire.serve, server, stdin, stdout)
            except BaseException as error:
                this.raised.append(error)

    this = Served(ours, threading.Thread(target=run), release, started)
    this.thread.start()
    try:
        if connect:
            ours.connect()
        yield this
    finally:
        release.set()
        ours.close()
        this.thread.join(DEADLINE)


def test_a_malformed_line_is_answered_first_in_between_and_last(era: Era):
    with served(era, connect=False) as this:
        this.wire.send("{first")
        assert error_of(this.wire.receive()) == (-32700, None)
        this.wire.connect()
        this.wire.send('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')
        assert error_of(this.wire.receive()) == (-32600, None)
        assert this.wire.list_tools()
        this.wire.send(b"\xff\xfe")
        this.wire.end_input()
        assert [error_of(reply) for reply in this.wire.rest()] == [(-32700, None)]
        assert this.ended()


def test_a_refusal_carries_null_as_its_id_and_says_nothing_else(era: Era):
    with served(era, connect=False) as this:
        this.wire.send("null")
        this.wire.receive()
        assert json.loads(this.wire.lines[-1]).keys() == {"jsonrpc", "id", "error"}
        assert '"id":null' in this.wire.lines[-1]


def test_ids_come_back_exactly_also_when_they_repeat(era: Era):
    ids = [7, "7", 0, -1, "", "a b", 2**70, 7, "7"]
    with served(era) as this:
        for id in ids:
            this.wire.post("tools/list", id=id)
        replies = [this.wire.receive() for _ in ids]
        assert sorted(repr(reply["id"]) for reply in replies) == sorted(map(repr, ids))


def test_everything_that_was_read_is_answered_before_the_end(era: Era):
    with served(era) as this:
        for number in range(50):
            this.call("wait", number)
            this.wire.post("tools/list", id=f"list {number}")
            this.wire.post("no/such/method", id=f"no {number}")
            this.call("crash", f"crash {number}")
        this.wire.end_input()
        this.release.set()
        answered = [reply["id"] for reply in this.wire.rest()]
        wanted = [id for n in range(50) for id in (n, f"list {n}", f"no {n}", f"crash {n}")]
        assert sorted(map(repr, answered)) == sorted(map(repr, wanted))
        assert this.ended()


def test_a_cancelled_request_gets_no_answer_and_is_not_waited_for(era: Era):
    with served(era) as this:
        this.call("sleep", 40)
        assert this.started.wait(DEADLINE)
        this.wire.notify("notifications/cancelled", {"requestId": 40})
        this.wire.post("tools/list", id=41)
        this.wire.end_input()
        assert [reply["id"] for reply in this.wire.rest()] == [41]
        assert this.ended()


def test_cancelling_what_was_never_asked_or_is_answered_disturbs_nothing(era: Era):
    with served(era) as this:
        this.wire.request("tools/list", id=50)
        for id in (50, 51, "50", None):
            this.wire.notify("notifications/cancelled", {"requestId": id})
        this.call("wait", 52)
        this.wire.end_input()
        this.release.set()
        assert [reply["id"] for reply in this.wire.rest()] == [52]
        assert this.ended()


def test_a_request_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wire, "GRACE", 0.05)
    with served("modern") as this:
        this.call("sleep", 60)
        assert this.started.wait(DEADLINE)
        this.wire.end_input()
        assert [error_of(reply) for reply in this.wire.rest()] == [(-32000, 60)]
        assert this.ended()


def test_blank_lines_and_notifications_get_no_answer(era: Era):
    with served(era) as this:
        for line in ("", "   ", "\t\r", '{"jsonrpc":"2.0","method":"notifications/nonsense"}'):
            this.wire.send(line)
        assert this.wire.list_tools()
        assert not this.wire.kept


def test_a_line_over_the_limit_is_refused_and_the_next_one_served():
    with served("modern") as this:
        this.wire.send('{"padding": "' + "x" * lines.LINE_LIMIT + '"}')
        assert error_of(this.wire.receive()) == (-32600, None)
        assert this.wire.list_tools()


def test_a_line_just_under_the_limit_is_served():
    with served("modern") as this:
        padding = "x" * (lines.LINE_LIMIT - 1000)
        reply = this.wire.request("tools/list", {"_meta": {"padding": padding}})
        assert "result" in reply


def test_input_that_ends_at_once_ends_the_server():
    with served("modern", connect=False) as this:
        this.wire.end_input()
        assert this.wire.rest() == []
        assert this.ended()


def test_a_client_that_has_gone_ends_the_server_without_a_word():
    to_server, to_client = os.pipe(), os.pipe()
    os.close(to_client[0])  # nobody will read
    os.write(to_server[1], b"{bad\n" * 3)  # and the input does not end
    with (
        os.fdopen(to_server[0], "rb") as stdin,
        os.fdopen(to_client[1], "wb") as stdout,
        os.fdopen(to_server[1], "wb"),
    ):
        anyio.run(serve_in_time, Server("tiny"), stdin, stdout)


async def serve_in_time(server: Server[Any], stdin: Any, stdout: Any) -> None:
    with anyio.fail_after(DEADLINE):
        await wire.serve(server, stdin, stdout)


def test_a_server_that_cannot_start_says_so_to_its_caller():
    @contextmanager
    def pipes() -> Iterator[Any]:
        read, write = os.pipe()
        with os.fdopen(read, "rb") as stdin, os.fdopen(write, "wb") as stdout:
            yield stdin, stdout

    class Broken(Server[Any]):
        async def run(self, *args: Any, **options: Any) -> None:
            raise FileNotFoundError("the desk has burnt down")

    with pipes() as (stdin, stdout), pytest.raises(ExceptionGroup) as raised:
        anyio.run(serve_in_time, Broken("tiny"), stdin, stdout)
    assert raised.group_contains(FileNotFoundError, match="burnt down")


def error_of(reply: dict[str, Any]) -> tuple[int, Any]:
    """Code and id of an error reply."""
    return reply["error"]["code"], reply["id"]
