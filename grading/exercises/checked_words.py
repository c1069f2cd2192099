"""Turns what the checks of an exercise gave into words: what is wrong with the file, then each check."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grading.engine.jobs import Check, Run
from grading.exercises.checked_run import CheckedEvidence
from grading.exercises.exercise_file import Exercise, Requirement
from grading.exercises.feedback import Feedback, Item, counted, hidden_title
from grading.exercises.problems import missing_files, not_written_yet
from grading.exercises.submission import Submission, untouched
from grading.exercises.words import Problem, clean, short_name

__all__ = ["checked_feedback", "invalid_python", "said_by"]

MOST_SAID = 6  # lines of a check's message


def checked_feedback(
    exercise: Exercise, submission: Submission, evidence: CheckedEvidence | None, place: str
) -> Feedback:
    """The words for one submission. `evidence` is None when there was nothing to run. `place` is its path."""
    wrong = tuple(_problems(exercise, submission, evidence, place))
    fresh = untouched(exercise, submission)
    found: list[Item] = []
    missed: list[Item] = []
    if evidence is not None and not evidence.forged and not evidence.broken:
        for number, requirement in enumerate(exercise.requirements, start=1):
            remarks = list(_failures(requirement, evidence))
            if not remarks:
                found.append(Item(f"check-{number}", requirement.title, requirement.hidden))
            else:
                missed.append(_missed(number, requirement, remarks, first=not missed))
        if evidence.kept is not None:
            remarks = list(_broken_checks(evidence.kept))
            (missed if remarks else found).append(_keep(exercise, remarks))
    asked = len(exercise.requirements) + bool(exercise.keep)
    each = exercise.points / asked
    passed = not wrong and not fresh and len(found) == asked
    then, pointer = _then(exercise, passed, place)
    return Feedback(
        exercise=exercise.id,
        title=exercise.title,
        kind=exercise.kind,
        passed=passed,
        headline=_headline(fresh, passed, wrong, missed),
        problems_title="What is wrong with the file",
        problems=wrong,
        found_title="Checks passed",
        found=tuple(found),
        missed_title="Not so yet",
        missed=tuple(missed),
        counts=_counts(exercise, found),
        points=0 if fresh else round(each * len(found), 2),
        out_of=exercise.points,
        shares=f"{each:.3g} for each check that passes",
        notes=tuple(submission.notes()),
        then=then,
        pointer=pointer,
        seconds=round(evidence.seconds, 2) if evidence else 0.0,
    )


def invalid_python(submission: Submission) -> Iterator[Problem]:
    """A problem for each submitted module that Python cannot read."""
    for name, content in submission.files.items():
        if not name.endswith(".py"):
            continue
        try:
            ast.parse(content)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            where = f"{name}:{line}" if line else ""
            said = clean(f"{submission.line(where)}\n{type(error).__name__}: {getattr(error, 'msg', error)}")
            advice = (
                "The mistake is on this line or just before it: a bracket, a quote or a colon, most often."
            )
            yield Problem(
                f"{name} is not valid Python, so no check could run.", where, said.strip(), (advice,)
            )


def said_by(check: Check) -> str:
    """What a check that did not pass said, short and clean."""
    said = clean(check.message).removeprefix("AssertionError: ").strip()
    lines = said.splitlines()
    return "\n".join(lines[:MOST_SAID]) + ("\n…" if len(lines) > MOST_SAID else "")


def _problems(
    exercise: Exercise, submission: Submission, evidence: CheckedEvidence | None, place: str
) -> Iterator[Problem]:
    yield from missing_files(submission, place)
    if untouched(exercise, submission):
        yield not_written_yet(exercise)
        return
    yield from invalid_python(submission)
    if evidence is None:
        return
    if evidence.forged:
        yield Problem(
            "A check that always fails has passed.",
            advice=(
                "Something in what you handed in changes what checks say. Nothing that was said is believed.",
            ),
        )
    first = evidence.runs[0]
    if evidence.broken:
        yield Problem(
            "The server cannot be imported with your file.",
            said=clean(evidence.broken),
            advice=("It fails before any tool can be called. Start it by hand to see the whole trace.",),
        )
    elif first.status in ("crashed", "wrong server"):
        yield Problem(
            "Your file ended or changed the process before it could be judged.", said=clean(first.detail)
        )
    elif first.status == "timeout":
        yield Problem(
            "The time for the whole run was up.",
            said=clean(first.detail),
            advice=("Is there an infinite loop, or something that waits for what never comes?",),
        )


def _failures(requirement: Requirement, evidence: CheckedEvidence) -> Iterator[str]:
    """What the tests of a requirement said that did not pass; each thing once."""
    said: list[str] = []
    for test in requirement.tests:
        answers = list(evidence.answers(test))
        if not answers:
            said.append("It could not be asked, for the run ended before.")
        said += [_answer(check) for check in answers if check.outcome != "passed"]
    yield from dict.fromkeys(said)


def _answer(check: Check) -> str:
    if check.outcome == "timeout":
        return "It did not come to an end in its time: an infinite loop, or a wait for what never comes."
    if check.outcome == "crashed":
        return "It ended the whole process."
    if check.outcome == "skipped":
        return "It was skipped."
    return said_by(check)


def _missed(number: int, requirement: Requirement, remarks: Sequence[str], first: bool) -> Item:
    hint = requirement.hint[0] if first else ""
    if requirement.hidden:
        return Item("", hidden_title("check", requirement.family), True, hint=hint)
    return Item(f"check-{number}", requirement.title, False, requirement.story, (), tuple(remarks[:3]), hint)


def _keep(exercise: Exercise, remarks: Sequence[str]) -> Item:
    layers = ", ".join(exercise.keep)
    title = f"Everything else still works ({layers} of the reference suite)"
    if not remarks:
        return Item("keep", title, False)
    return Item(
        "keep", title, False, "Something that worked before does not any more.", (), tuple(remarks[:3])
    )


def _broken_checks(run: Run) -> Iterator[str]:
    if run.status == "broken":
        yield "The server cannot be imported."
        return
    bad = [check for check in run.checks if check.outcome != "passed"]
    for check in bad[:2]:
        yield f"{short_name(check.nodeid)}: {said_by(check)}"
    if len(bad) > 2:
        yield f"… and {counted(len(bad) - 2, 'check')} more."
    if not run.checks:
        yield f"No check could be run: {clean(run.detail)}"


def _headline(fresh: bool, passed: bool, wrong: Sequence[Problem], missed: Sequence[Item]) -> str:
    if fresh:
        return "Not passed yet: this is the starting file as it came."
    if passed:
        return "Passed: every check is content."
    if wrong:
        return "Not passed yet: something is wrong with the file itself. Mend that first."
    return f"Not passed yet: {counted(len(missed), 'thing')} that was asked for is not so yet."


def _counts(exercise: Exercise, found: Sequence[Item]) -> str:
    hidden = sum(requirement.hidden for requirement in exercise.requirements)
    public = len(exercise.requirements) - hidden + bool(exercise.keep)
    seen = sum(not item.hidden for item in found)
    return (
        f"{public} public and {hidden} hidden checks: "
        f"passed {seen} of {public} public and {len(found) - seen} of {hidden} hidden"
    )


def _then(exercise: Exercise, passed: bool, place: str) -> tuple[str, str]:
    if passed:
        return "Now read why it works, and what it leaves open", f"solutions/{exercise.id}/EXPLANATION.md"
    return "Mend the first thing that is named, and grade again", f"python3 grade.py {place}"
