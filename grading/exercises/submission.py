"""What a student hands in: which files are taken, and which are left where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grading.exercises.exercise_file import Exercise
from grading.exercises.words import clean

__all__ = ["Submission", "take", "untouched"]

LARGEST = 1 << 20  # bytes of one file
MOST = 50  # files
_BESIDE = re.compile(r"test_[A-Za-z0-9_]+\.py")  # other test files beside the ones that the exercise names


@dataclass(frozen=True)
class Submission:
    """The files to grade: name -> content. `left_out` says what was not taken and why."""

    files: Mapping[str, bytes]
    left_out: Mapping[str, str]
    missing: tuple[str, ...]

    def is_server(self, exercise: Exercise) -> bool:
        """Whether the files are modules of the server."""
        return exercise.kind == "server"

    def notes(self) -> Iterator[str]:
        """A sentence for each file that was not taken."""
        for name, why in self.left_out.items():
            yield f"{clean(name)} was not taken: {why}."

    def text(self, name: str) -> str:
        """A file's text, whatever its bytes are."""
        return self.files.get(name, b"").decode("utf-8", errors="replace")

    def line(self, where: str) -> str:
        """The source line that "file:line" names, stripped; "" when there is none."""
        name, _, number = where.rpartition(":")
        lines = self.text(name).splitlines()
        return lines[int(number) - 1].strip() if number.isdigit() and 0 < int(number) <= len(lines) else ""


def take(exercise: Exercise, folder: Path, only: str | None = None) -> Submission:
    """Read what is handed in from `folder`: the files that the exercise names; of a suite, other tests too.

    Never taken: `conftest.py` (it could change what a verdict says), anything that lies outside the folder
    behind a link, and a file above 1 MB. `only` takes that one file.
    """
    files: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    home = folder.resolve()
    for path in sorted(folder.iterdir()):
        name = path.name
        beside = exercise.kind == "suite" and only is None and _BESIDE.fullmatch(name)
        wanted = name in exercise.submit or beside
        if only is not None and name != only:
            continue
        if name == "conftest.py":
            left_out[name] = "no conftest.py is taken; put fixtures into the test file itself"
        if not wanted:
            continue
        if path.resolve().parent != home:
            left_out[name] = "it is a link to a file elsewhere; put the file itself here"
        elif not path.is_file():
            left_out[name] = "it is no file"
        elif path.stat().st_size > LARGEST:
            left_out[name] = f"it has {path.stat().st_size:,} bytes, and {LARGEST:,} is the most"
        elif len(files) >= MOST:
            left_out[name] = f"{MOST} files are the most"
        else:
            files[name] = path.read_bytes()
    return Submission(files, left_out, tuple(name for name in exercise.submit if name not in files))


def untouched(exercise: Exercise, submission: Submission) -> bool:
    """Whether every file is still the starting file: comments and blank lines aside, the same lines."""
    return bool(submission.files) and all(
        name in exercise.submit and _code(submission.text(name)) == _code(exercise.start(name))
        for name in submission.files
    )


def _code(text: str) -> list[str]:
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line and not line.lstrip().startswith("#")]
