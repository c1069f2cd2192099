"""The matrix: what is run, what is asked again, and a whole one through the real engine."""

import pytest

from defects import Edit
from grading.engine.runner import EngineError
from grading.matrix import NullMutantDied, run_matrix
from grading.plan import Usage, chosen_defects, find_suite, make_plan
from tests.grading.small_matrix import (
    DEFECTS,
    GROUP,
    NAME,
    ONE,
    SOURCES,
    STAMP,
    TESTS,
    TWO,
    VARIANTS,
    MadeUpRunner,
    Watch,
    defect,
    suite,
)


@pytest.fixture
def measure(tmp_path):
    """`measure(["one_less"], outcomes)`: the matrix of these defects, with made-up outcomes."""

    def run(ids, outcomes=None, *, variants=VARIANTS, layers=(), whole=False):
        plan = make_plan(
            suite(tmp_path, layers=layers), {id: DEFECTS[id] for id in ids}, variants, tmp_path / "t", SOURCES
        )
        runner, watch = MadeUpRunner(outcomes), Watch()
        matrix = run_matrix(plan, runner, watch, STAMP, whole=whole)
        assert len(watch.judged) == watch.servers
        return matrix, runner.asked

    return run


def asked_of(jobs, name):
    return [(job.order, job.tests) for job in jobs if job.name == name]


def test_only_what_killed_is_asked_again_in_the_other_order(measure):
    matrix, jobs = measure(
        ["one_less", "quiet"], {"one_less": {ONE: "failed", NAME: "error", GROUP: "failed"}}
    )
    assert asked_of(jobs, "one_less") == [("as written", ("suite",)), ("reversed", (ONE, GROUP))]
    assert asked_of(jobs, "quiet") == [("as written", ("suite",))]
    killed, survived = matrix.rows
    assert [finding.answer for finding in killed.verdict.findings] == ["killed", "error", "killed"]
    assert killed.as_told
    assert survived.verdict.status == "survived"
    assert matrix.problems == (
        "quiet survived; the catalogue says contract; not reached: no test that counts ran the changed code",
    )


def test_a_kill_that_is_not_repeated_is_unstable_and_said_so(measure):
    matrix, _ = measure(["two_more"], {"two_more": {ONE: ["failed", "passed"]}})
    assert matrix.rows[0].verdict.status == "unstable"
    assert "changed its mind" in matrix.problems[0]


def test_a_defect_must_die_in_every_layer_that_it_names(measure):
    matrix, _ = measure(["one_less"], {"one_less": {ONE: "failed"}})
    assert matrix.rows[0].missed == ("contract",)
    assert matrix.problems == (
        "one_less is not killed in contract; the catalogue says unit, contract; killed in unit only; "
        "contract: not reached: no test that counts ran the changed code",
    )


def test_a_kill_in_a_further_layer_is_no_mistake(measure):
    matrix, _ = measure(["two_more"], {"two_more": {ONE: "failed", GROUP: "failed"}})
    assert matrix.problems == ()
    assert matrix.rows[0].killing_layers == ("unit", "contract")


def test_with_chosen_layers_the_catalogue_is_asked_of_these_only(measure):
    matrix, jobs = measure(["one_less", "quiet"], {"one_less": {ONE: "failed"}}, layers=("unit",))
    assert matrix.problems == ()
    assert {job.layers for job in jobs} == {("unit",)}


def test_few_defects_ask_the_variants_only_for_what_kills(measure):
    matrix, jobs = measure(["one_less"], {"one_less": {ONE: "failed", GROUP: "failed"}})
    assert asked_of(jobs, "sums") == [("as written", (ONE, GROUP)), ("reversed", (ONE, GROUP))]
    assert matrix.counting.refused == ()
    _, jobs = measure(["quiet"])
    assert asked_of(jobs, "sums") == []
    _, jobs = measure(["quiet"], whole=True)
    assert asked_of(jobs, "sums") == [("as written", ("suite",)), ("reversed", ("suite",))]


