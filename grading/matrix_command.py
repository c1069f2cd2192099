"""`grade.py matrix`: from options to a report and an exit status."""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

import defects
from defects import Defect, EditError, FormatError, Variant
from grading import approving
from grading.engine.runner import EngineError
from grading.exercises.exercise import can_fork, make_runner
from grading.matrix import Matrix, run_matrix
from grading.plan import Suite, Usage, chosen_defects, find_suite, make_plan
from grading.progress import show_progress
from grading.reports import WRITERS
from grading.reports.explain import print_explanation
from grading.reports.mutation_html import find_viewer
from grading.reports.terminal import print_matrix
from grading.stamp import stamp

__all__ = ["engine_error", "main", "measure"]


def main(options: argparse.Namespace) -> int:
    """Run a matrix and print its report. Returns the exit status."""
    try:
        approved = approving.former(options)
        wanted = [options.explain] if options.explain else options.defect
        chosen = chosen_defects(wanted)
        suite = find_suite(options.suite, options.layer)
        if options.output and not options.output.parent.is_dir():
            raise Usage(f"cannot write {options.output}: there is no folder {options.output.parent}")
        if options.format == "mutation-html":
            find_viewer()  # when it is missing, that is said before anything runs
        matrix = measure(
            suite,
            chosen,
            defects.variants(),
            jobs=options.jobs,
            cold=options.cold,
            every_check=options.every_check,
        )
        if not matrix.layers:
            raise Usage(f"no test was found in {suite.folder}" + (" in these layers" if suite.layers else ""))
        with _output(options.output) as console:
            if options.explain:
                print_explanation(matrix, matrix.rows[0], console)
            elif options.format == "terminal":
                print_matrix(matrix, console)
            else:
                console.file.write(WRITERS[options.format](matrix))
        changed = False
        if approved is not None:
            # A report that goes to a program stays alone on standard output.
            alone = options.format != "terminal" and options.output is None
            changed = approving.conclude(approved, matrix, options, sys.stderr if alone else sys.stdout)
    except (Usage, FormatError, EditError, OSError) as problem:
        if isinstance(problem, BrokenPipeError):
            raise
        print(f"grade.py matrix: {problem}", file=sys.stderr)
        return 2
    except EngineError as problem:
        return engine_error(problem)
    return 1 if matrix.problems or changed else 0


def measure(
    suite: Suite,
    chosen: Mapping[str, Defect],
    variants: Mapping[str, Variant],
    *,
    jobs: int | None = None,
    cold: bool = False,
    whole: bool = False,
    every_check: bool = False,
) -> Matrix:
    """Lay the trees, run everything with progress on standard error, and take the trees away again.

    Forks where the system can, unless `cold`; `whole` and `every_check` are those of `run_matrix`. Raises
    `EditError` and `EngineError`.
    """
    cold = cold or not can_fork()
    runner = make_runner(jobs, cold)
    with tempfile.TemporaryDirectory(prefix="matrix-") as directory, show_progress() as watch, runner:
        plan = make_plan(suite, chosen, variants, Path(directory))
        made_with = stamp(suite.folder, "cold" if cold else "fork")
        return run_matrix(plan, runner, watch, made_with, whole=whole, every_check=every_check)


def engine_error(problem: EngineError) -> int:
    """Say on standard error that the grader itself cannot be trusted here; gives the exit status for it."""
    line = "=" * 78
    print(f"{line}\nNO VERDICT: {problem}\n{line}", file=sys.stderr)
    return 3


@contextmanager
def _output(path: Path | None) -> Iterator[Console]:
    """Where the report goes: a file, or standard output, 80 columns where it is no terminal.

    The file is written when the report is whole: one that fails does not cost an earlier one.
    """
    if path is None:
        console = Console(highlight=False)
        yield console if console.is_terminal else Console(highlight=False, width=80)
    else:
        text = io.StringIO()
        yield Console(file=text, highlight=False, width=80)
        path.write_text(text.getvalue(), encoding="utf-8", newline="\n")
