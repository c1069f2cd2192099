"""`grade.py PATH`: grades one submission of one exercise.

Exit status: 0 passed in full, 1 not passed, 2 no such exercise or a wrong option, 3 the grader itself failed.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from grading import verdicts
from grading.engine import fork, runner
from grading.exercises import exercise_run
from grading.exercises.checked_run import CheckedEvidence, run_checks
from grading.exercises.checked_words import checked_feedback, invalid_python
from grading.exercises.exercise_file import CHECKED, Exercise, ExerciseError, load
from grading.exercises.exercise_paths import Found, NoExercise, find
from grading.exercises.feedback import Feedback
from grading.exercises.formats.output import Output
from grading.exercises.formats.output import add_options as add_output_options
from grading.exercises.own_hidden import NoHiddenDefects, with_hidden
from grading.exercises.planted_run import CannotBePlanted, PlantedEvidence, run_planted
from grading.exercises.planted_words import planted_feedback
from grading.exercises.submission import Submission, take
from grading.exercises.suite_words import suite_feedback
from grading.stamp import stamp_of_submission

__all__ = ["add_options", "grade", "main", "make_runner"]

PASSED, NOT_PASSED, USAGE, BROKEN = 0, 1, 2, 3

#: What running a submission gives, by its exercise's kind.
Result = exercise_run.Evidence | CheckedEvidence | PlantedEvidence | CannotBePlanted | None


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that `main` reads from its arguments."""
    add_output_options(parser)
    parser.add_argument(
        "--submission", type=Path, metavar="DIR", help="grade what lies in this folder as that exercise"
    )
    parser.add_argument("--jobs", type=int, default=None, metavar="N", help="runs at a time")
    parser.add_argument("--hidden", type=Path, metavar="DIR", help="an instructor's own hidden defects")
    parser.add_argument("--cold", action="store_true", help="a new interpreter for every run")


def main(path: str, args: argparse.Namespace | None = None) -> int:
    """Grade what `path` means (see `exercise_paths.find`), print the verdict, return the exit status.

    `args` is as `add_options` makes it; what it lacks is the default. With `submission` the path says which
    exercise it is, and nothing in that folder can say otherwise.
    """
    out = Output(args)
    cold = bool(getattr(args, "cold", False)) or not can_fork()
    jobs = getattr(args, "jobs", None)
    submission: Path | None = getattr(args, "submission", None)
    if out.complaint():
        return _usage(out.complaint())
    if submission is not None and not submission.is_dir():
        return _usage(f"there is no folder {submission}")
    if jobs is not None and jobs < 1:
        return _usage("--jobs must be 1 or more")
    try:
        found = find(path)
        exercise = load(found.exercise)
        hidden = getattr(args, "hidden", None)
        if hidden is not None:
            exercise = with_hidden(exercise, hidden)
    except (NoExercise, NoHiddenDefects) as error:
        return _usage(str(error))
    except ExerciseError as error:
        return _failed(out, path, f"the exercise itself is broken:\n{error}")
    if submission is not None:
        found, path = Found(found.exercise, submission.absolute()), f"exercises/{exercise.id}"
    try:
        asked = (*exercise.variants, *exercise.defects)
        files = take(exercise, found.folder, found.only).files
        stamped = stamp_of_submission(asked, files, "cold" if cold else "fork")
        with _progress() as progress:
            verdict = grade(exercise, found.folder, path, found.only, jobs=jobs, cold=cold, progress=progress)
        out.verdict(verdict, stamped)
    except BrokenPipeError:
        raise
    except (runner.EngineError, verdicts.EngineError, OSError, ValueError) as error:
        return _failed(out, exercise.id, f"{type(error).__name__}: {error}")
    except Exception:  # a mistake of the grader's: whoever waits for a verdict hears of it all the same
        return _failed(out, exercise.id, traceback.format_exc())
    except KeyboardInterrupt:
        if out.file is not None:
            _failed(out, exercise.id, "It was stopped before there was a verdict.")
        raise
    return PASSED if verdict.passed else NOT_PASSED


def grade(
    exercise: Exercise,
    folder: Path,
    place: str,
    only: str | None = None,
    *,
    jobs: int | None = None,
    cold: bool = False,
    progress: exercise_run.Progress | None = None,
    engine: runner.Runner | None = None,
) -> Feedback:
    """The verdict on what lies in `folder`, which the student knows as `place`.

    `engine` is an open runner to use and leave open (then `jobs` is its own); otherwise one is made. Raises
    `EngineError` when no verdict may be drawn.
    """
    submission = take(exercise, folder, only)
    with contextlib.ExitStack() as stack:
        running = engine
        if running is None and can_be_run(exercise, submission):
            running = stack.enter_context(make_runner(jobs, cold))
        evidence = evidence_of(exercise, submission, running, cold, progress)
    return words_of(exercise, submission, evidence, place)


def can_be_run(exercise: Exercise, submission: Submission) -> bool:
    """Whether there is enough to run: of a suite any file, of the others all, in Python that can be read."""
    if exercise.kind == "suite":
        return bool(submission.files)
    return not submission.missing and not any(invalid_python(submission))


def evidence_of(
    exercise: Exercise,
    submission: Submission,
    engine: runner.Runner | None,
    cold: bool = False,
    progress: exercise_run.Progress | None = None,
) -> Result:
    """What running the submission gives; None when there is nothing to run. Raises `EngineError`."""
    if engine is None or not can_be_run(exercise, submission):
        return None
    if exercise.kind == "suite":
        return exercise_run.run(exercise, submission, engine, cold, progress)
    if exercise.kind in CHECKED:
        return run_checks(exercise, submission, engine, cold, progress)
    try:
        return run_planted(exercise, submission, engine, cold, progress)
    except CannotBePlanted as cannot:
        return cannot


def words_of(exercise: Exercise, submission: Submission, result: Result, place: str) -> Feedback:
    """The verdict in words. `result` is what `evidence_of` gave for this very submission."""
    if isinstance(result, exercise_run.Evidence) or (result is None and exercise.kind == "suite"):
        return suite_feedback(exercise, submission, result, place)
    if isinstance(result, CheckedEvidence) or (result is None and exercise.kind in CHECKED):
        return checked_feedback(exercise, submission, result, place)
    return planted_feedback(exercise, submission, result, place)


def can_fork() -> bool:
    """Whether runs are forked here: where there is `fork`, but for macOS, whose libraries dislike it."""
    return fork.AVAILABLE and sys.platform != "darwin"


def make_runner(jobs: int | None = None, cold: bool = False) -> runner.Runner:
    """A runner, not yet entered."""
    from grading.engine.cold import ColdRunner

    return ColdRunner(jobs) if cold else fork.ForkRunner(jobs)


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, when somebody sits before it."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("warming up", total=None)

        def update(done: int, known: int) -> None:
            bar.update(task, description="running your tests", completed=done, total=known)

        yield update


def _usage(message: str) -> int:
    print(f"grade.py: {message}", file=sys.stderr)
    return USAGE


def _failed(out: Output, exercise: str, error: str) -> int:
    """No verdict: say so where the verdict was asked for."""
    with contextlib.suppress(OSError):
        out.failure(exercise, error)
    return BROKEN
