"""Runs one submission: on the correct server, on its variants, on every bug, and once more for what kills.

Three rounds, so that a verdict is quick and still confirmed. The first asks the correct server alone: a file
that cannot be imported or a test that hangs is found out there, once. The second asks everything else. The
third repeats, in the other order, the bugs on which a test failed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import defects
from defects.trees import changed, lay_sources
from grading import verdicts
from grading.engine.changes import changed as change_of
from grading.engine.jobs import Check, Job, Order, Run
from grading.engine.runner import Runner
from grading.exercises.exercise_file import Exercise
from grading.exercises.submission import Submission
from grading.selection import every_place, reaching
from grading.survival import Survival, why_it_survived
from grading.verdicts import Counting, EngineError, Verdict

__all__ = ["Evidence", "run"]

#: Each round's share of the time for the whole verdict.
SHARES = (0.25, 0.5, 0.25)
#: A cold start imports everything anew in each run, so it is given this many times as long.
COLD = 3
#: How often a first run that does not even begin in its time is tried again.
RETRIES = 2

#: The null mutant: byte for byte the correct server. A test that fails there changes its mind.
COPY = "null mutant"
#: The correct server once more, in which the places that bugs change tell when they are passed. What tests
#: say there counts for nothing; it explains why a bug got through.
TRACED = "traced server"

Progress = Callable[[int, int], None]
Asked = tuple[str, Order]  # a server ("" is the correct one) and the order of the tests


@dataclass(frozen=True)
class Evidence:
    """What the runs gave. `first` is the first run, on the correct server.

    `counting` is None when no test passed there, and nothing else was run. `verdicts` has one for each bug,
    `survivals` the reason for each that got through.
    """

    first: Run
    counting: Counting | None = None
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    seconds: float = 0.0
    survivals: Mapping[str, Survival] = field(default_factory=dict)


def run(
    exercise: Exercise,
    submission: Submission,
    runner: Runner,
    cold: bool = False,
    progress: Progress | None = None,
) -> Evidence:
    """Judge a submission. `progress` is called with the runs done and the runs known so far.

    Raises `EngineError` when a server of the exercise cannot be imported or was not the one that ran: that is
    no verdict about the submission.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as folder:
        total = exercise.total_seconds * (COLD if cold else 1)
        rounds = _Rounds(exercise, submission, runner, Path(folder).resolve(), total, progress)
        counting, judged = None, {}
        first = rounds.first()
        if any(check.outcome == "passed" for check in first.checks):
            counting, judged = rounds.rest(first)
    survivals = {
        id: survival
        for id, verdict in judged.items()
        if (survival := why_it_survived(verdict, rounds.changes[id].at_import, programs=not cold))
    }
    return Evidence(first, counting, judged, time.monotonic() - began, survivals)


class _Rounds:
    def __init__(
        self,
        exercise: Exercise,
        submission: Submission,
        runner: Runner,
        folder: Path,
        total: float,
        progress: Progress | None,
    ) -> None:
        self.exercise, self.submission, self.runner = exercise, submission, runner
        self.folder, self.total, self.progress = folder, total, progress
        self.tests = tuple(name for name in submission.files if name.endswith(".py"))
        correct = defects.source_of_helpdesk()
        self.sources: dict[str, dict[str, str]] = {"": correct, COPY: correct, TRACED: correct}
        for entry in (*exercise.variants, *exercise.defects):
            self.sources[entry.id] = changed([entry])
        self.changes = {
            defect.id: change_of(self.sources[""], self.sources[defect.id]) for defect in exercise.defects
        }
        self.done = 0
        self.known = 1

    def first(self) -> Run:
        """The correct server, the tests in the order in which they are written."""
        [run] = self._round(0, [("", "as written")])
        for _ in range(RETRIES):
            if not _never_began(run):
                break
            [run] = self._round(0, [("", "as written")])
        if _never_began(run):
            raise EngineError(f"no run could begin in time; is the machine very busy? {run.detail}")
        if run.status == "broken":
            raise EngineError(f"the correct server cannot be imported: {run.detail}")
        return run

    def rest(self, first: Run) -> tuple[Counting, dict[str, Verdict]]:
        """Everything after the first run, without the tests that hung or died there.

        The correct server comes as written (the first run), reversed, as its copy (the null mutant), traced.
        """
        ended = {_function(check) for check in first.checks if check.outcome in ("timeout", "crashed")}
        if ended:
            left = [_function(check) for check in first.checks if _function(check) not in ended]
            self.tests = tuple(dict.fromkeys(left))
        asked: list[Asked] = [("", "reversed"), (COPY, "as written"), (TRACED, "as written")]
        for variant in self.exercise.variants:
            asked.extend(((variant.id, "as written"), (variant.id, "reversed")))
        for defect in self.exercise.defects:
            asked.append((defect.id, "as written"))
        runs = dict(zip(asked, self._round(1, asked), strict=True))
        variants = {v.id: [runs[v.id, "as written"], runs[v.id, "reversed"]] for v in self.exercise.variants}
        counting = verdicts.count([first, runs["", "reversed"], runs[COPY, "as written"]], variants)
        once = {defect.id: runs[defect.id, "as written"] for defect in self.exercise.defects}
        again: list[Asked] = [
            (id, "reversed") for id, run in once.items() if verdicts.suspects(run, counting.counted)
        ]
        twice = dict(zip((id for id, _ in again), self._round(2, again), strict=True))
        judged = {}
        for id, run in once.items():
            near = reaching(self.changes[id], runs[TRACED, "as written"])
            judged[id] = verdicts.judge(run, twice.get(id), counting.counted, reached=near)
            if judged[id].status == "broken":
                raise EngineError(f"the bug {id} cannot be imported: {judged[id].detail}")
        return counting, judged

    def _round(self, number: int, asked: list[Asked]) -> list[Run]:
        """One round; every run gets an equal part of the round's time."""
        if not asked:
            return []
        waves = -(-len(asked) // self.runner.jobs)
        timeout = self.total * SHARES[number] / waves
        self.known = self.done + len(asked)
        jobs = [self._job(server, order, timeout) for server, order in asked]
        return self.runner.run(jobs, self._on_done)

    def _job(self, server: str, order: Order, timeout: float) -> Job:
        """A run with a copy of everything for itself, at a path that does not tell which server it is."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        lay_sources(self.sources[server], place / "server")
        tests = place / "tests"
        tests.mkdir()
        for name, content in self.submission.files.items():
            (tests / name).write_bytes(content)
        return Job(
            tree=place / "server",
            tests=self.tests,
            order=order,
            timeout=timeout,
            rootdir=tests,
            check_timeout=min(self.exercise.check_seconds, timeout),
            collect_timeout=min(2 * self.exercise.check_seconds, timeout),
            name=server or "correct server",
            trace=every_place(self.changes.values()) if server == TRACED else {},
        )

    def _on_done(self, run: Run) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.known)


def _never_began(run: Run) -> bool:
    """Whether the time was up before a line of the submission ran: a busy machine, and no fault of a test."""
    return run.status == "timeout" and (not run.origin or "before any test was read" in run.detail)


def _function(check: Check) -> str:
    """The node id without the parameters: what can be given to pytest whatever the parameters look like."""
    path, _, names = check.nodeid.partition("::")
    return path + (f"::{names.split('[', 1)[0]}" if names else "")
