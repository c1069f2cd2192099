"""`grade.py check defects`: the rules for a file of the catalogue, those that need the suite to run included.

- the rules of `defects.check`: format, edits, syntax, hints, twins;
- every module of the mutant can be imported, unless it is meant to die in the transport layer;
- the reference suite kills it by assertion in each layer that it names, twice;
- a half of a pair survives in every layer that it does not name;
- the reference suite passes on each correct variant;
- when all files are checked: each cell of the matrix is the approved one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import defects
from defects import Defect, FormatError, UnknownDefect, Variant, entries
from defects.check import Problem, check
from defects.reading import read_variant
from grading import approved_file
from grading.approved import compare, minor, part_of
from grading.engine.runner import EngineError
from grading.matrix import Matrix, Row
from grading.matrix_command import engine_error, measure
from grading.plan import Usage, find_suite
from grading.reports.words import count_of

__all__ = ["main", "problems_of", "unapproved"]


def main(options: argparse.Namespace) -> int:
    """Check these files, or all. Exit status: 0 all well, 1 something to mend, 2 usage, 3 the grader."""
    try:
        paths = _paths(options.names)
        problems = check(paths or None)
        bad = {problem.path for problem in problems}
        sound = [path for path in paths or _all() if path not in bad]
        matrix = _run(sound, options)
        notes = []
        if matrix:
            problems += problems_of(matrix, {path.stem: path for path in sound})
            if not paths:
                news, notes = unapproved(matrix)
                problems += news
    except (Usage, FormatError, OSError) as problem:
        print(f"grade.py check: {problem}", file=sys.stderr)
        return 2
    except EngineError as problem:
        return engine_error(problem)
    for line in (*problems, *notes):
        print(line)
    total = len(paths or _all())
    print(f"{count_of(total, 'file')} checked, {count_of(len(problems), 'thing')} to mend.")
    return 1 if problems else 0


def problems_of(matrix: Matrix, paths: dict[str, Path]) -> Iterator[Problem]:
    """What the suite found wrong with these entries (id -> file); a half is one that lies in `halves`."""
    for refused in matrix.counting.refused:
        if refused.server in paths:
            yield Problem(
                paths[refused.server],
                f"{refused.nodeid} does not pass on this correct server ({refused.outcome}: "
                f"{_first(refused.message)}). Either the edit breaks what is promised, or the check asks for "
                "what is not",
            )
    for row in matrix.rows:
        path = paths[row.defect.id]
        message = _half(row) if path.parent.name == "halves" else _defect(row)
        if message:
            yield Problem(path, message)


def unapproved(matrix: Matrix) -> tuple[list[Problem], list[str]]:
    """Where a matrix of the whole catalogue is not the approved one, and what to say after that.

    Halves are not approved. Raises `Usage` when the approved matrix cannot be read.
    """
    approved = approved_file.read()
    if approved is None:
        missing = "is missing. Approve a matrix: python3 grade.py matrix --approve"
        return [Problem(approved_file.PATH, missing)], []
    ours = {path.stem: path for path in _all() if path.parent == entries.CATALOGUE}
    found = compare(approved, part_of(matrix, ours), minor(matrix.stamp.python), ours)
    news = [Problem(ours.get(change.defect, approved_file.PATH), str(change)) for change in found.changes]
    return news, [*found.notes, *([approved_file.CURE] if news else [])]


def _defect(row: Row) -> str:
    verdict = row.verdict
    if verdict.status == "broken":
        return "" if "transport" in row.defect.layers else _broken(row)
    unstable = [finding for finding in verdict.findings if finding.answer == "unstable"]
    if unstable:
        return f"{unstable[0].nodeid} gives two answers when asked twice ({_first(unstable[0].message)})"
    if not row.missed:
        return ""
    others = [f for f in verdict.findings if f.layer in row.missed and f.answer != "killed"]
    also = ""
    if others:
        first = others[0]
        also = f" There {first.nodeid} gives {first.answer} ({_first(first.message)}), which is no kill."
    kills = ", ".join(row.killing_layers)
    cure = f"it dies in {kills}: name those layers, or" if kills else "no check notices it:"
    return f"survives in {', '.join(row.missed)}, which its layers name; {cure} make it bite there.{also}"


def _half(row: Row) -> str:
    if row.verdict.status == "broken":
        return _broken(row)
    more = [layer for layer in row.killing_layers if layer not in row.defect.layers]
    if more:
        first = next(finding for finding in row.verdict.killers if finding.layer == more[0])
        return (
            f"dies alone in {', '.join(more)} ({first.nodeid}); name it in layers, or it is half of no pair"
        )
    return _defect(row)


def _broken(row: Row) -> str:
    return f"cannot be imported, so no check could judge it: {_first(row.verdict.detail)}"


def _run(paths: Sequence[Path], options: argparse.Namespace) -> Matrix | None:
    """Run the reference suite on these, if there are any."""
    chosen: dict[str, Defect] = {}
    variants: dict[str, Variant] = {}
    for path in paths:
        if path.parent.name == "variants":
            variants[path.stem] = read_variant(path)
        else:
            chosen[path.stem] = defects.load(path)
    if not chosen and not variants:
        return None
    # A defect must die by checks that count, and these pass on every variant.
    held = variants if not chosen else {**defects.variants(), **variants}
    matrix = measure(find_suite(), chosen, held, jobs=options.jobs, cold=options.cold, whole=bool(variants))
    broken = [
        refused for refused in matrix.counting.refused if not refused.server and refused.why != "skipped"
    ]
    if broken:
        raise Usage(f"{broken[0].nodeid} does not pass on the correct server; mend that first")
    return matrix


def _all() -> list[Path]:
    folders = (entries.CATALOGUE, entries.HALVES, entries.VARIANTS)
    return [path for folder in folders for path in sorted(folder.glob("*.toml"))]


def _paths(names: Sequence[str]) -> list[Path]:
    """The files of these ids or paths. Raises `Usage` for one that is not there."""
    known = {path.stem: path for path in _all()}
    found = []
    for name in names:
        path = Path(name)
        if path.is_file():
            found.append(path.resolve())
        elif name in known:
            found.append(known[name])
        else:
            raise Usage(str(UnknownDefect(name, known)))
    return found


def _first(text: str) -> str:
    return (text.splitlines() or ["no message"])[0]
