"""Which exercise a path means, and where the files to grade lie.

A path may be the exercise's folder, a file in it, its mirror in `solutions/`, a copy elsewhere, or the
exercise's name. The definition is always the repository's own: a student can edit the copy.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from grading.exercises.exercise_file import DEFINITION, START

__all__ = ["ROOT", "Found", "NoExercise", "find", "known"]

ROOT = Path(__file__).resolve().parents[2]


class NoExercise(LookupError):
    """The path means no exercise. The text is for the terminal, with the nearest names."""


@dataclass(frozen=True)
class Found:
    """`exercise` is the repository's folder with the definition, `folder` holds what is handed in.

    `only` is a file name when the path was a file in a folder that is no copy of an exercise: its neighbours
    are then nobody's submission.
    """

    exercise: Path
    folder: Path
    only: str | None = None


def known(root: Path = ROOT) -> dict[str, Path]:
    """Every exercise of the repository: `04_slug/medium_name` -> its folder, in the order of the chapters."""
    return {
        "/".join(path.parent.parts[-2:]): path.parent
        for path in sorted((root / "exercises").glob(f"*/*/{DEFINITION}"))
    }


def find(path: str, root: Path = ROOT) -> Found:
    """The exercise that `path` means. A relative path is looked for in the working directory, then in `root`.

    Raises `NoExercise`.
    """
    exercises = known(root)
    place = next((p for p in (Path(path), root / path) if p.exists()), None)
    if place is None:
        return _by_name(path, exercises)
    place = place.absolute()
    folder = place if place.is_dir() else place.parent
    for candidate in (folder, *folder.parents):
        name = _name_of(candidate, exercises)
        if name:
            return Found(exercises[name], candidate)
    if place.is_file():
        takers = [name for name, home in exercises.items() if (home / START / place.name).is_file()]
        if len(takers) == 1:
            return Found(exercises[takers[0]], folder, place.name)
        if takers:
            raise NoExercise(
                f"{path} could belong to several exercises: {', '.join(takers)}. "
                "Put it into a folder with the exercise's name and grade that."
            )
    raise NoExercise(
        f"{path} belongs to no exercise: there is no {DEFINITION} in it, and neither it nor its folder is "
        f"named like one. {_list(exercises)}"
    )


def _name_of(folder: Path, exercises: dict[str, Path]) -> str:
    """The exercise that this folder is, or is a copy of: by its `exercise.toml`, then by its name."""
    real = folder.resolve()
    for name, home in exercises.items():
        if real == home.resolve():
            return name
    try:
        claimed = tomllib.loads((folder / DEFINITION).read_text(encoding="utf-8")).get("id")
    except (OSError, ValueError):
        claimed = None
    if isinstance(claimed, str) and claimed in exercises:
        return claimed
    ending = "/".join(folder.parts[-2:])
    if ending in exercises:
        return ending
    same = [name for name in exercises if name.rsplit("/", 1)[1] == folder.name]
    return same[0] if len(same) == 1 else ""


def _by_name(path: str, exercises: dict[str, Path]) -> Found:
    wanted = path.replace("\\", "/").strip("/")
    wanted = wanted.removeprefix("./").removeprefix("exercises/")
    for name, home in exercises.items():
        if wanted == name:
            return Found(home, home)
    same = [name for name in exercises if name.rsplit("/", 1)[1] == wanted]
    if len(same) == 1:
        return Found(exercises[same[0]], exercises[same[0]])
    short = {name.rsplit("/", 1)[1]: name for name in exercises}
    near = get_close_matches(wanted, list(exercises), n=3, cutoff=0.4)
    near += [short[name] for name in get_close_matches(wanted.rsplit("/", 1)[-1], list(short), n=3)]
    nearest = list(dict.fromkeys(near))
    said = f"The nearest: {', '.join(nearest)}." if nearest else _list(exercises)
    raise NoExercise(f"there is no {path}, neither here nor in the course. {said}")


def _list(exercises: Iterable[str]) -> str:
    names = list(exercises)
    return f"The exercises are: {', '.join(names)}." if names else "The course has no exercises yet."
