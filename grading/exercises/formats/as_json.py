"""A verdict as JSON: everything, nothing cut. `exercise.schema.json` beside this file describes it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from grading.exercises.feedback import Feedback
from grading.exercises.formats.texts import fit, legal
from grading.stamp import Stamp

__all__ = ["failure", "verdict"]


def verdict(feedback: Feedback, stamped: Stamp) -> str:
    """The whole verdict, with the stamp of what it was made with."""
    whole = dataclasses.asdict(fit(feedback, longest=None, most=None))
    return _dump({**whole, "stamp": stamped.to_json()})


def failure(exercise: str, error: str) -> str:
    """What stands in the verdict's place when the grader itself failed."""
    return _dump({"exercise": legal(exercise), "error": legal(error)})


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
