"""Runs the checks of an exercise against what was handed in: twice, in two orders.

A submitted module of the server is laid over the course's server. Beside the checks runs one that must fail:
where it passes, something changes what checks say, and nothing is believed.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import defects
from defects.trees import lay_sources
from grading.engine.jobs import Check, Job, Order, Run
from grading.engine.runner import Runner
from grading.exercises import SUBMISSION
from grading.exercises.exercise_file import CHECKS, Exercise
from grading.exercises.exercise_paths import ROOT
from grading.exercises.exercise_run import COLD, Progress
from grading.exercises.submission import Submission
from grading.verdicts import EngineError

__all__ = ["CheckedEvidence", "run_checks"]

ORDERS: tuple[Order, ...] = ("as written", "reversed")

_MUST_FAIL = """
def test_that_fails():
    raise AssertionError("this one must")
"""


@dataclass(frozen=True)
class CheckedEvidence:
    """What the runs gave: the checks, in both orders, and the layers of the reference suite to keep.

    `forged`: a check that must fail did not.
    """

    runs: tuple[Run, ...]
    kept: Run | None
    forged: bool
    seconds: float

    @property
    def broken(self) -> str:
        """Why the server cannot be imported; "" when it can."""
        return next((run.detail for run in self.runs if run.status == "broken"), "")

    def answers(self, test: str) -> Iterator[Check]:
        """What each run said about the test with this node id, once for each of its parameters."""
        for run in self.runs:
            yield from (c for c in run.checks if c.nodeid == test or c.nodeid.startswith(f"{test}["))


def run_checks(
    exercise: Exercise,
    submission: Submission,
    runner: Runner,
    cold: bool = False,
    progress: Progress | None = None,
) -> CheckedEvidence:
    """Judge a submission. `progress` is called with the runs done and the runs known.

    Raises `EngineError` when a run met another server, or when none could begin.
    """
    began = time.monotonic()
    must_fail = f"test_{secrets.token_hex(8)}.py"
    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        timeout = exercise.total_seconds * (COLD if cold else 1)
        jobs = [
            _job(exercise, submission, _lay(exercise, submission, folder, must_fail), order, timeout)
            for order in ORDERS
        ]
        if exercise.keep:
            jobs.append(_kept(exercise, submission, folder, timeout))
        done: list[Run] = []

        def on_done(run: Run) -> None:
            done.append(run)
            if progress is not None:
                progress(len(done), len(jobs))

        runs = runner.run(jobs, on_done)
    for run in runs:
        if run.status == "wrong server" and not submission.is_server(exercise):
            raise EngineError(f"a run met the wrong server: {run.detail}")
        if run.status == "timeout" and not run.origin:
            raise EngineError(f"no run could begin in time; is the machine very busy? {run.detail}")
    checks = tuple(runs[: len(ORDERS)])
    forged = any(
        c.nodeid.startswith(must_fail) and c.outcome == "passed" for run in checks for c in run.checks
    )
    kept = runs[len(ORDERS)] if exercise.keep else None
    return CheckedEvidence(checks, kept, forged, time.monotonic() - began)


def _lay(exercise: Exercise, submission: Submission, folder: Path, must_fail: str) -> Path:
    """A folder with a server, the checks, and what was handed in."""
    place = Path(tempfile.mkdtemp(dir=folder))
    lay_sources(_sources(exercise, submission), place / "server")
    tests = Path(shutil.copytree(exercise.folder / CHECKS, place / "tests", ignore=_IGNORED))
    (tests / must_fail).write_text(_MUST_FAIL, encoding="utf-8")
    handed_in = tests / SUBMISSION
    handed_in.mkdir()
    for name, content in submission.files.items():
        (handed_in / name).write_bytes(content)
    return place


def _job(exercise: Exercise, submission: Submission, place: Path, order: Order, timeout: float) -> Job:
    tests = place / "tests"
    return Job(
        tree=place / "server",
        tests=tuple(sorted(path.name for path in tests.glob("test_*.py"))),
        order=order,
        timeout=timeout,
        rootdir=tests,
        check_timeout=min(exercise.check_seconds, timeout),
        name="what was handed in",
    )


def _kept(exercise: Exercise, submission: Submission, folder: Path, timeout: float) -> Job:
    """The layers of the reference suite that must pass as before."""
    place = Path(tempfile.mkdtemp(dir=folder))
    lay_sources(_sources(exercise, submission), place / "server")
    shutil.copytree(ROOT / "suite", place / "suite", ignore=_IGNORED)
    return Job(
        tree=place / "server",
        tests=tuple(f"suite/{layer}" for layer in exercise.keep),
        timeout=timeout,
        rootdir=place,
        name="what was handed in",
    )


def _sources(exercise: Exercise, submission: Submission) -> dict[str, str]:
    sources = defects.source_of_helpdesk()
    if submission.is_server(exercise):
        sources |= {name: submission.text(name) for name in submission.files}
    return sources


_IGNORED = shutil.ignore_patterns("__pycache__")
