"""A verdict as PrairieLearn's `results.json` for external grading.

https://docs.prairielearn.com/externalGrading/ says what it may hold; `prairielearn.schema.json` beside this
file holds it to that. PrairieLearn takes 1 MB at most, so long texts are cut, and say so. It shows text with
HTML escaped; terminal escapes, which it would turn into colours, are gone from ours.

A submission of which nothing could be judged is "not gradable": it costs the student no attempt. So is one on
which the grader failed.
"""

from __future__ import annotations

import json
from typing import Any

from grading.exercises.feedback import Feedback
from grading.exercises.formats.parts import Entry, plain, plain_entry, sections
from grading.exercises.formats.texts import FAILED, TELL, legal, within
from grading.stamp import Stamp

__all__ = ["LIMIT", "failure", "verdict"]

LIMIT = 1_000_000  # bytes

#: The share of a suite's points that no bug brings, in the words in which a verdict tells of its shares.
SOUND = "Tests that accept all correct servers"


def verdict(feedback: Feedback, stamped: Stamp) -> str:
    """The results of one submission."""
    return within(LIMIT, feedback, lambda fitted: _verdict(fitted, stamped))


def _verdict(feedback: Feedback, stamped: Stamp) -> str:
    judged = bool(feedback.found or feedback.missed)
    whole: dict[str, Any] = {"gradable": judged}
    if judged:
        whole["score"] = min(1.0, max(0.0, round(feedback.points / feedback.out_of, 4)))
    else:
        whole["format_errors"] = [problem.title for problem in feedback.problems]
    whole["message"] = plain(feedback, stamped)
    whole["tests"] = _tests(feedback, judged)
    return _dump(whole)


def _tests(feedback: Feedback, judged: bool) -> list[dict[str, Any]]:
    """An entry for each problem, worth nothing by itself, and for each share of the points."""
    suite = judged and feedback.kind == "suite"
    shares = len(feedback.found) + len(feedback.missed) + suite
    each = feedback.out_of / shares if judged else 0
    tests = []
    for section in sections(feedback):
        most = 0 if section.kind == "problem" else each
        reached = section.kind == "found" and feedback.points > 0  # a file as it came is worth nothing
        tests += [_test(entry, most, reached) for entry in section.entries]
    if suite:
        sound = bool(feedback.found) and not feedback.problems
        tests.insert(len(feedback.problems), _test(Entry(SOUND), each, sound))
    return tests


def _test(entry: Entry, most: float, reached: bool) -> dict[str, Any]:
    return {
        "name": entry.title,
        "points": round(most, 6) if reached else 0,
        "max_points": round(most, 6),
        "message": plain_entry(entry),
    }


def failure(exercise: str, error: str) -> str:
    """Not gradable, and in words that this is no verdict. `error` is for who reads the grading job."""
    return _dump(
        {
            "gradable": False,
            "format_errors": [FAILED],
            "message": TELL,
            "exercise": legal(exercise),
            "error": legal(error)[:10_000],
        }
    )


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
