"""Which runs a matrix takes, and in which order: everything once, and what killed once more.

Every check meets every server; on a defect, those that cannot notice it may be left out (see
`grading.selection`). As soon as the first run on a defect is over, the checks that killed there are asked
again, in the other order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Protocol, get_args

from grading.engine.jobs import Job, Order, Run
from grading.plan import Plan, Server
from grading.selection import checks_for
from grading.verdicts import suspects

__all__ = ["Rounds", "Runner", "Watch"]


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


class Rounds:
    """All runs of a plan, the confirmations among them.

    `trace` is a run of the correct server that tells which check reaches what. `select` leaves out the checks
    that cannot notice a defect.
    """

    def __init__(self, plan: Plan, runner: Runner, watch: Watch, select: bool = False) -> None:
        self.plan = plan
        self.trace: Run | None = None
        self._select = select
        self.first: dict[Server, Run] = {}
        self.second: dict[Server, Run] = {}
        self.correct: list[Run] = []
        self.variants: dict[str, list[Run]] = {server.name: [] for server in plan.variants}
        self.every: list[Run] = []
        self._runner = runner
        self._watch = watch
        self._queue: deque[tuple[Job, Server, bool]] = deque()
        self._pending: dict[Future[Run], tuple[Server, bool]] = {}

    def all(self, whole: bool) -> None:
        """Run everything. Futures that are left when something goes wrong are cancelled."""
        plan = self.plan
        few = len(plan.mutants) <= len(plan.variants) and not whole
        self._watch.begin(2 + len(plan.variants) + len(plan.mutants))
        try:
            self._twice(plan.correct)
            traced = plan.job(plan.traced)
            if traced.trace:
                self._queue.append((traced, plan.traced, False))
            for server in () if few else plan.variants:
                self._twice(server)
            self._queue.append((plan.job(plan.null), plan.null, False))
            self._drain()
            for server in plan.mutants:
                only = checks_for(server.change, self.trace) if self._select and self.trace else ()
                self._queue.append((plan.job(server, only=only), server, False))
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
            self._queue.append((self.plan.job(server, order, only or ()), server, False))

    def _killers(self) -> list[str]:
        """The tests that kill something, in the order written."""
        killers = {id for run in self.second.values() for id in suspects(run, self._may_count(run))}
        return [check.nodeid for check in self.first[self.plan.null].checks if check.nodeid in killers]

    def _drain(self) -> None:
        while self._queue or self._pending:
            # Few wait in the runner, so that a confirmation need not stand behind everything else.
            while self._queue and len(self._pending) < 2 * self._runner.jobs:
                job, server, again = self._queue.popleft()
                self._pending[self._runner.submit(job)] = (server, again)
            self._watch.now(next(iter(self._pending.values()))[0].name)
            done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=list(self._pending).index):
                self._take(future.result(), *self._pending.pop(future))

    def _take(self, run: Run, server: Server, again: bool) -> None:
        if server.kind == "traced":
            self.trace = run
            return
        self.every.append(run)
        if server.kind == "defect":
            if again:
                self.second[server] = run
            else:
                self.first[server] = run
                kills = suspects(run, self._may_count(run))
                if kills:
                    self._queue.appendleft((self.plan.job(server, "reversed", kills), server, True))
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
