"""The words that all reports share: short names of layers, marks of cells, counts and times."""

from __future__ import annotations

from collections.abc import Iterable

from grading.matrix import Matrix, Row

__all__ = [
    "LEGEND",
    "cell",
    "count_of",
    "has_worth",
    "headline",
    "how_it_ran",
    "rows_by_state",
    "seconds",
    "short",
    "short_check",
    "state",
]

_SHORT = {
    "contract": "contr",
    "snapshot": "snap",
    "conformance": "conf",
    "end_to_end": "e2e",
    "security": "secur",
    "transport": "trans",
    "property": "prop",
    "": "other",
}

# What a check gave that is neither a pass nor a kill, the most telling first, each with its mark.
_MARKS = {"unstable": "u", "timeout": "t", "crashed": "c", "error": "e", "skipped": "s", "missing": "s"}

LEGEND = (
    "3 checks kill it  . none does  ! none does, and the catalogue says it dies here",
    "u changed its mind  t time-out  c crash  e error  s not run: these kill nothing",
)


def short(layer: str) -> str:
    """A layer's name in five letters at most, for the head of a column."""
    return _SHORT.get(layer, layer)[:5]


def short_check(nodeid: str) -> str:
    """A check's name without its file."""
    return nodeid.rsplit("::", 1)[-1]


def cell(row: Row, layer: str) -> str:
    """One cell: how many checks kill, then the marks of `LEGEND`."""
    if row.verdict.status == "broken":
        return "-"
    kills = row.verdict.kills_in(layer)
    answers = row.verdict.answers_in(layer)
    marks = "".join(dict.fromkeys(mark for answer, mark in _MARKS.items() if answer in answers))
    missed = "!" if layer in row.missed else ""
    return f"{kills or ''}{missed}{marks}" or "."


def state(row: Row) -> str:
    """What became of the defect: its cheapest killing layer, or a word in capitals for what is wrong."""
    if row.verdict.status in ("broken", "unstable"):
        return row.verdict.status.upper()
    if row.verdict.status == "survived":
        return "SURVIVED" if row.asked else "not here"
    return row.killing_layers[0] or "other"


def rows_by_state(rows: Iterable[Row]) -> list[Row]:
    """What needs a look first: survivors, then what else is not as told, then the rest by name."""

    def key(row: Row) -> tuple[int, str]:
        if row.as_told:
            return 3, row.defect.id
        place = {"survived": 0, "broken": 1, "unstable": 1, "killed": 2}[row.verdict.status]
        return place, row.defect.id

    return sorted(rows, key=key)


def headline(matrix: Matrix) -> str:
    """The whole matrix in a sentence."""
    by_status = [row.verdict.status for row in matrix.rows]
    parts = [f"{by_status.count('killed')} of {count_of(len(by_status), 'defect')} killed"]
    asked_survivors = sum(row.verdict.status == "survived" and bool(row.asked) for row in matrix.rows)
    quiet_survivors = by_status.count("survived") - asked_survivors
    parts.append(f"{asked_survivors} survived")
    if quiet_survivors:
        parts.append(f"{quiet_survivors} that these layers need not kill")
    parts += [f"{by_status.count(word)} {word}" for word in ("unstable", "broken") if word in by_status]
    elsewhere = sum(bool(row.missed) and row.verdict.status == "killed" for row in matrix.rows)
    if elsewhere:
        parts.append(f"{elsewhere} not in every layer that the catalogue says")
    return ", ".join(parts)


def has_worth(matrix: Matrix) -> bool:
    """Whether there is something to say of what the suite is worth: one defect alone says nothing of it."""
    return bool(matrix.worth.cheapest) and len(matrix.rows) > 1


def how_it_ran(matrix: Matrix) -> str:
    """Runs and time, and what was left out, in one or two sentences."""
    said = f"{count_of(matrix.runs, 'run')} in {seconds(matrix.wall)}, {matrix.jobs} at a time; "
    said += f"{seconds(sum(matrix.inside.values()))} inside checks."
    if matrix.left_out:
        asked = len(matrix.rows) * len(matrix.counting.counted)
        said += (
            f" {matrix.left_out} of {asked} questions (a check, a defect) were not asked: on the correct "
            "server that check never reaches what the defect changes, so it cannot notice "
            "(--every-check asks all)."
        )
    return said


def count_of(number: int, noun: str) -> str:
    """Such as "1 check" and "2 checks"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def seconds(value: float) -> str:
    """A time that reads well: two digits below ten seconds, none above a minute."""
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s" if value < 60 else f"{value:.0f} s"
