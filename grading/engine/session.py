"""The pytest plugin that runs inside one run and tells the runner what each check said."""

# ruff: noqa: D102 - pytest says what its hooks are for

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grading.engine import finder, outcome, reached
from grading.engine.jobs import Check, Job
from grading.engine.messages import Reporter
from grading.engine.stuck import Alarm
from grading.layers import layer_of, layer_of_item

# The worst word wins. A skipped part (a subtest) does not make a whole check skipped.
_WEIGHT = {"skipped": 0, "passed": 1, "failed": 2, "error": 3}


@dataclass
class _Note:
    outcome: str
    phase: str
    message: str = ""
    where: str = ""


class Session:
    """Reports collection, the start of each check, its outcome, and what ended the session early."""

    def __init__(
        self, job: Job, skip: frozenset[str], scratch: str, reporter: Reporter, alarm: Alarm
    ) -> None:
        self.job = job
        self.scratch = scratch
        self.skip = skip
        self.reporter = reporter
        self.alarm = alarm
        self._layers: dict[str, str] = {}
        self._notes: list[_Note] = []
        self._seconds = 0.0
        self._passed: set[str] = set()  # by the check that runs now
        self._shared: set[str] = set()  # at import, or for several checks

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        finder.stand_first()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        finder.stand_first()

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        finder.stand_first()
        self.reporter.send("importing", nodeid=collector.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome == "skipped" and report.nodeid.split("::")[0].endswith(".py"):
            self._collected_badly(report.nodeid, "skipped", str(report.longrepr[-1]))  # type: ignore[index]

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if report.outcome == "failed":
            call: Any = getattr(report, "call", None)
            cause = call.excinfo.value if call is not None and call.excinfo else None
            # pytest wraps what an import raised in a CollectError whose text is the whole report
            while cause is not None and isinstance(cause, collector.CollectError) and cause.__cause__:
                cause = cause.__cause__
            text = outcome.brief(cause) if cause is not None else outcome.shorten(report.longreprtext)
            line = outcome.where(cause, collector.path) if cause is not None else None
            self._collected_badly(collector.nodeid, "error", text, self._place(collector.path, line))
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        kept, dropped = [], []
        for item in items:
            layer = layer_of_item(item)
            self._layers[item.nodeid] = layer
            wanted = item.nodeid not in self.skip and (not self.job.layers or layer in self.job.layers)
            (kept if wanted else dropped).append(item)
        if self.job.order == "reversed":
            kept.reverse()
        items[:] = kept
        if dropped:
            config.hook.pytest_deselected(items=dropped)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.alarm.disarm()
        finder.stand_first()
        items = [(item.nodeid, self._layers.get(item.nodeid, "")) for item in session.items]
        self.reporter.send("collected", items=items)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._notes, self._seconds = [], 0.0
        if self.job.trace:
            self._shared |= reached.take(self.scratch)
            self._passed.clear()
        finder.stand_first()
        self.reporter.send("start", nodeid=nodeid)
        self.alarm.arm(self.job.check_timeout)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        if fixturedef.scope == "function" or not self.job.trace:
            return (yield)
        self._passed |= reached.take(self.scratch)
        try:
            return (yield)
        finally:  # the checks after this one lean on it, and do not enter it again
            names = reached.take(self.scratch)
            self._passed |= names
            self._shared |= names

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        note = _Note(report.outcome, call.when)
        if call.excinfo is not None:
            error = call.excinfo.value
            note.message = outcome.brief(error)
            note.where = self._place(item.path, outcome.where(error, item.path))
            if report.outcome == "failed":
                # what a fixture cannot set up says nothing about the claim of the check
                note.outcome = "error" if call.when == "setup" else outcome.classify(error)
        elif report.outcome == "failed":  # such as XPASS(strict): red, but no assertion
            note.outcome, note.message = "error", outcome.shorten(report.longreprtext)
        self._notes.append(note)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if type(report) is pytest.TestReport:
            self._seconds += report.duration

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.alarm.disarm()
        parts = [note for note in self._notes if note.phase == "call"] or self._notes
        parts += [
            note for note in self._notes if note.phase != "call" and note.outcome in ("failed", "error")
        ]
        if parts:
            worst = max(parts, key=lambda note: _WEIGHT[note.outcome])
            self.report(nodeid, worst.outcome, worst.message, self._seconds, worst.phase, worst.where)

    @pytest.hookimpl(tryfirst=True)  # the terminal's takes its time
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.alarm.disarm()
        self.reporter.send("quit", text=outcome.brief(excinfo.value))

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.alarm.disarm()
        self.reporter.send("quit", text=outcome.brief(excinfo.value))

    def report(
        self, nodeid: str, word: str, message: str, seconds: float, phase: str, where: str = ""
    ) -> None:
        """Send the outcome of one check."""
        layer = self._layers.get(nodeid) or layer_of(nodeid)
        if phase != "collect" and self.job.trace:
            self._passed |= reached.take(self.scratch)
            self.reporter.send("passed", nodeid=nodeid, names=sorted(self._passed | self._shared))
        check = Check(nodeid, layer, word, message, round(seconds, 6), phase, where)  # type: ignore[arg-type]
        self.reporter.send("check", check=dataclasses.asdict(check))

    def _collected_badly(self, nodeid: str, word: str, text: str, where: str = "") -> None:
        layer = layer_of(nodeid)
        if nodeid not in self.skip and (not self.job.layers or not layer or layer in self.job.layers):
            self.report(nodeid, word, text, 0.0, "collect", where)

    def _place(self, path: Path, line: int | None) -> str:
        if line is None:
            return ""
        root = self.job.rootdir
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        return f"{name}:{line}"
