"""Runs a suite against the correct server, its variants and every defect, and gathers the verdicts.

`grading.rounds` runs it; the verdicts are drawn here, by `grading.verdicts`. Nothing is printed:
`grading.reports` turns a `Matrix` into text.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from defects import Defect
from grading.engine.jobs import Run
from grading.engine.runner import EngineError
from grading.plan import Plan, Server
from grading.rounds import Rounds, Runner, Watch
from grading.selection import reaching
from grading.stamp import Stamp
from grading.survival import Survival, why_a_layer_missed_it, why_it_survived
from grading.verdicts import Counting, Verdict, count, judge, null_mutant
from grading.worth import Worth, in_order, weigh

__all__ = ["Matrix", "NullMutantDied", "Row", "run_matrix"]


class NullMutantDied(EngineError):
    """The byte-identical copy of the correct server did not survive: no cell may be believed."""


@dataclass(frozen=True)
class Row:
    """One defect and its verdict.

    `asked` are the layers that must kill it, of those that took part; `missed` those of them that do not.
    `seconds` is the time of its runs, confirmation included. `at_import`: something of its change acts when
    the server is imported. `programs`: those that tests start were watched too.
    """

    defect: Defect
    verdict: Verdict
    asked: tuple[str, ...]
    seconds: float
    at_import: bool = False
    programs: bool = True

    @property
    def missed(self) -> tuple[str, ...]:
        """The layers that must kill it and do not."""
        return tuple(layer for layer in self.asked if not self.verdict.kills_in(layer))

    @property
    def survival(self) -> Survival | None:
        """Why it got through; None where a layer that was asked kills it, or where it is broken."""
        return why_it_survived(self.verdict, self.at_import, self.asked, programs=self.programs)

    def why_missed(self, layer: str) -> Survival | None:
        """Why the checks of this layer do not kill it; None where one does."""
        return why_a_layer_missed_it(self.verdict, self.at_import, layer, programs=self.programs)

    @property
    def killing_layers(self) -> tuple[str, ...]:
        """The layers that kill it, cheap ones first."""
        return in_order(finding.layer for finding in self.verdict.killers)

    @property
    def as_told(self) -> bool:
        """Whether it went as the catalogue says: killed in every layer it names, and nothing unstable."""
        return not self.problem

    @property
    def problem(self) -> str:
        """What went otherwise than the catalogue says, in a sentence; "" if nothing did."""
        unstable = [f.nodeid for f in self.verdict.findings if f.answer == "unstable"]
        if self.verdict.status == "broken":
            return f"{self.defect.id} is broken, and so never killed: {self.verdict.detail}"
        if unstable:
            return f"{self.defect.id} is unstable: {', '.join(unstable)} changed its mind, and kills nothing"
        if not self.missed:
            return ""
        says = f"the catalogue says {', '.join(self.asked)}"
        if self.verdict.status == "survived":
            assert self.survival is not None
            return f"{self.defect.id} survived; {says}; {self.survival.words}"
        where = ", ".join(self.killing_layers)
        reasons = [f"{layer}: {why.words}" for layer in self.missed if (why := self.why_missed(layer))]
        return "; ".join(
            (
                f"{self.defect.id} is not killed in {', '.join(self.missed)}",
                says,
                f"killed in {where} only",
                *reasons,
            )
        )


@dataclass(frozen=True)
class Matrix:
    """Everything that a report tells.

    `layers` are the columns, cheap ones first. `inside` is layer -> seconds spent in its checks, over all
    runs; `wall` the whole time; `runs` how many sessions there were. `left_out`: how often a check was not
    asked about a defect that it cannot notice (see `grading.selection`).
    """

    rows: tuple[Row, ...]
    counting: Counting
    layers: tuple[str, ...]
    inside: Mapping[str, float]
    wall: float
    runs: int
    jobs: int
    stamp: Stamp
    worth: Worth = field(repr=False)
    left_out: int = 0

    @property
    def problems(self) -> tuple[str, ...]:
        """What is not as the catalogue says, a sentence each: the suite's own faults first."""
        faults = [
            f"{refused.nodeid} does not count: {refused.why}"
            + (f" ({refused.server})" if refused.server else "")
            for refused in self.counting.refused
            if refused.why != "skipped"
        ]
        return (*faults, *(row.problem for row in self.rows if row.problem))


def run_matrix(
    plan: Plan, runner: Runner, watch: Watch, stamp: Stamp, *, whole: bool = False, every_check: bool = False
) -> Matrix:
    """Run the plan and judge it.

    When there are no more defects than variants, the variants are asked only what kills (the verdicts are the
    same), unless `whole` asks for every check on every variant. On a defect, checks that cannot notice it are
    left out, unless `every_check` is set or programs cannot be watched. Nothing ends early. Raises
    `NullMutantDied`, and `EngineError` where no verdict may be drawn.
    """
    began = time.monotonic()
    runs = Rounds(plan, runner, watch, select=stamp.way == "fork" and not every_check)
    runs.all(whole)
    counting = count(runs.correct, runs.variants)
    complaint = null_mutant(runs.first[plan.null], counting.counted)
    if complaint:
        raise NullMutantDied(complaint)
    layers = in_order((*counting.counted.values(), *(refused.layer for refused in counting.refused)))
    programs = stamp.way == "fork"
    rows = tuple(_row(server, runs, counting, plan, programs) for server in plan.mutants)
    kills = {row.defect.id: [finding.nodeid for finding in row.verdict.killers] for row in rows}
    return Matrix(
        rows=rows,
        counting=counting,
        layers=layers,
        inside=_inside(runs.every, layers),
        wall=time.monotonic() - began,
        runs=len(runs.every),
        jobs=runner.jobs,
        stamp=stamp,
        worth=weigh(kills, counting.counted, counting.seconds),
        left_out=sum(_left_out(run, counting) for run in runs.first.values()),
    )


def _row(server: Server, runs: Rounds, counting: Counting, plan: Plan, programs: bool) -> Row:
    first, second = runs.first[server], runs.second.get(server)
    defect = plan.defects[server.name]
    asked = tuple(layer for layer in defect.layers if not plan.suite.layers or layer in plan.suite.layers)
    seconds = first.seconds + (second.seconds if second else 0.0)
    near = reaching(server.change, runs.trace) if runs.trace else ()
    verdict = judge(first, second, counting.counted, reached=near)
    return Row(defect, verdict, in_order(asked), seconds, server.change.at_import, programs)


def _left_out(run: Run, counting: Counting) -> int:
    """How many counted checks a run was not asked for."""
    some = any("::" in test for test in run.job.tests)
    return len(set(counting.counted) - set(run.job.tests)) if some else 0


def _inside(every: Iterable[Run], layers: Iterable[str]) -> dict[str, float]:
    inside = dict.fromkeys(layers, 0.0)
    for check in (check for run in every for check in run.checks):
        if check.layer in inside:
            inside[check.layer] += check.seconds
    return inside
