"""A verdict as a GitHub step summary: Markdown to be added to the file that `GITHUB_STEP_SUMMARY` names.

GitHub takes 1 MiB from a step (the workflow commands' page, "Adding a job summary") and shows GitHub Flavored
Markdown, some HTML included. So every text is escaped, and a submission's own words and commands stand in
code blocks, fenced by more backticks than they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grading.exercises.feedback import Feedback
from grading.exercises.formats.parts import Entry, footer, sections, summary
from grading.exercises.formats.texts import FAILED, legal, within
from grading.stamp import Stamp

__all__ = ["LIMIT", "failure", "verdict"]

LIMIT = 1 << 20  # bytes

# Every sign that means something somewhere in a line. A backslash takes the meaning from each of them.
_SIGNS = re.compile(r"[\\`*_{}\[\]()<>#+\-.!|~&:@$=]")
_MARKS = {"problem": "", "found": "+ ", "missed": "- "}


def verdict(feedback: Feedback, stamped: Stamp) -> str:
    """The summary of one verdict."""
    return within(LIMIT, feedback, lambda fitted: "\n\n".join(_blocks(fitted, stamped)) + "\n")


def _blocks(feedback: Feedback, stamped: Stamp) -> Iterator[str]:
    yield f"## {_text(feedback.title)}"
    yield _text(feedback.exercise)
    yield f"**{_text(feedback.headline)}**"
    for section in sections(feedback):
        yield f"### {_text(section.title)}"
        for number, entry in enumerate(section.entries, start=1):
            mark = f"{number}. " if section.kind == "problem" else _MARKS[section.kind]
            yield f"#### {_text(mark + entry.title)}"
            yield from _entry(entry)
    *notes, points = summary(feedback)
    yield "---"
    yield from map(_text, notes)
    yield f"**{_text(points)}**"
    yield f"{_text(feedback.then)}:"
    yield _code(feedback.pointer)
    yield _text(footer(feedback, stamped))


def _entry(entry: Entry) -> Iterator[str]:
    if entry.where:
        yield _text(entry.where)
    if entry.said:
        yield _code(entry.said)
    yield from map(_text, entry.text)


def failure(exercise: str, error: str) -> str:
    """The summary when the grader itself failed."""
    return f"## {_text(legal(exercise))}\n\n**{_text(FAILED)}**\n\n{_code(legal(error)[:10_000])}\n"


def _text(text: str) -> str:
    """One line that shows as it is."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(text.split()))


def _code(text: str) -> str:
    """A code block that its content cannot end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
