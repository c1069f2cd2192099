"""The desk as real programs: a child process on pipes, and one on a socket."""

import json


def test_a_child_process_answers_and_writes_nothing_but_messages(stdio_server):
    server = stdio_server("--user", "carol")
    wire = server.wire
    assert wire.connect().name == "helpdesk"
    assert len(wire.list_tools()) == 8
    result = wire.call("tickets_search")
    assert [ticket["id"] for ticket in result["structuredContent"]["tickets"]] == [9, 5, 4, 1]
    assert wire.call("ticket_close", {"ticket_id": 4, "resolution": "Done."})["isError"] is True
    wire.send("{nonsense")
    wire.call("ticket_get", {"ticket_id": 1})
    assert [message["error"]["code"] for message in wire.kept] == [-32700]
    assert server.finish() == 0
    assert "ready" in server.stderr_text
    assert "Traceback" not in server.stderr_text


def test_a_real_socket_lets_in_who_has_a_token(http_server, env):
    server = http_server()
    token = env.token("carol", "tickets:read")
    found = server.call("tickets_search", {}, token)
    assert found.status == 200
    assert found.headers["content-type"].startswith("application/json")
    assert [ticket["id"] for ticket in found.result["structuredContent"]["tickets"]] == [9, 5, 4, 1]
    assert json.loads(found.result["content"][0]["text"]) == found.result["structuredContent"]
    outside = server.call("tickets_search", {}, None)
    assert outside.status == 401
    challenge = outside.headers["www-authenticate"]
    assert challenge.startswith("Bearer")
    assert 'resource_metadata="http://127.0.0.1' in challenge
    written = server.call(
        "ticket_create", {"title": "t", "body": "Over a socket"}, env.token("carol", "tickets:write")
    )
    assert written.result["structuredContent"]["created"] is True
    assert env.desk_on_file().search("alice", text="Over a socket")["total"] == 1


def test_at_the_end_of_its_input_everything_read_is_answered(stdio_server):
    server = stdio_server()
    wire = server.wire
    wire.connect()
    ids = [
        wire.post("tools/call", {"name": "ticket_get", "arguments": {"ticket_id": n % 12 + 1}})
        for n in range(30)
    ]
    last = wire.post("tools/call", {"name": "ticket_comment", "arguments": {"ticket_id": 4, "body": "Last."}})
    code = server.finish()
    answered = [message["id"] for message in server.messages if "result" in message]
    assert sorted(answered) == sorted([*ids, last])
    assert code == 0
