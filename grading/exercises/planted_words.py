"""Turns what suites said about a student's bug into words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grading.engine.jobs import Check, Run
from grading.exercises.checked_words import said_by
from grading.exercises.exercise_file import Exercise
from grading.exercises.feedback import Feedback, Item, counted
from grading.exercises.planted_run import CannotBePlanted, PlantedEvidence
from grading.exercises.problems import missing_files, not_written_yet
from grading.exercises.submission import Submission, untouched
from grading.exercises.words import Problem, clean, short_name

__all__ = ["planted_feedback"]


def planted_feedback(
    exercise: Exercise,
    submission: Submission,
    outcome: PlantedEvidence | CannotBePlanted | None,
    place: str,
) -> Feedback:
    """The words for one submission. `outcome` is None when there was nothing to run. `place` is its path."""
    fresh = untouched(exercise, submission)
    wrong = tuple(_problems(exercise, submission, outcome, place))
    items = list(_items(exercise, outcome)) if isinstance(outcome, PlantedEvidence) and not wrong else []
    found = tuple(item for item in items if not item.remarks)
    missed = [item for item in items if item.remarks]
    asked = len(list(_titles(exercise)))
    each = exercise.points / asked
    passed = not wrong and not fresh and len(found) == asked
    readme = f"exercises/{exercise.id}/README.md"
    if passed:
        headline = "Passed: a bug that gets past the one and dies by the other."
    elif fresh:
        headline = "Not passed yet: this is the starting file as it came."
    elif wrong:
        headline = "Not passed yet: this makes no server that could be tested. Mend that first."
    else:
        headline = f"Not passed yet: {counted(len(missed), 'thing')} that was asked for is not so yet."
    return Feedback(
        exercise=exercise.id,
        title=exercise.title,
        kind=exercise.kind,
        passed=passed,
        headline=headline,
        problems_title="What is wrong with the file",
        problems=wrong,
        found_title="What is asked for, and so",
        found=found,
        missed_title="Not so yet",
        missed=tuple(missed),
        counts=f"{asked} public and 0 hidden checks: passed {len(found)} of {asked}",
        points=0 if fresh else round(each * len(found), 2),
        out_of=exercise.points,
        shares=f"{each:.3g} for each thing that is asked for",
        notes=tuple(submission.notes()),
        then="Now read why it works, and what it leaves open" if passed else "Read again what is asked for",
        pointer=f"solutions/{exercise.id}/EXPLANATION.md" if passed else readme,
        seconds=round(outcome.seconds, 2) if isinstance(outcome, PlantedEvidence) else 0.0,
    )


def _problems(
    exercise: Exercise,
    submission: Submission,
    outcome: PlantedEvidence | CannotBePlanted | None,
    place: str,
) -> Iterator[Problem]:
    yield from missing_files(submission, place)
    if untouched(exercise, submission):
        yield not_written_yet(exercise)
    elif isinstance(outcome, CannotBePlanted):
        for complaint in outcome.problems:
            yield Problem(clean(f"{exercise.submit[0]}: {complaint}"))
    elif outcome is not None and outcome.broken:
        yield Problem(
            "The server with this bug cannot be imported.",
            said=clean(outcome.broken),
            advice=("A server that does not start is noticed by everybody. The bug must let it run.",),
        )


def _titles(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """What is asked for: a key, and the words for it."""
    if exercise.weak:
        yield "weak", "The weak suite misses it"
    for layer in exercise.misses:
        yield f"misses {layer}", f"The {layer} layer of the reference suite misses it"
    for layer in exercise.kills:
        yield f"kills {layer}", f"The {layer} layer of the reference suite kills it"
    yield "own", "It is a bug of your own"


def _items(exercise: Exercise, evidence: PlantedEvidence) -> Iterator[Item]:
    for key, title in _titles(exercise):
        what, _, layer = key.partition(" ")
        if what == "weak" and evidence.weak is not None:
            remarks = _noticed([evidence.weak], "")
        elif what == "misses":
            remarks = _noticed(evidence.reference, layer)
        elif what == "kills":
            remarks = _not_killed(evidence.reference, layer)
        else:
            remarks = _known(evidence)
        yield Item(key.replace(" ", "-"), title, False, remarks=tuple(remarks))


def _noticed(runs: Sequence[Run], layer: str) -> list[str]:
    """What was noticed by checks of a layer ("": of any), each check once; three at most."""
    bad = {c.nodeid: c for run in runs for c in run.checks if c.layer == layer or not layer}
    bad |= {c.nodeid: c for run in runs for c in _of(run, layer) if c.outcome != "passed"}
    noticed = [check for check in bad.values() if check.outcome != "passed"]
    said = [
        f"{short_name(check.nodeid)} notices it ({check.outcome}): {said_by(check)}" for check in noticed[:2]
    ]
    if len(noticed) > 2:
        said.append(f"… and {counted(len(noticed) - 2, 'check')} more.")
    if not bad:
        said.append("No check of it could be run.")
    return said


def _not_killed(runs: Sequence[Run], layer: str) -> list[str]:
    """Why a layer does not kill: nothing when one of its checks fails by assertion in both runs."""
    failed = [{check.nodeid for check in _of(run, layer) if check.outcome == "failed"} for run in runs]
    if failed[0] & failed[1]:
        return []
    if failed[0] | failed[1]:
        return ["A check of it fails in one of two runs only. A kill is one that happens twice."]
    others = [check for check in _of(runs[0], layer) if check.outcome != "passed"]
    if others:
        return [
            f"{short_name(others[0].nodeid)} stumbles ({others[0].outcome}): {said_by(others[0])}. "
            "A kill is an assertion that fails."
        ]
    return ["Every check of it passes."]


def _known(evidence: PlantedEvidence) -> list[str]:
    if not evidence.known:
        return []
    return [f"The catalogue has this very server already: {evidence.known}. Find one of your own."]


def _of(run: Run, layer: str) -> list[Check]:
    return [check for check in run.checks if check.layer == layer or not layer]
