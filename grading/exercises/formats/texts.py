"""A verdict whose texts no format can stumble over: nothing in them acts, and none is endless."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from grading.exercises.feedback import Feedback
from grading.exercises.words import clean

__all__ = ["FAILED", "TELL", "fit", "legal", "within"]

#: What a student is told when the grader itself failed, and what to do about it.
FAILED = "The grader failed, which says nothing about your work."
TELL = "Tell whoever runs this course. What went wrong is in the grader's own output."

LONGEST = 10_000  # characters of one text
MOST = 20  # of the short texts that stand side by side: tests that found one bug, remarks, notes


def legal(text: str) -> str:
    """The text without what no format carries: control characters, lone surrogates, U+FFFE and U+FFFF."""
    if text.isprintable():
        return text
    return clean(text).translate({0xFFFE: None, 0xFFFF: None})


def fit(feedback: Feedback, longest: int | None = LONGEST, most: int | None = MOST) -> Feedback:
    """The same verdict with all its texts `legal`, each `longest` characters at most, and `most` in a row.

    Where something was cut, the text says how much. None sets no limit.
    """
    return _fit(feedback, longest, most)


def _fit(value: Any, longest: int | None, most: int | None) -> Any:
    if isinstance(value, str):
        left = 0 if longest is None else len(value) - longest
        return legal(value) if left <= 0 else f"{legal(value[:longest])}… and {left:,} characters more"
    if isinstance(value, tuple):
        texts = all(isinstance(each, str) for each in value)
        left = len(value) - most if texts and most is not None else 0
        kept = value[:most] if left > 0 else value
        fitted = tuple(_fit(each, longest, most) for each in kept)
        return (*fitted, f"… and {left:,} more") if left > 0 else fitted
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(
            value, **{name: _fit(each, longest, most) for name, each in fields.items()}
        )
    return value


def within(limit: int, feedback: Feedback, write: Callable[[Feedback], str]) -> str:
    """What `write` makes of the verdict, in `limit` bytes: texts are cut shorter until it fits."""
    text = ""
    for longest in (LONGEST, LONGEST // 10, LONGEST // 100):
        text = write(fit(feedback, longest))
        if len(text.encode("utf-8")) <= limit:
            break
    return text
