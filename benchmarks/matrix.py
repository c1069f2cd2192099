"""How long a matrix takes, beside one cold pytest process a defect that does the same checks.

    python -m benchmarks.matrix               the whole catalogue, and every defect cold: half an hour
    python -m benchmarks.matrix --sample 4    four defects cold, and the rest reckoned from them
    python -m benchmarks.matrix --first 24    the first 24 defects only
    python -m benchmarks.matrix --first 48 --property --sample 4    the figure of the whole suite

All figures of a ratio come from this one run, on this one machine. The correct variants are left out on
both sides: a cold process a defect does not meet them either. The matrix confirms every kill, and leaves out
checks that cannot notice a defect (`--every-check` has it ask all); the cold side does neither.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from defects import Defect
from grading.exercises.exercise import make_runner
from grading.layers import LAYERS
from grading.matrix import Matrix
from grading.matrix_command import measure
from grading.plan import ROOT, chosen_defects, find_suite, make_plan
from grading.selection import checks_for
from grading.verdicts import suspects

__all__ = ["main"]

#: The layers that start no program, without the generated one.
IN_PROCESS = tuple(layer for layer in LAYERS if layer not in ("transport", "property"))
REFERENCE = (*IN_PROCESS, "transport")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print. Returns 0; a figure that is missed is for the reader to see."""
    parser = argparse.ArgumentParser(description="Times the matrix.")
    parser.add_argument("--sample", type=int, metavar="N", help="run this many defects cold, not all")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N defects of the catalogue")
    parser.add_argument("--property", action="store_true", help="the property layer too")
    parser.add_argument("--every-check", action="store_true", help="the matrix leaves out no check")
    options = parser.parse_args(argv)
    layers = LAYERS if options.property else REFERENCE
    every = chosen_defects()
    chosen = dict(list(every.items())[: options.first])

    began = time.monotonic()
    matrix = measure(find_suite(None, layers), chosen, {}, every_check=options.every_check)
    warm = time.monotonic() - began
    names = list(chosen)
    step = max(1, len(names) // options.sample) if options.sample else 1
    sample = names[::step][: options.sample]
    cold = _cold(sample, layers, matrix.jobs) / len(sample) * len(names)
    once = _timed(_pytest(REFERENCE))
    more = _one_more(chosen, sample)
    _print(matrix, len(names), len(sample), warm, cold, once, more)
    return 0


def _pytest(layers: Sequence[str], *options: str) -> list[str]:
    wanted = [word for layer in layers for word in ("--layer", layer)]
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *wanted, *options, "suite"]


def _timed(command: Sequence[str]) -> float:
    began = time.monotonic()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - began


def _cold(ids: Sequence[str], layers: Sequence[str], jobs: int) -> float:
    """Wall time of one cold process for each of these, as many at a time as the matrix had."""
    began = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda id: _timed(_pytest(layers, "--defect", id)), ids))
    return time.monotonic() - began


def _one_more(chosen: Mapping[str, Defect], ids: Sequence[str]) -> float:
    """Mean seconds from a laid tree to a confirmed verdict, in the in-process layers, one after another."""
    with tempfile.TemporaryDirectory() as directory, make_runner(1) as runner:
        plan = make_plan(find_suite(None, IN_PROCESS), {id: chosen[id] for id in ids}, {}, Path(directory))
        [trace] = runner.run([plan.job(plan.traced)])
        passed = {check.nodeid for check in trace.checks}
        began = time.monotonic()
        for mutant in plan.mutants:
            first = runner.run([plan.job(mutant, only=checks_for(mutant.change, trace))])[0]
            kills = suspects(first, passed)
            if kills:
                runner.run([plan.job(mutant, "reversed", kills)])
        return (time.monotonic() - began) / len(plan.mutants)


def _print(
    matrix: Matrix, defects_: int, sampled: int, warm: float, cold: float, once: float, more: float
) -> None:
    inside = sum(matrix.inside.values())
    reckoned = "" if sampled == defects_ else f" (reckoned from {sampled})"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{matrix.stamp}; load {load:.1f}\n")
    for words, figure in (
        (f"matrix, {defects_} defects, {matrix.runs} runs, kills confirmed", f"{warm:8.1f} s"),
        (f"one cold pytest a defect, the same checks, once{reckoned}", f"{cold:8.1f} s"),
        ("  so the matrix is faster by", f"{cold / warm:8.1f} x"),
        ("  wall time over time inside checks a job", f"{matrix.wall / (inside / matrix.jobs):8.2f} x"),
        ("the reference checks once, in plain cold pytest", f"{once:8.1f} s"),
        (f"one more defect, {len(IN_PROCESS)} in-process layers", f"{more:8.2f} s"),
    ):
        print(f"{words:62}{figure}")


if __name__ == "__main__":
    sys.exit(main())
