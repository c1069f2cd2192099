"""How a mutant goes through the layers, and what its answer is then; no suite is run here."""

from pathlib import Path

import pytest

from benchmarks.mutants import Mutant
from benchmarks.trials import STAGES, Answer, Kept, Trial, stages
from grading.engine.jobs import Check, Job, Run
from grading.engine.runner import EngineError
from grading.layers import LAYERS

NODE = "suite/unit/test_a.py::test_a"


WIRE = "suite/conformance/test_b.py::test_b"


def trial(*wanted: str) -> Trial:
    """A mutant that these checks reach, each in a stage of its own."""
    stages = [(nodeid,) for nodeid in wanted or (NODE, WIRE)]
    return Trial(Mutant("service.py", "", "number", 1, "1 -> 2", "x = 2\n"), Path("tree"), stages)


def ran(trial: Trial, *outcomes: str, status: str = "finished") -> Run:
    checks = tuple(Check(NODE, "unit", outcome, f"it {outcome}") for outcome in outcomes)  # type: ignore[arg-type]
    return Run(trial.job(), "", checks, status, "it ended")  # type: ignore[arg-type]


def test_an_assertion_kills_at_once():
    one = trial()
    assert one.take(ran(one, "passed", "error", "failed"), {NODE}) is False
    assert one.worst == Answer("killed", "unit", NODE, "it failed")


def test_what_passes_goes_on_to_the_next_stage_and_survives_them_all():
    one = trial()
    asked = []
    more = True
    while more:
        asked += one.job().tests
        assert one.job().extra_args == ("-x",)
        more = one.take(ran(one, "passed"), {NODE})
    assert asked == [NODE, WIRE]
    assert one.worst == Answer("survived")


def test_an_error_is_asked_again_in_full_and_then_by_the_other_layers():
    one = trial()
    before = one.job().tests
    assert one.take(ran(one, "error"), {NODE}) is True
    assert (one.job().tests, one.job().extra_args) == (before, ())
    assert one.take(ran(one, "error"), {NODE}) is True
    assert one.worst.status == "error"
    assert one.job().tests != before
    assert one.take(ran(one, "failed"), {NODE}) is False
    assert one.worst.status == "killed"


def test_a_time_out_is_no_kill():
    one = trial(NODE)
    assert one.take(ran(one, "timeout"), {NODE}) is False
    assert one.worst.status == "timeout"
    one = trial(NODE)
    assert one.take(ran(one, status="crashed"), {NODE}) is False
    assert one.worst == Answer("timeout", message="it ended")


def test_a_check_that_does_not_pass_on_the_correct_server_counts_for_nothing():
    one = trial(NODE)
    assert one.take(ran(one, "failed"), set()) is False
    assert one.worst.status == "survived"


def test_a_tree_that_cannot_be_imported_is_broken_and_the_wrong_server_ends_it_all():
    one = trial()
    assert one.take(ran(one, status="broken"), {NODE}) is False
    assert one.worst == Answer("broken", message="it ended")
    with pytest.raises(EngineError, match="wrong server"):
        trial().take(ran(trial(), status="wrong server"), {NODE})


def test_answers_are_kept_for_the_same_tree_and_the_same_suite(tmp_path: Path):
    file = tmp_path / "answers.json"
    tree = {"__init__.py": "x = 2\n"}
    answer = Answer("killed", "unit", NODE, "it failed")
    Kept(file, "a suite").put(tree, answer)
    assert Kept(file, "a suite").get(tree) == answer
    assert Kept(file, "a suite").get({"__init__.py": "x = 3\n"}) is None
    assert Kept(file, "another suite").get(tree) is None
    assert Kept(None, "a suite").get(tree) is None


def test_a_mutant_meets_the_checks_that_reach_it_stage_by_stage():
    sources = {"__init__.py": "", "service.py": "def f():\n    return 1\n\n\nLIMIT = 20\n"}
    checks = tuple(Check(node, layer, "passed") for node, layer in ((NODE, "unit"), (WIRE, "conformance")))
    passed = {NODE: frozenset({"service.py:2"}), WIRE: frozenset[str]()}
    trace = Run(Job(Path("tree"), ("suite",)), "", checks, "finished", passed=passed)

    def met(old: str, new: str) -> list[tuple[str, ...]]:
        source = sources["service.py"].replace(old, new)
        return stages(Mutant("service.py", "", "number", 1, f"{old} -> {new}", source), sources, trace)

    assert met("return 1", "return 2") == [(NODE,)]
    assert met("LIMIT = 20", "LIMIT = 21") == [(NODE,), (WIRE,)], "it acts at import, and concerns all"


def test_each_layer_has_its_stage():
    layers = [layer for stage in STAGES for layer in stage]
    assert sorted(layers) == sorted(LAYERS)
