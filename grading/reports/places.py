"""Where the edits of a defect lie in the correct source, as lines and columns.

An edit quotes lines around what it changes, so that it matches once. A place is narrower: whole lines, from
the first that differs to the last. Lines and columns start at 1, and the end is the first column that is no
longer replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from defects import Defect, Edit
from defects.edits import apply

__all__ = ["Place", "alike", "places_of", "replaced"]


@dataclass(frozen=True)
class Place:
    """What is replaced in a file of `helpdesk`, and by what."""

    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    replacement: str


def places_of(defect: Defect, sources: Mapping[str, str]) -> list[Place]:
    """A place for each edit, in the order in which they are made; `sources` are the correct server's.

    Where an edit changes what an earlier one wrote, the edits of that file are one place. Raises
    `EditError`.
    """
    mutant = apply(sources, defect.id, defect.edits)
    places: list[Place] = []
    for file in dict.fromkeys(edit.file for edit in defect.edits):
        own = [_place(edit, sources[file]) for edit in defect.edits if edit.file == file]
        if any(place is None for place in own) or replaced(sources[file], filter(None, own)) != mutant[file]:
            own = [_between(file, sources[file], mutant[file])]
        places += filter(None, own)
    return places


def replaced(source: str, places: Iterable[Place]) -> str:
    """The source with the replacements made, none of which touches another."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for place in sorted(places, key=lambda place: place.start, reverse=True):
        begin = starts[place.start[0] - 1] + place.start[1] - 1
        end = starts[place.end[0] - 1] + place.end[1] - 1
        source = source[:begin] + place.replacement + source[end:]
    return source


def _place(edit: Edit, source: str) -> Place | None:
    """Where the edit lies in this source; None where it does not match exactly once."""
    begin = source.find(edit.find)
    if begin == -1 or source.find(edit.find, begin + 1) != -1:
        return None
    return _between(edit.file, source, source.replace(edit.find, edit.replace))


def _between(file: str, source: str, mutant: str) -> Place:
    """From the first line that differs to the last."""
    # Not `splitlines`, which ends a line in more places than Python and a viewer do.
    old, new = source.removesuffix("\n").split("\n"), mutant.removesuffix("\n").split("\n")
    head = alike(old, new)
    tail = alike(old[head:][::-1], new[head:][::-1])
    # A line is put in or taken away beside another one: so that no place is empty.
    if head + tail in (len(old), len(new)):
        head, tail = (head, tail - 1) if tail else (max(head - 1, 0), 0)
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    blank = len(gone[0]) - len(gone[0].lstrip())
    indent = min(blank, alike(gone[0], come[0]))
    return Place(
        file,
        (head + 1, indent + 1),
        (head + len(gone), len(gone[-1]) + 1),
        "\n".join(come)[indent:],
    )


def alike(one: Sequence[str] | str, other: Sequence[str] | str) -> int:
    """How many items both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
