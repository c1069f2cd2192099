"""The raw wire against a server that is played by the test, over real pipes."""

import json
import os
import threading
import time

import pytest

from testkit.wire import NoReply, NotAMessage, Refused, TextWire, WireEnded, WireFailure

META = "io.modelcontextprotocol/"


class Pair:
    """A wire, and the server's end of its two pipes."""

    def __init__(self, **options) -> None:
        to_server, from_client = os.pipe()
        from_server, to_client = os.pipe()
        self.stdin = os.fdopen(to_server, "rb")
        self.stdout = os.fdopen(to_client, "wb", buffering=0)
        self.wire = TextWire(os.fdopen(from_server, "rb"), os.fdopen(from_client, "wb"), **options)

    def says(self, *messages) -> None:
        for message in messages:
            text = message if isinstance(message, (str, bytes)) else json.dumps({"jsonrpc": "2.0", **message})
            self.stdout.write((text if isinstance(text, bytes) else text.encode()) + b"\n")

    def heard(self) -> dict:
        return json.loads(self.stdin.readline())

    def close(self) -> None:
        self.stdout.close()
        self.wire.close()
        self.stdin.close()


@pytest.fixture
def pair():
    made = []

    def make(era="legacy", deadline=5.0) -> Pair:
        made.append(Pair(era=era, deadline=deadline))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_what_is_sent_is_the_text_as_it_is_and_a_line_end(pair):
    server = pair()
    server.wire.send('{"half": ')
    server.wire.send(b"\xff\xfe")
    assert [server.stdin.readline(), server.stdin.readline()] == [b'{"half": \n', b"\xff\xfe\n"]


def test_a_modern_request_carries_its_meta_and_a_legacy_one_nothing_extra(pair):
    modern, legacy = pair("modern"), pair("legacy")
    modern.wire.post("tools/list", {"cursor": "a"})
    legacy.wire.post("tools/list")
    sent = modern.heard()["params"]
    assert sent["cursor"] == "a"
    assert sent["_meta"][META + "protocolVersion"] == "2026-07-28"
    assert sent["_meta"][META + "clientCapabilities"] == {}
    assert legacy.heard() == {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def test_meta_that_a_test_gives_wins_over_the_kits(pair):
    server = pair("modern")
    server.wire.post("tools/list", {"_meta": {META + "protocolVersion": "1999-01-01", "mine": 1}})
    meta = server.heard()["params"]["_meta"]
    assert (meta[META + "protocolVersion"], meta["mine"]) == ("1999-01-01", 1)
    assert META + "clientCapabilities" in meta


def test_replies_are_matched_by_id_in_whatever_order_they_come(pair):
    server = pair()
    first, second = server.wire.post("a"), server.wire.post("b")
    server.says({"id": second, "result": {"is": "b"}}, {"id": first, "result": {"is": "a"}})
    assert server.wire.reply(first)["result"] == {"is": "a"}
    assert server.wire.reply(second)["result"] == {"is": "b"}
    assert server.wire.kept == []


def test_ids_match_exactly_so_that_a_number_is_not_its_text(pair):
    server = pair()
    server.says({"id": "7", "result": {}}, {"id": 7, "result": {"right": True}})
    assert server.wire.request("a", id=7)["result"] == {"right": True}
    assert server.wire.kept == [{"jsonrpc": "2.0", "id": "7", "result": {}}]


def test_what_nobody_asked_for_is_kept_aside_and_handed_out_first(pair):
    server = pair()
    note = {"method": "notifications/message", "params": {"level": "info"}}
    server.says(note, {"id": None, "error": {"code": -32700, "message": "no"}}, {"id": 1, "result": {}})
    server.wire.request("a")
    assert server.wire.unexpected == [{"jsonrpc": "2.0", **note}]
    server.says({"id": 2, "result": {}})
    assert [server.wire.receive().get("method") for _ in range(3)] == ["notifications/message", None, None]


def test_a_line_that_is_no_message_is_quoted_and_what_follows_is_still_read(pair):
    server = pair()
    server.says("helpdesk server v1.0 starting up...", {"id": 1, "result": {}})
    with pytest.raises(NotAMessage) as failure:
        server.wire.request("a")
    assert str(failure.value) == (
        "stdout carried a line that is not a JSON-RPC message: 'helpdesk server v1.0 starting up...'"
    )
    assert isinstance(failure.value, AssertionError)
    assert server.wire.receive()["id"] == 1
    assert server.wire.lines[0] == "helpdesk server v1.0 starting up..."


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{}",
        "[]",
        "3",
        '[{"jsonrpc": "2.0", "id": 1, "result": {}}]',
        '{"jsonrpc": "1.0", "id": 1, "result": {}}',
        '{"jsonrpc": "2.0", "id": 1}',
        '{"jsonrpc": "2.0", "result": {}}',
        '{"jsonrpc": "2.0", "id": null, "result": {}}',
        '{"jsonrpc": "2.0", "id": 1.5, "result": {}}',
        '{"jsonrpc": "2.0", "id": true, "result": {}}',
        '{"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": "x"}}',
        '{"jsonrpc": "2.0", "id": 1, "error": "x"}',
        '{"jsonrpc": "2.0", "id": null, "method": "a"}',
        b'{"jsonrpc": "2.0", "method": "\xff"}',
        "[" * 100_000,
    ],
)
def test_only_whole_json_rpc_messages_count_as_messages(pair, line):
    server = pair()
    server.says(line)
    with pytest.raises(NotAMessage):
        server.wire.receive()


