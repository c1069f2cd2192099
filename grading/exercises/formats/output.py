"""Where a verdict goes, and how: the options, the table of formats, and a file that is always whole."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from grading.exercises import exercise_report
from grading.exercises.feedback import Feedback
from grading.exercises.formats import as_json, github, gradescope, junit, page, prairielearn
from grading.exercises.formats.texts import FAILED, legal
from grading.stamp import Stamp

__all__ = ["FORMATS", "Output", "add_options", "write_whole"]

#: The formats beside the terminal: how each writes a verdict, and a failure of the grader (exercise, error).
FORMATS: dict[str, tuple[Callable[[Feedback, Stamp], str], Callable[[str, str], str]]] = {
    "html": (page.verdict, page.failure),
    "json": (as_json.verdict, as_json.failure),
    "junit": (junit.verdict, junit.failure),
    "gradescope": (gradescope.verdict, gradescope.failure),
    "prairielearn": (prairielearn.verdict, prairielearn.failure),
    "github": (github.verdict, github.failure),
}
TERMINAL = "terminal"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that an `Output` is made of."""
    formats = (TERMINAL, *FORMATS)
    parser.add_argument("--format", choices=formats, default=TERMINAL, help="how to write the verdict")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="write the verdict there")


class Output:
    """Takes one verdict, or one failure in its place."""

    def __init__(self, args: argparse.Namespace | None) -> None:
        self.format: str = getattr(args, "format", None) or TERMINAL
        self.file: Path | None = getattr(args, "output", None)

    def complaint(self) -> str:
        """What is wrong with the options; empty when nothing is."""
        if self.format != TERMINAL and self.format not in FORMATS:
            known = ", ".join((TERMINAL, *FORMATS))
            return f"the verdict on an exercise comes as one of {known}, not as {self.format}"
        if self.file is not None and (self.file.is_dir() or not self.file.parent.is_dir()):
            return f"cannot write {self.file}: it is a folder, or its folder is not there"
        return ""

    def verdict(self, feedback: Feedback, stamped: Stamp) -> None:
        """Write the verdict. With a file, its headline alone is printed. Raises `OSError`."""
        if self.format != TERMINAL:
            self._write(FORMATS[self.format][0](feedback, stamped))
        elif self.file is None:
            _printable()
            exercise_report.show(feedback, stamped, Console())
        else:
            text = io.StringIO()
            exercise_report.show(feedback, stamped, Console(file=text, width=80))
            self._write(text.getvalue())
        if self.file is not None:
            print(feedback.headline)

    def failure(self, exercise: str, error: str) -> None:
        """Say in the verdict's place that there is none, and that this is not the student's fault.

        On standard error too: there whoever runs the grader finds what went wrong.
        """
        print(f"grade.py: {FAILED} {legal(error)}", file=sys.stderr)
        if self.format != TERMINAL:
            self._write(FORMATS[self.format][1](exercise, error))
        elif self.file is not None:
            self._write(f"{FAILED} {error}\n")

    def _write(self, text: str) -> None:
        if self.file is None:
            _printable()
            sys.stdout.write(text)
        else:
            write_whole(self.file, text)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it holds all of the text, or what it held before."""
    data = text.encode("utf-8", errors="replace")
    if path.exists() and not path.is_file():  # a pipe, or /dev/stdout: nothing to put in its place
        path.write_bytes(data)
        return
    place = path.resolve()
    new = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        new.write_bytes(data)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


def _printable() -> None:
    """Print what the output can show and a question mark for the rest, rather than fail in the middle."""
    with contextlib.suppress(AttributeError, ValueError):
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
