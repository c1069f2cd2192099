"""Words that come from a submission, made fit to be shown anywhere."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["Problem", "clean", "short_name"]

_ESCAPE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)?", re.DOTALL)


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a test itself.

    `title` says what, `where` is "file:line" when known, `said` are the test's own words (cleaned), and
    `advice` helps further, a paragraph an entry.
    """

    title: str
    where: str = ""
    said: str = ""
    advice: tuple[str, ...] = ()


def clean(text: str) -> str:
    """The text without terminal escapes, control characters and invisible direction marks; lines are kept."""
    text = _ESCAPE.sub("", text.replace("\r\n", "\n").replace("\t", "    "))
    return "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co"))


def short_name(nodeid: str) -> str:
    """A test's name as its author knows it, `TestRace::test_six[modern]`; 120 characters at most."""
    path, _, name = nodeid.partition("::")
    name = clean(name or path).replace("\n", " ")
    return name if len(name) <= 120 else name[:119] + "…"
