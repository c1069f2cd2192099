"""Two ways to run give the same matrix: six defects here, the whole catalogue with `--deep`.

Forked runs beside new interpreters, and the checks that can notice a defect beside all checks.
"""

import pytest

import defects
from grading.engine.fork import AVAILABLE
from grading.matrix_command import measure
from grading.plan import chosen_defects, find_suite

# One a layer and two that need more than a call: what a fork could get wrong is state, threads and files.
SIX = (
    "racy_idempotency",
    "sql_pasting",
    "ignores_idempotency_key",
    "traceback_to_caller",
    "false_description",
    "audience_unchecked",
)
#: Layers that start no program: a program of its own is compared in `test_cold.py`.
LAYERS = ("unit", "contract", "snapshot", "security")


@pytest.mark.skipif(not AVAILABLE, reason="this system cannot fork")
def test_forks_and_new_interpreters_give_the_same_matrix(pytestconfig):
    deep = pytestconfig.getoption("--deep")
    suite = find_suite(None, () if deep else LAYERS)
    chosen = chosen_defects(() if deep else SIX)
    variants = defects.variants() if deep else {}
    forked = measure(suite, chosen, variants)
    started = measure(suite, chosen, variants, cold=True)
    assert cells(forked) == cells(started)
    assert forked.counting.counted == started.counting.counted
    assert (forked.stamp.way, started.stamp.way) == ("fork", "cold")
    assert any(row.verdict.killers for row in forked.rows)


@pytest.mark.skipif(not AVAILABLE, reason="this system cannot fork")
def test_what_is_left_out_could_not_have_noticed_anything(pytestconfig):
    deep = pytestconfig.getoption("--deep")
    chosen = chosen_defects(() if deep else SIX)
    some = measure(find_suite(), chosen, {})
    every = measure(find_suite(), chosen, {}, every_check=True)
    assert cells(some) == cells(every)
    assert some.counting.counted == every.counting.counted
    assert (some.left_out > 0, every.left_out) == (True, 0)


def cells(matrix):
    """Every answer of every check on every defect."""
    return {
        row.defect.id: (row.verdict.status, [(f.nodeid, f.answer) for f in row.verdict.findings])
        for row in matrix.rows
    }
