"""Turns what the runs of a suite gave into words: first the tests themselves, then bugs found and missed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from defects import FAMILIES, Defect
from grading.exercises.exercise_file import Exercise
from grading.exercises.exercise_run import Evidence
from grading.exercises.feedback import Feedback, Item, counted, hidden_title
from grading.exercises.problems import problems
from grading.exercises.submission import Submission, untouched
from grading.exercises.words import Problem, clean, short_name
from grading.survival import Survival
from grading.verdicts import Finding, Verdict

__all__ = ["suite_feedback"]

#: How a student runs tests by hand, on a machine where nothing was activated.
WATCH = "python3 grade.py test"


def suite_feedback(
    exercise: Exercise, submission: Submission, evidence: Evidence | None, place: str
) -> Feedback:
    """The words for one submission. `evidence` is None when there was nothing to run. `place` is its path."""
    wrong = tuple(problems(exercise, submission, evidence, place))
    verdicts = evidence.verdicts if evidence else {}
    found, missed = [], []
    for defect in exercise.defects:
        verdict = verdicts.get(defect.id, Verdict("survived"))
        hidden = defect in exercise.hidden
        if verdict.status == "killed":
            killers = tuple(short_name(finding.nodeid) for finding in verdict.killers)
            found.append(Item(defect.id, defect.title, hidden, found_by=killers))
        elif verdicts:
            survival = evidence.survivals.get(defect.id) if evidence else None
            remarks = [_remark(finding, submission) for finding in verdict.findings]
            remarks += [_why(survival)] if survival and not remarks else []
            missed.append(_missed(defect, hidden, tuple(remarks), place, first=not missed))
    sound = bool(found) and not wrong
    each = exercise.points / (len(exercise.defects) + 1)
    points = round(each * (len(found) + sound), 2)
    passed = sound and len(found) >= exercise.pass_share * len(exercise.defects)
    then, pointer = _then(exercise, passed, wrong, missed, evidence, place)
    return Feedback(
        exercise=exercise.id,
        title=exercise.title,
        kind=exercise.kind,
        passed=passed,
        headline=_headline(exercise, submission, evidence, wrong, missed, passed),
        problems_title="What is wrong with the tests",
        problems=wrong,
        found_title="Bugs found",
        found=tuple(found),
        missed_title="Bugs that got through",
        missed=tuple(missed),
        counts=_counts(exercise, found),
        points=points,
        out_of=exercise.points,
        shares=f"{each:.3g} for each bug found, {each:.3g} for tests that accept all correct servers",
        notes=tuple(_notes(submission, evidence)),
        then=then,
        pointer=pointer,
        seconds=round(evidence.seconds, 2) if evidence else 0.0,
    )


def _missed(defect: Defect, hidden: bool, remarks: tuple[str, ...], place: str, first: bool) -> Item:
    hint = defect.hint[0] if first else ""
    if hidden:
        title = f"{hidden_title('bug', defect.family)}: {FAMILIES[defect.family]}"
        return Item("", title, True, remarks=remarks, hint=hint)
    command = f"{WATCH} --defect {defect.id} {place}"
    return Item(defect.id, defect.title, False, defect.story, (), remarks, hint, command)


def _why(survival: Survival) -> str:
    """Why a bug got through on which every test passed."""
    if survival.why == "loaded":
        return (
            "This bug acts when the server starts, in what it says of itself or in how it sets itself up. "
            "Your tests load it, and none of them looks there."
        )
    if survival.why == "not reached":
        own = "" if survival.programs else " in its own process"
        return f"None of your tests that count runs the code that this bug changes{own}."
    names = [short_name(nodeid) for nodeid in survival.tests]
    who = names[0] if len(names) == 1 else f"{names[0]} and {counted(len(names) - 1, 'other test')}"
    runs = "runs" if len(names) == 1 else "run"
    are = "is" if len(names) == 1 else "are"
    return f"{who} {runs} the code that this bug changes, and {are} content with what it does."


def _remark(finding: Finding, submission: Submission) -> str:
    """What a test did on a bug that it did not kill, and why that is not enough."""
    test, at = short_name(finding.nodeid), f" at {clean(finding.where)}" if finding.where else ""
    if finding.answer == "error":
        what = clean(finding.message).split("\n", 1)[0][:200]
        return (
            f"{test} stumbled here rather than judged{at}: {what}. It noticed something, but it never said "
            "what should have been true. Say it with an assert."
        )
    if finding.answer == "timeout":
        return f"{test} did not come to an end here{at}. A test that waits has not judged."
    if finding.answer == "crashed":
        return f"{test} ended the whole process here{at}. That is no judgement."
    if finding.answer == "unstable":
        return f"{test} changed its mind between two runs on this bug. Only what fails twice counts."
    return f"{test} was {'skipped' if finding.answer == 'skipped' else 'not run'} here."


def _headline(
    exercise: Exercise,
    submission: Submission,
    evidence: Evidence | None,
    wrong: Sequence[Problem],
    missed: Sequence[Item],
    passed: bool,
) -> str:
    if untouched(exercise, submission):
        return "Not passed yet: this is the starting file as it came."
    if evidence is None or evidence.counting is None:
        return "Not passed yet: there is no test that can be judged, so no bug could be looked for."
    if wrong:
        return "Not passed yet: something is wrong with a test itself. Mend that first."
    if passed and missed:
        return "Passed: your tests accept every correct server and find as many bugs as are asked for."
    if missed:
        return f"Not passed yet: your tests are sound, and {counted(len(missed), 'bug')} got through."
    return "Passed: your tests accept every correct server and find every bug."


def _counts(exercise: Exercise, found: Sequence[Item]) -> str:
    public, hidden = len(exercise.public), len(exercise.hidden)
    seen = sum(not bug.hidden for bug in found)
    return (
        f"{public} public and {hidden} hidden bugs: "
        f"found {seen} of {public} public and {len(found) - seen} of {hidden} hidden"
    )


def _notes(submission: Submission, evidence: Evidence | None) -> Iterator[str]:
    yield from submission.notes()
    if evidence is None:
        return
    lost = re.search(r"… and ([\d,]+) bytes more\Z", evidence.first.output)
    if lost:
        kept = evidence.first.job.limits.output >> 10
        yield f"Your tests printed {lost[1]} bytes above the {kept} KB that are kept. The rest was dropped."


def _then(
    exercise: Exercise,
    passed: bool,
    wrong: Sequence[Problem],
    missed: Sequence[Item],
    evidence: Evidence | None,
    place: str,
) -> tuple[str, str]:
    if passed:
        return "Now read why it works, and what it leaves open", f"solutions/{exercise.id}/EXPLANATION.md"
    if wrong and not _can_be_watched(evidence):
        return "Mend this, and grade again", f"python3 grade.py {place}"
    if wrong or not missed:
        return "Run your tests on the correct server and watch them there", f"{WATCH} {place}"
    shown = next((bug.command for bug in missed if bug.command), "")
    if shown:
        return "Watch your tests on the first of them", shown
    readme = f"exercises/{exercise.id}/README.md"
    return "The public bugs are all found. Read the promise again, and ask what it leaves open", readme


def _can_be_watched(evidence: Evidence | None) -> bool:
    """Whether there are tests that run, and all come to an end: by hand nothing stops the others."""
    checks = evidence.first.checks if evidence else ()
    ends = {check.outcome for check in checks} <= {"passed", "failed", "error"}
    return ends and any(check.phase != "collect" for check in checks)
