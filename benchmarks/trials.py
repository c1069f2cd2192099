"""Runs mutants against the reference suite, layer by layer, and keeps the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any

from benchmarks.mutants import Mutant
from benchmarks.survivors import Status
from grading.engine.jobs import Check, Job, Run
from grading.engine.runner import EngineError, Runner
from grading.engine.tree import digest, lay
from grading.plan import ROOT

__all__ = ["STAGES", "Answer", "Kept", "Trial", "counted_checks", "run", "suite_digest", "tree_of"]

#: What is asked one after the other: cheap first.
STAGES = (
    ("unit", "contract", "snapshot"),
    ("conformance", "end_to_end"),
    ("security",),
    ("transport",),
    ("property",),
)

UNIT, WIRE, HTTP, PROGRAMS, ANY = range(len(STAGES))

#: The stages that run a module, the likeliest to kill first; every other stage is left out for it, for there
#: nothing comes near the mutant. Leaving one out can only lower the score. What is not listed: all stages.
ASKED = {
    **dict.fromkeys(
        ("cursors.py", "db.py", "errors.py", "service.py", "world.py"), (UNIT, WIRE, PROGRAMS, ANY)
    ),
    **dict.fromkeys(("schemas.py", "tools.py"), (UNIT, WIRE, PROGRAMS, ANY)),
    "app.py": (WIRE, UNIT, HTTP, PROGRAMS),
    **dict.fromkeys(("lines.py", "wire.py"), (WIRE, PROGRAMS, HTTP, ANY)),
    "words.py": (WIRE, ANY),
    **dict.fromkeys(("auth.py", "auth_server.py", "http_app.py", "oauth_routes.py"), (HTTP, PROGRAMS)),
    **dict.fromkeys(("scope_check.py", "sign_in_page.py", "sign_ins.py"), (HTTP, PROGRAMS)),
    **dict.fromkeys(
        ("__main__.py", "connect.py", "http_main.py", "options.py", "stdio_main.py"), (PROGRAMS,)
    ),
}


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

    A stage is asked twice at most: first only up to the first check that does not pass, for that one mostly
    kills; then in full when it ended in an error, which kills nothing, where a later check may. What hangs in
    one stage is not asked in the next, where it would hang again.
    """

    mutant: Mutant
    tree: Path
    asked: int = 0
    in_full: bool = False
    worst: Answer = field(default_factory=lambda: Answer("survived"))

    def job(self) -> Job:
        """What is to be run now."""
        return stage_job(self.tree, self.stages[self.asked], self.in_full)

    @property
    def stages(self) -> Sequence[int]:
        """The stages that it goes through."""
        return ASKED.get(self.mutant.module, range(len(STAGES)))

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
        return self.worst.status != "timeout" and self.asked < len(self.stages)


def noticed(check: Check, counted: Collection[str]) -> bool:
    """Whether a check that counts, or the file that should hold it, did not pass."""
    return check.outcome != "passed" and (check.nodeid in counted or check.phase == "collect")


def answer_of(status: Status, check: Check) -> Answer:
    """A status, with the check that gave it."""
    return Answer(status, check.layer, check.nodeid, check.message[:300])


def run(
    mutants: Iterable[Mutant],
    sources: Mapping[str, str],
    runner: Runner,
    counted: Collection[str],
    folder: Path,
) -> Iterator[tuple[Mutant, Answer]]:
    """Each mutant with its answer, as the answers come. A tree is on disk only while it is asked."""
    waiting = iter(mutants)
    trials: dict[Future[Run], Trial] = {}
    while True:
        while len(trials) < 2 * runner.jobs and (mutant := next(waiting, None)) is not None:
            trial = Trial(mutant, lay(tree_of(mutant, sources), folder).root)
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


def stage_job(tree: Path, stage: int, in_full: bool = True) -> Job:
    """One stage. A good many mutants hang, so the whole has less time than a matrix gives it."""
    return Job(
        tree,
        ("suite",),
        STAGES[stage],
        timeout=60.0,
        rootdir=ROOT,
        extra_args=() if in_full else ("-x",),
    )


def counted_checks(runner: Runner, tree: Path) -> frozenset[str]:
    """The checks, all of which must pass on the correct server. Raises `EngineError` when one does not."""
    runs = runner.run([stage_job(tree, stage) for stage in range(len(STAGES))])
    checks = [check for run in runs for check in run.checks]
    bad = [f"{check.nodeid}: {check.message}" for check in checks if check.outcome != "passed"]
    if bad or not checks:
        raise EngineError(f"the correct server does not pass: {'; '.join(bad) or 'no check ran'}")
    return frozenset(check.nodeid for check in checks)


def suite_digest() -> str:
    """A hash of the reference suite: what another suite said is not asked of this one."""
    files = [
        path for path in sorted((ROOT / "suite").rglob("*.*")) if path.suffix in (".py", ".toml", ".json")
    ]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


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
