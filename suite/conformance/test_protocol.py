"""The protocol itself, as raw text, in both eras (MCP 2026-07-28 and 2025-11-25; JSON-RPC 2.0).

Silence is proved by the reply to a later message, never by a time-out.
"""

import json

from testkit.wire import TextWire

TOOLS = [
    "tickets_search",
    "ticket_get",
    "ticket_create",
    "ticket_comment",
    "ticket_close",
    "ticket_reopen",
    "ticket_assign",
    "desk_export",
]


def answers_before_the_next(wire: TextWire, *lines: str) -> list[dict]:
    """Everything that the server said to these lines, up to its reply to a request sent after them."""
    for line in lines:
        wire.send(line)
    wire.request("prompts/list", id="afterwards")
    said, wire.kept = wire.kept, []
    return said


def test_a_client_connects_and_learns_name_and_capabilities(wire, era):
    about = wire.connect()
    assert about.name == "helpdesk"
    assert about.version
    assert about.instructions
    assert {"tools", "resources", "prompts"} <= set(about.capabilities)
    if era == "modern":
        assert "2026-07-28" in about.result["supportedVersions"]
        assert (about.result["cacheScope"], about.result["ttlMs"] > 0) == ("public", True)
    else:
        assert about.protocol == "2025-11-25"
    assert wire.result("resources/list")["resources"][0]["uri"] == "desk://policy"
    assert wire.result("prompts/list")["prompts"][0]["name"] == "triage"
    assert wire.result("resources/read", {"uri": "desk://policy"})["contents"][0]["text"]
    assert wire.result("prompts/get", {"name": "triage"})["messages"][0]["content"]["text"]


def test_the_list_of_tools_is_complete_unique_and_the_same_each_time(wire, era):
    wire.connect()
    tools = wire.list_tools(max_pages=20)
    assert [tool["name"] for tool in tools] == TOOLS, "the same eight, in the same order, in both eras"
    assert wire.list_tools(max_pages=20) == tools
    page = wire.result("tools/list")
    if era == "modern":
        assert page["cacheScope"] == "public", "the list is the same for every caller"
        assert page["ttlMs"] > 0
        assert page["resultType"] == "complete"
    for listing in ("tools/list", "resources/list", "prompts/list", "resources/templates/list"):
        reply = wire.request(listing, {"cursor": "no-such-cursor"})
        assert reply.get("error", {}).get("code") == -32602, f"{listing} took a cursor that it never gave"


def test_an_unknown_tool_is_a_protocol_error(wire, era):
    wire.connect()
    for name in ("ticket_delete", "", "Ticket_get"):
        reply = wire.request("tools/call", {"name": name, "arguments": {}})
        assert "error" in reply, f"a tool result instead of an error: {reply}"
        assert reply["error"]["code"] == -32602
        assert name in reply["error"]["message"], "the error names the tool"
    assert wire.call("ticket_get", {"ticket_id": 1})["isError"] is False


def test_malformed_json_gets_a_parse_error(wire, era):
    wire.connect()
    lines = [
        "{nonsense",
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"',
        "]",
        '{"id": "\ud800"}',
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"limit": NaN}}',
    ]
    said = answers_before_the_next(wire, *lines)
    assert [reply["error"]["code"] for reply in said] == [-32700] * len(lines)
    assert [reply.get("id", "absent") for reply in said] == [None] * len(lines), "null, not absent"


def test_json_that_is_no_message_gets_an_invalid_request_error(wire, era):
    wire.connect()
    values = [
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}],
        42,
        "tools/list",
        None,
        {},
        {"id": 7, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": None, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 7, "method": 7},
        {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": True, "method": 7},
    ]
    said = answers_before_the_next(wire, *map(json.dumps, values))
    assert [reply["error"]["code"] for reply in said] == [-32600] * len(values)
    ids = [reply["id"] for reply in said]
    assert ids == [None] * 6 + [7, None, 7, None, None], "an id comes back that an answer may carry"


def test_an_unknown_method_gets_a_method_not_found_error(wire, era):
    wire.connect()
    for method in ("tickets/close", "tools/List", "tools"):
        reply = wire.request(method)
        assert reply.get("error", {}).get("code") == -32601, f"{method}: {reply}"


def test_a_notification_gets_no_reply_and_an_id_comes_back_exactly(wire, era):
    wire.connect()
    notification = {
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": {"progressToken": 1, "progress": 1},
    }
    unknown = {"jsonrpc": "2.0", "method": "notifications/of_our_own"}
    assert answers_before_the_next(wire, json.dumps(notification), json.dumps(unknown)) == []
    for id in (0, 7, "7", "a-b", 2**53 - 1, "", "ü"):
        reply = wire.request("prompts/list", id=id)
        assert (type(reply["id"]), reply["id"]) == (type(id), id)
    assert wire.unexpected == []


def test_an_unknown_resource_or_prompt_is_refused_with_the_codes_of_the_era(wire, era):
    wire.connect()
    missing = wire.request("resources/read", {"uri": "desk://tickets/3"})
    assert missing.get("error", {}).get("code") == (-32602 if era == "modern" else -32002)
    assert "desk://tickets/3" in missing["error"]["message"]
    prompt = wire.request("prompts/get", {"name": "escalate"})
    assert prompt.get("error", {}).get("code") == -32602
    assert "escalate" in prompt["error"]["message"]
