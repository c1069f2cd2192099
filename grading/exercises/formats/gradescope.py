"""A verdict as Gradescope's `results.json`.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ says what it may hold; `gradescope.schema.json`
beside this file holds it to that. The score is the verdict's points, so let the assignment have as many as
the exercise. Every problem, bug or check is a test without points of its own, passed or failed. All is text:
by default Gradescope reads the output of a whole submission as HTML. No test is hidden, for Gradescope hides
the score then; what is to stay hidden is not in a verdict at all.
"""

from __future__ import annotations

import json
from typing import Any

from grading.exercises.feedback import Feedback
from grading.exercises.formats.parts import plain, plain_entry, sections
from grading.exercises.formats.texts import FAILED, TELL, fit, legal
from grading.stamp import Stamp

__all__ = ["failure", "verdict"]


def verdict(feedback: Feedback, stamped: Stamp) -> str:
    """The results of one submission."""
    feedback = fit(feedback)
    tests = [
        {
            "name": entry.title,
            "status": "passed" if section.kind == "found" else "failed",
            "output": plain_entry(entry),
        }
        for section in sections(feedback)
        for entry in section.entries
    ]
    extra = {"exercise": feedback.exercise, "passed": feedback.passed, "stamp": stamped.to_json()}
    return _dump(feedback.points, feedback.seconds, plain(feedback, stamped), extra, tests)


def failure(exercise: str, error: str) -> str:
    """Zero points and no test, and in words that this is no verdict. Only an instructor sees `extra_data`."""
    return _dump(0, 0, f"{FAILED}\n{TELL}", {"exercise": legal(exercise), "error": legal(error)}, [])


def _dump(score: float, seconds: float, output: str, extra: dict[str, Any], tests: list[Any]) -> str:
    whole: dict[str, Any] = {
        "score": score,
        "execution_time": seconds,
        "output": output,
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": extra,
    }
    if tests:
        whole["tests"] = tests
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
