"""What verdicts are made of: tests that do not count, and what those that do count say of a server.

`grading.verdicts` draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Answer", "Counting", "Finding", "Refused", "Verdict", "Why"]

Answer = Literal["killed", "unstable", "failed", "error", "timeout", "crashed", "skipped", "missing"]
Why = Literal["fails the correct server", "changes its mind", "over-specified", "skipped"]


@dataclass(frozen=True)
class Refused:
    """A test that does not count. `server` is the variant's id, or "" for the correct server.

    `outcome` is what the test gave there (`missing`: it did not run), `message` and `where` are its own words
    and line.
    """

    nodeid: str
    layer: str
    why: Why
    server: str
    outcome: str
    message: str = ""
    where: str = ""


@dataclass(frozen=True)
class Counting:
    """Which tests count (node id -> layer, in the order written), which do not, and what each takes.

    `seconds` is the mean time of each counted test on the correct server.
    """

    counted: Mapping[str, str]
    refused: tuple[Refused, ...]
    seconds: Mapping[str, float]

    def refused_for(self, why: Why) -> tuple[Refused, ...]:
        """The refused tests that have this reason."""
        return tuple(refused for refused in self.refused if refused.why == why)


@dataclass(frozen=True)
class Finding:
    """A counted test that did not pass on a server. Only the answer `killed` kills.

    `missing` means that the test did not run there; `message` says why, where that is known.
    """

    nodeid: str
    layer: str
    answer: Answer
    message: str = ""
    where: str = ""


@dataclass(frozen=True)
class Verdict:
    """What the counted tests say about one server, in the order in which the tests are written.

    `detail` says why a tree is broken, or how its run ended before its time. `reached` holds the tests that
    reach what was changed in it (node id -> layer), whatever they made of it.
    """

    status: Literal["killed", "survived", "unstable", "broken"]
    findings: tuple[Finding, ...] = ()
    detail: str = ""
    reached: Mapping[str, str] = field(default_factory=dict)

    @property
    def killers(self) -> tuple[Finding, ...]:
        """The findings that kill."""
        return tuple(finding for finding in self.findings if finding.answer == "killed")

    def kills_in(self, layer: str) -> int:
        """How many tests of the layer kill."""
        return sum(finding.layer == layer for finding in self.killers)

    def answers_in(self, layer: str) -> frozenset[Answer]:
        """Every answer but "passed" that the tests of the layer gave."""
        return frozenset(finding.answer for finding in self.findings if finding.layer == layer)
