"""Why a defect got through: the code that it changed was not reached, or it was, and nobody noticed.

Pure functions on a verdict. The words say which behaviour is unguarded, never what to assert.

    not reached             no counted test ran a changed line
    loaded                  the change acts at import (a description, a schema, a table): all tests met it
    reached, not noticed    tests ran a changed line and passed
    wrong layer             it is killed, but not in a layer that was asked to kill it
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from grading.verdicts import Verdict

__all__ = ["Survival", "Why", "why_a_layer_missed_it", "why_it_survived"]

Why = Literal["not reached", "loaded", "reached, not noticed", "wrong layer"]


@dataclass(frozen=True)
class Survival:
    """Why a defect survived. `tests` are the node ids that ran a changed line, in the order written.

    `elsewhere` are the layers that kill it although they were not asked. `programs` is False where the
    programs that tests start could not be watched: then "not reached" is true of the tests' own process only.
    """

    why: Why
    tests: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    programs: bool = True

    @property
    def words(self) -> str:
        """The reason in one sentence, for a line of a report."""
        if self.why == "wrong layer":
            return f"wrong layer: killed in {', '.join(self.elsewhere)} only"
        if self.why == "loaded":
            return "loaded, not noticed: the change acts when the server is imported, and no test looks at it"
        if self.why == "not reached":
            where = "" if self.programs else " in its own process (programs are not watched here)"
            return f"not reached: no test that counts ran the changed code{where}"
        first = self.tests[0].rsplit("::", 1)[-1]
        others = f" and {len(self.tests) - 1} more" if len(self.tests) > 1 else ""
        return f"reached, not noticed: {first}{others} ran the changed code and passed"


def why_it_survived(
    verdict: Verdict, at_import: bool, layers: Collection[str] = (), *, programs: bool = True
) -> Survival | None:
    """Why no test of these layers (empty: of any) kills it; None where one does, or where it is broken.

    `at_import` says whether something of the change acts at import; see `grading.engine.changes.Change`.
    """
    killed_in = tuple(dict.fromkeys(finding.layer or "other" for finding in verdict.killers))
    if verdict.status == "broken" or (killed_in and (not layers or set(killed_in) & set(layers))):
        return None
    if killed_in:
        return Survival("wrong layer", tuple(verdict.reached), killed_in)
    return _why(verdict, at_import, layers, programs)


def why_a_layer_missed_it(
    verdict: Verdict, at_import: bool, layer: str, *, programs: bool = True
) -> Survival | None:
    """Why the tests of one layer do not kill it, whatever others do; None where one of them does."""
    if verdict.status == "broken" or verdict.kills_in(layer):
        return None
    return _why(verdict, at_import, (layer,), programs)


def _why(verdict: Verdict, at_import: bool, layers: Collection[str], programs: bool) -> Survival:
    tests = tuple(nodeid for nodeid, layer in verdict.reached.items() if not layers or layer in layers)
    if tests:
        return Survival("reached, not noticed", tests)
    return Survival("loaded") if at_import else Survival("not reached", programs=programs)
