"""What an exercise is, read from its `exercise.toml`.

The file lies in `exercises/NN_slug/<easy|medium|hard>_name/`, beside a README and the starting files. Reading
collects everything that is wrong and raises one `ExerciseError` with all of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import defects
from defects import Defect, Variant
from grading.layers import LAYERS

__all__ = ["DEFINITION", "KINDS", "START", "Exercise", "ExerciseError", "load"]

DEFINITION = "exercise.toml"
#: The folder, beside the files that a student edits, which keeps them as they came. pytest passes it by.
START = ".start"

#: The kinds of exercise, each with what a student hands in.
KINDS = {
    "suite": "tests that accept every correct server and kill bugs",
    "server": "files of the server, mended or extended",
    "words": "descriptions and hints",
    "defect": "a bug that a weak suite misses and a good one kills",
    "measure": "an experiment with its numbers",
}

_ID = re.compile(r"(\d\d)_[a-z0-9_]+/(easy|medium|hard)_[a-z0-9_]+")
_FILE = re.compile(r"[A-Za-z0-9_]+\.[a-z]+")
_REQUIRED = ("id", "kind", "chapter", "title", "points", "submit", "layers", "public", "hidden", "variants")
_REQUIRED += ("missing", "not_promised", "hints", "time")


class ExerciseError(ValueError):
    """An exercise's definition is wrong. `problems` holds every complaint, one sentence each."""

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{path}: {problem}" for problem in self.problems))


@dataclass(frozen=True)
class Exercise:
    """One exercise. A student edits the files in `folder`; `START` in it keeps them as they came.

    `submit` names the files that a student hands in. `public` defects are shown with title and story,
    `hidden` ones by family and hint only. `missing` says what the untouched start lacks; `not_promised` what
    a test must not demand of a server. `hints` go from vague to pointed. Times are seconds: `check_seconds`
    for one check with its fixtures, `total_seconds` for the whole verdict.
    """

    id: str
    folder: Path
    kind: str
    chapter: int
    title: str
    points: int
    submit: tuple[str, ...]
    layers: tuple[str, ...]
    public: tuple[Defect, ...]
    hidden: tuple[Defect, ...]
    variants: tuple[Variant, ...]
    missing: str
    not_promised: tuple[str, ...]
    hints: tuple[str, ...]
    check_seconds: float
    total_seconds: float

    @property
    def defects(self) -> tuple[Defect, ...]:
        """The public ones, then the hidden ones, in the order in which a student should meet them."""
        return self.public + self.hidden

    def start(self, name: str) -> str:
        """The text of a file as it came, whatever has been written since."""
        return (self.folder / START / name).read_text(encoding="utf-8")


def load(folder: Path) -> Exercise:
    """Read and check the exercise in `folder`. Raises `ExerciseError`."""
    reader = _Reader(folder)
    data = reader.data
    exercise = Exercise(
        id=reader.id(),
        folder=folder,
        kind=reader.one_of("kind", KINDS),
        chapter=reader.number("chapter", least=1),
        title=reader.text("title"),
        points=reader.number("points", least=1),
        submit=reader.submit(),
        layers=reader.layers(),
        public=reader.entries("public", defects.find_defect),
        hidden=reader.entries("hidden", defects.find_defect),
        variants=reader.entries("variants", defects.find_variant),
        missing=reader.text("missing"),
        not_promised=reader.strings("not_promised", least=1),
        hints=reader.strings("hints", least=2),
        check_seconds=reader.seconds("check"),
        total_seconds=reader.seconds("total"),
    )
    reader.unknown("", data, _REQUIRED)
    reader.agree(exercise)
    if reader.problems:
        raise ExerciseError(reader.path, reader.problems)
    return exercise


