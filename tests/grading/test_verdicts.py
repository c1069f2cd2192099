"""The verdict rules on made-up runs: what counts, what kills, what is only shown."""

from pathlib import Path
from typing import Any

import pytest

from grading.engine.jobs import Check, Job, Run
from grading.engine.runner import EngineError
from grading.verdicts import count, judge, null_mutant, suspects

A, B = "suite/unit/test_a.py::test_a", "suite/contract/test_b.py::test_b"
COUNTED = {A: "unit", B: "contract"}


def run(
    a: Any = "passed",
    b: Any = "passed",
    *,
    order: Any = "as written",
    status: Any = "finished",
    origin="trees/one/helpdesk",
    tests=(),
):
    """A run in which A and B gave these outcomes; None leaves a check out, as a run that died does."""
    checks = [
        Check(node, COUNTED[node], outcome, f"{outcome} here", 0.1)
        for node, outcome in ((A, a), (B, b))
        if outcome is not None
    ]
    job = Job(Path("trees/one"), tests or ("suite",), order=order)
    ended = "" if status == "finished" else f"it was {status}"
    return Run(job, origin, tuple(checks if order == "as written" else checks[::-1]), status, ended)


def correct(**again):
    return [run(), run(order="reversed", **again)]


def test_a_check_counts_when_it_passes_on_the_correct_server_in_both_orders():
    counting = count(correct())
    assert counting.counted == COUNTED
    assert list(counting.counted) == [A, B], "the order written, not the order run"
    assert counting.refused == ()
    assert counting.seconds[A] == pytest.approx(0.1)


def test_a_check_that_fails_on_the_correct_server_does_not_count_and_kills_nothing():
    counting = count([run(a="failed"), run(a="failed", order="reversed")])
    (refused,) = counting.refused
    assert (refused.nodeid, refused.why, refused.server) == (A, "fails the correct server", "")
    assert refused.message == "failed here"
    assert judge(run(a="failed"), run(a="failed"), counting.counted).status == "survived"


def test_a_check_that_passes_in_one_order_only_changes_its_mind():
    (refused,) = count(correct(b="failed")).refused
    assert (refused.nodeid, refused.why) == (B, "changes its mind")


def test_a_skipped_check_is_no_fault_and_does_not_count():
    counting = count([run(a="skipped"), run(a="skipped", order="reversed")])
    assert [refused.why for refused in counting.refused] == ["skipped"]
    assert list(counting.counted) == [B]


def test_a_check_that_fails_on_a_variant_is_over_specified_and_the_variant_is_named():
    counting = count(correct(), {"wal": correct(), "words": [run(b="failed"), run(b="failed")]})
    (refused,) = counting.refused
    assert (refused.nodeid, refused.why, refused.server) == (B, "over-specified", "words")
    assert list(counting.counted) == [A]


def test_a_check_that_only_sometimes_passes_on_a_variant_changes_its_mind():
    (refused,) = count(correct(), {"wal": correct(a="error")}).refused
    assert (refused.why, refused.server, refused.outcome) == ("changes its mind", "wal", "error")


def test_a_variant_that_was_asked_some_checks_says_nothing_about_the_others():
    assert count(correct(), {"wal": [run(b=None, tests=(A,))]}).refused == ()
    (refused,) = count(correct(), {"wal": [run(b=None)]}).refused
    assert (refused.nodeid, refused.outcome) == (B, "missing")


def test_counting_wants_two_orders():
    with pytest.raises(ValueError, match="two orders"):
        count([run(), run()])


def test_a_correct_server_or_variant_that_cannot_be_imported_is_the_graders_fault():
    with pytest.raises(EngineError, match="correct server cannot be imported"):
        count([run(status="broken"), run(order="reversed")])
    with pytest.raises(EngineError, match="variant wal"):
        count(correct(), {"wal": [run(status="broken")]})


