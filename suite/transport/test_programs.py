"""The desk as real programs: a child process on pipes, and one on a socket."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from grading.fixtures.env import KEY
from helpdesk import __main__ as helpdesk
from helpdesk import auth, http_main, stdio_main
from helpdesk.db import connect

LIMIT = 4 * 1024 * 1024  # bytes in one line, at most: what the SDK takes over HTTP

# Options that no program of the desk can start with, and a word that the complaint must hold.
MISTAKES = [
    (stdio_main.main, ["--user", "zoe"], "zoe"),
    (stdio_main.main, ["--db", "."], "cannot open"),
    (stdio_main.main, ["--nonsense"], "--nonsense"),
    (http_main.main, ["--port", "65536", "--key", KEY], "65536"),
    (http_main.main, ["--port", "-1", "--key", KEY], "-1"),
    (http_main.main, ["--port", "http"], "http"),
    (http_main.main, ["--port", "0", "--key", "short"], "32 bytes"),
    (http_main.main, ["--port", "0", "--host", "desk.example"], "development key"),
    (http_main.main, ["--port", "0", "--host", "0.0.0.0", "--key", KEY], "address"),
    (http_main.main, ["--port", "0", "--host", "x" * 70, "--key", KEY], "no host name"),
    (auth.main, ["mint", "--user", "", "--scopes", "tickets:read"], "--user"),
    (auth.main, ["mint", "--scopes", "tickets:read"], "--user"),
    (auth.main, ["mint", "--user", "carol"], "--scopes"),
    (auth.main, ["mint", "--user", "carol", "--scopes", "root"], "root"),
    (auth.main, ["mint", "--user", "carol", "--scopes", "tickets:read", "--expires-in", "0"], "0"),
    (auth.main, [], "COMMAND"),
    (helpdesk.main, [], "connect"),
]


# What somebody reads who asks for help: options, and words that their explanations must hold.
HELP = [
    (auth.main, ["mint", "--help"], ["HELPDESK_KEY", "tickets:read, tickets:write, desk:admin"]),
    (http_main.main, ["--help"], ["HELPDESK_KEY", "default: 8000"]),
    (stdio_main.main, ["--help"], ["default: alice"]),
    (helpdesk.main, ["--help"], ["helpdesk.stdio_main", "helpdesk.http_main"]),
]


@pytest.fixture
def ran(capsys, monkeypatch):
    """Runs a program's `main` in this process: the exit status, or its crash, and what it printed where."""
    monkeypatch.delenv("HELPDESK_KEY", raising=False)

    def run(main, options):
        try:
            status = main(options)
        except SystemExit as left:
            status = left.code
        except Exception as crash:
            status = f"a crash: {crash!r}"
        return status, *capsys.readouterr()

    return run


def started_by_hosts(page):
    """The command by which the hosts start the desk, from what `python -m helpdesk connect` prints of it."""
    blocks = page.split("\n\n")
    settings = [json.loads(block) for block in blocks if block.startswith("{")]
    servers = [(host.get("mcpServers") or host["servers"]).get("helpdesk") or {} for host in settings]
    assert [server["url"] for server in servers if "url" in server] == ["http://127.0.0.1:8000/mcp"] * 2
    asked = [question for host in settings for question in host.get("inputs", [])]
    assert [(question or {}).get("password") for question in asked] == [True], "a token is typed in unseen"
    started = [server for server in servers if "command" in server]
    assert len(started) == 3, "Claude Desktop, VS Code and Cursor start a child process"
    for server in started:
        assert Path(server["command"]).is_absolute() and Path(server["env"]["PYTHONPATH"]).is_absolute()
        assert server == {**started[0], **server}, "and all of them the same"
    command = [started[0]["command"], *started[0]["args"]]
    if sys.platform != "win32":
        lines = [line for block in blocks if not block.startswith("{") for line in block.splitlines()]
        words = [shlex.split(line) for line in lines if "stdio_main" in line]
        assert [line[line.index("--") + 1 :] for line in words] == [command] * 2, "in a shell as well"
        assert sum("--transport http" in line and "$HELPDESK_TOKEN" in line for line in lines) == 2
        assert sum(line.startswith("export PYTHONPATH=/") for line in lines) == 1
        assert any("helpdesk.auth mint --user" in line for line in lines)
    return command


