"""Which checks a defect needs: those that, on the correct server, reach a place that the defect changes.

Any other check runs the same code on both servers and gives the same answer, so it need not be asked. This
is what mutation tools call selection by coverage. It needs a traced run of the correct server, in which every
such place tells when it is passed, also in programs that checks start. A change that acts at import (a
description, a schema, a new function) concerns every check, and so does a place that was passed at import.

What one check leaves in the server's modules for the next one is the limit of this: the trace makes functions
that keep their results forget them, and nothing else of the kind is allowed for. `grade.py matrix
--every-check` asks everything, and a test holds that both ways give the same matrix.
"""

from __future__ import annotations

from collections.abc import Iterable

from grading.engine.changes import Change, Marks
from grading.engine.jobs import Run

__all__ = ["checks_for", "every_place", "reaching"]


def every_place(changes: Iterable[Change]) -> Marks:
    """The places of the correct server that any of these changes."""
    places: dict[str, set[int]] = {}
    for file, lines in (part for change in changes for part in change.before.items()):
        places.setdefault(file, set()).update(lines)
    return {file: tuple(sorted(lines)) for file, lines in places.items()}


def reaching(change: Change, trace: Run) -> tuple[str, ...]:
    """The checks of a trace that reach a place of this change, in the order in which they ran."""
    places = change.places()
    return tuple(
        check.nodeid for check in trace.checks if trace.passed.get(check.nodeid, frozenset()) & places
    )


def checks_for(change: Change, trace: Run) -> tuple[str, ...]:
    """The node ids to run on a server with this change, in the order of the trace; () stands for all.

    A check that did not pass in the trace, or that it lost sight of, is one of them. There is always at least
    one, since only a run shows that a server can be imported.
    """
    if change.at_import or trace.status != "finished":
        return ()
    every = tuple(check.nodeid for check in trace.checks)
    sure = {check.nodeid for check in trace.checks if check.outcome == "passed"} & set(trace.passed)
    near = set(reaching(change, trace))
    wanted = tuple(nodeid for nodeid in every if nodeid in near or nodeid not in sure)
    return () if len(wanted) == len(every) else wanted or every[:1]
