"""The matrix for a spreadsheet: a defect a row, a layer a column."""

from __future__ import annotations

import csv
import io

from grading.matrix import Matrix
from grading.reports.words import rows_by_state

__all__ = ["as_csv"]


def as_csv(matrix: Matrix) -> str:
    """A header, then a line for each defect. A cell is the number of checks of the layer that kill it.

    `missed` names the layers that should have killed it and did not, with spaces between them.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    layers = [layer or "other" for layer in matrix.layers]
    writer.writerow(["defect", "chapter", "family", "status", "cheapest_layer", "missed", *layers, "title"])
    for row in rows_by_state(matrix.rows):
        defect, verdict = row.defect, row.verdict
        writer.writerow(
            [
                defect.id,
                defect.chapter,
                defect.family,
                verdict.status,
                matrix.worth.cheapest.get(defect.id, ""),
                " ".join(row.missed),
                *(verdict.kills_in(layer) for layer in matrix.layers),
                defect.title,
            ]
        )
    return text.getvalue()
