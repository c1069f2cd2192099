"""What mutants that the reference suite let live are: `survivors.toml`, and the score that follows.

Each entry of the file is one reason, for one or more mutants of one function:

    [[survivor]]
    module = "world.py"
    inside = "grow"                  # qualified name of the function or class; "" for the module itself
    equivalent = false               # true: the server does the same, so that no test can tell
    reason = "…"
    changes = ["a == b -> a != b"]   # the line as it was and as it is

Line numbers are not in it, so it stays true when lines move.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.mutants import Mutant

__all__ = ["Figures", "Reason", "Status", "figures", "read", "stale"]

#: Killed: by assertion. Error: noticed, but by an error only. Timeout: the run did not end, or died.
Status = Literal["killed", "error", "timeout", "broken", "survived"]
FIELDS = {"module": str, "inside": str, "equivalent": bool, "reason": str, "changes": list}


@dataclass(frozen=True)
class Reason:
    """Why a mutant lives."""

    equivalent: bool
    words: str


@dataclass(frozen=True)
class Figures:
    """How many mutants there are, and what became of them. `equivalent` are among the survivors."""

    mutants: int
    killed: int
    error: int
    timeout: int
    broken: int
    survived: int
    equivalent: int

    @property
    def asked(self) -> int:
        """The mutants that a suite can be asked to kill: those that start and are not equivalent."""
        return self.mutants - self.broken - self.equivalent

    @property
    def score(self) -> float:
        """Per cent of these that a check kills by assertion."""
        return 100 * self.killed / self.asked if self.asked else 100.0

    @property
    def noticed(self) -> float:
        """Per cent that are killed or at least end in an error or a time-out."""
        return 100 * (self.asked - self.survived + self.equivalent) / self.asked if self.asked else 100.0


def read(file: Path) -> dict[tuple[str, str, str], Reason]:
    """The reasons, by the name of the mutant. Raises `ValueError` for a file that is not as told above."""
    reasons: dict[tuple[str, str, str], Reason] = {}
    entries = tomllib.loads(file.read_text("utf-8")).get("survivor", [])
    for number, entry in enumerate(entries, 1):
        for field, kind in FIELDS.items():
            if not isinstance(entry.get(field), kind):
                raise ValueError(f"{file.name}: entry {number} needs {field}, a {kind.__name__}")
        if unknown := set(entry) - set(FIELDS):
            raise ValueError(
                f"{file.name}: entry {number} has {', '.join(sorted(unknown))}, which nothing reads"
            )
        if not entry["reason"].strip() or not entry["changes"]:
            raise ValueError(f"{file.name}: entry {number} needs a reason and a change")
        for words in entry["changes"]:
            name = (entry["module"], entry["inside"], words)
            if name in reasons:
                raise ValueError(f"{file.name}: entry {number} tells again of {words!r}")
            reasons[name] = Reason(entry["equivalent"], entry["reason"].strip())
    return reasons


def figures(
    answers: Iterable[tuple[Mutant, Status]], reasons: Mapping[tuple[str, str, str], Reason]
) -> Figures:
    """Count. A mutant that was killed is not equivalent, whatever the list says."""
    counts = dict.fromkeys(("killed", "error", "timeout", "broken", "survived"), 0)
    equivalent = 0
    for mutant, status in answers:
        counts[status] += 1
        equivalent += status == "survived" and mutant.name in reasons and reasons[mutant.name].equivalent
    return Figures(mutants=sum(counts.values()), equivalent=equivalent, **counts)


def stale(
    answers: Iterable[tuple[Mutant, Status]],
    reasons: Mapping[tuple[str, str, str], Reason],
    modules: Iterable[str] = (),
) -> list[str]:
    """What the list tells of mutants that did not survive, or that are no more; one line each.

    `modules` are those of which every mutant was asked: only of them is it known what is no more.
    """
    status = {mutant.name: status for mutant, status in answers}
    lines = []
    for name, reason in reasons.items():
        became = status.get(name, "no more made" if name[0] in modules else "survived")
        if became == "survived" or (became in ("error", "timeout") and not reason.equivalent):
            continue
        lines.append(f"{name[0]} {name[1]}: {name[2]}: is {became}, and the list has a reason for it")
    return lines