def test_a_reply_that_does_not_come_is_told_with_what_was_sent(pair):
    server = pair(deadline=0.1)
    began = time.monotonic()
    with pytest.raises(NoReply, match=r'no reply within 0.1 s to: .*"method": "tools/list"'):
        server.wire.request("tools/list")
    assert time.monotonic() - began < 3


def test_chatter_does_not_put_off_the_deadline(pair):
    server = pair(deadline=0.3)
    over = threading.Event()

    def chatter() -> None:
        while not over.wait(0.02):
            server.says({"method": "notifications/progress"})

    talking = threading.Thread(target=chatter)
    talking.start()
    try:
        with pytest.raises(NoReply):
            server.wire.request("a")
    finally:
        over.set()
        talking.join()
    assert server.wire.unexpected


def test_an_output_that_ends_is_told_and_no_deadline_is_waited_for(pair):
    server = pair(deadline=60)
    server.stdout.close()
    for _ in range(2):
        with pytest.raises(WireEnded, match=r"the server's output ended; last sent: .*tools/list"):
            server.wire.request("tools/list")


def test_a_server_that_reads_no_more_is_told(pair):
    server = pair()
    server.stdin.close()
    with pytest.raises(WireEnded, match="no longer reads its input; not sent: hello"):
        server.wire.send("hello")


def test_a_server_that_never_reads_does_not_hold_the_test_up(pair):
    server = pair(deadline=0.2)
    with pytest.raises(NoReply, match="did not read within"):
        server.wire.send("x" * 5_000_000)
    server.stdin.close()  # lets the writing end


def test_a_long_line_arrives_whole_and_a_last_line_needs_no_end(pair):
    server = pair()
    long = {"jsonrpc": "2.0", "id": 1, "result": {"text": "é" * 300_000}}
    threading.Thread(target=server.says, args=(long,)).start()
    assert server.wire.reply(1) == long
    server.stdout.write(b'{"jsonrpc": "2.0", "id": 2, "result": {}}\r')
    server.stdout.close()
    server.wire.end_input()
    assert server.wire.rest() == [{"jsonrpc": "2.0", "id": 2, "result": {}}]


def test_the_rest_is_everything_up_to_the_end_of_the_output(pair):
    server = pair()
    ids = [server.wire.post("a") for _ in range(3)]
    server.wire.end_input()
    for line in server.stdin:
        server.says({"id": json.loads(line)["id"], "result": {}})
    server.stdout.close()
    assert [message["id"] for message in server.wire.rest()] == ids


def test_connecting_says_hello_the_way_of_the_era(pair):
    modern, legacy = pair("modern"), pair("legacy")
    about = {"name": "library", "version": "3"}
    modern.says({"id": 1, "result": {"capabilities": {"tools": {}}, "_meta": {META + "serverInfo": about}}})
    legacy.says(
        {"id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": about}}
    )
    for server, methods in (
        (modern, ["server/discover"]),
        (legacy, ["initialize", "notifications/initialized"]),
    ):
        said = server.wire.connect()
        assert (said.name, said.version) == ("library", "3")
        assert [server.heard()["method"] for _ in methods] == methods


def test_a_refusal_where_a_result_is_needed_is_a_failure_that_holds_the_error(pair):
    server = pair()
    server.says({"id": 1, "error": {"code": -32601, "message": "Method not found"}})
    with pytest.raises(Refused, match="tools/list was refused: -32601 'Method not found'") as failure:
        server.wire.list_tools()
    assert failure.value.error["code"] == -32601


def test_a_list_that_never_ends_is_a_failure_and_the_empty_cursor_is_one(pair):
    server = pair()
    server.says(
        *({"id": n, "result": {"tools": [{}], "nextCursor": ""}} for n in (1, 2)), {"id": 3, "result": {}}
    )
    with pytest.raises(WireFailure, match="did not end within 2 pages"):
        server.wire.list_tools(max_pages=2)
    with pytest.raises(WireFailure, match="without a list of tools"):
        server.wire.list_tools()
