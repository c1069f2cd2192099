"""The approved matrix, and what a new one changes in it, cell by cell.

Pure functions on kills; `grading.approved_file` keeps them as text.

    new = part_of(matrix)
    found = compare(approved, new, python="3.11", catalogue=ids)
    found.changes             a sentence for each cell, check or defect that differs
    found.notes               what could not be compared, and why

Nothing that differs from run to run is kept: no times, no messages. A check is named by its node id without
the suite's own folder, such as `unit/test_search.py::test_filters`.

What the property layer finds depends on the Python version, for hypothesis draws other examples there. So
its cells are approved for each version (such as "3.11") apart, and a version that nobody approved is told
and not held against anybody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from grading.matrix import Matrix
from grading.reports.words import count_of, short_check
from grading.worth import in_order

__all__ = [
    "PER_PYTHON",
    "Approved",
    "Change",
    "Comparison",
    "Part",
    "approve",
    "by_number",
    "compare",
    "minor",
    "part_of",
]

#: The layers whose cells are approved for each Python version apart.
PER_PYTHON = frozenset({"property"})

_MOST_NAMES = 4


@dataclass(frozen=True)
class Part:
    """Cells that belong together.

    `counts`: layer -> the checks that count there. `kills`: defect -> layer -> the checks that kill it
    there; a layer that kills nothing may be absent.
    """

    counts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kills: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    def only(self, layers: Collection[str]) -> Part:
        """The cells of these layers. Every defect stays, be it without a cell."""
        return Part(
            {layer: checks for layer, checks in self.counts.items() if layer in layers},
            {
                defect: {layer: checks for layer, checks in cells.items() if layer in layers}
                for defect, cells in self.kills.items()
            },
        )

    def checks_in(self, defect: str, layer: str) -> frozenset[str]:
        """The checks of one cell."""
        return self.kills.get(defect, {}).get(layer, frozenset())


@dataclass(frozen=True)
class Approved:
    """What was approved: for every Python, and for each version (such as "3.11") the rest."""

    always: Part = field(default_factory=Part)
    python: Mapping[str, Part] = field(default_factory=dict)

    @property
    def defects(self) -> frozenset[str]:
        """Every defect that has an approved cell, on whichever Python."""
        parts = (self.always, *self.python.values())
        return frozenset(
            defect for part in parts for defect, cells in part.kills.items() if any(cells.values())
        )

    def on(self, python: str) -> Part:
        """What is approved for this Python version, all layers together."""
        own = self.python.get(python, Part())
        return Part(
            {**self.always.counts, **own.counts},
            {
                defect: {**self.always.kills.get(defect, {}), **own.kills.get(defect, {})}
                for defect in (*self.always.kills, *own.kills)
            },
        )


@dataclass(frozen=True)
class Change:
    """One difference, in a sentence without its full stop. `defect` is "" where a check is what changed."""

    defect: str
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Comparison:
    """What differs from the approved matrix, and what was not compared."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def minor(version: str) -> str:
    """The minor version of a Python, such as "3.11" of "3.11.4"."""
    return ".".join(version.split(".")[:2])


def part_of(matrix: Matrix, only: Collection[str] | None = None) -> Part:
    """The cells of a matrix that was run: of all its defects, or of those with these ids."""
    counts: dict[str, set[str]] = {layer: set() for layer in matrix.layers}
    for nodeid, layer in matrix.counting.counted.items():
        counts[layer].add(_short(nodeid))
    kills: dict[str, dict[str, set[str]]] = {}
    for row in matrix.rows:
        if only is None or row.defect.id in only:
            cells = kills.setdefault(row.defect.id, {})
            for finding in row.verdict.killers:
                cells.setdefault(finding.layer, set()).add(_short(finding.nodeid))
    return Part(_frozen(counts), {defect: _frozen(cells) for defect, cells in kills.items()})


def approve(approved: Approved, new: Part, python: str) -> Approved:
    """`new`, which is of the whole catalogue, takes the place of what was approved.

    Of other Python versions only the cells of defects that `new` does not know are dropped.
    """
    everywhere = frozenset(new.counts) - PER_PYTHON
    others = {
        version: Part(part.counts, {id: cells for id, cells in part.kills.items() if id in new.kills})
        for version, part in approved.python.items()
    }
    return Approved(new.only(everywhere), {**others, python: new.only(PER_PYTHON)})


def compare(
    approved: Approved, new: Part, python: str, catalogue: Collection[str] | None = None
) -> Comparison:
    """What `new` changes: in the layers and for the defects that it holds, and nowhere else.

    `catalogue` are the ids of all defects that there are: an approved one that is not among them is a
    change. Without it, no defect is missed.
    """
    notes = []
    layers = frozenset(new.counts)
    if layers & PER_PYTHON and python not in approved.python:
        layers -= PER_PYTHON
        versions = ", ".join(sorted(approved.python, key=by_number)) or "no version"
        notes.append(
            f"Not compared: the {' and '.join(sorted(PER_PYTHON))} layer, which is approved for Python "
            f"{versions} and not for {python}."
        )
    before, after = approved.on(python).only(layers), new.only(layers)
    changes = list(_counts(before, after))
    for defect in sorted(new.kills):
        if defect in approved.defects:
            changes += _cells(defect, before, after)
        else:
            changes.append(Change(defect, f"{defect}: not approved yet; {_killed(after.kills[defect])}"))
    for defect in sorted(approved.defects - set(approved.defects if catalogue is None else catalogue)):
        changes.append(Change(defect, f"{defect}: approved, and no longer in the catalogue"))
    return Comparison(tuple(changes), tuple(notes))


def _counts(before: Part, after: Part) -> Iterator[Change]:
    for layer in in_order(after.counts):
        old, new = before.counts.get(layer, frozenset()), after.counts[layer]
        for check in sorted(old - new):
            yield Change("", f"{check} no longer counts")
        for check in sorted(new - old):
            yield Change("", f"{check} now counts")


def _cells(defect: str, before: Part, after: Part) -> Iterator[Change]:
    for layer in in_order((*before.kills.get(defect, ()), *after.kills[defect])):
        old, new = before.checks_in(defect, layer), after.checks_in(defect, layer)
        if old != new:
            parts = [f"killed by {count_of(len(new), 'check')}, approved {len(old)}"]
            if old - new:
                parts.append(f"{_names(old - new)} no longer {_kill(old - new)} it")
            if new - old:
                parts.append(f"{_names(new - old)} now {_kill(new - old)} it")
            yield Change(defect, f"{defect} x {layer or 'other'}: {'; '.join(parts)}")


def _killed(cells: Mapping[str, frozenset[str]]) -> str:
    where = [
        f"{count_of(len(cells[layer]), 'check')} in {layer or 'other'}"
        for layer in in_order(cells)
        if cells[layer]
    ]
    return f"killed by {', '.join(where)}" if where else "no check kills it"


def _short(nodeid: str) -> str:
    """A node id without the suite's own folder."""
    return nodeid.partition("/")[2] or nodeid


def _kill(checks: Collection[str]) -> str:
    return "kills" if len(checks) == 1 else "kill"


def _names(checks: Iterable[str]) -> str:
    names = [short_check(check) for check in sorted(checks)]
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    names = [*names[:_MOST_NAMES], *more]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def by_number(version: str) -> list[int]:
    """What to sort versions by: 3.9 comes before 3.11."""
    return [int(part) for part in version.split(".") if part.isdigit()]


def _frozen(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(checks) for name, checks in sets.items()}
