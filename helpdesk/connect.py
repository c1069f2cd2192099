"""What to tell each host so that it finds this desk: `python -m helpdesk connect`.

Every path is absolute and nothing is left to the host's working directory or environment: hosts start
servers from wherever they like, with hardly any variables set. The formats are those of the hosts' own
documentation (for the Inspector: docs/mcp-server-configuration.md in modelcontextprotocol/inspector).
"""

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["HOSTS", "Launch", "describe"]

NAME = "helpdesk"


@dataclass(frozen=True)
class Launch:
    """How to reach the desk: the user it serves, the file it is kept in (None: memory), its URL over HTTP."""

    user: str = "alice"
    db: Path | None = None
    url: str = "http://127.0.0.1:8000/mcp"

    @property
    def env(self) -> dict[str, str]:
        """The variables that a start needs: where this very package is, whichever way it was installed."""
        return {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}

    def module(self, name: str, *arguments: str) -> list[str]:
        """A command that runs one of the desk's programs; `-P` keeps the host's folder out of its imports."""
        return [sys.executable, "-P", "-m", f"helpdesk.{name}", *arguments]

    @property
    def kept(self) -> list[str]:
        """The option that names the database, for either server."""
        return [] if self.db is None else ["--db", str(self.db.resolve())]

    @property
    def stdio(self) -> list[str]:
        """The command of the stdio server."""
        return self.module("stdio_main", "--user", self.user, *self.kept)

    @property
    def http(self) -> list[str]:
        """The command of the HTTP server."""
        return self.module("http_main", *self.kept)


def shell(command: list[str]) -> str:
    """A command as one line for this system's shell."""
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


def header() -> str:
    """The option that sends the token, which this system's shell takes from a variable."""
    token = "%HELPDESK_TOKEN%" if sys.platform == "win32" else "$HELPDESK_TOKEN"
    return f'--header "Authorization: Bearer {token}"'


def entry(launch: Launch) -> dict[str, Any]:
    """The stdio server as every JSON configuration has it."""
    command, *arguments = launch.stdio
    return {"type": "stdio", "command": command, "args": arguments, "env": launch.env}


def as_json(value: object) -> str:
    return json.dumps(value, indent=2)


def claude_desktop(launch: Launch) -> dict[str, str]:
    stdio = entry(launch)
    del stdio["type"]
    return {
        "claude_desktop_config.json (Settings > Developer > Edit Config)": as_json(
            {"mcpServers": {NAME: stdio}}
        ),
        "over HTTP": "Not here: its connectors are called from the internet, which cannot reach this desk.",
    }


def claude_code(launch: Launch) -> dict[str, str]:
    given = [word for name, value in launch.env.items() for word in ("--env", f"{name}={value}")]
    return {
        "stdio": shell(["claude", "mcp", "add", NAME, *given, "--", *launch.stdio]),
        "over HTTP": f"{shell(['claude', 'mcp', 'add', '--transport', 'http', NAME, launch.url])} {header()}",
    }


def vs_code(launch: Launch) -> dict[str, str]:
    token = {
        "type": "promptString",
        "id": "helpdesk-token",
        "description": "Token of the desk",
        "password": True,
    }
    http = {
        "type": "http",
        "url": launch.url,
        "headers": {"Authorization": "Bearer ${input:helpdesk-token}"},
    }
    return {
        ".vscode/mcp.json, stdio": as_json({"servers": {NAME: entry(launch)}}),
        ".vscode/mcp.json, HTTP": as_json({"inputs": [token], "servers": {NAME: http}}),
    }


def cursor(launch: Launch) -> dict[str, str]:
    http = {"url": launch.url, "headers": {"Authorization": "Bearer ${env:HELPDESK_TOKEN}"}}
    return {
        ".cursor/mcp.json, stdio": as_json({"mcpServers": {NAME: entry(launch)}}),
        ".cursor/mcp.json, HTTP": as_json({"mcpServers": {NAME: http}}),
    }


def inspector(launch: Launch) -> dict[str, str]:
    npx = ["npx", "@modelcontextprotocol/inspector"]
    given = [word for name, value in launch.env.items() for word in ("-e", f"{name}={value}")]
    return {
        "stdio": shell([*npx, *given, "--", *launch.stdio]),
        "over HTTP": f"{shell([*npx, '--transport', 'http', '--server-url', launch.url])} {header()}",
    }


HOSTS = {
    "Claude Desktop": claude_desktop,
    "Claude Code": claude_code,
    "VS Code": vs_code,
    "Cursor": cursor,
    "MCP Inspector": inspector,
}
"""Each host's name, and the function that gives its settings: what each one is, and its text."""


def describe(launch: Launch) -> str:
    """The whole page: every host, then how to start the HTTP server and where its token comes from."""
    parts = []
    for host, settings in HOSTS.items():
        parts.append(f"## {host}")
        parts += [f"{what}:\n\n{text}" for what, text in settings(launch).items()]
    mint = launch.module("auth", "mint", "--user", launch.user, "--scopes", "tickets:read", "tickets:write")
    set_path = "set " if sys.platform == "win32" else "export "
    parts += [
        "## Before you connect over HTTP",
        f"Start the server and print a token, from a shell with these variables:\n\n"
        f"{set_path}{shell([f'{name}={value}' for name, value in launch.env.items()])}\n"
        f"{shell(launch.http)}\n"
        f"{shell(mint)}",
        "The token goes where HELPDESK_TOKEN stands above. A host that can sign in may leave the header out.",
    ]
    return "\n\n".join(parts)
