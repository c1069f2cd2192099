"""The verdict rules: what runs say about tests, and what tests say about a server.

Pure functions on `Run` objects; nothing is started or read here. The reference suite and every submission
are judged by these same rules.

    counting = count([as_written, reversed_], {"wal": [run, run]})   # the correct server, then the variants
    counting.counted          node id -> layer of every test that counts, in the order written
    counting.refused          the others, each with the reason
    again = suspects(first, counting.counted)     # what a second run must ask again; empty: nothing
    verdict = judge(first, second, counting.counted)
    verdict.status            "killed", "survived", "unstable" or "broken"
    verdict.killers           the findings that kill; `verdict.findings` has all that did not pass
    null_mutant(run, counting.counted)            # "", or why nothing may be believed

A test *counts* when it passes on the correct server twice, in two orders, and on every variant that is given.
A counted test that fails by assertion, twice, kills. Errors and time-outs are told apart and kill only
where `kills_by` says so. What changes its mind is unstable and kills nothing. A tree that cannot be
imported is broken and never killed. A run that met the wrong server raises `EngineError`: no verdict may be
drawn from it, and the command ends with status 3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from grading.engine.jobs import Check, Run
from grading.engine.runner import EngineError
from grading.findings import Counting, Finding, Refused, Verdict, Why

__all__ = [
    "ASSERTION",
    "Counting",
    "EngineError",
    "Finding",
    "Refused",
    "Verdict",
    "count",
    "judge",
    "null_mutant",
    "suspects",
]

#: The outcomes that kill, unless an exercise allows more: a failed assertion and nothing else.
ASSERTION = frozenset({"failed"})

_NO_VARIANTS: Mapping[str, Sequence[Run]] = MappingProxyType({})


def count(correct: Sequence[Run], variants: Mapping[str, Sequence[Run]] = _NO_VARIANTS) -> Counting:
    """Which tests count, from runs of the correct server and of each variant (id -> runs).

    The runs on a variant may be whole, or of some node ids: then only these are held to it.
    Raises `EngineError` when one of these servers cannot be imported or was not the one that ran, and
    `ValueError` when the correct server was not run in two orders.
    """
    if {run.job.order for run in correct} != {"as written", "reversed"}:
        raise ValueError("a test counts when it passes twice, in two orders: give runs of both")
    for server, runs in (
        ("correct server", correct),
        *((f"variant {id}", runs) for id, runs in variants.items()),
    ):
        for run in runs:
            _trust(run)
            if run.status == "broken":
                raise EngineError(f"the {server} cannot be imported: {run.detail}")
    counted: dict[str, str] = {}
    refused: list[Refused] = []
    written = sorted(correct, key=lambda run: run.job.order == "reversed")
    layers = {check.nodeid: check.layer for run in written for check in run.checks}
    for nodeid, layer in layers.items():
        refusal = _refusal(nodeid, layer, correct, variants)
        if refusal:
            refused.append(refusal)
        else:
            counted[nodeid] = layer
    times: dict[str, list[float]] = {nodeid: [] for nodeid in counted}
    for check in (check for run in correct for check in run.checks if check.nodeid in counted):
        times[check.nodeid].append(check.seconds)
    return Counting(
        counted, tuple(refused), {nodeid: sum(all_) / len(all_) for nodeid, all_ in times.items()}
    )


def suspects(first: Run, counted: Collection[str], kills_by: Collection[str] = ASSERTION) -> tuple[str, ...]:
    """The counted tests that kill in this run unless a second one contradicts them."""
    return tuple(c.nodeid for c in first.checks if c.nodeid in counted and c.outcome in kills_by)


def judge(
    first: Run,
    second: Run | None,
    counted: Mapping[str, str],
    kills_by: Collection[str] = ASSERTION,
    reached: Collection[str] = (),
) -> Verdict:
    """What the counted tests (node id -> layer) say about the server of these two runs.

    `first` may be a run of some node ids: the other tests are taken to pass. `second` may hold only the tests
    that `suspects(first)` names; it may be None when there are none. `reached` are the tests that reach what
    was changed. Raises `EngineError` when a run met the wrong server, `ValueError` when a second run is
    needed and not given.
    """
    for run in filter(None, (first, second)):
        _trust(run)
    if first.status == "broken":
        return Verdict("broken", detail=first.detail)
    if second is None and suspects(first, counted, kills_by):
        raise ValueError("a kill is confirmed by a second run, and none was given")
    before = _by_id(first)
    again = _by_id(second) if second else {}
    findings = []
    for nodeid, layer in counted.items():
        if not _was_asked(nodeid, first):
            continue
        finding = _finding(nodeid, layer, before.get(nodeid), again.get(nodeid), first, kills_by)
        if finding:
            findings.append(finding)
    answers = {finding.answer for finding in findings}
    status = "killed" if "killed" in answers else "unstable" if "unstable" in answers else "survived"
    return Verdict(
        status,
        tuple(findings),
        "" if first.status == "finished" else first.detail or first.status,
        {nodeid: layer for nodeid, layer in counted.items() if nodeid in reached},
    )


def null_mutant(run: Run, counted: Mapping[str, str]) -> str:
    """Why nothing may be believed, from a run on a copy of the correct server; "" if all is well.

    Anything but a pass is reason enough: a test that can fail there can fail anywhere by itself. Raises
    `EngineError` when the run met another server.
    """
    verdict = judge(run, None, counted, kills_by=())
    if verdict.status == "broken":
        return f"the null mutant, byte for byte the correct server, cannot be imported: {verdict.detail}"
    if not verdict.findings:
        return ""
    names = _names(finding.nodeid for finding in verdict.findings)
    first = verdict.findings[0]
    words = f" It said: {first.message.splitlines()[0]}" if first.message else ""
    return (
        "the null mutant, byte for byte the correct server, did not survive. "
        f"{names}: passed on the correct server, not on its copy ({first.answer}).{words}"
    )


def _trust(run: Run) -> None:
    if run.status == "wrong server":
        raise EngineError(f"{run.job.name or 'a run'} met the wrong server: {run.detail}")
    # The engine holds every run to this; a verdict on another server is worse than none, so ask again.
    if run.origin and Path(run.origin).parent.name != run.job.tree.name:
        raise EngineError(f"{run.job.name or 'a run'} was given {run.job.tree} and ran {run.origin}")


def _refusal(
    nodeid: str, layer: str, correct: Sequence[Run], variants: Mapping[str, Sequence[Run]]
) -> Refused | None:
    answers = [_answer(nodeid, run) for run in correct]
    bad = next((check for check in answers if check.outcome != "passed"), None)
    if bad is not None:
        outcomes = {check.outcome for check in answers}
        if outcomes == {"skipped"}:
            why: Why = "skipped"
        else:
            why = "changes its mind" if "passed" in outcomes else "fails the correct server"
        return Refused(nodeid, layer, why, "", bad.outcome, bad.message, bad.where)
    for variant, runs in variants.items():
        answers = [_answer(nodeid, run) for run in runs if _was_asked(nodeid, run)]
        bad = next((check for check in answers if check.outcome != "passed"), None)
        if bad is not None:
            why = "changes its mind" if any(c.outcome == "passed" for c in answers) else "over-specified"
            return Refused(nodeid, layer, why, variant, bad.outcome, bad.message, bad.where)
    return None


def _was_asked(nodeid: str, run: Run) -> bool:
    """A job that names node ids asks those tests and no others."""
    return nodeid in run.job.tests or not any("::" in test for test in run.job.tests)


@dataclass(frozen=True)
class _Answer:
    outcome: str
    message: str
    where: str


def _answer(nodeid: str, run: Run) -> _Answer:
    check = _by_id(run).get(nodeid)
    if check is None:
        return _Answer("missing", run.detail, "")
    return _Answer(check.outcome, check.message, check.where)


def _finding(
    nodeid: str, layer: str, before: Check | None, again: Check | None, first: Run, kills_by: Collection[str]
) -> Finding | None:
    if before is None:
        return Finding(nodeid, layer, "missing", first.detail)
    if before.outcome in kills_by:
        if again is not None and again.outcome in kills_by:
            return Finding(nodeid, layer, "killed", before.message, before.where)
        then = again.outcome if again else "did not run"
        words = f"{before.outcome}, then {then}: {before.message}"
        return Finding(nodeid, layer, "unstable", words, before.where)
    if again is not None and again.outcome in kills_by:
        words = f"{before.outcome}, then {again.outcome}: {again.message}"
        return Finding(nodeid, layer, "unstable", words, again.where)
    if before.outcome == "passed":
        return None
    return Finding(nodeid, layer, before.outcome, before.message, before.where)


def _by_id(run: Run) -> dict[str, Check]:
    return {check.nodeid: check for check in run.checks}


def _names(nodeids: Iterable[str], most: int = 3) -> str:
    names = [nodeid.rsplit("::", 1)[-1] for nodeid in nodeids]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
