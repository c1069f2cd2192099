"""The words of a verdict in the order in which every format shows them.

First what is wrong with the work itself, then what was found, then what was missed, then the points and what
to do next. A format decides how that looks, and adds no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from grading.exercises.feedback import Feedback, Item
from grading.exercises.words import Problem
from grading.stamp import Stamp

__all__ = ["Entry", "Section", "footer", "plain", "plain_entry", "sections", "summary"]


@dataclass(frozen=True)
class Entry:
    """One problem, or one item found or missed.

    `where` is "file:line" or empty, `said` are the submission's own words, `text` has a paragraph an entry.
    """

    title: str
    where: str = ""
    said: str = ""
    text: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """The entries of one kind below their heading."""

    kind: Literal["problem", "found", "missed"]
    title: str
    entries: tuple[Entry, ...]


def sections(feedback: Feedback) -> Iterator[Section]:
    """The sections of a verdict that have an entry."""
    if feedback.problems:
        yield Section("problem", feedback.problems_title, tuple(map(_problem, feedback.problems)))
    if feedback.found:
        title = f"{feedback.found_title} ({len(feedback.found)})"
        yield Section("found", title, tuple(map(_found, feedback.found)))
    if feedback.missed:
        title = f"{feedback.missed_title} ({len(feedback.missed)})"
        yield Section("missed", title, tuple(map(_missed, feedback.missed)))


def _problem(problem: Problem) -> Entry:
    return Entry(problem.title, problem.where, problem.said, problem.advice)


def _found(item: Item) -> Entry:
    return Entry(item.title, text=(f"found by {', '.join(item.found_by)}",) if item.found_by else ())


def _missed(item: Item) -> Entry:
    hint = f"Hint: {item.hint}" if item.hint else ""
    return Entry(item.title, text=tuple(filter(None, (item.story, *item.remarks, hint))))


def summary(feedback: Feedback) -> tuple[str, ...]:
    """Notes, counts, points; the points come last."""
    points = f"Points: {feedback.points:g} of {feedback.out_of} ({feedback.shares})."
    return (*(f"Note: {note}" for note in feedback.notes), f"{feedback.counts}.", points)


def footer(feedback: Feedback, stamped: Stamp) -> str:
    """How long it took and what it was made with."""
    return f"{feedback.seconds:.1f} s; {stamped}."


def plain_entry(entry: Entry) -> str:
    """What stands below an entry's title, as plain text; the submission's own words behind a bar."""
    said = "\n".join(f"| {line}" for line in entry.said.splitlines())
    return "\n".join(filter(None, (entry.where, said, *entry.text)))


def plain(feedback: Feedback, stamped: Stamp) -> str:
    """All but the sections, as plain text: for a format that shows each entry in a place of its own."""
    return "\n".join(
        (
            feedback.headline,
            "",
            *summary(feedback),
            "",
            f"{feedback.then}:",
            f"  {feedback.pointer}",
            "",
            footer(feedback, stamped),
        )
    )
