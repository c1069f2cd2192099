"""Tool calls over the wire, in both eras: what is an error of the protocol, of the tool, or none."""

import json

from jsonschema import Draft202012Validator

# A call of each tool that succeeds for an administrator on the teaching world, in this order.
CALLS = [
    ("tickets_search", {}),
    ("tickets_search", {"text": "printer", "status": "open", "unassigned": False, "limit": 1}),
    ("ticket_get", {"ticket_id": 1}),
    ("ticket_get", {"ticket_id": 12}),
    ("ticket_create", {"title": "t", "body": "b", "customer": "carol", "idempotency_key": "k"}),
    ("ticket_create", {"title": "t", "body": "b", "customer": "carol", "idempotency_key": "k"}),
    ("ticket_comment", {"ticket_id": 4, "body": "Größe 100 % – «ok» 😀"}),
    ("ticket_close", {"ticket_id": 4, "resolution": "D" * 300}),
    ("ticket_reopen", {"ticket_id": 4}),
    ("ticket_assign", {"ticket_id": 4, "assignee": "bob"}),
    ("desk_export", {}),
]

# What the caller could mend, and words that the refusal must carry.
REFUSALS = [
    ("ticket_get", {}, ["arguments.ticket_id", "required", "`ticket_get`"]),
    ("ticket_get", {"ticket_id": "3"}, ["arguments.ticket_id", "integer", "'3'"]),
    ("ticket_get", {"ticket_id": 0}, ["arguments.ticket_id", "at least 1"]),
    ("ticket_get", {"ticket_id": 2**60}, ["arguments.ticket_id", "at most"]),
    ("ticket_get", {"ticket_id": 3, "verbose": True}, ["arguments.verbose", "`ticket_get`", "ticket_id"]),
    ("ticket_get", {"ticket_id": 3, "no such": 1}, ["arguments.'no such'"]),
    ("ticket_get", {"ticket_id": 3} | {f"extra{n}": n for n in range(40)}, ["arguments.extra0"]),
    ("ticket_get", {"ticket_id": 99}, ["No ticket 99 ", "`tickets_search`"]),
    ("ticket_get", {"ticket_id": 99.0}, ["No ticket 99 "]),
    ("tickets_search", {"limit": 21}, ["arguments.limit", "at most 20"]),
    ("tickets_search", {"cursor": "not a cursor!"}, ["arguments.cursor", "leave `cursor` out"]),
    ("tickets_search", {"text": "\0"}, ["arguments.text", "stored"]),
    ("tickets_search", {"status": ["open"]}, ["arguments.status", "a JSON array"]),
    ("tickets_search", {"status": "o" * 999}, ["arguments.status", "open", "ooo…"]),
    ("tickets_search", {"unassigned": {}}, ["arguments.unassigned", "boolean", "a JSON object"]),
    ("ticket_comment", {"ticket_id": 4, "body": "c" * 2001}, ["arguments.body", "2000", "2001"]),
    ("ticket_comment", {"ticket_id": 4, "body": ""}, ["arguments.body", "empty"]),
    ("ticket_create", {}, ["arguments.title is required", "arguments.body is required"]),
    ("ticket_create", {"title": "t"}, ["arguments.body", "required", "`ticket_create`"]),
    ("ticket_create", {"body": ""}, ["arguments.title is required", "arguments.body must not be empty"]),
    (
        "ticket_close",
        {"ticket_id": 5, "resolution": "Again."},
        ["Pointed to Settings > Seats.", "`ticket_reopen`"],
    ),
    ("ticket_assign", {"ticket_id": 4, "assignee": "carol"}, ["'carol'", "bob"]),
    ("desk_export", {}, ["administrator", "`tickets_search`"]),
    ("desk_export", {"format": "csv"}, ["format", "no arguments"]),
]


def text(result):
    assert [block["type"] for block in result["content"]] == ["text"]
    return result["content"][0]["text"]


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return f"no JSON: {text}"


