"""What an exercise is, read from its `exercise.toml`.

The file lies in `exercises/NN_slug/<easy|medium|hard>_name/`, beside a README and the starting files. Reading
collects everything that is wrong and raises one `ExerciseError` with all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import defects
from defects import Defect, Variant
from grading.exercises import exercise_rules
from grading.exercises.exercise_reader import DEFINITION, ExerciseError, Reader, is_plain
from grading.layers import LAYERS

__all__ = [
    "CHECKED",
    "CHECKS",
    "DEFINITION",
    "KINDS",
    "START",
    "Exercise",
    "ExerciseError",
    "Requirement",
    "load",
]

#: The folder, beside the files that a student edits, which keeps them as they came. pytest passes it by.
START = ".start"
#: The folder with the checks of an exercise that is graded by checks. pytest passes it by too.
CHECKS = ".checks"

#: The kinds of exercise, each with what a student hands in.
KINDS = {
    "suite": "tests that accept every correct server and kill bugs",
    "server": "files of the server, mended or extended",
    "words": "descriptions and hints",
    "defect": "a bug that a weak suite misses and a good one kills",
    "measure": "an experiment with its numbers",
}
#: The kinds that are graded by checks.
CHECKED = ("server", "words", "measure")

_REQUIRED = ("id", "kind", "chapter", "title", "points", "submit", "layers", "missing", "hints", "time")
_MORE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # kind -> what it needs, what it may have
    "suite": (("public", "hidden", "variants", "not_promised"), ("most_tests", "pass_share")),
    "server": (("check",), ("keep",)),
    "words": (("check",), ()),
    "measure": (("check",), ()),
    "defect": (("kills",), ("files", "weak", "misses")),
}


@dataclass(frozen=True)
class Requirement:
    """One check of an exercise that is graded by checks: what is asked for, and the tests that ask.

    `tests` are node ids in `CHECKS`. `story` says what somebody suffers while it is not so. A hidden one is
    shown by `family` and hint while it is missed.
    """

    tests: tuple[str, ...]
    title: str
    story: str
    hint: tuple[str, ...]
    hidden: bool = False
    family: str = ""


@dataclass(frozen=True)
class Exercise:
    """One exercise. A student edits the files in `folder`; `START` in it keeps them as they came.

    `submit` names the files that a student hands in, `given` what else lies in the folder. `missing` says
    what the untouched start lacks. `hints` go from vague to pointed. Times are seconds: `check_seconds` for
    one check with its fixtures, `total_seconds` for the whole verdict.

    Of a suite: `public` defects are shown with title and story, `hidden` ones by family and hint only;
    `not_promised` is what a test must not demand of a server; `most_tests` (0: any number) may be written,
    and `pass_share` of the bugs must be found.

    Of a server, words and measure: `requirements`, and the layers of the reference suite to `keep` passing.

    Of a defect: the `files` that it may edit (none named: any), the folder `weak` with a suite that must miss
    it, the layers of the reference suite that it `misses`, and those that it is killed by, `kills`.
    """

    id: str
    folder: Path
    kind: str
    chapter: int
    title: str
    points: int
    submit: tuple[str, ...]
    given: tuple[str, ...]
    layers: tuple[str, ...]
    missing: str
    hints: tuple[str, ...]
    check_seconds: float
    total_seconds: float
    public: tuple[Defect, ...] = ()
    hidden: tuple[Defect, ...] = ()
    variants: tuple[Variant, ...] = ()
    not_promised: tuple[str, ...] = ()
    most_tests: int = 0
    pass_share: float = 1.0
    requirements: tuple[Requirement, ...] = ()
    keep: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    weak: str = ""
    misses: tuple[str, ...] = ()
    kills: tuple[str, ...] = ()

    @property
    def defects(self) -> tuple[Defect, ...]:
        """The public ones, then the hidden ones, in the order in which a student should meet them."""
        return self.public + self.hidden

    def start(self, name: str) -> str:
        """The text of a file as it came, whatever has been written since."""
        return (self.folder / START / name).read_text(encoding="utf-8")


def load(folder: Path) -> Exercise:
    """Read and check the exercise in `folder`. Raises `ExerciseError`."""
    reader = Reader(folder)
    kind = reader.one_of("kind", KINDS)
    needed, allowed = _MORE.get(kind, ((), tuple(reader.data)))
    reader.keys((*_REQUIRED, *needed), ("given", *allowed))
    exercise = Exercise(
        id=_id(reader),
        folder=folder,
        kind=kind,
        chapter=reader.number("chapter", least=1),
        title=reader.text("title"),
        points=reader.number("points", least=1),
        submit=_submit(reader),
        given=_given(reader),
        layers=reader.known("layers", LAYERS, "layer", least=1),
        missing=reader.text("missing"),
        hints=reader.strings("hints", least=2),
        check_seconds=reader.seconds("check"),
        total_seconds=reader.seconds("total"),
        **_of_kind(kind, reader),
    )
    for complaint in exercise_rules.broken(exercise, frozenset(reader.data)):
        reader.complain(complaint)
    reader.finish()
    return exercise


def _of_kind(kind: str, reader: Reader) -> dict[str, Any]:
    """The fields that only exercises of this kind have."""
    if kind == "suite":
        return {
            "public": reader.entries("public", defects.find_defect),
            "hidden": reader.entries("hidden", defects.find_defect),
            "variants": reader.entries("variants", defects.find_variant),
            "not_promised": reader.strings("not_promised", least=1),
            "most_tests": reader.number("most_tests", least=1) if "most_tests" in reader.data else 0,
            "pass_share": reader.share("pass_share"),
        }
    if kind in CHECKED:
        return {
            "requirements": _requirements(reader),
            "keep": reader.known("keep", LAYERS, "layer"),
        }
    if kind == "defect":
        return {
            "files": reader.strings("files"),
            "weak": reader.text("weak"),
            "misses": reader.known("misses", LAYERS, "layer"),
            "kills": reader.known("kills", LAYERS, "layer", least=1),
        }
    return {}


def _requirements(reader: Reader) -> tuple[Requirement, ...]:
    tables = reader.data.get("check", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        reader.complain("check must be written as [[check]], once for each")
        return ()
    if "check" in reader.data and len(tables) < 3:
        reader.complain(f"check: {len(tables)} of them; three at least make a verdict that says something")
    return tuple(_requirement(number, table, reader) for number, table in enumerate(tables, start=1))


def _requirement(number: int, table: dict[str, Any], reader: Reader) -> Requirement:
    where = f"check {number}: "
    reader.unknown(where, table, ("tests", "title", "story", "hint", "hidden", "family"))
    for key in ("title", "story"):
        if key not in table:
            reader.complain(f"{where}{key} is missing")
    hidden = table.get("hidden", False)
    if not isinstance(hidden, bool):
        reader.complain(f"{where}hidden is {hidden!r}; it is true or false")
    family = reader.text("family", table, where)
    if hidden and not family:
        reader.complain(f"{where}a hidden check needs a family, which is all that is shown of it")
    tests = reader.strings("tests", 1, table, where)
    for test in tests:
        file, _, name = test.partition("::")
        if not is_plain(file) or not (reader.folder / CHECKS / file).is_file():
            reader.complain(f"{where}{test!r}: there is no file {file} in {CHECKS}")
        elif not name:
            reader.complain(f"{where}{test!r} names a file; name the test in it, file.py::test_name")
    return Requirement(
        tests=tests,
        title=reader.text("title", table, where),
        story=reader.text("story", table, where),
        hint=reader.strings("hint", 1, table, where),
        hidden=bool(hidden),
        family=family,
    )


def _id(reader: Reader) -> str:
    value = reader.text("id")
    home = "/".join(reader.folder.parts[-2:])
    if value and value != home:
        reader.complain(f"id is {value!r}; it is the exercise's place below exercises/: {home!r}")
    if value and not exercise_rules.ID.fullmatch(value):
        reader.complain(f"id is {value!r}; it must look like 04_slug/medium_name (easy, medium or hard)")
    return value


def _submit(reader: Reader) -> tuple[str, ...]:
    names = reader.strings("submit", least=1)
    for name in names:
        if not is_plain(name) or name == "conftest.py":
            reader.complain(f"submit names {name!r}; it takes plain file names, and no conftest.py")
        elif not (reader.folder / START / name).is_file():
            reader.complain(f"submit names {name!r}, and there is no such starting file in {START}")
    return names


def _given(reader: Reader) -> tuple[str, ...]:
    names = reader.strings("given")
    for name in names:
        if "/" in name or not (reader.folder / name).exists():
            reader.complain(f"given names {name!r}, and there is no such file or folder beside it")
    return names
