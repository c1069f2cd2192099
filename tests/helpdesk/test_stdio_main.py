"""The stdio program as a host meets it: a real child process, started from elsewhere, with nothing set."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

import helpdesk
from helpdesk.options import open_database
from helpdesk.service import Desk
from testkit.messages import modern_meta
from testkit.wire import Era, TextWire

HOUSE = str(Path(helpdesk.__file__).parents[1])
DEADLINE = 20.0  # seconds for any one wait; a start takes two or three
READY = "helpdesk ready on stdio (user alice)"
PROGRAM = [sys.executable, "-m", "helpdesk.stdio_main"]


def environment() -> dict[str, str]:
    """Where the package is, and what Windows cannot start a Python without."""
    needed = {"PYTHONPATH": HOUSE, "PYTHONSAFEPATH": "1"}
    return needed | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


@dataclass
class Child:
    """A server that runs, and the two ends of its wire."""

    process: subprocess.Popen[bytes]
    wire: TextWire
    errors: Path

    def stderr(self) -> list[str]:
        return self.errors.read_text(encoding="utf-8").splitlines()

    def status(self) -> int:
        """The exit status; waits for the end."""
        return self.process.wait(DEADLINE)


@contextmanager
def child(folder: Path, *options: str, era: Era = "modern", command: list[str] = PROGRAM) -> Iterator[Child]:
    """A server started in an empty folder; its stderr goes to a file beside it."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    errors = folder / "stderr.txt"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment(),
            cwd=elsewhere,
            bufsize=0,
        )
    wire = TextWire(cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin), era, deadline=DEADLINE)
    try:
        yield Child(process, wire, errors)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        wire.close()


def error_of(reply: dict[str, Any]) -> tuple[int, Any]:
    """Code and id of an error reply."""
    return reply["error"]["code"], reply["id"]


def new_ticket(key: str) -> dict[str, Any]:
    arguments = {"title": "Slow", "body": "Very.", "customer": "carol", "idempotency_key": key}
    return {"name": "ticket_create", "arguments": arguments}


def a_line(key: str) -> str:
    """The request for one new ticket, in the modern era; the key is its id too."""
    params = new_ticket(key) | {"_meta": modern_meta()}
    return json.dumps({"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": params})


def test_two_hundred_requests_are_piped_in_and_all_answered(tmp_path: Path, era: Era):
    with child(tmp_path, era=era) as this:
        this.wire.send("{bad")
        assert error_of(this.wire.receive()) == (-32700, None)  # before the first request
        this.wire.connect()
        asked: list[Any] = []
        for number in range(50):
            asked += [
                this.wire.post(
                    "tools/call", {"name": "ticket_get", "arguments": {"ticket_id": 7}}, number * 2
                ),
                this.wire.post("tools/call", new_ticket(f"key {number}"), f"new {number}"),
                this.wire.post("tools/call", {"name": "no_such_tool", "arguments": {}}, str(number * 2)),
                this.wire.post("no/such/method", id=f"no {number}"),
            ]
        this.wire.send("[]")
        this.wire.notify("notifications/initialized")
        this.wire.send("last")
        this.wire.end_input()
        replies = this.wire.rest()
        assert this.status() == 0

        refusals = [error_of(reply) for reply in replies if reply["id"] is None]
        assert refusals == [(-32600, None), (-32700, None)]
        by_id = {(type(reply["id"]), reply["id"]): reply for reply in replies if reply["id"] is not None}
        assert len(replies) == len(asked) + 2
        assert by_id.keys() == {(type(id), id) for id in asked}
        assert by_id[int, 0]["result"]["structuredContent"]["id"] == 7
        assert by_id[str, "new 0"]["result"]["isError"] is False
        assert error_of(by_id[str, "0"]) == (-32602, "0")
        assert error_of(by_id[str, "no 0"]) == (-32601, "no 0")
        assert this.stderr() == [READY]


def test_input_that_is_closed_at_once_ends_it_with_status_0(tmp_path: Path):
    with child(tmp_path, "--user", "carol") as this:
        this.wire.end_input()
        assert this.wire.rest() == []
        assert this.status() == 0
        assert this.stderr() == ["helpdesk ready on stdio (user carol)"]


def test_a_client_that_goes_without_a_word_ends_it_without_a_word(tmp_path: Path):
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        PROGRAM, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE, env=environment(), cwd=tmp_path
    ) as process:
        os.close(writer)
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"{bad\n" * 3)  # three answers that nobody reads; the input does not end
        process.stdin.flush()
        assert process.wait(DEADLINE) == 0
        assert process.stderr.read().decode().splitlines() == [READY]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals of this kind")
@pytest.mark.parametrize(("sent", "status"), [("SIGINT", 130), ("SIGTERM", -15)])
def test_a_signal_ends_it_without_a_traceback(tmp_path: Path, sent: str, status: int):
    with child(tmp_path) as this:
        this.wire.connect()
        this.process.send_signal(getattr(signal, sent))
        assert this.status() == status
        assert this.stderr() == [READY]


