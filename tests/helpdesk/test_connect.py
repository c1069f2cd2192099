"""What `python -m helpdesk connect` prints: settings that a host can use as they stand."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from helpdesk.__main__ import main
from helpdesk.connect import HOSTS, Launch, describe

DEADLINE = 20.0  # seconds
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "a host", "version": "1"},
}


def settings(launch: Launch) -> list[dict]:
    """Every JSON configuration on the page."""
    texts = [text for host in HOSTS.values() for text in host(launch).values()]
    return [json.loads(text) for text in texts if text.startswith("{")]


def test_every_host_that_the_design_names_is_there():
    page = describe(Launch())
    for host in ("Claude Desktop", "Claude Code", "VS Code", "Cursor", "MCP Inspector"):
        assert f"## {host}\n" in page


def test_all_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    launch = Launch(db=Path("desk.sqlite"))
    assert Path(launch.stdio[0]).is_absolute()
    assert launch.stdio[-1] == str(tmp_path.resolve() / "desk.sqlite")
    assert all(Path(value).is_absolute() for value in launch.env.values())


def test_each_host_has_the_key_that_it_reads():
    roots = [set(setting) for setting in settings(Launch())]
    assert roots == [
        {"mcpServers"},  # Claude Desktop
        {"servers"},  # VS Code over stdio
        {"inputs", "servers"},  # VS Code over HTTP: it asks for the token
        {"mcpServers"},  # Cursor over stdio
        {"mcpServers"},  # Cursor over HTTP
    ]


def test_no_setting_holds_a_token():
    assert re.findall(r"Bearer (\S+)", describe(Launch())) == [
        *['%HELPDESK_TOKEN%"' if sys.platform == "win32" else '$HELPDESK_TOKEN"'],
        '${input:helpdesk-token}"',
        '${env:HELPDESK_TOKEN}"',
        *['%HELPDESK_TOKEN%"' if sys.platform == "win32" else '$HELPDESK_TOKEN"'],
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are in the words of cmd there")
def test_a_path_with_a_space_stays_one_word():
    launch = Launch(db=Path("/my desks/desk.sqlite"))
    for host in ("Claude Code", "MCP Inspector"):
        words = shlex.split(HOSTS[host](launch)["stdio"])
        assert words[words.index("--") + 1 :] == launch.stdio


def test_the_url_is_the_one_asked_for():
    url = "http://127.0.0.1:9000/mcp"
    page = describe(Launch(url=url))
    assert page.count(url) == 4
    assert "8000" not in page


def test_a_host_can_start_the_desk_with_what_is_printed(tmp_path: Path):
    (
        tmp_path / "helpdesk"
    ).mkdir()  # a folder of this name where the host starts it must not be taken for ours
    (tmp_path / "helpdesk" / "__init__.py").write_text("raise SystemExit('the wrong helpdesk')")
    setting = json.loads(next(iter(HOSTS["Claude Desktop"](Launch(user="carol")).values())))
    server = setting["mcpServers"]["helpdesk"]
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    ended = subprocess.run(
        [server["command"], *server["args"]],
        input=hello.encode(),
        capture_output=True,
        env=server["env"] | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
        cwd=tmp_path,
        timeout=DEADLINE,
        check=False,
    )
    assert ended.stderr.decode().splitlines() == ["helpdesk ready on stdio (user carol)"]
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "helpdesk"
    assert ended.returncode == 0


def test_the_command_prints_the_page(capsys: pytest.CaptureFixture[str]):
    assert main(["connect", "--user", "dave"]) == 0
    assert capsys.readouterr().out == describe(Launch(user="dave")) + "\n"


@pytest.mark.parametrize("options", [[], ["nonsense"], ["connect", "--nonsense"]])
def test_a_mistake_is_one_line_and_status_2(options: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(options)
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
