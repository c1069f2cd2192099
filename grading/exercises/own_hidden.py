"""`grade.py EXERCISE --hidden DIR`: an instructor's own hidden defects, beside those of the exercise.

What ships in the repository can be read by everybody. These cannot: they are files of the catalogue's format
in a folder of the instructor's, `DIR/NN_slug/<level>_name/*.toml` for that exercise, or `DIR/*.toml` for
whatever exercise is graded with them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import defects
from defects import Defect, EditError, FormatError
from defects.trees import tree_of
from grading.exercises.exercise_file import Exercise

__all__ = ["NoHiddenDefects", "with_hidden"]


class NoHiddenDefects(ValueError):
    """The folder does not give what was asked for; the text says why and what to do."""


def with_hidden(exercise: Exercise, folder: Path) -> Exercise:
    """The exercise with the defects of this folder as more hidden ones. Raises `NoHiddenDefects`."""
    if exercise.kind != "suite":
        raise NoHiddenDefects(
            f"--hidden gives bugs to find, and {exercise.id} asks for none: it is of the kind {exercise.kind}"
        )
    if not folder.is_dir():
        raise NoHiddenDefects(f"--hidden: there is no folder {folder}")
    own = folder / exercise.id
    place = own if own.is_dir() else folder
    paths = sorted(place.glob("*.toml"))
    if not paths:
        raise NoHiddenDefects(
            f"--hidden: {folder} has no defects: write them as {exercise.id}/NAME.toml in it, or as NAME.toml"
        )
    taken = {defect.id for defect in exercise.defects}
    twice = sorted(path.name for path in paths if path.stem in taken)
    if twice:
        raise NoHiddenDefects(f"--hidden: the exercise has a bug of this name already: {', '.join(twice)}")
    return replace(exercise, hidden=(*exercise.hidden, *map(_read, paths)))


def _read(path: Path) -> Defect:
    try:
        defect = defects.load(path)
        tree_of(defect, defects.source_of_helpdesk())
    except (FormatError, EditError) as error:
        raise NoHiddenDefects(f"--hidden: {error}") from None
    return defect
