"""Runs suites against a bug that a student wrote: the weak one that must miss it, and the reference suite."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import defects
from defects import Defect, EditError, FormatError
from defects.compare import syntax
from defects.trees import lay_sources, tree_of
from grading.engine.jobs import Job, Order, Run
from grading.engine.runner import Runner
from grading.exercises.checked_run import ORDERS
from grading.exercises.exercise_file import Exercise
from grading.exercises.exercise_paths import ROOT
from grading.exercises.exercise_run import COLD, Progress
from grading.exercises.submission import Submission
from grading.verdicts import EngineError

__all__ = ["CannotBePlanted", "PlantedEvidence", "planted", "run_planted"]


class CannotBePlanted(ValueError):
    """The file makes no server. `problems` has every complaint, one sentence each."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__(" ".join(problems))


@dataclass(frozen=True)
class PlantedEvidence:
    """What the suites said about the bug.

    `weak` is None when the exercise has no weak suite. `reference` has two runs, in two orders. `known` names
    the entry of the catalogue that gives the same server; "" for none.
    """

    defect: Defect
    weak: Run | None
    reference: tuple[Run, Run]
    known: str
    seconds: float

    @property
    def broken(self) -> str:
        """Why the server cannot be imported; "" when it can."""
        return next((run.detail for run in self.reference if run.status == "broken"), "")


def planted(exercise: Exercise, submission: Submission) -> tuple[Defect, dict[str, str]]:
    """The bug that was handed in, and the server with it. Raises `CannotBePlanted`."""
    correct = defects.source_of_helpdesk()
    [name] = exercise.submit
    with tempfile.TemporaryDirectory(prefix="check-") as folder:
        path = Path(folder) / name
        path.write_bytes(submission.files[name])
        try:
            defect = defects.load(path)
            tree = tree_of(defect, correct)
            for edit in defect.edits:
                compile(tree[edit.file], edit.file, "exec", dont_inherit=True)
        except FormatError as error:
            raise CannotBePlanted(*error.problems) from None
        except EditError as error:
            raise CannotBePlanted(str(error)) from None
        except (SyntaxError, ValueError) as error:
            where = f" ({getattr(error, 'filename', '')}:{getattr(error, 'lineno', '')})"
            what = getattr(error, "msg", error)
            raise CannotBePlanted(f"the server with it is not valid Python: {what}{where}") from None
    elsewhere = sorted({edit.file for edit in defect.edits} - set(exercise.files))
    if exercise.files and elsewhere:
        raise CannotBePlanted(
            f"it edits {', '.join(elsewhere)}; the bug belongs into {', '.join(exercise.files)}"
        )
    if not syntax(tree, correct):
        raise CannotBePlanted("it changes only comments or layout: the server is still the correct one")
    return defect, tree


def run_planted(
    exercise: Exercise,
    submission: Submission,
    runner: Runner,
    cold: bool = False,
    progress: Progress | None = None,
) -> PlantedEvidence:
    """Judge a bug. Raises `CannotBePlanted`, and `EngineError` when no verdict may be drawn."""
    began = time.monotonic()
    defect, tree = planted(exercise, submission)
    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        timeout = exercise.total_seconds * (COLD if cold else 1)
        layers = (*exercise.misses, *exercise.kills)
        jobs = [_job(tree, ROOT / "suite", folder, timeout, layers, order) for order in ORDERS]
        if exercise.weak:
            jobs.append(_job(tree, exercise.folder / exercise.weak, folder, timeout))
        done: list[Run] = []

        def on_done(run: Run) -> None:
            done.append(run)
            if progress is not None:
                progress(len(done), len(jobs))

        first, second, *weak = runner.run(jobs, on_done)
    for run in (first, second, *weak):
        if run.status == "timeout" and not run.origin:
            raise EngineError(f"no run could begin in time; is the machine very busy? {run.detail}")
    seconds = time.monotonic() - began
    return PlantedEvidence(defect, weak[0] if weak else None, (first, second), _known(tree), seconds)


def _job(
    tree: Mapping[str, str],
    suite: Path,
    folder: Path,
    timeout: float,
    layers: tuple[str, ...] = (),
    order: Order = "as written",
) -> Job:
    place = Path(tempfile.mkdtemp(dir=folder))
    lay_sources(tree, place / "server")
    shutil.copytree(suite, place / suite.name, ignore=shutil.ignore_patterns("__pycache__"))
    return Job(
        tree=place / "server",
        tests=(suite.name,),
        layers=layers,
        order=order,
        timeout=timeout,
        rootdir=place,
        name="the bug that was handed in",
    )


def _known(tree: Mapping[str, str]) -> str:
    """The entry of the catalogue whose server is the same, comments and layout aside; "" for none."""
    correct = defects.source_of_helpdesk()
    own = syntax(tree, correct)
    for kind in (defects.catalogue(), defects.halves(), defects.variants()):
        for id, entry in kind.items():
            if syntax(tree_of(entry, correct), correct) == own:
                return id
    return ""