class _Reader:
    """One definition and the complaints about it so far. Each method gives a usable value or complains."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / DEFINITION
        self.problems: list[str] = []
        try:
            self.data: dict[str, Any] = tomllib.loads(self.path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ExerciseError(self.path, [f"cannot be read: {error.strerror}"]) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ExerciseError(self.path, [f"is not TOML: {error}"]) from None
        for key in _REQUIRED:
            if key not in self.data:
                self.complain(f"{key} is missing")

    def complain(self, problem: str) -> None:
        self.problems.append(problem)

    def unknown(self, where: str, table: dict[str, Any], known: Iterable[str]) -> None:
        names = list(known)
        for key in table:
            if key not in names:
                self.complain(f"unknown key {where + key!r}{_did_you_mean(key, names)}")

    def text(self, key: str) -> str:
        value = self.data.get(key, "")
        if not isinstance(value, str) or (key in self.data and not value.strip()):
            self.complain(f"{key} must be a text that is not empty")
            return ""
        return " ".join(value.split())

    def id(self) -> str:
        value = self.text("id")
        home = "/".join(self.folder.parts[-2:])
        if value and value != home:
            self.complain(f"id is {value!r}; it is the exercise's place below exercises/: {home!r}")
        if value and not _ID.fullmatch(value):
            self.complain(f"id is {value!r}; it must look like 04_slug/medium_name (easy, medium or hard)")
        return value

    def one_of(self, key: str, allowed: Iterable[str]) -> str:
        value, known = self.text(key), list(allowed)
        if value and value not in known:
            self.complain(f"{key} is {value!r}{_did_you_mean(value, known)}; one of {', '.join(known)}")
        return value

    def number(self, key: str, least: int) -> int:
        value = self.data.get(key, least)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.complain(f"{key} is {value!r}; it is a whole number, {least} or more")
            return least
        return value

    def strings(self, key: str, least: int = 0) -> tuple[str, ...]:
        value = self.data.get(key, ())
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) and v.strip() for v in value):
            self.complain(f"{key} must be a list of texts, none of them empty")
            return ()
        if key in self.data and len(value) < least:
            self.complain(f"{key} has {len(value)} entries; it needs {least} at least")
        if len(set(value)) != len(value):
            self.complain(f"{key} says the same thing twice")
        return tuple(" ".join(item.split()) for item in value)

    def submit(self) -> tuple[str, ...]:
        names = self.strings("submit", least=1)
        for name in names:
            if not _FILE.fullmatch(name) or name == "conftest.py":
                self.complain(f"submit names {name!r}; it takes plain file names, and no conftest.py")
            elif not (self.folder / START / name).is_file():
                self.complain(f"submit names {name!r}, and there is no such starting file in {START}")
        return names

    def layers(self) -> tuple[str, ...]:
        names = self.strings("layers", least=1)
        for name in names:
            if name not in LAYERS:
                self.complain(f"no layer {name!r}{_did_you_mean(name, LAYERS)}; one of {', '.join(LAYERS)}")
        return names

    def entries(self, key: str, find: Any) -> tuple[Any, ...]:
        found = []
        for name in self.strings(key):
            try:
                found.append(find(name))
            except (defects.UnknownDefect, defects.FormatError) as error:
                self.complain(f"{key}: {error}")
        return tuple(found)

    def seconds(self, key: str) -> float:
        table = self.data.get("time", {})
        if not isinstance(table, dict):
            self.complain("time must be a table with check and total")
            return 1.0
        if key == "check":
            self.unknown("time.", table, ("check", "total"))
        value = table.get(key)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 600:
            self.complain(f"time.{key} is {value!r}; it is a number of seconds, above 0 and up to 600")
            return 1.0
        return float(value)

    def agree(self, exercise: Exercise) -> None:
        """What must hold between the entries."""
        number = _ID.fullmatch(exercise.id)
        if number and int(number[1]) != exercise.chapter:
            self.complain(f"chapter is {exercise.chapter}, and the folder says {number[1]}")
        both = {defect.id for defect in exercise.public} & {defect.id for defect in exercise.hidden}
        if both:
            self.complain(f"public and hidden at once: {', '.join(sorted(both))}")
        if exercise.kind == "suite" and not exercise.public and "public" in self.data:
            self.complain("public is empty: a suite is graded by the bugs that it finds")
        if exercise.kind == "suite" and len(exercise.variants) < 2 and "variants" in self.data:
            self.complain("variants: name two correct servers that a test must not reject")
        if exercise.check_seconds > exercise.total_seconds:
            self.complain("time.check is longer than time.total")
        if not (self.folder / "README.md").is_file():
            self.complain("there is no README.md beside it")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
