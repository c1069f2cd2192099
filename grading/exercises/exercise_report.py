"""Shows a verdict on a submission in a terminal or a log of any width.

The words are those of `feedback`, in the order of `formats.parts`.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from grading.exercises.feedback import Feedback
from grading.exercises.formats.parts import Entry, Section, footer, sections, summary
from grading.exercises.formats.texts import fit
from grading.stamp import Stamp

__all__ = ["show"]

_MARKS = {"found": "+", "missed": "-"}
_STYLES = {"problem": "red", "found": "green", "missed": "yellow"}


def show(feedback: Feedback, stamped: Stamp, console: Console) -> None:
    """Print the verdict. Nothing in it is read as markup, and nothing needs colour."""
    feedback = fit(feedback)
    _line(console, feedback.title, "bold")
    _line(console, feedback.exercise, "dim")
    _line(console)
    _line(console, feedback.headline, "bold green" if feedback.passed else "bold yellow")
    for section in sections(feedback):
        _line(console)
        _line(console, section.title, "bold underline")
        for number, entry in enumerate(section.entries, start=1):
            _entry(console, section, number, entry)
    _line(console)
    *notes, points = summary(feedback)
    for note in notes:
        _line(console, note)
    _line(console, points, "bold")
    _line(console)
    _line(console, f"{feedback.then}:")
    console.print(Text(f"  {feedback.pointer}"), soft_wrap=True)  # a command must stay in one piece
    _line(console, footer(feedback, stamped), "dim")


def _entry(console: Console, section: Section, number: int, entry: Entry) -> None:
    mark = _MARKS.get(section.kind, f"{number}.")
    _line(console, f"{mark} {entry.title}", _STYLES[section.kind])
    indent = len(mark) + 1
    if entry.where:
        _line(console, entry.where, "dim", indent)
    for said in entry.said.splitlines():
        _line(console, f"| {said}", indent=indent)
    for text in entry.text:
        _line(console, text, "italic" if text.startswith("Hint: ") else "", indent)


def _line(console: Console, text: str = "", style: str = "", indent: int = 0) -> None:
    """Print wrapped, every line indented, none filled up with blanks: a log keeps what it is given."""
    for line in Text(text).wrap(console, max(20, console.width - indent)) or [Text()]:
        line.rstrip()
        line.stylize(style)
        console.print(Text(" " * indent) + line, soft_wrap=True)
