"""The whole verdict on a submission, in words: what every format shows, and no format anything else.

What is asked for are bugs to find, or checks to pass; each is an `Item`. A missed one is told by what
somebody suffers, never by the assertion to write; a hidden one by its family. One hint at a time: that of
the first item that is missed.
"""

from __future__ import annotations

from dataclasses import dataclass

from grading.exercises.words import Problem

__all__ = ["Feedback", "Item", "counted", "hidden_title"]


@dataclass(frozen=True)
class Item:
    """A bug to find or a check to pass. `id`, `title` and `story` are empty for a hidden one that was missed.

    `found_by` names the tests that killed a bug. `remarks` say what else was seen. `command` shows it
    by hand.
    """

    id: str
    title: str
    hidden: bool
    story: str = ""
    found_by: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    hint: str = ""
    command: str = ""


@dataclass(frozen=True)
class Feedback:
    """The whole verdict, in words.

    `problems`, `found` and `missed` are shown under the headings of their names. `shares` says how
    `points` came about; `then` and `pointer` (a command or a file) what to do next.
    """

    exercise: str
    title: str
    kind: str
    passed: bool
    headline: str
    problems_title: str
    problems: tuple[Problem, ...]
    found_title: str
    found: tuple[Item, ...]
    missed_title: str
    missed: tuple[Item, ...]
    counts: str
    points: float
    out_of: int
    shares: str
    notes: tuple[str, ...]
    then: str
    pointer: str
    seconds: float


def hidden_title(what: str, family: str) -> str:
    """How a hidden item is called while it is missed: `what` is a bug or a check."""
    return f"A hidden {what} of the family “{family}”"


def counted(count: int, noun: str) -> str:
    """ "1 bug", "2 bugs"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
