"""`grade.py matrix --compare` and `--approve`: what they refuse, and what they say."""

from __future__ import annotations

import argparse
from typing import TextIO

import defects
from grading import approved_file
from grading.approved import Approved, approve, compare, minor, part_of
from grading.matrix import Matrix
from grading.plan import Usage
from grading.reports.words import count_of

__all__ = ["conclude", "former"]


def former(options: argparse.Namespace) -> Approved | None:
    """What was approved before; None when the options ask for neither.

    Raises `Usage` for options that do not go together, and when there is nothing to compare with.
    """
    if not (options.compare or options.approve):
        return None
    word = "--approve" if options.approve else "--compare"
    if options.suite:
        raise Usage(f"what is approved is the reference suite's: leave out --suite, or {word}")
    if options.explain:
        raise Usage(f"--explain is about one defect, {word} about the matrix: leave out one of them")
    if options.approve and (options.defect or options.layer):
        raise Usage("only a whole matrix is approved: leave out --defect and --layer")
    approved = approved_file.read()
    if approved is None and options.compare:
        raise Usage("no matrix is approved yet. Approve one first: python3 grade.py matrix --approve")
    return approved or Approved()


def conclude(approved: Approved, matrix: Matrix, options: argparse.Namespace, to: TextIO) -> bool:
    """Compare or approve, and say so. Returns whether the exit status must tell of it."""
    catalogue, python = defects.catalogue(), minor(matrix.stamp.python)
    new = part_of(matrix, catalogue)
    found = compare(approved, new, python, None if options.defect else catalogue)
    halves = [row.defect.id for row in matrix.rows if row.defect.id not in catalogue]
    changes = [f"  {change}" for change in found.changes]
    count = count_of(len(changes), "change") if changes else "no change"
    where = approved_file.name()
    if options.compare:
        lines = [f"Compared with {where}: {count}.", *changes, *found.notes]
        lines += [f"Not compared: {half}, for a half of a pair is not approved." for half in halves]
        lines += [approved_file.CURE] if changes else []
    elif matrix.problems:
        lines = ["Not approved. Mend this first:", *(f"  {problem}" for problem in matrix.problems)]
    else:
        first = not approved.defects
        approved_file.write(approve(approved, new, python))
        lines = [f"Approved for Python {python}: {where}" + (", the first one." if first else f", {count}.")]
        lines += [] if first else changes
    print("", *lines, sep="\n", file=to)
    return bool(options.compare and changes)