def options_are_held_to_their_rules(ran):
    """What a program cannot start with is one line on stderr, status 2, and nothing on stdout."""
    for main, options, word in MISTAKES:
        status, out, err = ran(main, options)
        assert (status, out, err.count("\n")) == (2, "", 1), f"{options}: {status} {out} {err}"
        assert word in err, f"{options}: {err}"
    for main, options, words in HELP:
        status, out, _ = ran(main, options)
        assert status == 0
        for word in words:
            assert word in " ".join(out.split()), f"{options} does not tell of {word}"
    token = ["mint", "--user", "carol", "--scopes", "tickets:read", "--key", "k" * 32]
    for options in (token, [*token, "--expires-in", "1"]):
        status, out, err = ran(auth.main, options)
        assert (status, out.count("."), err) == (0, 2, ""), "a key of 32 bytes will do, and a second of life"


def told_to_hosts(ran, *options):
    """The options with which the hosts start the desk, when it is connected with these."""
    status, page, _ = ran(helpdesk.main, ["connect", *options])
    assert status == 0
    command = started_by_hosts(page)
    assert command[1:4] == ["-P", "-m", "helpdesk.stdio_main"]
    return command[4:]


def test_a_child_process_answers_and_writes_nothing_but_messages(stdio_server, ran, tmp_path):
    options_are_held_to_their_rules(ran)
    file = tmp_path / "my desk.sqlite"
    assert told_to_hosts(ran) == ["--user", "alice"]
    wanted = told_to_hosts(ran, "--user", "carol", "--db", str(file))
    assert wanted == ["--user", "carol", "--db", str(file.resolve())]
    server = stdio_server(*wanted)
    wire = server.wire
    assert wire.connect().name == "helpdesk"
    assert len(wire.list_tools()) == 8
    result = wire.call("tickets_search")
    assert [ticket["id"] for ticket in result["structuredContent"]["tickets"]] == [9, 5, 4, 1]
    assert wire.call("ticket_close", {"ticket_id": 4, "resolution": "Done."})["isError"] is True
    wire.send("{nonsense")
    wire.send("x" * (LIMIT + 1))
    wire.send("x" * (LIMIT + 200_000))
    wire.send('{"jsonrpc": "2.0", "method": "notifications/long"}'.ljust(LIMIT))
    wire.call("ticket_get", {"ticket_id": 1})
    assert [message["error"]["code"] for message in wire.kept] == [-32700, -32600, -32600]
    assert server.finish() == 0
    stderr = server.stderr_text
    assert "ready" in stderr
    assert "Traceback" not in stderr


def test_a_real_socket_lets_in_who_has_a_token(http_server, env):
    server = http_server("--key", auth.DEVELOPMENT_KEY)
    said = "".join(server.said)
    assert "development key" in said, "it says that anybody can make tokens"
    assert "INFO" not in said, "and nothing of its own affairs"
    assert server.url.startswith("http://127.0.0.1:")
    token = env.token("carol", "tickets:read", key=auth.DEVELOPMENT_KEY)
    found = server.call("tickets_search", {}, token)
    assert found.status == 200
    assert found.headers["content-type"].startswith("application/json")
    assert [ticket["id"] for ticket in found.result["structuredContent"]["tickets"]] == [9, 5, 4, 1]
    assert json.loads(found.result["content"][0]["text"]) == found.result["structuredContent"]
    outside = server.call("tickets_search", {}, None)
    assert outside.status == 401
    challenge = outside.headers["www-authenticate"]
    assert challenge.startswith("Bearer")
    assert f'resource_metadata="{server.url.removesuffix("/mcp")}/' in challenge, "at its own address"
    written = server.call(
        "ticket_create",
        {"title": "t", "body": "Over a socket"},
        env.token("carol", "tickets:write", key=auth.DEVELOPMENT_KEY),
    )
    assert written.result["structuredContent"]["created"] is True
    assert env.desk_on_file().search("alice", text="Over a socket")["total"] == 1


def test_at_the_end_of_its_input_everything_read_is_answered(stdio_server, tmp_path):
    file = tmp_path / "desk.sqlite"
    server = stdio_server("--db", str(file))
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
    conn = connect(file)
    written = conn.execute("SELECT author, body FROM comments WHERE id > 9").fetchall()
    conn.close()
    assert [tuple(comment) for comment in written] == [("alice", "Last.")], "what was answered is in the file"