def test_a_check_that_refuses_a_variant_kills_nothing(measure):
    matrix, _ = measure(["one_less"], {"one_less": {ONE: "failed", TWO: "failed"}, "sums": {ONE: "failed"}})
    assert [killer.nodeid for killer in matrix.rows[0].verdict.killers] == [TWO]
    assert matrix.problems[0] == f"{ONE} does not count: over-specified (sums)"


def test_a_null_mutant_that_dies_takes_the_whole_matrix_with_it(measure):
    with pytest.raises(NullMutantDied, match="test_the_name"):
        measure(["one_less"], {"null mutant": {NAME: "failed"}})


def test_a_run_on_the_wrong_server_takes_the_whole_matrix_with_it(measure):
    with pytest.raises(EngineError, match="wrong server"):
        measure(["one_less"], {"one_less": "wrong server"})


def test_the_null_mutant_is_the_correct_server_in_another_folder(tmp_path):
    plan = make_plan(suite(tmp_path), DEFECTS, VARIANTS, tmp_path / "t", SOURCES)
    assert plan.null.tree != plan.correct.tree
    for name, text in SOURCES.items():
        assert (plan.null.tree / "helpdesk" / name).read_text() == text
    assert not any("quiet" in str(server.tree.relative_to(tmp_path)) for server in plan.mutants)


def test_a_mutant_whose_edits_undo_one_another_is_refused_and_never_a_survivor(tmp_path):
    undone = defect("undone", "42", "43")
    object.__setattr__(undone, "edits", (*undone.edits, Edit("service.py", "43", "42")))
    with pytest.raises(EngineError, match="undone is the correct server, byte for byte"):
        make_plan(suite(tmp_path), {"undone": undone}, {}, tmp_path / "t", SOURCES)


def test_unknown_names_come_with_the_nearest_ones():
    with pytest.raises(Usage, match="racy_idempotency"):
        chosen_defects(["racy_idempotence"])
    with pytest.raises(Usage, match="did you mean 'snapshot'"):
        find_suite(None, ["snapshots"])


def test_a_folder_without_tests_is_no_suite(tmp_path):
    with pytest.raises(Usage, match="holds no tests"):
        find_suite(tmp_path)
    with pytest.raises(Usage, match="no folder"):
        find_suite(tmp_path / "nowhere")


def check_all_verdicts(matrix):
    """What TESTS say about DEFECTS, whoever ran them."""
    said = {row.defect.id: row.verdict for row in matrix.rows}
    assert {id: verdict.status for id, verdict in said.items()} == {
        "one_less": "killed",
        "two_more": "killed",
        "quiet": "survived",
        "no_name": "survived",
        "no_import": "broken",
        "first_time_only": "unstable",
    }
    one_less = {killer.nodeid: killer.message for killer in said["one_less"].killers}
    assert set(one_less) == {ONE, TWO, GROUP}, "the async check too, and not the first killer alone"
    assert "wrong in a group" in one_less[GROUP]
    (error,) = said["no_name"].findings
    assert (error.nodeid, error.answer) == (NAME, "error")
    assert "AttributeError" in error.message
    assert "no_such_thing" in said["no_import"].detail
    assert matrix.layers == ("unit", "contract")
    assert matrix.worth.cheapest == {"one_less": "unit", "two_more": "unit"}


def test_a_whole_matrix_through_forks(tmp_path, fork):
    plan = make_plan(suite(tmp_path), DEFECTS, VARIANTS, tmp_path / "t", SOURCES)
    check_all_verdicts(run_matrix(plan, fork, Watch(), STAMP))


def test_a_suite_that_knows_its_folder_fails_on_the_null_mutant(tmp_path, fork):
    spy = "import helpdesk\n\ndef test_where():\n    assert '/copy/' not in helpdesk.__file__\n"
    plan = make_plan(suite(tmp_path, {**TESTS, "unit/test_spy.py": spy}), {}, {}, tmp_path / "t", SOURCES)
    with pytest.raises(NullMutantDied, match="test_where"):
        run_matrix(plan, fork, Watch(), STAMP)
