"""What an exception says about a check: a failed assertion, or an error."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Literal

import pytest

ASSERTIONS = (AssertionError, pytest.fail.Exception)
LONGEST = 1200
MOST_LINES = 12


def classify(error: BaseException) -> Literal["failed", "error"]:
    """`failed` for a failed assertion, `error` for anything else.

    An assertion is an `AssertionError` or pytest's own `Failed`. In a group (an assert inside `async with
    Client(…)` arrives as one) every leaf must be an assertion: one leaf of another kind means that something
    broke besides the claim, and a break is not a kill. Cancelled neighbours do not count; a group of nothing
    but those is an error.
    """
    found = [leaf for leaf in leaves(error) if not isinstance(leaf, (asyncio.CancelledError, GeneratorExit))]
    return "failed" if found and all(isinstance(leaf, ASSERTIONS) for leaf in found) else "error"


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions inside a group, however deep; the exception itself when it is none."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def brief(error: BaseException) -> str:
    """A few lines: an assertion's message, the type and text of anything else, three leaves of a group."""
    found = list(leaves(error))
    texts = [_one(leaf) for leaf in found[:3]]
    if len(found) > 3:
        texts.append(f"… and {len(found) - 3} more")
    return shorten("\n".join(texts))


def where(error: BaseException, file: Path) -> int | None:
    """The line of `file` in which `error` came up: the innermost frame there, of the first leaf with one."""
    for candidate in (*leaves(error), error):
        line = _last_line(candidate.__traceback__, str(file))
        if line is not None:
            return line
    return None


def shorten(text: str) -> str:
    """At most `MOST_LINES` lines and `LONGEST` characters, all of which UTF-8 can write."""
    lines = text.strip()[: 20 * LONGEST].encode("utf-8", "backslashreplace").decode().splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "…"]
    short = "\n".join(lines)
    return short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"


def _one(error: BaseException) -> str:
    try:
        text = str(error)[: 20 * LONGEST]
        notes = [str(note)[:LONGEST] for note in getattr(error, "__notes__", ())]
    except Exception as unprintable:
        text, notes = f"(its text cannot be had: {type(unprintable).__name__})", []
    if not isinstance(error, ASSERTIONS):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return "\n".join([text or "assertion failed", *notes])


def _last_line(traceback: TracebackType | None, file: str) -> int | None:
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