def test_what_was_acknowledged_survives_kill_9_in_the_middle_of_writes(tmp_path: Path):
    file = tmp_path / "desk.sqlite"
    with child(tmp_path, "--db", str(file)) as this:
        this.wire.connect()
        acknowledged = {
            this.wire.request("tools/call", new_ticket(f"key {number}"), f"key {number}")["id"]
            for number in range(20)
        }
        # In one piece, so that most of them are still to be written when the first answer is here.
        this.wire.send("\n".join(a_line(f"key {number}") for number in range(20, 200)))
        acknowledged.add(this.wire.receive()["id"])
        this.process.kill()
        acknowledged |= {reply["id"] for reply in this.wire.rest()}
    with sqlite3.connect(file) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        kept = {key for (key,) in plain.execute("SELECT idempotency_key FROM tickets WHERE id > 12")}
    plain.close()
    assert acknowledged <= kept
    assert 20 < len(acknowledged) < 200, "the child was killed too late to show anything"
    conn = open_database(str(file))
    assert (
        Desk(conn).create("alice", "Slow", "Very.", customer="carol", idempotency_key="key 0")["created"]
        is False
    )
    conn.close()


def test_a_tool_that_prints_writes_to_stderr_and_one_that_reads_finds_the_end(tmp_path: Path):
    with child(tmp_path, command=[sys.executable, "-c", NOISY]) as this:
        this.wire.connect()
        result = this.wire.call("noisy")
        assert result["content"][0]["text"] == "b''"
        assert this.wire.list_tools()[0]["name"] == "noisy"  # the wire lost nothing to either
        this.wire.end_input()
        assert this.wire.rest() == []
        assert this.status() == 0
        assert this.stderr() == ["printed by the tool", "printed by its child"]


NOISY = """
import os, subprocess, sys
import anyio, mcp_types as types
from mcp.server.lowlevel import Server
from helpdesk.wire import serve

async def list_tools(ctx, params):
    return types.ListToolsResult(tools=[types.Tool(name="noisy", input_schema={"type": "object"})])

async def call_tool(ctx, params):
    print("printed by the tool", flush=True)
    child = [sys.executable, "-c", "print('printed by its child'); input()"]
    subprocess.run(child, stderr=subprocess.DEVNULL)
    return types.CallToolResult(content=[types.TextContent(type="text", text=repr(os.read(0, 10)))])

anyio.run(serve, Server("noisy", on_list_tools=list_tools, on_call_tool=call_tool))
"""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--user"], "argument --user: expected one argument"),
        (["--user", "mallory"], "The desk knows no user 'mallory'."),
        (["--db", "{text}"], "file is not a database"),
        (["--db", "{other}"], "is a database, but not one of the help desk"),
        (["--db", "{folder}"], "unable to open database file"),
    ],
)
def test_a_mistake_in_the_options_is_one_line_and_status_2(
    tmp_path: Path, options: list[str], complaint: str
):
    text, other = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("This is no database, however long it may be.\n" * 40)
    with sqlite3.connect(other) as plain:
        plain.execute("CREATE TABLE songs (name TEXT)")
    plain.close()
    given = [option.format(text=text, other=other, folder=tmp_path) for option in options]
    ended = subprocess.run(
        [*PROGRAM, *given], input=b"", capture_output=True, env=environment(), timeout=DEADLINE, check=False
    )
    assert ended.returncode == 2
    assert ended.stdout == b""
    (line,) = ended.stderr.decode().splitlines()
    assert line.startswith("python -m helpdesk.stdio_main: ")
    assert complaint in line


def test_help_says_how_to_run_it_and_comes_at_once():
    ended = subprocess.run(
        [*PROGRAM, "--help"], capture_output=True, env=environment(), timeout=DEADLINE, check=False
    )
    assert ended.returncode == 0
    assert b"--user" in ended.stdout
    assert b"--db" in ended.stdout


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A desk in a file, made and left by the program's own opening."""
    file = tmp_path / "desk.sqlite"
    open_database(str(file)).close()
    return file


def test_a_new_file_is_filled_once_and_never_again(filled: Path):
    conn = open_database(str(filled))
    assert Desk(conn).search("alice")["total"] == 12
    Desk(conn).close("alice", 1, "Done.")
    conn.close()
    again = open_database(str(filled))
    assert Desk(again).get("alice", 1)["status"] == "closed"
    again.close()


def test_an_empty_file_is_filled_too(tmp_path: Path):
    file = tmp_path / "empty.sqlite"
    file.touch()
    conn = open_database(str(file))
    assert Desk(conn).search("alice")["total"] == 12
    conn.close()


def test_programs_that_start_together_on_a_new_file_fill_it_once(tmp_path: Path):
    file = str(tmp_path / "desk.sqlite")
    with ThreadPoolExecutor(6) as pool:
        for conn in list(pool.map(open_database, [file] * 6)):
            assert Desk(conn).search("alice")["total"] == 12
            conn.close()
