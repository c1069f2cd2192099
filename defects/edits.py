"""Apply edits to sources, or say exactly why they do not apply.

A mutant that is silently the correct server is the worst mistake a grader can make: its survival says
nothing about the tests. So an edit matches exactly once or it is an `EditError`.
"""

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

from defects.model import Edit

__all__ = ["EditError", "apply"]


class EditError(ValueError):
    """An edit does not match exactly once, or changes nothing.

    `owner` is the id of the defect or variant, `file` the file of `helpdesk`, `line` the number of the
    nearest line in that file (from 1), or None when there is no file to look in.
    """

    def __init__(self, owner: str, file: str, reason: str, line: int | None = None) -> None:
        self.owner = owner
        self.file = file
        self.line = line
        where = f"helpdesk/{file}" + (f":{line}" if line else "")
        super().__init__(f"{owner}: {where}: {reason}")


def apply(
    sources: Mapping[str, str], owner: str, edits: Iterable[Edit], *, before: Iterable[str] = ()
) -> dict[str, str]:
    """Give a copy of `sources` (file name to text) with `edits` made, one after another.

    `before` names the defects whose edits are in `sources` already; an edit that no longer matches is then
    reported as a conflict with them. Raises `EditError`.
    """
    changed = dict(sources)
    earlier = ", ".join(before)
    suffix = f" (in the tree that {earlier} has changed already: do they conflict?)" if earlier else ""
    for number, edit in enumerate(edits, start=1):
        text = changed.get(edit.file)
        if text is None:
            close = get_close_matches(edit.file, changed, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise EditError(owner, edit.file, f"edit {number} names a file that helpdesk lacks{hint}")
        matches = text.count(edit.find)
        if matches == 0:
            line, wanted, got = _nearest(text, edit.find)
            raise EditError(
                owner,
                edit.file,
                f"edit {number} matches nothing. The nearest line reads {got!r}, wanted {wanted!r}{suffix}",
                line,
            )
        if matches > 1 or _overlaps(text, edit.find):
            lines = ", ".join(map(str, _lines_of(text, edit.find)))
            first = _lines_of(text, edit.find)[0]
            reason = f"edit {number} matches more than once (lines {lines}): add lines around it{suffix}"
            raise EditError(owner, edit.file, reason, first)
        changed[edit.file] = text.replace(edit.find, edit.replace)
        if changed[edit.file] == text:
            raise EditError(owner, edit.file, f"edit {number} leaves the file unchanged")
    return changed


def _overlaps(text: str, find: str) -> bool:
    """`str.count` counts matches that do not overlap; two overlapping ones are still two."""
    first = text.find(find)
    return text.find(find, first + 1) != -1


def _lines_of(text: str, find: str) -> list[int]:
    numbers: list[int] = []
    at = text.find(find)
    while at != -1:
        lead = len(find) - len(find.lstrip("\n"))
        numbers.append(text.count("\n", 0, at + lead) + 1)
        at = text.find(find, at + 1)
    return numbers


def _nearest(text: str, find: str) -> tuple[int, str, str]:
    """The first line of `find` that is not where the best window of `text` has it: number, wanted, got."""
    wanted = find.strip("\n").splitlines() or [""]
    have = text.splitlines() or [""]
    starts = range(max(1, len(have) - len(wanted) + 1))

    def likeness(start: int) -> float:
        return SequenceMatcher(None, "\n".join(have[start : start + len(wanted)]), "\n".join(wanted)).ratio()

    best = max(starts, key=likeness)
    for offset, line in enumerate(wanted):
        at = best + offset
        got = have[at] if at < len(have) else ""
        whole = 0 < offset < len(wanted) - 1
        if (line != got) if whole else (line not in got):
            return min(at, len(have) - 1) + 1, line.strip(), got.strip()
    return best + 1, wanted[0].strip(), have[best].strip()
