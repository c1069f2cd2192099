"""The adapter: what it refuses at start, and the words it finds for arguments that do not fit."""

from dataclasses import replace

import mcp_types as types
import pytest

from helpdesk import db, world
from helpdesk.service import Desk
from helpdesk.tools import TOOLS, ToolBox, UnknownTool


@pytest.fixture
def box():
    conn = db.connect()
    world.fill(conn)
    yield ToolBox(Desk(conn))
    conn.close()


def words(result: types.CallToolResult) -> str:
    assert result.is_error
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": "TicketGet"}, "no tool name"),
        ({"name": "ab"}, "no tool name"),
        ({"name": "a" * 42}, "no tool name"),
        ({"name": "ticket_close"}, "two tools"),
        ({"input_schema": {"type": "string"}}, "type 'object'"),
        ({"input_schema": {"type": "object", "properties": {"a": {"type": "strnig"}}}}, "no JSON Schema"),
        ({"output_schema": {"type": "object", "required": "id"}}, "no JSON Schema"),
    ],
)
def test_a_tool_that_clients_could_not_use_is_refused_at_start(change, complaint):
    conn = db.connect()
    with pytest.raises(ValueError, match=complaint):
        ToolBox(Desk(conn), [*TOOLS, replace(TOOLS[1], **{"name": "ticket_peek", **change})])
    conn.close()


def test_an_unknown_tool_is_no_result_but_an_exception_that_names_it(box):
    with pytest.raises(UnknownTool, match=r"'ticket_peek'.*tickets_search"):
        box.call("alice", "ticket_peek", {})


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("ticket_get", {}, "arguments.ticket_id is required"),
        ("ticket_get", {"ticket_id": True}, "arguments.ticket_id must be of type integer, got True"),
        ("ticket_get", {"ticket_id": [3]}, "arguments.ticket_id must be of type integer, got a JSON array"),
        ("ticket_get", {"ticket_id": float("nan")}, "got nan"),
        ("ticket_get", {"ticket_id": 1, "x y": 1}, "arguments.'x y' is not an argument of `ticket_get`"),
        (
            "desk_export",
            {"all": 1},
            "arguments.all is not an argument of `desk_export` (it takes no arguments)",
        ),
        ("tickets_search", {"limit": 0}, "arguments.limit must be at least 1, got 0"),
        ("tickets_search", {"text": ""}, "arguments.text must not be empty"),
        ("tickets_search", {"text": "\ud800"}, "arguments.text has a character that cannot be stored"),
        (
            "ticket_create",
            {"title": 1},
            "arguments.body is required; arguments.title must be of type string, got 1",
        ),
        ("ticket_create", {"title": "t", "body": "b", "priority": "x" * 99}, "got '" + "x" * 59 + "…"),
    ],
)
def test_arguments_that_do_not_fit_are_told_with_the_argument_and_the_cure(box, tool, arguments, expected):
    text = words(box.call("dave", tool, arguments))
    assert expected in text
    assert text.startswith("Invalid arguments: ")
    assert text.endswith(f". Fix the arguments and call `{tool}` again.")


def test_a_number_that_json_writes_as_5_0_is_the_integer_5(box):
    result = box.call("alice", "ticket_close", {"ticket_id": 5.0, "resolution": "Again."})
    assert words(result).startswith("Ticket 5 is already closed")


def test_every_crash_has_a_reference_of_its_own_and_its_trace_in_the_log(box, caplog):
    box.desk.conn.execute("DROP TABLE comments")
    first = words(box.call("alice", "ticket_get", {"ticket_id": 1}))
    second = words(box.call("alice", "ticket_get", {"ticket_id": 1}))
    assert ("e-1" in first, "e-2" in second) == (True, True)
    assert "comments" not in first + second
    assert "no such table: comments" in caplog.text
    assert ("e-1" in caplog.text, "e-2" in caplog.text) == (True, True)


def test_a_cursor_with_a_number_that_the_database_cannot_hold_is_refused(box):
    from helpdesk.cursors import encode_cursor

    for number in (0, -1, 2**63, 10**30):
        assert "not one that a search returned" in words(
            box.call("alice", "tickets_search", {"cursor": encode_cursor(number)})
        )


def test_a_desk_that_another_program_holds_says_so_and_that_a_retry_helps(tmp_path):
    path = tmp_path / "desk.db"
    conn, other = db.connect(path), db.connect(path)
    world.fill(conn)
    conn.execute("PRAGMA busy_timeout = 0")
    other.execute("BEGIN IMMEDIATE")
    box = ToolBox(Desk(conn))
    comment = ("alice", "ticket_comment", {"ticket_id": 4, "body": "Hello."})
    assert words(box.call(*comment)) == (
        "The desk is busy and nothing was changed. Call `ticket_comment` again in a moment."
    )
    other.rollback()
    assert not box.call(*comment).is_error
    assert conn.execute("SELECT count(*) FROM comments WHERE ticket_id = 4").fetchone()[0] == 1
    conn.close()
    other.close()


def test_an_error_names_ten_faults_at_most(box):
    text = words(box.call("alice", "ticket_get", {f"extra{n}": n for n in range(5000)}))
    assert text.count("is not an argument") <= 10
    assert len(text) < 2000
