"""`grade.py check exercises`: the rules for an exercise and its solution, those that grade them included.

- the definition can be read (`exercise_file`);
- nothing stray lies beside it, in its starting files, or in its solution;
- its README says how it is graded and for how many points; the explanation says what it should;
- the starting files run, and something that is asked for is not so on them;
- the solution passes with full points, every hidden bug or check included, and nothing has to be said of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from defects.check import Problem
from grading.engine.runner import EngineError, Runner
from grading.exercises.checked_run import CheckedEvidence
from grading.exercises.exercise import can_fork, evidence_of, grade, make_runner
from grading.exercises.exercise_file import CHECKED, CHECKS, DEFINITION, START, Exercise, ExerciseError, load
from grading.exercises.exercise_paths import ROOT, NoExercise, find, known
from grading.exercises.exercise_run import Evidence
from grading.exercises.planted_run import CannotBePlanted, PlantedEvidence
from grading.exercises.submission import take
from grading.progress import show_progress
from grading.reports.words import count_of

__all__ = ["EXPLAINED", "check", "main", "problems_without_runs"]

#: The headings of an explanation.
EXPLAINED = ("# Why this works", "# What else would do", "# What is still unguarded")
EXPLANATION = "EXPLANATION.md"
#: What tools leave in a folder, and git ignores.
_LEFT_BY_TOOLS = {"__pycache__", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints"}


def main(options: argparse.Namespace) -> int:
    """Check these exercises, or all. Exit status: 0 all well, 1 something to mend, 2 usage, 3 the grader."""
    homes = known()
    try:
        folders = [find(name).exercise for name in options.names] or list(homes.values())
    except NoExercise as problem:
        print(f"grade.py check: {problem}", file=sys.stderr)
        return 2
    problems: list[Problem] = []
    cold = options.cold or not can_fork()
    try:
        with make_runner(options.jobs, cold) as runner, show_progress(what="exercises") as progress:
            progress.begin(len(folders))
            for folder in folders:
                progress.now(folder.name)
                problems += check(folder, runner, cold)
                progress.done(folder.name)
    except (EngineError, OSError) as error:
        print(f"grade.py check: the grader failed: {error}", file=sys.stderr)
        return 3
    if not options.names:
        problems += _solutions_of_nothing(homes)
    for problem in problems:
        print(problem)
    print(f"{count_of(len(folders), 'exercise')} checked, {count_of(len(problems), 'thing')} to mend.")
    return 1 if problems else 0


def check(folder: Path, runner: Runner, cold: bool = False) -> list[Problem]:
    """What is wrong with the exercise in this folder and with its solution."""
    try:
        exercise = load(folder)
    except ExerciseError as error:
        return [Problem(folder, problem) for problem in error.problems]
    found = list(problems_without_runs(exercise))
    if not found:  # a file that is missing would be complained about in many ways
        found += [*_start(exercise, runner, cold), *_solution(exercise, runner, cold)]
    return [Problem(folder, problem) for problem in found]


def problems_without_runs(exercise: Exercise) -> Iterator[str]:
    """The rules about files: what is there, and what the README and the explanation say."""
    checks = {CHECKS} if exercise.kind in CHECKED else set()
    wanted = {"README.md", DEFINITION, START, *checks, *exercise.submit, *exercise.given}
    yield from _stray(exercise.folder, wanted, optional=set(exercise.submit))
    yield from _stray(exercise.folder / START, set(exercise.submit))
    solution = solution_of(exercise)
    yield from _stray(solution, {EXPLANATION, *exercise.submit})
    readme = (exercise.folder / "README.md").read_text(encoding="utf-8")
    for words in (f"python3 grade.py exercises/{exercise.id}", f"{exercise.points} points"):
        if words not in readme:
            yield f"README.md does not say {words!r}"
    if (solution / EXPLANATION).is_file():
        explanation = (solution / EXPLANATION).read_text(encoding="utf-8")
        for heading in EXPLAINED:
            if f"{heading}\n" not in explanation:
                yield f"{EXPLANATION} has no heading {heading!r}"
    if exercise.kind in CHECKED:
        yield from _checks_in_use(exercise)


def solution_of(exercise: Exercise) -> Path:
    """The folder with the solution: the same place below `solutions/`."""
    return exercise.folder.parents[2] / "solutions" / exercise.id


def _stray(folder: Path, wanted: set[str], optional: set[str] | None = None) -> Iterator[str]:
    where = folder.name if folder.name.startswith(".") else "/".join(folder.parts[-3:])
    there = {path.name for path in folder.iterdir()} - _LEFT_BY_TOOLS if folder.is_dir() else set()
    for name in sorted(wanted - there - (optional or set())):
        yield f"{name} is missing in {where}"
    for name in sorted(there - wanted):
        yield f"{name} is stray in {where}: name it in `given`, or take it away"


def _checks_in_use(exercise: Exercise) -> Iterator[str]:
    """A file of tests that no check names is run for nothing."""
    named = {test.partition("::")[0] for requirement in exercise.requirements for test in requirement.tests}
    for path in sorted((exercise.folder / CHECKS).glob("test_*.py")):
        if path.name not in named:
            yield f"{CHECKS}/{path.name}: no check names a test of it"


def _start(exercise: Exercise, runner: Runner, cold: bool) -> Iterator[str]:
    """The starting files run, and do not pass."""
    submission = take(exercise, exercise.folder / START)
    result = evidence_of(exercise, submission, runner, cold)
    if isinstance(result, Evidence):
        broken = [check for check in result.first.checks if check.phase == "collect"]
        if result.first.status != "finished" or broken:
            said = broken[0].message if broken else result.first.detail
            yield f"the starting files do not run: {_first_line(said)}"
        elif result.counting and all(verdict.status == "killed" for verdict in result.verdicts.values()):
            yield "the starting files find every bug already"
    elif isinstance(result, CheckedEvidence):
        runs = [run for run in result.runs if run.status != "finished"]
        asked = [list(result.answers(test)) for each in exercise.requirements for test in each.tests]
        if runs:
            yield f"the starting files do not run: {_first_line(runs[0].detail)}"
        elif all(answers and all(check.outcome == "passed" for check in answers) for answers in asked):
            yield "the starting files pass every check already"
        yield from _not_there(exercise, result)
    elif isinstance(result, PlantedEvidence | CannotBePlanted):
        return  # any start will do: it is graded as one that came so
    else:
        yield "the starting files cannot be run: something is missing, or is not valid Python"


def _not_there(exercise: Exercise, result: CheckedEvidence) -> Iterator[str]:
    for requirement in exercise.requirements:
        for test in requirement.tests:
            if not any(True for _ in result.answers(test)):
                yield f"check {requirement.title!r} names {test}, and there is no such test"


def _solution(exercise: Exercise, runner: Runner, cold: bool) -> Iterator[str]:
    verdict = grade(exercise, solution_of(exercise), f"solutions/{exercise.id}", engine=runner, cold=cold)
    for problem in verdict.problems:
        yield f"the solution: {problem.title} {_first_line(problem.said)}".rstrip()
    for item in verdict.missed:
        said = _first_line(item.remarks[0]) if item.remarks else ""
        yield f"the solution misses {item.title!r}. {said}".rstrip()
    for note in verdict.notes:
        yield f"the solution: {note}"
    if not verdict.passed or verdict.points != verdict.out_of:
        yield f"the solution gets {verdict.points:g} of {verdict.out_of} points: {verdict.headline}"


def _solutions_of_nothing(homes: dict[str, Path]) -> Iterator[Problem]:
    for path in sorted((ROOT / "solutions").glob("*/*")):
        if path.is_dir() and "/".join(path.parts[-2:]) not in homes:
            yield Problem(path, "is the solution of no exercise")


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0]
