"""`python -m defects`: look at the known bugs, run a server that has them, start a new one."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from defects import entries, new, run, show
from defects.edits import EditError
from defects.entries import UnknownDefect, catalogue, find_defect, find_variant, halves, variants
from defects.model import CHAPTERS, FAMILIES, Defect, FormatError, Variant
from defects.trees import changed, edited, lay_sources, source_of_helpdesk

__all__ = ["main"]

RUN = "python -m defects run stdout_banner -- -m helpdesk.stdio_main"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand. Exit status: 0, or the program's own for `run`; 2 for anything wrong."""
    words = list(sys.argv[1:] if argv is None else argv)
    words, program = _split(words)
    options = _parser().parse_args(words)
    try:
        if options.command == "run":
            return _run(options.id, program)
        if program:
            print("only run takes a program after --", file=sys.stderr)
            return 2
        return options.do(options)
    except (UnknownDefect, FormatError, EditError, FileNotFoundError, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the pipe has seen enough
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m defects", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="every defect, half and variant, a line each")
    listing.set_defaults(do=lambda _: _list())

    shown = commands.add_parser("show", help="one entry: story, layers, hints")
    shown.add_argument("id")
    shown.set_defaults(do=lambda options: _show(options.id))

    differ = commands.add_parser("diff", help="the edits as a unified diff")
    differ.add_argument("id", nargs="+")
    differ.set_defaults(do=lambda options: _diff(options.id))

    running = commands.add_parser("run", help="run Python on such a server", epilog=f"Such as: {RUN}")
    running.add_argument("id", nargs="+", help="defects, then -- and the interpreter's own arguments")

    tree = commands.add_parser("tree", help="write the server with these defects into a folder")
    tree.add_argument("id", nargs="+")
    tree.add_argument("folder", metavar="DIR", type=Path, help="made if need be; gets DIR/helpdesk")
    tree.set_defaults(do=lambda options: _tree(options.id, options.folder))

    families = "families: " + ", ".join(FAMILIES)
    chapters = f"chapters: {CHAPTERS.start} to {CHAPTERS.stop - 1}"
    starting = commands.add_parser(
        "new", help="start a defect's file from a selection of the source", epilog=f"{families}; {chapters}"
    )
    starting.add_argument("name", help="the id, and the file's name")
    starting.add_argument("--file", help="a file of helpdesk, such as service.py")
    selection = starting.add_mutually_exclusive_group(required=True)
    selection.add_argument("--lines", metavar="FIRST-LAST", help="line numbers in --file, both included")
    selection.add_argument("--find", metavar="TEXT", help="a text that stands in one line only")
    starting.set_defaults(do=_new)
    return parser


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the first `--`, and what stands after it (argparse would mix the two)."""
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _find(name: str) -> Defect | Variant:
    try:
        return find_defect(name)
    except UnknownDefect as unknown:
        try:
            return find_variant(name)
        except UnknownDefect:
            raise unknown from None


def _list() -> int:
    show.print_tables(catalogue().values(), halves().values(), variants().values())
    return 0


def _show(name: str) -> int:
    entry = _find(name)
    show.print_entry(entry, {f"helpdesk/{edit.file}" for edit in entry.edits})
    return 0


def _diff(names: Sequence[str]) -> int:
    wanted = [_find(name) for name in names]
    show.print_diff(show.diff(source_of_helpdesk(), edited(wanted)))
    show.print_renamed(wanted)
    return 0


def _run(names: Sequence[str], program: Sequence[str]) -> int:
    if not program:
        print(f"say what to run after --, such as: {RUN}", file=sys.stderr)
        return 2
    return run.run(changed([_find(name) for name in names]), program)


def _tree(names: Sequence[str], folder: Path) -> int:
    lay_sources(changed([_find(name) for name in names]), folder)
    print(f"laid {folder / 'helpdesk'}")
    return 0


def _new(options: argparse.Namespace) -> int:
    sources = source_of_helpdesk()
    if options.find is not None:
        file, find = new.select_text(sources, options.find, options.file)
    else:
        first, dash, last = options.lines.partition("-")
        if options.file is None or not first.isdigit() or (dash and not last.isdigit()):
            print("--lines takes FIRST-LAST, such as 40-48, and needs --file", file=sys.stderr)
            return 2
        file, find = options.file, new.select_lines(sources, options.file, int(first), int(last or first))
    path = entries.CATALOGUE / f"{options.name}.toml"
    if any((folder / path.name).exists() for folder in (entries.CATALOGUE, entries.HALVES)):
        print(f"there is a defect {options.name!r} already", file=sys.stderr)
        return 2
    path.write_text(new.skeleton(file, find), encoding="utf-8", newline="\n")
    print(f"wrote {path}: fill in what says TODO, then run `python3 grade.py check defects {path}`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
