"""Generic mutation of `helpdesk/`: how many small changes to the server does the reference suite kill?

    python -m benchmarks.mutation                        every mutant of every module: an hour on two cores
    python -m benchmarks.mutation --module service.py    one module (repeatable)
    python -m benchmarks.mutation --sample 100           a hundred of them, the same each time
    python -m benchmarks.mutation --results FILE         keep the answers there, and go on from them

The catalogue of defects holds bugs that somebody could ship; these mutants are the other kind, made by a
tool without a thought, and so without the author's blind spots. `mutants` says how they are made, and
`survivors.toml` why those live that do.

Each meets the checks that reach it (`grading.selection`), layer after layer, and leaves at the first
assertion that fails. Only a counted check that fails by assertion kills. What ends in an error or a time-out
and in nothing else is told apart; a server that cannot be imported is broken, and no test is asked to kill
that. Kills are not confirmed by a second run, as those of the matrix are.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks import survivors, trials
from benchmarks.mutants import Mutant, mutants_of_all
from benchmarks.survivors import Reason, Status
from benchmarks.trials import Answer
from defects import source_of_helpdesk
from grading.exercises.exercise import make_runner
from grading.plan import ROOT
from grading.stamp import stamp

__all__ = ["main"]

GOAL = 92.0  # per cent
REASONS = Path(__file__).with_name("survivors.toml")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the mutants and print the figures. Status 1: the goal is missed, or a reason is missing or stale.

    A sample never fails for its score.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description="Mutates helpdesk/.")
    parser.add_argument("--module", action="append", metavar="NAME", help="only this file of helpdesk/")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, the same each time")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep the answers, and go on from them")
    options = parser.parse_args(argv)
    sources = source_of_helpdesk()
    modules = options.module or sorted(sources)
    if unknown := set(modules) - set(sources):
        parser.error(f"helpdesk/ has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(sources))}")
    mutants = mutants_of_all({module: sources[module] for module in modules})
    if options.sample is not None:
        size = min(options.sample, len(mutants))
        chosen = random.Random(0).sample(range(len(mutants)), size)
        mutants = [mutants[number] for number in sorted(chosen)]
    answers = asked(mutants, sources, options.jobs, options.results)
    reasons = survivors.read(REASONS)
    whole = modules if options.sample is None else []
    return report(Console(), [(mutant, answers[mutant]) for mutant in mutants], reasons, whole)


def asked(
    mutants: Collection[Mutant], sources: Mapping[str, str], jobs: int, results: Path | None
) -> dict[Mutant, Answer]:
    """The answer to each mutant: those that `results` knows, and the others run, kept there as they come."""
    kept = trials.Kept(results, stamp(ROOT / "suite", "fork").suite)
    answers = {m: known for m in mutants if (known := kept.get(trials.tree_of(m, sources)))}
    left = [mutant for mutant in mutants if mutant not in answers]
    if not left:
        return answers
    columns = (TextColumn("{task.description}"), BarColumn(30), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        TemporaryDirectory() as directory,
        make_runner(jobs) as runner,
        Progress(*columns, console=Console(stderr=True)) as bar,
    ):
        folder = Path(directory)
        task = bar.add_task("the correct server", total=len(mutants), completed=len(answers))
        trace = trials.traced(left, sources, runner, folder / "correct")
        for mutant, answer in trials.run(left, sources, runner, trace, folder / "mutants"):
            answers[mutant] = answer
            kept.put(trials.tree_of(mutant, sources), answer)
            bar.update(task, advance=1, description=f"{mutant.module} {answer.status}".ljust(26))
    return answers


def report(
    console: Console,
    answers: Sequence[tuple[Mutant, Answer]],
    reasons: Mapping[tuple[str, str, str], Reason],
    modules: Collection[str],
) -> int:
    """Print the table and the survivors; the exit status. `modules` are those that were asked in full."""
    statuses: list[tuple[Mutant, Status]] = [(mutant, answer.status) for mutant, answer in answers]
    console.print(table_of(statuses, reasons))
    total = survivors.figures(statuses, reasons)
    console.print(f"Of {total.asked} mutants that start and are not equivalent, {total.killed} are killed by"
                  f" assertion: {total.score:.1f} %. With errors and time-outs: {total.noticed:.1f} %."
                  f" The goal is {GOAL:.0f} %.")  # fmt: skip
    layers = [answer.layer for _, answer in answers if answer.status == "killed"]
    counts = {layer: layers.count(layer) for stage in trials.STAGES for layer in stage if layer in layers}
    console.print(f"Killed first by: {', '.join(f'{layer} {count}' for layer, count in counts.items())}.\n")
    for title, wanted in (("Survived", ("survived",)), ("Only an error or a time-out", ("error", "timeout"))):
        console.print(f"{title}:")
        for mutant, answer in answers:
            if answer.status in wanted:
                console.print(f"  {escape(mutant.where)}  {escape(mutant.change)}", soft_wrap=True)
                console.print(f"      [dim]{escape(words(mutant, answer, reasons))}[/]", soft_wrap=True)
    old = survivors.stale(statuses, reasons, modules)
    for line in old:
        console.print(f"stale: {escape(line)}", soft_wrap=True)
    untold = any(status == "survived" and mutant.name not in reasons for mutant, status in statuses)
    return int(bool(old) or untold or (bool(modules) and total.score < GOAL))


def table_of(
    statuses: Sequence[tuple[Mutant, Status]], reasons: Mapping[tuple[str, str, str], Reason]
) -> Table:
    """One row a module, and one for all."""
    table = Table(title="Generic mutants of helpdesk/")
    table.add_column("module", no_wrap=True)
    for heading in ("all", "killed", "error", "time-out", "broken", "lived", "equivalent", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    for module in [*dict.fromkeys(mutant.module for mutant, _ in statuses), "all"]:
        if module == "all":
            table.add_section()
        now = survivors.figures((pair for pair in statuses if module in (pair[0].module, "all")), reasons)
        row = (now.mutants, now.killed, now.error, now.timeout, now.broken, now.survived, now.equivalent)
        table.add_row(module, *map(str, row), f"{now.score:.1f} %")
    return table


def words(mutant: Mutant, answer: Answer, reasons: Mapping[tuple[str, str, str], Reason]) -> str:
    """Why it lives, or what noticed it by an error."""
    if answer.status != "survived":
        check = answer.check.rpartition("::")[2]
        return f"{check}: {answer.message[:100]}" if check else answer.message[:100]
    reason = reasons.get(mutant.name)
    if reason is None:
        return "no reason yet"
    return f"{'equivalent: ' if reason.equivalent else ''}{reason.words}"


if __name__ == "__main__":
    sys.exit(main())
