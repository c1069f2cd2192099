"""Runs a suite against the correct server, its variants and every defect, and gathers the verdicts.

Every check runs against every server. As soon as the first run on a defect is over, the checks that killed
there are asked again, in the other order. Nothing is printed here; `grading.reports` turns a `Matrix` into
text.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Protocol, get_args

from defects import Defect
from grading.jobs import Job, Order, Run
from grading.plan import Plan, Server
from grading.runner import EngineError
from grading.stamp import Stamp
from grading.verdicts import Counting, Verdict, count, judge, null_mutant, suspects
from grading.worth import Worth, in_order, weigh

__all__ = ["Matrix", "NullMutantDied", "Row", "Runner", "Watch", "run_matrix"]


class Runner(Protocol):
    """What a matrix needs of `ForkRunner` and `ColdRunner`."""

    jobs: int

    def submit(self, job: Job) -> Future[Run]:
        """Run one job as soon as there is room for it."""
        ...


class Watch(Protocol):
    """Whoever shows how far it is."""

    def begin(self, servers: int) -> None:
        """So many servers will be judged."""
        ...

    def now(self, name: str) -> None:
        """This server is what runs longest now."""
        ...

    def done(self, name: str) -> None:
        """A server is judged."""
        ...


class NullMutantDied(EngineError):
    """The byte-identical copy of the correct server did not survive: no cell may be believed."""


@dataclass(frozen=True)
class Row:
    """One defect and its verdict.

    `asked` are the layers that must kill it, of those that took part; `missed` those of them that do not.
    `seconds` is the time of its runs, confirmation included.
    """

    defect: Defect
    verdict: Verdict
    asked: tuple[str, ...]
    seconds: float

    @property
    def missed(self) -> tuple[str, ...]:
        """The layers that must kill it and do not."""
        return tuple(layer for layer in self.asked if not self.verdict.kills_in(layer))

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
            return f"{self.defect.id} survived; {says}"
        where = ", ".join(self.killing_layers)
        return f"{self.defect.id} is not killed in {', '.join(self.missed)}; {says}; killed in {where} only"


@dataclass(frozen=True)
class Matrix:
    """Everything that a report tells.

    `layers` are the columns, cheap ones first. `inside` is layer -> seconds spent in its checks, over all
    runs; `wall` the whole time; `runs` how many sessions there were.
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


def run_matrix(plan: Plan, runner: Runner, watch: Watch, stamp: Stamp, *, whole: bool = False) -> Matrix:
    """Run the plan and judge it.

    When there are no more defects than variants, the variants are asked only what kills (the verdicts are the
    same), unless `whole` asks for every check on every variant. Nothing ends early. Raises `NullMutantDied`,
    and `EngineError` where no verdict may be drawn.
    """
    began = time.monotonic()
    runs = _Runs(plan, runner, watch)
    runs.all(whole)
    counting = count(runs.correct, runs.variants)
    complaint = null_mutant(runs.first[plan.null], counting.counted)
    if complaint:
        raise NullMutantDied(complaint)
    layers = in_order((*counting.counted.values(), *(refused.layer for refused in counting.refused)))
    rows = tuple(_row(server, runs, counting, plan) for server in plan.mutants)
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
    )


def _row(server: Server, runs: _Runs, counting: Counting, plan: Plan) -> Row:
    first, second = runs.first[server], runs.second.get(server)
    defect = plan.defects[server.name]
    asked = tuple(layer for layer in defect.layers if not plan.suite.layers or layer in plan.suite.layers)
    seconds = first.seconds + (second.seconds if second else 0.0)
    return Row(defect, judge(first, second, counting.counted), in_order(asked), seconds)


def _inside(every: Iterable[Run], layers: Iterable[str]) -> dict[str, float]:
    inside = dict.fromkeys(layers, 0.0)
    for check in (check for run in every for check in run.checks):
        if check.layer in inside:
            inside[check.layer] += check.seconds
    return inside


class _Runs:
    """All runs of a plan, the confirmations among them."""

    def __init__(self, plan: Plan, runner: Runner, watch: Watch) -> None:
        self.plan = plan
        self.first: dict[Server, Run] = {}
        self.second: dict[Server, Run] = {}
        self.correct: list[Run] = []
        self.variants: dict[str, list[Run]] = {server.name: [] for server in plan.variants}
        self.every: list[Run] = []
        self._runner = runner
        self._watch = watch
        self._pending: dict[Future[Run], tuple[Server, bool]] = {}

    def all(self, whole: bool) -> None:
        """Run everything. Futures that are left when something goes wrong are cancelled."""
        plan = self.plan
        few = len(plan.mutants) <= len(plan.variants) and not whole
        self._watch.begin(2 + len(plan.variants) + len(plan.mutants))
        try:
            self._twice(plan.correct)
            for server in () if few else plan.variants:
                self._twice(server)
            for server in (plan.null, *plan.mutants):
                self._submit(plan.job(server), server)
            self._drain()
            for server in plan.variants if few else ():
                self._twice(server, self._killers())
            self._drain()
        finally:
            for future in self._pending:
                future.cancel()

    def _twice(self, server: Server, only: Sequence[str] | None = None) -> None:
        """In both orders: the whole suite, or only these tests (and nothing when there are none)."""
        if only is not None and not only:
            self._watch.done(server.name)
            return
        for order in get_args(Order):
            self._submit(self.plan.job(server, order, only or ()), server)

    def _killers(self) -> list[str]:
        """The tests that kill something, in the order written."""
        killers = {id for run in self.second.values() for id in suspects(run, self._may_count(run))}
        return [check.nodeid for check in self.first[self.plan.null].checks if check.nodeid in killers]

    def _drain(self) -> None:
        while self._pending:
            self._watch.now(next(iter(self._pending.values()))[0].name)
            done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=list(self._pending).index):
                self._take(future.result(), *self._pending.pop(future))

    def _submit(self, job: Job, server: Server, again: bool = False) -> None:
        self._pending[self._runner.submit(job)] = (server, again)

    def _take(self, run: Run, server: Server, again: bool) -> None:
        self.every.append(run)
        if server.kind == "defect":
            if again:
                self.second[server] = run
            else:
                self.first[server] = run
                kills = suspects(run, self._may_count(run))
                if kills:
                    self._submit(self.plan.job(server, "reversed", kills), server, again=True)
                    return
            self._watch.done(server.name)
        elif server.kind == "null":
            self.first[server] = run
            self._watch.done(server.name)
        else:
            runs = self.correct if server.kind == "correct" else self.variants[server.name]
            runs.append(run)
            if len(runs) == 2:
                self._watch.done(server.name)

    def _may_count(self, run: Run) -> Collection[str]:
        """What no finished run of the correct server speaks against: the rest need not be asked again."""
        passed = [{c.nodeid for c in r.checks if c.outcome == "passed"} for r in self.correct]
        return {c.nodeid for c in run.checks if all(c.nodeid in good for good in passed)}
