"""Runs mutants against the reference suite, layer by layer, and keeps the answers."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any

from benchmarks.mutants import Mutant
from benchmarks.survivors import Status
from grading.engine.changes import changed
from grading.engine.jobs import Check, Job, Run
from grading.engine.runner import EngineError, Runner
from grading.engine.tree import digest, lay
from grading.plan import ROOT
from grading.selection import checks_for, every_place

__all__ = ["STAGES", "Answer", "Kept", "Trial", "run", "stages", "traced", "tree_of"]

#: What is asked one after the other: cheap first.
STAGES = (
    ("unit", "contract", "snapshot"),
    ("conformance", "end_to_end"),
    ("security",),
    ("transport",),
    ("property",),
)


@dataclass(frozen=True)
class Answer:
    """What became of a mutant, and the check, with its layer, that says so ("" where none does)."""

    status: Status
    layer: str = ""
    check: str = ""
    message: str = ""


@dataclass
class Trial:
    """A mutant on its way through the stages.

    `wanted` are the checks of each stage that can notice it; a stage that has none is none of its stages.
    Each is asked twice at most: first only up to the first check that does not pass, for that one mostly
    kills; then in full when it ended in an error, which kills nothing, where a later check may. What hangs in
    one stage is not asked in the next, where it would hang again.
    """

    mutant: Mutant
    tree: Path
    wanted: Sequence[Sequence[str]]
    asked: int = 0
    in_full: bool = False
    worst: Answer = field(default_factory=lambda: Answer("survived"))

    def job(self) -> Job:
        """What is to be run now. A good many mutants hang, so there is less time than a matrix gives."""
        return Job(
            self.tree,
            tuple(self.wanted[self.asked]),
            timeout=60.0,
            rootdir=ROOT,
            extra_args=() if self.in_full else ("-x",),
        )

    def take(self, run: Run, counted: Collection[str]) -> bool:
        """Look at what a stage said; whether there is more to ask."""
        if run.status == "wrong server":
            raise EngineError(f"{self.mutant.where} met the wrong server: {run.detail}")
        if run.status == "broken":
            self.worst = Answer("broken", message=run.detail)
            return False
        found = {check.outcome: check for check in reversed(run.checks) if noticed(check, counted)}
        if "failed" in found:
            self.worst = answer_of("killed", found["failed"])
            return False
        if run.status == "finished" and "error" in found and not self.in_full:
            self.in_full = True
            return True
        if self.worst.status == "survived":
            if "error" in found:
                self.worst = answer_of("error", found["error"])
            elif bad := found.get("timeout", found.get("crashed")):
                self.worst = answer_of("timeout", bad)
            elif run.status != "finished":
                self.worst = Answer("timeout", message=run.detail)
        self.asked, self.in_full = self.asked + 1, False
        return self.worst.status != "timeout" and self.asked < len(self.wanted)


def noticed(check: Check, counted: Collection[str]) -> bool:
    """Whether a check that counts, or the file that should hold it, did not pass."""
    return check.outcome != "passed" and (check.nodeid in counted or check.phase == "collect")


def answer_of(status: Status, check: Check) -> Answer:
    """A status, with the check that gave it."""
    return Answer(status, check.layer, check.nodeid, check.message[:300])


def stages(mutant: Mutant, sources: Mapping[str, str], trace: Run) -> list[tuple[str, ...]]:
    """The checks that can notice a mutant, stage by stage: those that reach it on the correct server."""
    change = changed(sources, tree_of(mutant, sources))
    near = set(checks_for(change, trace) or (check.nodeid for check in trace.checks))
    found = [
        tuple(check.nodeid for check in trace.checks if check.nodeid in near and check.layer in stage)
        for stage in STAGES
    ]
    return [stage for stage in found if stage]


def run(
    mutants: Iterable[Mutant], sources: Mapping[str, str], runner: Runner, trace: Run, folder: Path
) -> Iterator[tuple[Mutant, Answer]]:
    """Each mutant with its answer, as the answers come. A tree is on disk only while it is asked."""
    counted = frozenset(check.nodeid for check in trace.checks)
    waiting = iter(mutants)
    trials: dict[Future[Run], Trial] = {}
    while True:
        while len(trials) < 2 * runner.jobs and (mutant := next(waiting, None)) is not None:
            tree = lay(tree_of(mutant, sources), folder).root
            trial = Trial(mutant, tree, stages(mutant, sources, trace))
            trials[runner.submit(trial.job())] = trial
        if not trials:
            return
        done, _ = wait(trials, return_when=FIRST_COMPLETED)
        for future in done:
            trial = trials.pop(future)
            if trial.take(future.result(), counted):
                trials[runner.submit(trial.job())] = trial
            else:
                rmtree(trial.tree)
                yield trial.mutant, trial.worst


def tree_of(mutant: Mutant, sources: Mapping[str, str]) -> dict[str, str]:
    """The whole server with the mutant in it."""
    return {**sources, mutant.module: mutant.source}


def traced(mutants: Iterable[Mutant], sources: Mapping[str, str], runner: Runner, folder: Path) -> Run:
    """A run of the suite on the correct server that tells which check reaches which mutant.

    Raises `EngineError` when a check does not pass there.
    """
    places = every_place(changed(sources, tree_of(mutant, sources)) for mutant in mutants)
    tree = lay(sources, folder).root
    [trace] = runner.run([Job(tree, ("suite",), timeout=300.0, rootdir=ROOT, trace=places)])
    bad = [f"{check.nodeid}: {check.message}" for check in trace.checks if check.outcome != "passed"]
    if bad or not trace.checks or trace.status != "finished":
        raise EngineError(f"the correct server does not pass: {'; '.join(bad) or trace.detail or 'no check'}")
    return trace


class Kept:
    """Answers in a JSON file, by the content of the tree and the suite that was asked."""

    def __init__(self, file: Path | None, suite: str) -> None:
        self.file = file
        known = json.loads(file.read_text("utf-8")) if file is not None and file.exists() else {}
        self.known: dict[str, Any] = known if known.get("suite") == suite else {"suite": suite}

    def get(self, tree: Mapping[str, str]) -> Answer | None:
        """What is known of this tree."""
        found = self.known.get(digest(tree))
        return None if found is None else Answer(**found)

    def put(self, tree: Mapping[str, str], answer: Answer) -> None:
        """Note it, and write the file anew: a run that is broken off loses nothing."""
        self.known[digest(tree)] = asdict(answer)
        if self.file is not None:
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps(self.known, indent=0), "utf-8")
            new.replace(self.file)
