"""How a mutant goes through the layers, and what its answer is then; no suite is run here."""

from pathlib import Path

import pytest

from benchmarks.mutants import Mutant
from benchmarks.trials import ASKED, STAGES, Answer, Kept, Trial
from grading.engine.jobs import Check, Job, Run
from grading.engine.runner import EngineError

NODE = "suite/unit/test_a.py::test_a"


def trial(module: str = "service.py") -> Trial:
    return Trial(Mutant(module, "", "number", 1, "1 -> 2", "x = 2\n"), Path("tree"))


def ran(trial: Trial, *outcomes: str, status: str = "finished") -> Run:
    checks = tuple(Check(NODE, "unit", outcome, f"it {outcome}") for outcome in outcomes)  # type: ignore[arg-type]
    return Run(trial.job(), "", checks, status, "it ended")  # type: ignore[arg-type]


def test_an_assertion_kills_at_once():
    one = trial()
    assert one.take(ran(one, "passed", "error", "failed"), {NODE}) is False
    assert one.worst == Answer("killed", "unit", NODE, "it failed")


def test_what_passes_goes_on_to_the_next_layers_and_survives_them_all():
    one = trial()
    layers = []
    more = True
    while more:
        layers.append(one.job().layers)
        assert one.job().extra_args == ("-x",)
        more = one.take(ran(one, "passed"), {NODE})
    assert layers == [STAGES[number] for number in ASKED["service.py"]]
    assert one.worst == Answer("survived")


def test_an_error_is_asked_again_in_full_and_then_by_the_other_layers():
    one = trial()
    before = one.job().layers
    assert one.take(ran(one, "error"), {NODE}) is True
    assert (one.job().layers, one.job().extra_args) == (before, ())
    assert one.take(ran(one, "error"), {NODE}) is True
    assert one.worst.status == "error"
    assert one.job().layers != before
    assert one.take(ran(one, "failed"), {NODE}) is False
    assert one.worst.status == "killed"


def test_a_time_out_is_no_kill():
    one = trial("connect.py")
    assert one.take(ran(one, "timeout"), {NODE}) is False
    assert one.worst.status == "timeout"
    one = trial("connect.py")
    assert one.take(ran(one, status="crashed"), {NODE}) is False
    assert one.worst == Answer("timeout", message="it ended")


def test_a_check_that_does_not_pass_on_the_correct_server_counts_for_nothing():
    one = trial("connect.py")
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


def test_every_module_meets_a_layer_and_each_stage_has_its_own(tmp_path: Path):
    layers = [layer for stage in STAGES for layer in stage]
    assert len(layers) == len(set(layers)) == 8
    assert isinstance(trial("a_new_module.py").job(), Job)
    assert list(trial("a_new_module.py").stages) == list(range(len(STAGES)))
