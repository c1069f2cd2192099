"""What is wrong with a submission's tests themselves, in words that help a student who is sure of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grading.engine.jobs import Check, Run
from grading.exercises.exercise_file import Exercise
from grading.exercises.exercise_run import Evidence
from grading.exercises.submission import Submission, untouched
from grading.exercises.words import Problem, clean, short_name
from grading.verdicts import Refused

__all__ = ["missing_files", "not_written_yet", "problems"]

MOST = 5  # problems shown; the rest is counted


def problems(
    exercise: Exercise, submission: Submission, evidence: Evidence | None, place: str
) -> Iterator[Problem]:
    """Everything that is wrong with the tests, the most basic first."""
    yield from missing_files(submission, place)
    if evidence is None:
        return
    if untouched(exercise, submission):
        yield not_written_yet(exercise)
        return
    yield from _too_many(exercise, evidence.first)
    found = [*_not_run(submission, evidence.first, exercise), *_refused(exercise, submission, evidence)]
    yield from found[:MOST]
    if len(found) > MOST:
        yield Problem(f"… and {len(found) - MOST} more of this kind. Mend these first.")


def not_written_yet(exercise: Exercise) -> Problem:
    """The starting files as they came."""
    return Problem("Nothing has been written yet.", advice=(f"What is missing: {exercise.missing}",))


def missing_files(submission: Submission, place: str) -> Iterator[Problem]:
    """A problem for each file that the exercise wants and that was not taken."""
    for name in submission.missing:
        why = submission.left_out.get(name)
        if why:
            yield Problem(f"{name} cannot be taken: {why}.")
        else:
            yield Problem(
                f"There is no {name} in {clean(place)}.",
                advice=("Write it there, or copy the starting file from the course and begin with that.",),
            )


def _too_many(exercise: Exercise, first: Run) -> Iterator[Problem]:
    """More test functions than the exercise allows."""
    written = {check.nodeid.split("[", 1)[0] for check in first.checks if check.phase != "collect"}
    if exercise.most_tests and len(written) > exercise.most_tests:
        yield Problem(
            f"These are {len(written)} tests, and {exercise.most_tests} are the most.",
            advice=("Which of them finds a bug that no other one finds? Keep those.",),
        )


def _not_run(submission: Submission, first: Run, exercise: Exercise) -> Iterator[Problem]:
    """Files that cannot be imported, runs that ended early, files without a test."""
    for check in first.checks:
        if check.phase == "collect" and check.outcome == "error":
            yield _import_failed(check, submission)
    if first.status == "timeout" and not any(check.phase != "collect" for check in first.checks):
        own = any(f"(at {name}:" in first.detail for name in submission.files)
        yield Problem(
            "An infinite loop while your file was being imported."
            if own
            else "Your file could not be imported in its time.",
            advice=(
                f"{clean(first.detail)}.",
                "What stands at the left margin runs at import, before any test. Put work into a test.",
            ),
        )
    elif first.status == "timeout":
        yield Problem(
            "The time for the whole run was up.",
            advice=(f"{clean(first.detail)}. One test may take {exercise.check_seconds:g} s.",),
        )
    elif first.status == "crashed":
        yield Problem(
            "Your file ended the process before its tests could be judged.",
            said=clean(first.detail),
            advice=("A test file must not exit. Look for sys.exit, exit or os._exit outside of tests.",),
        )
    elif first.status == "wrong server":
        yield Problem(
            "Your file brought a help desk of its own.",
            said=clean(first.detail),
            advice=("Use the fixtures. They give you the server that is to be judged.",),
        )
    elif not first.checks:
        names = ", ".join(name for name in submission.files if name.endswith(".py"))
        empty = all(not content.strip() for content in submission.files.values())
        yield Problem(
            f"{names} is empty." if empty else f"There is no test in {names}.",
            advice=(
                "pytest takes functions whose name begins with test_, at the left margin or in a class whose "
                "name begins with Test. Is there one, and is it saved?",
            ),
        )


def _import_failed(check: Check, submission: Submission) -> Problem:
    file = check.nodeid.split("::", 1)[0]
    said = clean(check.message)
    syntax = re.match(r"(SyntaxError|IndentationError|TabError): (.*) \([^()]*, line (\d+)\)", said)
    if syntax:
        where = f"{file}:{syntax[3]}"
        return Problem(
            f"{file} is not valid Python, so no test of it could run.",
            where,
            _quote(f"{syntax[1]}: {syntax[2]}", submission, where),
            ("The mistake is on this line or just before it: a bracket, a quote or a colon, most often.",),
        )
    title = f"{file} cannot be imported, so no test of it could run."
    return Problem(title, clean(check.where), _quote(said, submission, check.where))


def _refused(exercise: Exercise, submission: Submission, evidence: Evidence) -> Iterator[Problem]:
    """Tests that do not count, each with the reason."""
    if evidence.counting is not None:
        refused = list(evidence.counting.refused)
    else:
        refused = [
            Refused(c.nodeid, c.layer, "fails the correct server", "", c.outcome, c.message, c.where)
            for c in evidence.first.checks
        ]
    imports = {check.nodeid for check in evidence.first.checks if check.phase == "collect"}
    for test in refused:
        if test.nodeid not in imports:
            yield _refusal(test, exercise, submission)


def _refusal(test: Refused, exercise: Exercise, submission: Submission) -> Problem:
    name, where = short_name(test.nodeid), clean(test.where)
    said = _quote(clean(test.message), submission, test.where)
    server = next((v for v in exercise.variants if v.id == test.server), None)
    on = "a correct server" if server is None else "another correct server"
    if test.outcome == "timeout":
        return Problem(
            f"{name} runs in an infinite loop on {on}.",
            where,
            said,
            (
                f"The time limit for one test ({exercise.check_seconds:g} s) passed. Either the loop never "
                "ends, or the test waits for something that never comes.",
            ),
        )
    if test.outcome == "crashed":
        return Problem(
            f"{name} ended the process on {on}.",
            where,
            said,
            ("A test that ends the process has judged nothing. Look for sys.exit, exit or os._exit.",),
        )
    if test.outcome == "skipped":
        return Problem(f"{name} is skipped, so it finds nothing.", where, said)
    if test.why == "changes its mind":
        return Problem(
            f"{name} passes and fails on one and the same correct server.",
            where,
            said,
            (
                "It was run more than once, also with the tests in reverse order. Does it depend on another "
                "test, on the time, on chance, or on which thread comes first?",
            ),
        )
    if server is not None:
        return Problem(
            f"{name} asks for more than was promised: it fails on another correct server.",
            where,
            said,
            (
                "Your test passes on the plain server. This one is correct too. "
                f"What differs there: {server.differs}",
                _promises(exercise),
            ),
        )
    verb = "fails" if test.outcome == "failed" else "stumbles"
    return Problem(
        f"{name} {verb} on a correct server.",
        where,
        said,
        (
            "There is no bug in this server: the whole reference suite passes on it. If you are sure of your "
            "test, look at the values in the message and ask of each: who promised this? Often the test "
            "looks at another desk than it thinks, or expects what was only ever likely.",
            _promises(exercise),
        ),
    )


def _promises(exercise: Exercise) -> str:
    return "Not promised here: " + "; ".join(exercise.not_promised) + "."


def _quote(said: str, submission: Submission, where: str) -> str:
    """The test's own words, below the line on which they came up."""
    line = clean(submission.line(where))[:160]
    return f"{line}\n{said}".strip() if line else said
