"""Bytes into lines, and lines into messages: what the stdio server makes of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE

from helpdesk import lines
from helpdesk.lines import NotAMessage, judge, split

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
