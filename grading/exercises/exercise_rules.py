"""What must hold between the entries of an exercise's definition."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import defects

if TYPE_CHECKING:
    from grading.exercises.exercise_file import Exercise

__all__ = ["ID", "broken"]

#: An exercise's id: the chapter's folder, and its own.
ID = re.compile(r"(\d\d)_[a-z0-9_]+/(easy|medium|hard)_[a-z0-9_]+")


def broken(exercise: Exercise, given: Collection[str]) -> Iterator[str]:
    """Each rule that the exercise breaks, a sentence. `given` are the keys of its definition."""
    number = ID.fullmatch(exercise.id)
    if number and int(number[1]) != exercise.chapter:
        yield f"chapter is {exercise.chapter}, and the folder says {number[1]}"
    if exercise.check_seconds > exercise.total_seconds:
        yield "time.check is longer than time.total"
    if not (exercise.folder / "README.md").is_file():
        yield "there is no README.md beside it"
    if exercise.kind == "suite":
        yield from _suite(exercise, given)
    elif exercise.kind == "server":
        yield from _modules("submit", exercise.submit)
    elif exercise.kind == "defect":
        yield from _defect(exercise)


def _suite(exercise: Exercise, given: Collection[str]) -> Iterator[str]:
    both = {defect.id for defect in exercise.public} & {defect.id for defect in exercise.hidden}
    if both:
        yield f"public and hidden at once: {', '.join(sorted(both))}"
    if not exercise.public and "public" in given:
        yield "public is empty: a suite is graded by the bugs that it finds"
    if len(exercise.variants) < 2 and "variants" in given:
        yield "variants: name two correct servers that a test must not reject"


def _defect(exercise: Exercise) -> Iterator[str]:
    if exercise.submit != ("defect.toml",):
        yield 'submit must be ["defect.toml"]'
    yield from _modules("files", exercise.files)
    if exercise.weak and exercise.weak not in exercise.given:
        yield f"weak is {exercise.weak!r}; name that folder in given too"
    if not exercise.weak and not exercise.misses:
        yield "nothing has to miss the bug: give weak or misses"
    both = set(exercise.misses) & set(exercise.kills)
    if both:
        yield f"in misses and in kills at once: {', '.join(sorted(both))}"


def _modules(key: str, names: Collection[str]) -> Iterator[str]:
    modules = defects.source_of_helpdesk()
    for name in names:
        if name not in modules:
            yield f"{key} names {name!r}, which is no module of helpdesk"