def test_an_assertion_that_fails_twice_kills():
    verdict = judge(run(b="failed"), run(a=None, b="failed", order="reversed"), COUNTED)
    assert verdict.status == "killed"
    (killer,) = verdict.killers
    assert (killer.nodeid, killer.layer, killer.message) == (B, "contract", "failed here")
    assert (verdict.kills_in("contract"), verdict.kills_in("unit")) == (1, 0)


def test_every_killer_is_listed_and_not_the_first_alone():
    both = judge(run(a="failed", b="failed"), run(a="failed", b="failed"), COUNTED)
    assert [killer.nodeid for killer in both.killers] == [A, B]


def test_only_what_failed_has_to_be_asked_again():
    assert suspects(run(a="error", b="failed"), COUNTED) == (B,)
    assert suspects(run(b="failed"), {A: "unit"}) == (), "what does not count is not asked"
    assert suspects(run(a="timeout"), COUNTED, kills_by={"failed", "timeout"}) == (A,)


def test_a_kill_without_a_second_run_is_refused():
    with pytest.raises(ValueError, match="second run"):
        judge(run(a="failed"), None, COUNTED)


@pytest.mark.parametrize("again", ["passed", "error", "timeout", None])
def test_what_changes_its_mind_is_unstable_and_kills_nothing(again):
    verdict = judge(run(a="failed"), run(a=again, b=None), COUNTED)
    assert verdict.status == "unstable"
    assert verdict.killers == ()
    assert verdict.findings[0].answer == "unstable"


def test_a_check_that_fails_only_the_second_time_is_unstable_too():
    assert judge(run(), run(a="failed"), COUNTED).status == "unstable"


def test_an_unstable_check_does_not_undo_another_ones_kill():
    verdict = judge(run(a="failed", b="failed"), run(a="passed", b="failed"), COUNTED)
    assert verdict.status == "killed"
    assert verdict.answers_in("unit") == {"unstable"}


@pytest.mark.parametrize("outcome", ["error", "timeout", "crashed"])
def test_errors_and_time_outs_are_told_apart_and_do_not_kill(outcome):
    verdict = judge(run(a=outcome), None, COUNTED)
    assert verdict.status == "survived"
    assert [finding.answer for finding in verdict.findings] == [outcome]


def test_an_exercise_may_let_a_time_out_kill():
    kills_by = {"failed", "timeout"}
    assert judge(run(a="timeout"), run(a="timeout"), COUNTED, kills_by).status == "killed"
    assert judge(run(a="error"), None, COUNTED, kills_by).status == "survived"


def test_a_tree_that_cannot_be_imported_is_broken_and_never_killed():
    verdict = judge(run(a="failed", b="failed", status="broken"), None, COUNTED)
    assert (verdict.status, verdict.killers, verdict.detail) == ("broken", (), "it was broken")


def test_a_check_lost_with_its_run_is_missing_and_no_kill():
    verdict = judge(run(b=None, status="crashed"), None, COUNTED)
    assert verdict.status == "survived"
    (lost,) = verdict.findings
    assert (lost.nodeid, lost.answer, lost.message) == (B, "missing", "it was crashed")


def test_no_verdict_is_drawn_from_a_run_on_the_wrong_server():
    for said in (run(status="wrong server"), run(origin="elsewhere/helpdesk")):
        with pytest.raises(EngineError):
            judge(said, None, COUNTED)
        with pytest.raises(EngineError):
            count([said, run(order="reversed")])
    with pytest.raises(EngineError):
        judge(run(a="failed"), run(a="failed", origin="elsewhere/helpdesk"), COUNTED)


def test_the_null_mutant_must_survive_everything():
    assert null_mutant(run(), COUNTED) == ""
    for outcome in ("failed", "error", "timeout", "skipped", None):
        complaint = null_mutant(run(b=outcome), COUNTED)
        assert "test_b" in complaint, outcome
    assert "cannot be imported" in null_mutant(run(status="broken"), COUNTED)
    assert null_mutant(run(b="failed"), {A: "unit"}) == "", "what does not count cannot complain"
