"""What is asked of a runner (`Job`) and what comes back (`Run`, with a `Check` for every test)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from grading.engine.changes import Marks

Outcome = Literal["passed", "failed", "error", "timeout", "crashed", "skipped"]
Status = Literal["finished", "timeout", "crashed", "broken", "wrong server"]
Order = Literal["as written", "reversed"]


@dataclass(frozen=True)
class Limits:
    """What one process of a run may use; `resource` enforces it where the platform has it.

    Sizes are bytes. `memory` is what a process may add to its address space on top of what it has when
    its tests begin. `processes` counts on top of what the user runs already, and does not bind root.
    """

    memory: int = 2 << 30
    file_size: int = 64 << 20
    open_files: int = 512
    processes: int = 256
    output: int = 64 << 10


@dataclass(frozen=True)
class Job:
    """One server tree x one set of tests.

    `tree` is the directory that holds `helpdesk/`. `tests` are paths or node ids below `rootdir`; node ids
    in the answer are relative to `rootdir`. `layers` selects; empty means all. Times are seconds: `timeout`
    for the whole run, `check_timeout` for each check with its fixtures, `collect_timeout` for importing the
    server and the tests. `ini` replaces the pytest configuration; none is read from beside the tests.
    `name` is for people, and is never told to the code under test. `trace` has the places of the tree
    that tell when they are passed (see `grading.engine.probes`), which fills `Run.passed`; functions of a
    traced tree keep no results from one check to the next.
    """

    tree: Path
    tests: tuple[str, ...]
    layers: tuple[str, ...] = ()
    order: Order = "as written"
    timeout: float = 120.0
    rootdir: Path = Path(".")
    extra_args: tuple[str, ...] = ()
    check_timeout: float = 20.0
    collect_timeout: float = 20.0
    plugins: tuple[str, ...] = ("grading.fixtures",)
    ini: Path | None = None
    limits: Limits = field(default_factory=Limits)
    name: str = ""
    trace: Marks = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.order not in get_args(Order):
            raise ValueError(f"order must be one of {get_args(Order)}, not {self.order!r}")
        if not self.tests:
            raise ValueError("a job needs at least one test path")
        if min(self.timeout, self.check_timeout, self.collect_timeout) <= 0:
            raise ValueError("time limits must be above zero")

    def to_json(self) -> dict[str, Any]:
        """The job as the child gets it: absolute paths, and no name."""
        plain: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        del plain["name"]
        plain["limits"] = {f.name: getattr(self.limits, f.name) for f in fields(self.limits)}
        plain["tree"] = str(self.tree.resolve())
        plain["rootdir"] = str(self.rootdir.resolve())
        plain["ini"] = str(self.ini.resolve()) if self.ini else None
        plain["trace"] = {name: list(lines) for name, lines in self.trace.items()}
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Job:
        """The inverse of `to_json`, but for the name."""
        values = dict(plain)
        for name in ("tests", "layers", "extra_args", "plugins"):
            values[name] = tuple(values[name])
        values["tree"], values["rootdir"] = Path(values["tree"]), Path(values["rootdir"])
        values["ini"] = Path(values["ini"]) if values["ini"] else None
        values["limits"] = Limits(**values["limits"])
        values["trace"] = {name: tuple(lines) for name, lines in values["trace"].items()}
        return cls(**values)


@dataclass(frozen=True)
class Check:
    """One test and what became of it.

    `failed` means failed by assertion (see `outcome`); any other exception is `error`. `phase` says
    where: collect, setup, call or teardown. `where` is "file:line" of the line in the test, when known.
    A test file that cannot be imported is one check in phase collect, under the file's own node id.
    """

    nodeid: str
    layer: str
    outcome: Outcome
    message: str = ""
    seconds: float = 0.0
    phase: str = "call"
    where: str = ""


@dataclass(frozen=True)
class Run:
    """What one job gave. `checks` stand in the order in which they ran.

    `status`: `finished` (every check has an outcome of its own); `timeout` (the time for the whole run, or
    for importing tests, was up: what never started is listed as `timeout` too); `crashed` (the run died
    where no check was to blame); `broken` (the tree cannot be imported: no verdict); `wrong server` (an
    engine error: some other `helpdesk` took part, so no verdict may be drawn). `origin` is the directory of
    the `helpdesk` package that ran. `detail` explains a status in one or a few lines. `output` is what the
    run printed, cut to `Limits.output` bytes. `passed`, of a job with `trace`: node id -> the places
    ("service.py:120") that the check passed, those included that were passed for all checks (at import, or in
    a fixture of a wider scope).
    """

    job: Job
    origin: str
    checks: tuple[Check, ...]
    status: Status
    detail: str = ""
    seconds: float = 0.0
    output: str = ""
    passed: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def outcomes(self) -> dict[str, Outcome]:
        """Node id -> outcome, in the order run."""
        return {check.nodeid: check.outcome for check in self.checks}

    def failed(self) -> tuple[Check, ...]:
        """The checks that failed by assertion: the only ones that can kill."""
        return tuple(check for check in self.checks if check.outcome == "failed")
