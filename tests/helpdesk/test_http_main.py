"""The HTTP server as a program: its options, its port, its end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import helpdesk
from grading.fixtures.http import message
from helpdesk import db
from helpdesk.auth import DEVELOPMENT_KEY, mint
from helpdesk.http_main import listen, main

KEY = "a key for these tests, thirty-two bytes"
DEADLINE = 20.0  # seconds, for all that a program is asked


@pytest.fixture
def complaint(capsys, monkeypatch):
    """What `main` says of options that make no sense; it must be one line, and the status 2."""
    monkeypatch.delenv("HELPDESK_KEY", raising=False)

    def complain(*options):
        with pytest.raises(SystemExit) as ended:
            main(options)
        out, err = capsys.readouterr()
        assert (ended.value.code, out, err.count("\n")) == (2, "", 1), err
        return err

    return complain


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--port", "99999"], "--port must be 0 to 65535, not 99999"),
        (["--port", "-1"], "--port must be 0 to 65535, not -1"),
        (["--port", "http"], "http"),
        (["--user", "carol"], "--user"),
        (["--key", "short"], "at least 32 bytes"),
        (["--host", "desk.example"], "the development key is public"),
        (["--host", "desk.example", "--key", DEVELOPMENT_KEY], "the development key is public"),
        (["--host", "0.0.0.0"], "the development key is public"),
        (["--host", "0.0.0.0", "--key", KEY], "name one that clients can call"),
        (["--host", "::", "--key", KEY], "name one that clients can call"),
        (["--host", "no.such.host.invalid", "--key", KEY], "cannot listen on no.such.host.invalid port 8000"),
        (["--host", "x" * 70, "--key", KEY], "xxx port 8000: this is no host name"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_options_that_make_no_sense_are_one_line_and_status_two(complaint, options, says):
    assert says in complaint(*options)


def test_a_key_in_the_environment_must_be_long_enough(complaint, monkeypatch):
    monkeypatch.setenv("HELPDESK_KEY", "short")
    assert "at least 32 bytes" in complaint("--port", "0")


def test_a_file_that_is_no_database_of_the_desk_is_named(complaint, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no database, but long enough to be taken for a broken one" * 20, encoding="utf-8")
    assert str(path) in complaint("--db", str(path))
    assert str(tmp_path / "no" / "desk.db") in complaint("--db", str(tmp_path / "no" / "desk.db"))
    assert path.read_text(encoding="utf-8").startswith("no database")


def test_a_port_in_use_is_named(complaint):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1 port {port}: " in complaint("--port", str(port))


def test_a_socket_that_we_bind_sends_small_answers_at_once():
    with listen("127.0.0.1", 0) as sock:
        assert sock.proto == socket.IPPROTO_TCP  # from which asyncio knows to set TCP_NODELAY
        assert sock.getsockname()[1] != 0


# A real process


@contextmanager
def program(*options):
    """A server on a free port: the process, its URL, and what it said until it was ready."""
    environment = {**os.environ, "PYTHONPATH": str(Path(helpdesk.__file__).parents[1])}
    environment.pop("HELPDESK_KEY", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "helpdesk.http_main", "--port", "0", *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = []
        while not (
            ready := re.fullmatch(r"helpdesk ready on (http://\S+)\n", line := process.stderr.readline())
        ):
            assert line, f"it ended before it was ready: {said}"
            said.append(line)
        yield process, ready[1], said
    finally:
        process.kill()
        process.communicate(timeout=DEADLINE)


def ask(url, method, params, era="modern", **headers):
    """Open an answer to one request, with a token for alice."""
    body, given = message(method, params, era)
    token = mint("alice", ["tickets:read", "tickets:write"], key=headers.pop("key", KEY))
    given |= {"authorization": f"Bearer {token}", **headers}
    return fetch(urllib.request.Request(url, json.dumps(body).encode(), given))


def fetch(request):
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=DEADLINE)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_signal_ends_the_program_in_spite_of_open_requests_and_what_was_written_stays(tmp_path):
    path = tmp_path / "desk.db"
    with program("--db", str(path), "--key", KEY) as (process, url, said):
        assert said == []
        call = {"name": "ticket_comment", "arguments": {"ticket_id": 4, "body": "Over a socket."}}
        with ask(url, "tools/call", call) as answer:
            assert answer.headers["content-type"] == "application/json"
        info = {"name": "checks", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        with ask(url, "initialize", hello, era="legacy") as answer:
            session = answer.headers["mcp-session-id"]
        token = mint("alice", ["tickets:read"], key=KEY)
        stream = fetch(
            urllib.request.Request(
                url,
                headers={
                    "authorization": f"Bearer {token}",
                    "accept": "text/event-stream",
                    "mcp-session-id": session,
                },
            )
        )
        assert stream.status == 200  # a stream that stays open
        with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)) as slow:
            head = (
                f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 9"
            )
            slow.sendall(f"{head}\r\nExpect: 100-continue\r\n\r\n".encode())
            assert slow.recv(100).startswith(b"HTTP/1.1 100")  # its body is waited for
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=DEADLINE) == 0
        stream.close()
        assert process.stdout is not None
        assert process.stdout.read() == ""
    conn = db.connect(path)
    assert [row[0] for row in conn.execute("SELECT body FROM comments WHERE ticket_id = 4")] == [
        "Over a socket."
    ]
    conn.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_the_development_key_is_told_of_and_ctrl_c_ends_the_program_quietly():
    with program() as (process, url, said):
        assert said == ["helpdesk: tokens are signed with the development key, which is public\n"]
        with ask(url, "tools/list", {}, key=DEVELOPMENT_KEY) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(url, "tools/list", {})
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=DEADLINE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
