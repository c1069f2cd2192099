"""The grid of a matrix, a defect a row and a layer a column, as plain cells that every report arranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.matrix import Matrix, Row
from grading.reports.words import cell, rows_by_state, state

__all__ = ["Line", "body", "totals"]


@dataclass(frozen=True)
class Line:
    """One line of the grid. `row` is None in the totals; `last` is the cell behind the layers."""

    name: str
    cells: Sequence[str]
    last: str
    row: Row | None = None


def body(matrix: Matrix) -> list[Line]:
    """A line for each defect, survivors first."""
    return [
        Line(row.defect.id, [cell(row, layer) for layer in matrix.layers], state(row), row)
        for row in rows_by_state(matrix.rows)
    ]


def totals(matrix: Matrix) -> list[Line]:
    """By layer: checks, defects killed, defects that no other layer kills, time once and over all runs."""
    steps = {step.layer: step for step in matrix.worth.steps}
    checks = [sum(its == layer for its in matrix.counting.counted.values()) for layer in matrix.layers]
    kills = [steps[layer].kills if layer in steps else 0 for layer in matrix.layers]
    only = [len(matrix.worth.only_in.get(layer, ())) for layer in matrix.layers]
    once = [steps[layer].seconds if layer in steps else 0.0 for layer in matrix.layers]
    inside = [matrix.inside[layer] for layer in matrix.layers]
    killed = sum(row.verdict.status == "killed" for row in matrix.rows)
    return [
        Line("defects killed", [str(number) for number in kills], str(killed)),
        Line("killed here only", [str(number) for number in only], str(sum(only))),
        Line("checks that count", [str(number) for number in checks], str(sum(checks))),
        Line("seconds, once", [_brief(value) for value in once], _brief(sum(once))),
        Line("seconds, whole matrix", [_brief(value) for value in inside], _brief(sum(inside))),
    ]


def _brief(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"
