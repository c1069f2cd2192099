"""The matrix in a terminal of 80 columns, in colour or without, and in a log."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from grading.matrix import Matrix, Row
from grading.reports.grid import Line, body, totals
from grading.reports.visible import visible
from grading.reports.words import (
    LEGEND,
    count_of,
    has_worth,
    headline,
    how_it_ran,
    seconds,
    short,
    short_check,
)
from grading.verdicts import Refused

__all__ = ["print_matrix"]

_COLUMN = 6
_LAST = 12
_MOST_IDLE = 8


def print_matrix(matrix: Matrix, console: Console) -> None:
    """Print the grid, its totals, what is not as told, and what the suite is worth."""
    for line in (*_grid(matrix, console), *_troubles(matrix), *_worth(matrix), *_foot(matrix)):
        console.print(line, soft_wrap=True)


def _grid(matrix: Matrix, console: Console) -> list[Text]:
    room = console.width - _COLUMN * len(matrix.layers) - _LAST - 3
    longest = max((len(row.defect.id) for row in matrix.rows), default=0)
    # In a log nothing is cut. In a terminal a long name gives way to the columns.
    wide = max(21, min(longest, room) if console.is_terminal else longest)
    head = "".join(short(layer).rjust(_COLUMN) for layer in matrix.layers)
    lines = [Text(f"{'defect':{wide}}{head}   killed first by", style="bold")]
    lines += [_line(line, wide) for line in body(matrix)]
    lines.append(Text("-" * (wide + len(head) + 3 + _LAST), style="dim"))
    lines += [_line(line, wide) for line in totals(matrix)]
    lines.append(Text())
    lines += [Text(line, style="dim") for line in LEGEND]
    lines.append(Text())
    style = "red bold" if matrix.problems else "green bold"
    lines += [Text(line, style=style) for line in textwrap.wrap(headline(matrix) + ".", 79)]
    return lines


def _line(line: Line, wide: int) -> Text:
    name = line.name if len(line.name) <= wide else line.name[: wide - 1] + "…"
    text = Text(name.ljust(wide), style=_style(line.row))
    for cell in line.cells:
        text.append(cell.rjust(_COLUMN), style=_cell_style(cell))
    return text.append(f"   {line.last}")


def _style(row: Row | None) -> str:
    return "" if row is None or row.as_told else "red"


def _cell_style(cell: str) -> str:
    if "!" in cell or "u" in cell:
        return "red bold"
    if cell.isdigit():
        return "green"
    return "dim" if cell in (".", "-") else "yellow"


def _troubles(matrix: Matrix) -> list[Text]:
    lines = []
    refused = [refused for refused in matrix.counting.refused if refused.why != "skipped"]
    if refused:
        lines += [Text(), Text("Checks that do not count, on no defect", style="red bold")]
        lines += _wrapped(map(_refused, refused))
    rows = [row.problem for row in matrix.rows if row.problem]
    if rows:
        lines += [Text(), Text("Not as the catalogue says", style="red bold"), *_wrapped(rows)]
    return lines


def _refused(refused: Refused) -> str:
    server = refused.server or "the correct server"
    said = visible(refused.message.splitlines()[0]) if refused.message else refused.outcome
    return f"{refused.nodeid}: {refused.why}; on {server}: {said}"


def _worth(matrix: Matrix) -> list[Text]:
    worth = matrix.worth
    if not has_worth(matrix):
        return []
    lines = [Text(), Text("What the suite is worth", style="bold")]
    smallest = worth.smallest
    how = "no fewer do" if smallest.exact else "found greedily: fewer may do"
    fewer = count_of(len(smallest.checks), "check")
    lines += _wrapped(
        [
            f"{fewer} would kill as much as all {len(matrix.counting.counted)} ({how}), "
            f"in {seconds(smallest.seconds)} instead of {seconds(worth.seconds)}."
        ]
    )
    if worth.sole:
        lines.append(Text("  Delete one of these checks, and its bugs ship:"))
        lines += _wrapped((f"{short_check(c)}: {', '.join(ds)}" for c, ds in worth.sole.items()), "    ")
    if worth.idle:
        kill = "kills" if len(worth.idle) == 1 else "kill"
        lines.append(Text(f"  {count_of(len(worth.idle), 'check')} that {kill} nothing here:"))
        names = [short_check(check) for check in worth.idle[:_MOST_IDLE]]
        more = len(worth.idle) - len(names)
        lines += _wrapped([*names, *([f"and {more} more (--format json names all)"] if more else [])], "    ")
    lines += _wrapped(_sentences(matrix))
    lines.append(Text("  Layer after layer, cheap ones first:"))
    for step in worth.steps:
        new = f"{len(step.new)} new" + (f": {', '.join(step.new)}" if 0 < len(step.new) <= 4 else "")
        words = f"{step.layer or 'other':12} {seconds(step.seconds):>7}  kills {step.kills}, {new}"
        lines += _wrapped([words], "    ", hang=" " * 27)
    return lines


def _sentences(matrix: Matrix) -> Iterable[str]:
    worth = matrix.worth
    if worth.redundant:
        yield f"{count_of(len(worth.redundant), 'check')} kill only what others kill too."
    if worth.twins:
        groups = "; ".join(" = ".join(group) for group in worth.twins)
        yield f"No check tells these defects apart: {groups}."
    if worth.subsumed:
        pairs = ", ".join(f"{defect} by {other}" for defect, other in worth.subsumed.items())
        yield f"Subsumed (whatever kills the second kills the first): {pairs}."
    if "transport" in matrix.layers:
        lost = worth.only_in.get("transport", ())
        which = f": {', '.join(lost)}" if lost else ""
        yield f"Without transport, {len(lost)} of {len(worth.cheapest)} bugs would be missed{which}."


def _foot(matrix: Matrix) -> list[Text]:
    said = (how_it_ran(matrix), str(matrix.stamp))
    return [Text(), *(Text(line, style="dim") for text in said for line in textwrap.wrap(text, 79))]


def _wrapped(paragraphs: Iterable[str], indent: str = "  ", hang: str | None = None) -> Sequence[Text]:
    after = indent + "  " if hang is None else hang
    return [
        Text(line)
        for paragraph in paragraphs
        for line in textwrap.wrap(
            paragraph,
            79,
            initial_indent=indent,
            subsequent_indent=after,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
