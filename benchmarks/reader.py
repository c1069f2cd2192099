"""What the stand-in reader can do: choosing a tool, and recovering from a refusal, with more or fewer words.

`python -m benchmarks.reader` prints two tables. "Elsewhere" is what another author measured on a desk and a
reader of the same design; "24 goals" were written by somebody who had seen no description of a tool.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp_types as types
from rich.console import Console
from rich.table import Table

from helpdesk import db, world
from helpdesk.errors import DeskError
from helpdesk.service import Desk
from helpdesk.tools import TOOLS, Tool, ToolBox
from testkit.reader import Call, StandInReader, recover

LAYER = Path(__file__).parents[1] / "suite" / "end_to_end"
FIRST_SCORE = "6 of 8"  # the eight goals, before tickets_search's description was mended for them


def read(name: str, key: str) -> list[dict[str, Any]]:
    """One of the end-to-end layer's files."""
    return tomllib.loads((LAYER / f"{name}.toml").read_text("utf-8"))[key]


def described(change: Callable[[Tool], str]) -> list[types.Tool]:
    """The tools as listed, each described by `change`."""
    return [replace(tool, description=change(tool)).listed() for tool in TOOLS]


def chosen(tools: list[types.Tool], goals: list[dict[str, Any]], **options: Any) -> str:
    """How many goals the reader finds the tool for."""
    reader = StandInReader(tools, **options)
    right = sum(reader.choose(goal["text"]) == goal["tool"] for goal in goals)
    return f"{right} of {len(goals)}"


def speaking(words: Callable[[DeskError], tuple[str, str]]) -> list[Tool]:
    """The tools, with a refusal by the desk told in other words."""

    def reworded(tool: Tool) -> Tool:
        def run(*args: Any, **kwargs: Any) -> dict[str, Any]:
            try:
                return tool.run(*args, **kwargs)
            except DeskError as error:
                raise DeskError(error.code, *words(error)) from None

        return replace(tool, run=run)

    return [reworded(tool) for tool in TOOLS]


def recovered(mistake: Mapping[str, Any], tools: list[Tool]) -> tuple[bool, int, int]:
    """Whether the database says so, characters of error text, calls."""
    conn = db.connect()
    world.fill(conn)
    box = ToolBox(Desk(conn), tools)
    results: list[types.CallToolResult] = []

    def perform(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        results.append(box.call(mistake["user"], name, arguments))
        return bool(results[-1].is_error), getattr(results[-1].content[0], "text", "")

    arguments = dict(mistake["arguments"])
    if "repeat" in mistake:
        arguments["body"] *= mistake["repeat"]
    reader = StandInReader([tool.listed() for tool in TOOLS])
    done = recover(reader, Call(mistake["tool"], arguments), perform, mistake["goal"])
    if "want" in mistake:
        good = bool(conn.execute(mistake["want"]).fetchone()[0] == 1)
    else:
        found = results[-1].structured_content or {}
        good = found.get("total") == conn.execute(mistake["total"]).fetchone()[0]
    conn.close()
    return good, done.characters, len(done.steps)


def main() -> None:
    """Print both tables."""
    goals, others = read("goals", "goal"), read("goals_by_others", "goal")
    whole = described(lambda tool: tool.description)
    table = Table(title="Choosing a tool")
    for heading in ("descriptions", "eight goals", "elsewhere", "24 goals"):
        table.add_column(heading)
    close = described(lambda tool: "Tickets." if tool.name == "ticket_close" else tool.description)
    bare = described(lambda tool: "")
    table.add_row("in full", chosen(whole, goals), "8 of 8", chosen(whole, others))
    table.add_row("in full, rare words weigh no more", chosen(whole, goals, weigh_rare=False), "6 of 8",
                  chosen(whole, others, weigh_rare=False))  # fmt: skip
    table.add_row('ticket_close: "Tickets."', chosen(close, goals), "7 of 8", chosen(close, others))
    table.add_row("names only", chosen(bare, goals), "3 of 8", chosen(bare, others))
    console = Console()
    console.print(table)
    console.print(f"The first score, before one description was mended for the eight goals: {FIRST_SCORE}.\n")

    table = Table(title="Recovering from eight mistakes (3 repairs and 5 calls at most)")
    for heading in ("the desk's refusals say", "recovered", "elsewhere", "characters, mean", "calls, mean"):
        table.add_column(heading)
    mistakes = read("mistakes", "mistake")
    for name, words, elsewhere in (
        ("message and hint", lambda error: (error.message, error.hint), "8 of 8"),
        ("message only", lambda error: (error.message, ""), "3 of 8"),
        ("code only", lambda error: (error.code, ""), "3 of 8"),
    ):
        rows = [recovered(mistake, speaking(words)) for mistake in mistakes]
        good, characters, calls = (sum(column) for column in zip(*rows, strict=True))
        table.add_row(name, f"{good} of {len(rows)}", elsewhere, f"{characters / len(rows):.0f}",
                      f"{calls / len(rows):.2f}")  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
