"""The commands of `grade.py`: what they take, what they start, and the exit status."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

__all__ = ["main"]

COMMANDS = ("matrix", "check", "test")

_WHAT = """\
grade.py EXERCISE      grade what is in this folder; a copy of it elsewhere will do
grade.py matrix        which layer of the reference suite kills which defect
grade.py check         hold what a contributor adds to its rules
grade.py test          the project's own tests, and the reference suite

Each of them says more with --help.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 all well, 1 a verdict that is not, 2 usage, 3 the grader itself."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if not words:
            print(_WHAT, end="")
            return 0
        if words[0] in COMMANDS or words[0].startswith("-"):
            return _command(words)
        return _path(words[0], words[1:])
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of the pipe has seen enough
        sys.stderr.close()
        return 0


def _terminated(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _path(path: str, rest: Sequence[str]) -> int:
    close = get_close_matches(path, COMMANDS, n=1)
    if close and not Path(path).exists():
        print(f"grade.py: no command {path!r}; did you mean {close[0]}?\n\n{_WHAT}", end="", file=sys.stderr)
        return 2
    from grading.exercises import exercise

    parser = argparse.ArgumentParser(
        prog=f"grade.py {path}",
        description="Grades what is in this folder, or a copy of an exercise elsewhere.",
    )
    exercise.add_options(parser)
    return exercise.main(path, parser.parse_args(rest))


def _command(words: Sequence[str]) -> int:
    if words[0] == "test":
        from grading import own_tests

        return own_tests.main(words[1:])
    options = _parser().parse_args(words)
    if options.command == "matrix":
        from grading import matrix_command

        return matrix_command.main(options)
    if options.what == "exercises":
        from grading.exercises import check_exercises

        return check_exercises.main(options)
    from grading import check_command

    return check_command.main(options)


def _parser() -> argparse.ArgumentParser:
    from grading.layers import LAYERS

    parser = argparse.ArgumentParser(
        prog="grade.py",
        usage="grade.py [EXERCISE | matrix | check | test] …",
        description="Grades tests by the bugs they kill.",
        epilog=_WHAT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="grade.py")

    matrix = commands.add_parser(
        "matrix",
        help="which layer kills which defect",
        description="Runs a suite against the correct server and every defect: which layer kills which.",
        epilog="Exit status: 0 all killed as the catalogue says; 1 something is not; 2 usage; 3 the grader.",
    )
    matrix.add_argument(
        "--jobs", type=_number, metavar="N", help="runs at a time; one a processor if not given"
    )
    matrix.add_argument(
        "--defect", action="append", default=[], metavar="ID", help="only this one (repeatable)"
    )
    matrix.add_argument(
        "--layer", action="append", default=[], metavar="NAME", help=f"only this one of {', '.join(LAYERS)}"
    )
    matrix.add_argument(
        "--suite", type=Path, metavar="DIR", help="another folder of tests; layers are its folders"
    )
    matrix.add_argument(
        "--cold", action="store_true", help="a new interpreter for each run: slow, works anywhere"
    )
    matrix.add_argument(
        "--every-check",
        action="store_true",
        help="ask every check about every defect, also those that never enter what it changes",
    )
    matrix.add_argument(
        "--format",
        choices=("terminal", "json", "csv", "markdown", "html", "mutation-json", "mutation-html"),
        default="terminal",
        help="of the report; mutation-json is mutation-testing-report-schema's, mutation-html its viewer",
    )
    matrix.add_argument(
        "--explain", metavar="DEFECT", help="story, diff, and the first failing check of each layer"
    )
    matrix.add_argument("-o", dest="output", type=Path, metavar="FILE", help="write the report there")
    approval = matrix.add_mutually_exclusive_group()
    approval.add_argument(
        "--compare",
        action="store_true",
        help="say which cells differ from the approved matrix; 1 if any does",
    )
    approval.add_argument("--approve", action="store_true", help="approve the matrix as it is now")

    check = commands.add_parser(
        "check",
        help="hold what a contributor adds to its rules",
        description="Holds defects to the rules (the format, then what the reference suite makes of them), "
        "or exercises (their files, and what the grader makes of start and solution).",
    )
    check.add_argument("what", choices=("defects", "exercises"), help="what to check")
    check.add_argument("names", nargs="*", metavar="ID|FILE", help="only these; all of them if none is given")
    check.add_argument(
        "--jobs", type=_number, metavar="N", help="runs at a time; one a processor if not given"
    )
    check.add_argument(
        "--cold", action="store_true", help="a new interpreter for each run: slow, works anywhere"
    )

    test = commands.add_parser("test", help="run the project's own tests", add_help=False)
    test.add_argument("pytest", nargs="*")
    return parser


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _terminated)  # so that temporary folders go, as on Ctrl-C
    sys.exit(main())
