"""`python -m helpdesk connect` prints how to connect a host; the servers are programs of their own."""

import sys
from collections.abc import Sequence
from pathlib import Path

from helpdesk.connect import Launch, describe
from helpdesk.options import Parser

__all__ = ["main"]

SERVERS = "The servers: python -m helpdesk.stdio_main, python -m helpdesk.http_main (each with --help)."


def main(argv: Sequence[str] | None = None) -> int:
    """Print the settings of every host; the exit status, 0. Options that make no sense end it with 2."""
    parser = Parser(prog="python -m helpdesk", description="The help desk, an MCP server.", epilog=SERVERS)
    commands = parser.add_subparsers(dest="command", required=True, metavar="connect")
    connect = commands.add_parser(
        "connect",
        help="print the settings for Claude Desktop, Claude Code, VS Code, Cursor and MCP Inspector",
    )
    usual = Launch()
    connect.add_argument("--user", default=usual.user, help=f"the user to serve (default: {usual.user})")
    connect.add_argument(
        "--db", type=Path, metavar="FILE", help="keep the desk in this file (default: memory)"
    )
    connect.add_argument("--url", default=usual.url, help=f"of the HTTP server (default: {usual.url})")
    options = parser.parse_args(argv)
    print(describe(Launch(options.user, options.db, options.url)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
