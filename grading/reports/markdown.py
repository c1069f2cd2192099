"""The matrix as Markdown: for a page of the site, a README, or the summary of a CI step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grading.matrix import Matrix
from grading.reports.grid import Line, body, totals
from grading.reports.words import LEGEND, count_of, has_worth, headline, how_it_ran, seconds, short_check

__all__ = ["as_markdown"]


def as_markdown(matrix: Matrix) -> str:
    """The grid, its totals, what is not as told, and what the suite is worth."""
    worth = matrix.worth
    smallest = worth.smallest
    parts = [
        f"**{headline(matrix)}.**",
        _table(["defect", *(layer or "other" for layer in matrix.layers), "killed first by"], body(matrix)),
        _table(["by layer", *(layer or "other" for layer in matrix.layers), "all"], totals(matrix)),
        "\n".join(f"{line}  " for line in LEGEND),
    ]
    if matrix.problems:
        parts.append("**Not as the catalogue says**\n\n" + _bullets(map(_escape, matrix.problems)))
    if has_worth(matrix):
        how = "no fewer do" if smallest.exact else "found greedily"
        parts.append(
            f"**What the suite is worth.** {count_of(len(smallest.checks), 'check')} would kill as much as "
            f"all {len(matrix.counting.counted)}, in {seconds(smallest.seconds)} instead of "
            f"{seconds(worth.seconds)} ({how}):\n\n{_bullets(f'`{check}`' for check in smallest.checks)}"
        )
    if worth.sole:
        sole = (f"`{short_check(check)}`: {', '.join(ids)}" for check, ids in worth.sole.items())
        parts.append("Delete one of these checks, and its bugs ship:\n\n" + _bullets(sole))
    parts.append(f"{how_it_ran(matrix)} {matrix.stamp}.")
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], lines: Iterable[Line]) -> str:
    rows = [[f"`{line.name}`" if line.row else line.name, *line.cells, line.last] for line in lines]
    rule = ["---", *("--:" for _ in head[1:-1]), "---"]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
