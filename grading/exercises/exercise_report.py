"""Shows a verdict on a submission: in a terminal or a log of any width, or as JSON.

The words are those of `feedback`.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from rich.console import Console
from rich.text import Text

from grading.exercises.feedback import Feedback, Item
from grading.exercises.words import Problem
from grading.stamp import Stamp

__all__ = ["as_json", "failure_as_json", "show"]


def as_json(feedback: Feedback, stamped: Stamp) -> str:
    """The verdict as JSON; `grading/exercises/exercise.schema.json` describes it."""
    return _dump({**dataclasses.asdict(feedback), "stamp": stamped.to_json()})


def failure_as_json(exercise: str, error: str) -> str:
    """What stands in the verdict's place when the grader itself failed."""
    return _dump({"exercise": exercise, "error": error})


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def show(feedback: Feedback, stamped: Stamp, console: Console) -> None:
    """Print the verdict. Nothing in it is read as markup, and nothing needs colour."""
    _line(console, feedback.title, "bold")
    _line(console, feedback.exercise, "dim")
    _line(console)
    _line(console, feedback.headline, "bold green" if feedback.passed else "bold yellow")
    if feedback.problems:
        _heading(console, feedback.problems_title)
        for number, problem in enumerate(feedback.problems, start=1):
            _problem(console, number, problem)
    if feedback.found:
        _heading(console, f"{feedback.found_title} ({len(feedback.found)})")
        for item in feedback.found:
            _line(console, f"+ {item.title}", "green")
            if item.found_by:
                _line(console, f"found by {', '.join(item.found_by)}", indent=2)
    if feedback.missed:
        _heading(console, f"{feedback.missed_title} ({len(feedback.missed)})")
        for item in feedback.missed:
            _missed(console, item)
    _line(console)
    for note in feedback.notes:
        _line(console, f"Note: {note}")
    _line(console, f"{feedback.counts}.")
    _line(console, f"Points: {feedback.points:g} of {feedback.out_of} ({feedback.shares}).", "bold")
    _line(console)
    _line(console, f"{feedback.then}:")
    console.print(Text(f"  {feedback.pointer}"), soft_wrap=True)  # a command must stay in one piece
    _line(
        console,
        f"{feedback.seconds:.1f} s; {stamped}.",
        "dim",
    )


def _problem(console: Console, number: int, problem: Problem) -> None:
    _line(console, f"{number}. {problem.title}", "red")
    if problem.where:
        _line(console, problem.where, "dim", indent=3)
    for said in problem.said.splitlines():
        _line(console, f"| {said}", indent=3)
    for advice in problem.advice:
        _line(console, advice, indent=3)


def _missed(console: Console, item: Item) -> None:
    _line(console, f"- {item.title}", "yellow")
    for text in (item.story, *item.remarks):
        if text:
            _line(console, text, indent=2)
    if item.hint:
        _line(console, f"Hint: {item.hint}", "italic", indent=2)


def _heading(console: Console, text: str) -> None:
    _line(console)
    _line(console, text, "bold underline")


def _line(console: Console, text: str = "", style: str = "", indent: int = 0) -> None:
    """Print wrapped, every line indented, none filled up with blanks: a log keeps what it is given."""
    for line in Text(text).wrap(console, max(20, console.width - indent)) or [Text()]:
        line.rstrip()
        line.stylize(style)
        console.print(Text(" " * indent) + line, soft_wrap=True)
