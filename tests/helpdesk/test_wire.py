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
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.lowlevel import Server
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE

from helpdesk import lines, wire
from helpdesk.lines import NotAMessage, judge, split
from testkit.wire import Era, TextWire

DEADLINE = 8.0  # seconds; less than wire.GRACE, so that a test which passes did not wait for it


# Lines


def cut(*chunks: bytes, limit: int = 100) -> list[bytes | None]:
    """The lines in the chunks, as one list."""
    arriving = iter([*chunks, b""])
    return [line for batch in split(lambda: next(arriving), limit) for line in batch]


def test_a_line_may_arrive_in_pieces_and_several_in_one():
    assert cut(b"o", b"ne\ntwo\nth", b"ree\n") == [b"one", b"two", b"three"]


def test_the_last_line_needs_no_line_feed():
    assert cut(b"one\ntwo") == [b"one", b"two"]


def test_a_carriage_return_does_not_end_a_line():
    assert cut(b'{"a":\r1}\r\n') == [b'{"a":\r1}\r']


def test_a_line_that_is_too_long_is_one_none_however_it_arrives():
    assert cut(b"x" * 6, b"\nok\n", limit=5) == [None, b"ok"]
    assert cut(b"xxx", b"xxx", b"xxx", b"xx\nok", limit=5) == [None, b"ok"]
    assert cut(b"xxxxxx\nok\nxxxxxx", limit=5) == [None, b"ok", None]
    assert cut(b"xxxxx\n", limit=5) == [b"xxxxx"]


def test_a_line_that_is_too_long_is_told_before_it_ends():
    batches = split(iter([b"xxxxxx", b"x", b"\nok\n", b""]).__next__, limit=5)
    assert next(batches) == [None]
    assert next(batches) == [b"ok"]


@given(st.lists(st.binary(max_size=9).map(lambda text: text.replace(b"\n", b"")), max_size=9), st.data())
def test_the_lines_do_not_depend_on_how_the_bytes_arrive(wanted: list[bytes], data: st.DataObject):
    whole = b"".join(line + b"\n" for line in wanted)
    chunks = []
    while whole:
        size = data.draw(st.integers(1, len(whole)))
        chunks.append(whole[:size])
        whole = whole[size:]
    assert cut(*chunks, limit=6) == [line if len(line) <= 6 else None for line in wanted]


# Judgement


@pytest.mark.parametrize(
    "line",
    [
        b"{bad",
        b"hello",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} and more',
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        b"\xef\xbb\xbf{}",
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":' + b"[" * 500 + b"]" * 500 + b"}}",
        b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"x"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-Infinity}}',
    ],
    ids=[
        "brace",
        "word",
        "trailing",
        "not UTF-8",
        "BOM",
        "lone surrogate",
        "too deep",
        "number too long",
        "NaN",
        "Infinity",
    ],
)
def test_what_is_not_json_is_a_parse_error_without_an_id(line: bytes):
    with pytest.raises(NotAMessage) as refused:
        judge(line)
    assert refused.value.reply.error.code == -32700
    assert refused.value.reply.id is None


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b"[]", None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None),
        (b"5", None),
        (b"null", None),
        (b"{}", None),
        (b'{"id":3,"method":"ping"}', 3),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', "x"),
        (b'{"jsonrpc":"2.0","id":4}', 4),
        (b'{"jsonrpc":"2.0","id":5,"method":6}', 5),
        (b'{"jsonrpc":"2.0","id":"6","method":"ping","params":[1]}', "6"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":false,"method":7}', None),
        (None, None),
    ],
)
def test_json_that_is_no_message_is_an_invalid_request_with_its_id_if_it_has_one(line, id):
    with pytest.raises(NotAMessage) as refused:
        judge(line)
    reply = refused.value.reply
    assert reply.error.code == -32600
    assert (type(reply.id), reply.id) == (type(id), id)


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":7,"method":"ping"}',
        '{"jsonrpc":"2.0","id":"7","method":"ping","params":{"text":"a\u2028b"}}',
        '{"jsonrpc":"2.0","id":"","method":"ping"}\r',
        '  {"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
    ],
)
def test_a_message_passes_as_it_is(line: str):
    text, _ = judge(line.encode())
    assert text == line


def test_the_refusals_say_what_is_wrong_and_what_to_send():
    with pytest.raises(NotAMessage, match=r"no batches\. Send one message a line"):
        judge(b"[]")
    with pytest.raises(NotAMessage, match=r"line 1 column 2\. Send one message a line"):
        judge(b"{bad")
    with pytest.raises(NotAMessage, match="an id is a string or an integer"):
        judge(b'{"jsonrpc":"2.0","id":null,"method":"ping"}')


def test_the_limit_is_the_one_that_http_has():
    assert lines.LINE_LIMIT == DEFAULT_MAX_REQUEST_BODY_SIZE


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
