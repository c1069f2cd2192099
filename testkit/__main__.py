"""The test kit on any server that speaks over stdio: `python -m testkit lint -- COMMAND…`.

Exit status: 0 nothing found, 1 something found, 2 wrong usage or a server that cannot be talked to.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from testkit import snapshot
from testkit.lint import RULES, lint_tools
from testkit.messages import WireFailure
from testkit.process import CannotStart, connected

FINE, FOUND, UNUSABLE = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status. Never raises for what a user can get wrong."""
    given = list(sys.argv[1:] if argv is None else argv)
    at = given.index("--") if "--" in given else len(given)
    options = _parser().parse_args(given[:at])
    try:
        if options.command == "rules":
            return _rules()
        command = given[at + 1 :]
        if not command:
            return _complain("no server to start: give its command after --, such as -- python -m my_server")
        if options.command == "lint":
            return _lint(_tools(command, options), options.waive)
        if options.action == "check":
            return _check(options.file, command, options)
        return _approve(options.file, _tools(command, options))
    except (CannotStart, WireFailure, snapshot.SnapshotUnusable, OSError) as error:
        return _complain(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m testkit",
        description="Checks what a model reads of any MCP server that speaks over stdio.",
        epilog="The server's own command comes last, after --. Exit status: 0 fine, 1 findings, 2 unusable.",
    )
    server = argparse.ArgumentParser(add_help=False)
    server.add_argument(
        "--era",
        choices=["auto", "modern", "legacy"],
        default="auto",
        help="the protocol to speak: modern is 2026-07-28, legacy starts with initialize (default: try both)",
    )
    server.add_argument(
        "--deadline",
        type=_seconds,
        default=15.0,
        metavar="SECONDS",
        help="how long one answer may take (default: 15)",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    lint = commands.add_parser(
        "lint",
        parents=[server],
        help="hold the tools to the house rules",
        usage="%(prog)s [options] -- SERVER…",
    )
    lint.add_argument(
        "--waive",
        action="append",
        default=[],
        metavar="RULE",
        type=_rule,
        help="do not apply this rule; may be given again",
    )
    shot = commands.add_parser(
        "snapshot", help="compare the tools with those that were approved, or approve them"
    )
    actions = shot.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, what in (
        ("check", "say what has changed since FILE was approved"),
        ("approve", "write FILE"),
    ):
        each = actions.add_parser(
            action, parents=[server], help=what, usage="%(prog)s [options] FILE -- SERVER…"
        )
        each.add_argument("file", metavar="FILE", help="the approved file (JSON)")
    commands.add_parser("rules", help="list the rules, each with its reason")
    return parser


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds between 0 and 3600")
    return value


def _rule(text: str) -> str:
    if text not in RULES:
        raise argparse.ArgumentTypeError(f"no rule {text!r}; the rules are {', '.join(RULES)}")
    return text


def _tools(command: list[str], options: argparse.Namespace) -> list[dict[str, Any]]:
    with connected(command, options.era, deadline=options.deadline) as (wire, about):
        if "tools" not in about.capabilities:
            raise CannotStart(f"{about.name or command[0]} offers no tools")
        return wire.list_tools()


def _lint(tools: list[dict[str, Any]], waive: list[str]) -> int:
    found = lint_tools(tools, frozenset(waive))
    for finding in found:
        print(finding)
    waived = f", {', '.join(sorted(set(waive)))} waived" if waive else ""
    print(f"{_count(len(tools), 'tool')}, {_count(len(found), 'finding')}{waived}")
    return FOUND if found else FINE


def _check(file: str, command: list[str], options: argparse.Namespace) -> int:
    approved = snapshot.load(file)  # before the server is started: without a file there is no need to
    changes = snapshot.changes(approved, snapshot.fingerprint(_tools(command, options)))
    if not changes:
        print(f"{_count(len(approved['tools']), 'tool')}, as approved")
        return FINE
    print(snapshot.report(changes))
    print(f"{_count(len(changes), 'change')} since {file} was approved; review, then approve if meant")
    return FOUND


def _approve(file: str, tools: list[dict[str, Any]]) -> int:
    current = snapshot.fingerprint(tools)
    try:
        changes = snapshot.changes(snapshot.load(file), current)
    except snapshot.SnapshotUnusable:
        changes = []  # the first approval, or one that mends a broken file
    if changes:
        print(snapshot.report(changes))
    snapshot.save(current, file)
    print(f"approved {_count(len(tools), 'tool')} in {file}")
    return FINE


def _rules() -> int:
    for rule in RULES.values():
        print(f"{rule.id} {rule.title}\n    {rule.reason}")
    return FINE


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _complain(message: str) -> int:
    print(f"testkit: {message}", file=sys.stderr)
    return UNUSABLE


if __name__ == "__main__":
    sys.exit(main())
