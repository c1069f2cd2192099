"""Turns what the processes of one job say, and how they end, into a `Run`.

One check that hangs, crashes or leaves costs that check: the rest run in a new process. The same code serves
forked and cold processes; they only differ in how a process is started (`Child`).
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from grading.engine import messages, outcome, stuck
from grading.engine.jobs import Check, Job, Outcome, Run, Status
from grading.engine.tree import PACKAGE
from grading.layers import layer_of

GRACE = 2.0  # seconds that a process has to end itself after its own alarm
_USAGE = 4  # pytest's exit code for arguments that it does not understand
START = 60.0  # seconds until the first word: a cold start imports everything

Event = tuple[Literal["verdicts", "output"], bytes] | tuple[Literal["ended"], int | None]


class Child(Protocol):
    """A process that runs a session."""

    def next(self, timeout: float) -> Event | None:
        """The next thing that happens, or None when nothing does for `timeout` seconds.

        `ended` is last, after everything that was written; its status is None when the process is lost.
        """
        ...

    def abort(self) -> None:
        """Have it dump its stacks and die."""
        ...

    def kill(self) -> None:
        """End it and all that it started."""
        ...

    def close(self) -> None:
        """End whatever is left, and let go of it."""
        ...


Start = Callable[[Mapping[str, Any]], Child]


@dataclass
class _Round:
    """What one process said."""

    current: str | None = None
    importing: str = ""
    collected: bool = False
    finished: int = 0
    ended: bool = False
    code: int | None = None
    quit: str = ""
    broken: str = ""
    wrong: str = ""
    stacks: list[Any] = field(default_factory=list)
    out_of_time: bool = False
    status: int | None = None
    limit: float = START
    since: float = field(default_factory=time.monotonic)
    started: float = 0.0


class Supervisor:
    """Runs one job to its end."""

    def __init__(self, job: Job, start: Start, scratch: Callable[[], str]) -> None:
        self.job = job
        self._start = start
        self._scratch = scratch
        self._items: dict[str, str] = {}
        self._checks: dict[str, Check] = {}
        self._origin = ""
        self._passed: dict[str, frozenset[str]] = {}
        self._output = messages.Output(job.limits.output)

    def run(self) -> Run:
        """Run processes until every check has an outcome or the time is up."""
        began = time.monotonic()
        self._deadline = began + self.job.timeout
        verdict: tuple[Status, str] | None = None
        while verdict is None:
            verdict = self._judge(self._round())
        status, detail = verdict
        if status == "timeout":
            for nodeid, layer in self._items.items():
                if nodeid not in self._checks:
                    self._add(Check(nodeid, layer, "timeout", f"not run: {detail}"))
        return Run(
            self.job,
            self._origin,
            tuple(self._checks.values()),
            status,
            detail,
            time.monotonic() - began,
            str(self._output),
            self._passed,
        )

    def _round(self) -> _Round:
        nonce = messages.new_nonce()
        parser = messages.Parser(nonce)
        order = {
            "job": self.job.to_json(),
            "nonce": nonce,
            "skip": list(self._checks),
            "scratch": self._scratch(),
        }
        said = _Round()
        child = self._start(order)
        try:
            while True:
                event = child.next(self._patience(said))
                if event is None:
                    said.out_of_time = True
                    self._put_down(child, parser, said)
                    break
                if event[0] == "ended":
                    said.status = event[1]
                    break
                self._take(event, parser, said)
        finally:
            child.close()
        if not said.stacks:
            said.stacks = stuck.dumped(parser.take_text())
        return said

    def _patience(self, said: _Round) -> float:
        return max(0.0, min(said.since + said.limit, self._deadline) - time.monotonic())

    def _put_down(self, child: Child, parser: messages.Parser, said: _Round) -> None:
        """Abort, so that the stacks are told; then kill."""
        for end in (child.abort, child.kill):
            end()
            until = time.monotonic() + GRACE
            while (event := child.next(max(0.0, until - time.monotonic()))) is not None:
                if event[0] == "ended":
                    said.status = event[1]
                    return
                self._take(event, parser, said)

    def _take(self, event: tuple[str, Any], parser: messages.Parser, said: _Round) -> None:
        if event[0] == "output":
            self._output.feed(event[1])
            return
        for message in parser.feed(event[1]):
            try:
                self._hear(message, said)
            except (KeyError, TypeError, ValueError):
                continue  # the nonce is known to the code under test; nonsense is not worth more than silence

    def _hear(self, message: Mapping[str, Any], said: _Round) -> None:
        kind = message["kind"]
        said.since = time.monotonic()
        if kind == "origin":
            self._origin = str(message["path"])
        elif kind == "importing":
            said.importing = str(message["nodeid"])
            said.limit = self.job.collect_timeout + GRACE
        elif kind == "collected":
            said.collected = True
            said.limit = self.job.check_timeout + GRACE
            if not self._items:
                self._items = {str(nodeid): str(layer) for nodeid, layer in message["items"]}
        elif kind == "start":
            said.current = str(message["nodeid"])
            said.started = said.since
            said.limit = self.job.check_timeout + GRACE
        elif kind == "passed":
            self._passed[str(message["nodeid"])] = frozenset(map(str, message["names"]))
        elif kind == "check":
            check = Check(**message["check"])
            self._add(check)
            if check.phase != "collect":
                said.current = None
                said.finished += 1
        elif kind == "stuck":
            said.stacks, said.out_of_time = list(message["stacks"]), True
        elif kind in ("quit", "broken", "wrong"):
            setattr(said, kind, str(message["text"]))
        elif kind == "left":
            said.code = int(message["code"])
        elif kind == "end":
            said.ended = True

    def _judge(self, said: _Round) -> tuple[Status, str] | None:
        """The status of the run and why, or None: another process is to run the rest."""
        if said.wrong:
            return "wrong server", said.wrong
        if said.broken:
            return "broken", said.broken
        if self._origin and self._origin != str(self.job.tree.resolve() / PACKAGE):
            return "wrong server", f"ran the wrong server: helpdesk came from {self._origin}"
        where, words = self._spot(said)
        if said.current is not None:
            self._lay_blame(said, where, words)
        elif not said.collected or (not self._items and (said.quit or said.code == _USAGE)):
            return self._not_collected(said, words)
        if time.monotonic() >= self._deadline and self._left():
            return "timeout", f"the whole run has {self.job.timeout:g} s and they were up"
        if not self._left():
            return "finished", ""
        if said.current is None and not said.finished:
            return "crashed", f"the run {_ending(said)} between two checks"
        return None

    def _lay_blame(self, said: _Round, where: str, words: str) -> None:
        """The check that was running when the process ended did it."""
        assert said.current is not None
        seconds = time.monotonic() - said.started
        word: Outcome = "crashed"
        if said.out_of_time or time.monotonic() >= self._deadline:
            word, message = "timeout", f"no result after {min(seconds, self.job.check_timeout):.3g} s"
            message += f"; it hangs at {words}" if words else ""
        elif said.quit:
            message = f"ended the whole session: {said.quit}"
        else:
            message = f"the process {_ending(said)} in the middle of this check"
            message += f", at {words}" if words else ""
        layer = self._items.get(said.current) or layer_of(said.current)
        self._add(
            Check(said.current, layer, word, outcome.shorten(message), round(seconds, 6), "call", where)
        )

    def _not_collected(self, said: _Round, words: str) -> tuple[Status, str]:
        what = f"while {said.importing} was being imported" if said.importing else "before any test was read"
        at = f" (at {words})" if words else ""
        if said.out_of_time:
            limit = min(self.job.collect_timeout, self.job.timeout)
            return "timeout", f"no end after {limit:g} s {what}{at}"
        if said.quit:
            return "crashed", f"{said.quit}, {what}{at}"
        if said.code is not None and said.ended:
            return (
                "crashed",
                f"pytest could not start (status {said.code}): {str(self._output).strip()[-800:]}",
            )
        return "crashed", f"the process {_ending(said)} {what}{at}"

    def _spot(self, said: _Round) -> tuple[str, str]:
        if not said.stacks:
            return "", ""
        file = (said.current or said.importing).split("::", 1)[0]
        try:
            return stuck.spot(said.stacks, file, self.job.rootdir.resolve(), Path(self.job.tree).resolve())
        except (TypeError, ValueError):
            return "", ""

    def _left(self) -> list[str]:
        return [nodeid for nodeid in self._items if nodeid not in self._checks]

    def _add(self, check: Check) -> None:
        self._checks.setdefault(check.nodeid, check)


def _ending(said: _Round) -> str:
    """How a process ended, in words that follow its name."""
    if said.status is None:
        return "was lost with the worker that ran it"
    if said.status < 0:
        try:
            return f"was killed by {signal.Signals(-said.status).name}"
        except ValueError:
            return f"was killed by signal {-said.status}"
    return f"left with exit status {said.status}"
