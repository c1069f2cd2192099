"""One defect of a matrix: its story, its diff, and the first failing check of each layer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

import defects
from defects.edits import apply
from defects.show import diff
from grading.matrix import Matrix, Row
from grading.reports.visible import visible
from grading.reports.words import count_of, short_check, state
from grading.verdicts import Finding

__all__ = ["print_explanation"]

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_explanation(matrix: Matrix, row: Row, console: Console) -> None:
    """Print what a defect is and how each layer takes it."""
    for line in (*_heading(row), *_diff(row), *_layers(matrix, row)):
        console.print(line, soft_wrap=True)


def _heading(row: Row) -> Iterable[Text]:
    defect = row.defect
    yield Text(f"{defect.id}: {defect.title}", style="bold")
    says = f"dies in {', '.join(defect.layers)}" if defect.layers else "dies in no layer, alone"
    yield Text(f"chapter {defect.chapter}, {defect.family}; the catalogue says it {says}", style="dim")
    if defect.origin:
        yield Text(f"seen in {defect.origin}", style="dim")
    yield Text()
    yield from (Text(line) for line in textwrap.wrap(defect.story, 79))


def _diff(row: Row) -> Iterable[Text]:
    sources = defects.source_of_helpdesk()
    yield Text()
    for line in diff(sources, apply(sources, row.defect.id, row.defect.edits)).splitlines():
        heading = line.startswith(("--- ", "+++ "))
        yield Text(line, style="bold" if heading else _COLOURS.get(line[:1], ""))


def _layers(matrix: Matrix, row: Row) -> Iterable[Text]:
    yield Text()
    if row.verdict.status == "broken":
        yield Text(row.problem, style="red bold")
        return
    for layer in matrix.layers:
        survival = row.why_missed(layer)
        yield from _layer(
            layer or "other",
            [f for f in row.verdict.findings if f.layer == layer],
            survival.words if survival else "",
        )
    yield Text()
    if row.problem:
        yield Text(row.problem, style="red bold")
    else:
        yield Text(f"Killed first by {state(row)}." if row.killing_layers else "As the catalogue says.")


def _layer(layer: str, findings: list[Finding], why: str) -> Iterable[Text]:
    killers = [finding for finding in findings if finding.answer == "killed"]
    others = [finding for finding in findings if finding.answer != "killed"]
    name = f"{layer:12} "
    if not findings:
        yield Text(name, style="bold").append(why, style="dim")
        return
    for title, its in (("kill", killers), ("do not kill", others)):
        if not its:
            continue
        first = its[0]
        words = (
            f"{count_of(len(its), 'check')} {title}"
            if len(its) > 1
            else f"1 check {title.replace('do', 'does')}"
        )
        words = words.replace("1 check kill", "1 check kills")
        yield Text(name, style="bold").append(f"{words}: {short_check(first.nodeid)}")
        said = first.answer + " " if title != "kill" else ""
        yield Text(f"{'':13}{said}{first.where}", style="dim")
        for line in visible(first.message).splitlines() or ["(no message)"]:
            yield Text(f"{'':13}{line}", style="red")  # never folded: it may be searched for, or copied
