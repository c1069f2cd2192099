"""The matrix in the format of mutation-testing-report-schema, which tools of other languages read too.

A file is a module of the correct server, a mutant an edit of a defect, a test a check that counts. What that
format cannot say as we mean it:

- It counts mutants, and a defect of several edits is as many, all with one verdict: its score weighs such a
  defect more than once.
- There a time-out is a kill. Here it is none, and so no mutant has the status `Timeout`: it is `Survived`,
  and its reason tells of the time-out.
- A mutant that changes its mind is worth nothing, and is `Survived` too.

The schema is published as the npm package `mutation-testing-report-schema`.
"""

from __future__ import annotations

import json
import os
from typing import Any

import defects
from grading.matrix import Matrix, Row
from grading.reports.places import Place, places_of
from grading.reports.words import short_check

__all__ = ["as_mutation_json", "to_mutation_report"]

#: Percent of killed mutants: below the first a report is red, from the second on green. A suite is meant to
#: kill every defect, so only that is green.
THRESHOLDS = {"low": 80, "high": 100}

_MOST = 300  # characters of what one check said


def as_mutation_json(matrix: Matrix) -> str:
    """The matrix as JSON text."""
    return json.dumps(to_mutation_report(matrix), indent=2, ensure_ascii=False) + "\n"


def to_mutation_report(matrix: Matrix) -> dict[str, Any]:
    """The matrix as plain values, as the schema has it. Times are milliseconds."""
    sources = defects.source_of_helpdesk()
    mutants: dict[str, list[dict[str, Any]]] = {name: [] for name in sources if name.endswith(".py")}
    for row in matrix.rows:
        places = places_of(row.defect, sources)
        for number, place in enumerate(places, start=1):
            mutants.setdefault(place.file, []).append(_mutant(row, matrix, place, number, len(places)))
    stamp = matrix.stamp
    system, _, machine = stamp.system.partition(" ")
    return {
        "schemaVersion": "2",
        "thresholds": THRESHOLDS,
        "files": {
            f"helpdesk/{name}": {
                "language": "python" if name.endswith(".py") else "text",
                "source": sources[name],
                "mutants": its,
            }
            for name, its in mutants.items()
        },
        "testFiles": _test_files(matrix),
        "framework": {
            "name": "The Mutant Help Desk",
            "dependencies": {"python": stamp.python, "mcp": stamp.sdk},
        },
        "system": {
            "ci": bool(os.environ.get("CI")),
            "os": {"platform": system.lower(), "description": f"{system} {machine}"},
            "cpu": {"logicalCores": stamp.processors},
        },
        "config": stamp.to_json(),
    }


def _mutant(row: Row, matrix: Matrix, place: Place, number: int, of: int) -> dict[str, Any]:
    defect, verdict = row.defect, row.verdict
    killers = {finding.nodeid for finding in verdict.killers}
    counted = matrix.counting.counted
    several = of > 1
    # Whether a change acts at import is known of the defect as a whole.
    static = {} if several else {"static": row.at_import}
    return {
        "id": f"{defect.id}-{number}" if several else defect.id,
        "mutatorName": defect.family,
        "description": defect.title + (f" (edit {number} of {of})" if several else ""),
        "location": {
            "start": {"line": place.start[0], "column": place.start[1]},
            "end": {"line": place.end[0], "column": place.end[1]},
        },
        "replacement": place.replacement,
        "status": _status(row),
        "statusReason": _reason(row),
        **static,
        # A change that acts at import is met by every test, though only those are named that noticed it.
        "coveredBy": [check for check in counted if check in killers or check in verdict.reached],
        "killedBy": [check for check in counted if check in killers],
        "duration": round(row.seconds * 1000),
    }


def _status(row: Row) -> str:
    """What became of it, in the schema's words."""
    if row.verdict.status == "broken":
        return "RuntimeError"
    if row.verdict.status == "killed":
        return "Killed"
    # Only where that is known: a change that acts at import is met by all, and a program may be unwatched.
    unreached = not row.verdict.reached and not row.at_import and row.programs
    return "NoCoverage" if row.verdict.status == "survived" and unreached else "Survived"


def _reason(row: Row) -> str:
    """What the checks said that noticed it, a line each, and what is not as the catalogue says."""
    lines = [row.problem] if row.problem else []
    if row.survival and not row.asked:
        lines.append(f"no layer that was run is asked to kill it; {row.survival.words}")
    for finding in row.verdict.findings:
        words = (finding.message.splitlines() or ["no message"])[0]
        words = words if len(words) <= _MOST else words[:_MOST] + "…"
        answer = "" if finding.answer == "killed" else f"{finding.answer}, which is no kill: "
        lines.append(f"{finding.layer or 'other'}: {short_check(finding.nodeid)}: {answer}{words}")
    return "\n".join(lines)


def _test_files(matrix: Matrix) -> dict[str, Any]:
    files: dict[str, Any] = {}
    for nodeid in matrix.counting.counted:
        file, _, name = nodeid.partition("::")
        files.setdefault(file, {"tests": []})["tests"].append({"id": nodeid, "name": name})
    return files
