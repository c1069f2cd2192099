"""The matrix for programs. `matrix.schema.json`, beside this file, says what is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grading.matrix import Matrix, Row

__all__ = ["SCHEMA", "as_json", "to_plain"]

SCHEMA = Path(__file__).with_name("matrix.schema.json")

#: Goes up when a reader of the old format would misread the new one.
VERSION = 1


def as_json(matrix: Matrix) -> str:
    """The matrix as JSON text."""
    return json.dumps(to_plain(matrix), indent=2, ensure_ascii=False) + "\n"


def to_plain(matrix: Matrix) -> dict[str, Any]:
    """The matrix as plain values, as the schema has it. Times are seconds."""
    worth = matrix.worth
    counting = matrix.counting
    return {
        "version": VERSION,
        "stamp": matrix.stamp.to_json(),
        "layers": list(matrix.layers),
        "as_told": not matrix.problems,
        "problems": list(matrix.problems),
        "defects": [_row(row, matrix) for row in matrix.rows],
        "checks": [
            {"id": check, "layer": layer, "seconds": _time(counting.seconds[check])}
            for check, layer in counting.counted.items()
        ],
        "refused": [
            {
                "id": refused.nodeid,
                "layer": refused.layer,
                "why": refused.why,
                "server": refused.server,
                "outcome": refused.outcome,
                "message": refused.message,
            }
            for refused in counting.refused
        ],
        "worth": {
            "sole": {check: list(ids) for check, ids in worth.sole.items()},
            "idle": list(worth.idle),
            "redundant": list(worth.redundant),
            "smallest": {
                "checks": list(worth.smallest.checks),
                "exact": worth.smallest.exact,
                "seconds": _time(worth.smallest.seconds),
            },
            "subsumed": dict(worth.subsumed),
            "twins": [list(group) for group in worth.twins],
            "steps": [
                {
                    "layer": step.layer,
                    "seconds": _time(step.seconds),
                    "kills": step.kills,
                    "new": list(step.new),
                }
                for step in worth.steps
            ],
            "only_in": {layer: list(ids) for layer, ids in worth.only_in.items()},
        },
        "time": {
            "wall": _time(matrix.wall),
            "inside": {layer: _time(value) for layer, value in matrix.inside.items()},
            "runs": matrix.runs,
            "jobs": matrix.jobs,
            "left_out": matrix.left_out,
        },
    }


def _row(row: Row, matrix: Matrix) -> dict[str, Any]:
    return {
        "id": row.defect.id,
        "title": row.defect.title,
        "chapter": row.defect.chapter,
        "family": row.defect.family,
        "status": row.verdict.status,
        "detail": row.verdict.detail,
        "asked": list(row.asked),
        "missed": list(row.missed),
        "survival": _survival(row),
        "reached": list(row.verdict.reached),
        "cheapest": matrix.worth.cheapest.get(row.defect.id),
        "kills": {layer: row.verdict.kills_in(layer) for layer in matrix.layers},
        "findings": [
            {
                "check": finding.nodeid,
                "layer": finding.layer,
                "answer": finding.answer,
                "message": finding.message,
                "where": finding.where,
            }
            for finding in row.verdict.findings
        ],
        "seconds": _time(row.seconds),
    }


def _survival(row: Row) -> dict[str, Any] | None:
    survival = row.survival
    return {"why": survival.why, "words": survival.words} if survival else None


def _time(value: float) -> float:
    return round(value, 4)
