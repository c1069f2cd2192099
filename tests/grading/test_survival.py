"""Why a defect got through, on made-up verdicts."""

from typing import Any

import pytest

from grading.survival import why_a_layer_missed_it, why_it_survived
from grading.verdicts import Finding, Verdict

A, B = "suite/unit/test_a.py::test_a", "suite/contract/test_b.py::test_b"


def verdict(*killers: tuple[str, str], reached: tuple[tuple[str, str], ...] = ()) -> Verdict:
    findings = tuple(Finding(nodeid, layer, "killed") for nodeid, layer in killers)
    return Verdict("killed" if killers else "survived", findings, reached=dict(reached))


@pytest.mark.parametrize(
    ("judged", "at_import", "layers", "why", "tests"),
    [
        (verdict(), False, (), "not reached", ()),
        (verdict(), True, (), "loaded", ()),
        (verdict(reached=((A, "unit"),)), True, (), "reached, not noticed", (A,)),
        (verdict(reached=((A, "unit"),)), False, ("contract",), "not reached", ()),
        (verdict((A, "unit"), reached=((A, "unit"),)), False, ("contract",), "wrong layer", (A,)),
    ],
)
def test_a_survivor_is_explained(judged: Verdict, at_import: bool, layers: Any, why: str, tests: Any):
    survival = why_it_survived(judged, at_import, layers)
    assert survival is not None
    assert (survival.why, survival.tests) == (why, tests)
    assert why.split(",")[0] in survival.words


def test_what_is_killed_where_it_was_asked_needs_no_reason():
    assert why_it_survived(verdict((A, "unit")), False, ("unit", "contract")) is None
    assert why_it_survived(verdict((A, "unit")), False) is None


def test_a_broken_tree_got_through_nothing():
    assert why_it_survived(Verdict("broken"), False) is None
    assert why_a_layer_missed_it(Verdict("broken"), False, "unit") is None


def test_a_layer_is_explained_whatever_others_do():
    judged = verdict((A, "unit"), reached=((A, "unit"), (B, "contract")))
    assert why_a_layer_missed_it(judged, False, "unit") is None
    survival = why_a_layer_missed_it(judged, False, "contract")
    assert survival is not None
    assert survival.words == "reached, not noticed: test_b ran the changed code and passed"


def test_a_reason_says_when_programs_were_not_watched():
    survival = why_it_survived(verdict(), False, programs=False)
    assert survival is not None
    assert "not watched" in survival.words