def test_what_the_caller_can_mend_is_a_tool_error_and_a_crash_gives_a_reference_only(wire, era, env):
    """House rule: a bug inside a tool is told as a reference, and the trace goes to the operator's log."""
    wire.connect()
    for tool, arguments, words in REFUSALS:
        reply = wire.request("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in reply, f"{tool} {arguments}: a protocol error instead of a tool error: {reply}"
        assert reply["result"].get("isError") is True, (
            f"{tool} {arguments} was not flagged: {reply['result']}"
        )
        for word in words:
            assert word in text(reply["result"]), (
                f"{tool} {arguments}: {word!r} is not in {text(reply['result'])!r}"
            )
        assert len(text(reply["result"])) < 900, f"{tool}: a refusal is short, whatever was sent"
    misspelled = wire.call(
        "ticket_create", {"title": "t", "body": "b", "customer": "carol", "priority": "urgentt"}
    )
    assert text(misspelled) == (
        "Invalid arguments: arguments.priority must be one of"
        " ['low', 'normal', 'high', 'urgent'], got 'urgentt'."
        " Fix the arguments and call `ticket_create` again."
    )
    env.conn.execute("ALTER TABLE comments RENAME TO elsewhere")
    for number in (1, 2):
        crash = wire.call("ticket_get", {"ticket_id": 1})
        assert crash["isError"] is True
        assert text(crash) == (
            f"The tool failed unexpectedly (reference e-{number}). Do not retry the same call; tell the user."
        )
        assert f"e-{number}" in env.errors[-1], "the operator finds the reference in the log"
    env.conn.execute("PRAGMA ignore_check_constraints = ON")
    env.conn.execute("UPDATE tickets SET priority = 'whenever' WHERE id = 12")
    env.conn.commit()
    crash = wire.call("tickets_search", {"customer": "erin"})
    assert "reference e-3" in text(crash), f"a result that breaks the output schema got out: {text(crash)}"
    assert len(env.errors) == 3


def test_every_structured_result_fits_its_schema_and_equals_its_text(wire, era, env):
    env.conn.execute("UPDATE users SET role = 'admin' WHERE name = 'alice'")
    env.conn.commit()
    wire.connect()
    tools = {tool["name"]: tool for tool in wire.list_tools()}
    created = []
    for name, arguments in CALLS:
        result = wire.call(name, arguments)
        assert result["isError"] is False, f"{name} {arguments}: {result}"
        assert "outputSchema" in tools[name], f"{name} does not say what comes out"
        faults = Draft202012Validator(tools[name]["outputSchema"]).iter_errors(result["structuredContent"])
        assert [fault.message for fault in faults] == [], name
        assert parsed(text(result)) == result["structuredContent"], name
        created += [result["structuredContent"]["created"]] if name == "ticket_create" else []
    assert created == [True, False], "the second call with one key opens nothing"
    assert {name for name, _ in CALLS} == set(tools)


def test_paging_with_next_cursor_ends_and_covers_each_ticket_once(wire, era, env):
    env.grow(47)
    wire.connect()
    seen, arguments = [], {}
    page = {}
    for _ in range(6):
        result = wire.call("tickets_search", arguments)
        assert result["isError"] is False, f"a cursor that a search gave is refused: {text(result)}"
        page = result["structuredContent"]
        assert page["total"] == 47
        assert len(page["tickets"]) <= 20
        seen += [ticket["id"] for ticket in page["tickets"]]
        if page["next_cursor"] is None:
            break
        arguments = {"cursor": page["next_cursor"]}
    assert page["next_cursor"] is None, "paging does not end"
    assert sorted(seen) == list(range(1, 48)), "each ticket once"


def test_tools_that_say_they_only_read_change_nothing(wire, era, env):
    env.conn.execute("UPDATE users SET role = 'admin' WHERE name = 'alice'")
    env.conn.commit()
    wire.connect()
    readers = {tool["name"] for tool in wire.list_tools() if tool["annotations"]["readOnlyHint"]}
    assert readers, "no tool says that it only reads"
    before = list(env.conn.iterdump())
    for name, arguments in CALLS:
        if name in readers:
            wire.call(name, arguments)
            assert list(env.conn.iterdump()) == before, f"{name} says readOnlyHint and changed the database"
    for name, arguments in CALLS:
        if name not in readers:
            assert wire.call(name, arguments)["isError"] is False
    assert list(env.conn.iterdump()) != before


def test_no_failure_of_a_caller_reaches_the_error_log(wire, era, env):
    wire.connect()
    for tool, arguments, _ in REFUSALS[::3]:
        wire.call(tool, arguments)
    wire.send("{nonsense")
    wire.send("[]")
    wire.request("no/such/method")
    wire.request("tools/call", {"name": "no_such_tool", "arguments": {}})
    wire.request("tools/call", {"name": "ticket_get", "arguments": 3})
    wire.request("resources/read", {"uri": "desk://nothing"})
    wire.request("prompts/get", {"name": "nothing"})
    assert wire.call("ticket_get", {"ticket_id": 1})["isError"] is False
    assert env.errors == []
