"""`grade.py matrix --compare` and `--approve`, and `grade.py check defects`, with a small matrix."""

import argparse
import json
from dataclasses import replace

import pytest

from defects import entries
from grading import __main__ as command
from grading import approved_file, approving, check_command, matrix_command
from tests.grading.small_matrix import DEFECTS, GROUP, NAME, ONE, STAMP, TWO, made_up

OURS = {id: DEFECTS[id] for id in ("one_less", "two_more")}
GOOD = {"one_less": {ONE: "failed", TWO: "failed", GROUP: "failed"}, "two_more": {ONE: "failed"}}
LESS = {**GOOD, "one_less": {ONE: "failed", GROUP: "failed"}}


@pytest.fixture
def made(tmp_path):
    """`made(outcomes, ids, layers=…)`: a small matrix."""

    def make(outcomes=GOOD, ids=tuple(OURS), stamp=STAMP):
        folder = tmp_path / f"m{len(list(tmp_path.iterdir()))}"
        return made_up(folder, outcomes, {id: DEFECTS[id] for id in ids}, stamp)

    return make


@pytest.fixture
def run(tmp_path, monkeypatch, capsys, made):
    """`run("--compare", matrix=made(…))`: exit status, output, errors; not one run is real."""
    monkeypatch.setattr(approved_file, "PATH", tmp_path / "approved_matrix.toml")
    monkeypatch.setattr("defects.catalogue", lambda: dict(OURS))
    monkeypatch.setattr(matrix_command, "chosen_defects", lambda ids: {id: DEFECTS[id] for id in ids or OURS})

    def go(*words, matrix=None):
        def measure(*args, **options):
            assert matrix is not None, "nothing should have run"
            return matrix

        monkeypatch.setattr(matrix_command, "measure", measure)
        try:
            status = command.main(["matrix", *words])
        except SystemExit as leave:  # argparse
            status = leave.code
        return status, *capsys.readouterr()

    return go


def test_with_nothing_approved_comparing_is_a_usage_error_before_anything_runs(run):
    status, out, err = run("--compare")
    assert (status, out) == (2, "")
    assert "no matrix is approved yet" in err and "python3 grade.py matrix --approve" in err


def test_what_was_approved_compares_as_no_change(run, made):
    status, out, _ = run("--approve", matrix=made())
    assert status == 0
    assert "Approved for Python 3.11: " in out and "the first one" in out
    status, out, _ = run("--compare", matrix=made())
    assert status == 0
    assert "approved_matrix.toml: no change." in out
    assert approved_file.CURE not in out


def test_an_unapproved_change_is_told_with_its_cure_and_fails(run, made):
    run("--approve", matrix=made())
    status, out, _ = run("--compare", matrix=made(LESS))
    assert status == 1
    assert "one_less x unit: killed by 1 check, approved 2; test_the_answer_is_even no longer kills it" in out
    assert out.endswith(f"{approved_file.CURE}\n")


def test_approving_says_what_it_changes(run, made):
    run("--approve", matrix=made())
    status, out, _ = run("--approve", matrix=made(LESS))
    assert status == 0
    assert "1 change.\n  one_less x unit: killed by 1 check, approved 2" in out
    assert run("--compare", matrix=made(LESS))[0] == 0


def test_a_matrix_with_problems_is_not_approved(run, made):
    status, out, _ = run("--approve", matrix=made({**GOOD, "two_more": {}}))
    assert status == 1
    assert "Not approved. Mend this first:\n  two_more survived; the catalogue says unit" in out
    assert not approved_file.PATH.exists()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--approve", "--defect", "one_less"], "leave out --defect and --layer"),
        (["--approve", "--layer", "unit"], "leave out --defect and --layer"),
        (["--approve", "--suite", "elsewhere"], "leave out --suite, or --approve"),
        (["--compare", "--suite", "elsewhere"], "leave out --suite, or --compare"),
        (["--compare", "--explain", "one_less"], "leave out one of them"),
        (["--compare", "--approve"], "not allowed with"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_runs(run, words, hint):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert hint in err


def test_a_part_is_compared_with_its_own_part(run, made):
    run("--approve", matrix=made())
    status, out, _ = run("--compare", "--defect", "two_more", matrix=made(LESS, ["two_more"]))
    assert status == 0
    assert "no change" in out


def test_a_half_is_not_compared_and_that_is_said(run, made):
    run("--approve", matrix=made())
    status, out, _ = run(
        "--compare", "--defect", "quiet", matrix=made({"quiet": {GROUP: "failed"}}, ["quiet"])
    )
    assert status == 0
    assert "Not compared: quiet, for a half of a pair is not approved." in out


def test_another_python_keeps_what_the_first_one_approved(run, made):
    run("--approve", matrix=made())
    later = replace(STAMP, python="3.13.1")
    assert "approved for Python 3.11 and not for 3.13" not in run("--compare", matrix=made(stamp=later))[1], (
        "the small suite has no property layer"
    )
    assert "Approved for Python 3.13" in run("--approve", matrix=made(stamp=later))[1]
    approved = approved_file.read()
    assert approved is not None
    assert set(approved.python) == {"3.11", "3.13"}


def test_a_report_for_a_program_stays_alone_on_standard_output(run, made, tmp_path):
    run("--approve", matrix=made())
    _, out, err = run("--compare", "--format", "json", matrix=made(LESS))
    assert json.loads(out)["version"] == 1
    assert "one_less x unit" in err
    report = tmp_path / "report.json"
    _, out, err = run("--compare", "--format", "json", "-o", str(report), matrix=made(LESS))
    assert json.loads(report.read_text("utf-8"))["version"] == 1
    assert "one_less x unit" in out
    assert err == ""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys, run):
    """`check(matrix, *names)`: `grade.py check defects`, where every file is sound and this is its matrix."""
    for name in ("CATALOGUE", "HALVES", "VARIANTS"):
        (tmp_path / name.lower()).mkdir()
        monkeypatch.setattr(entries, name, tmp_path / name.lower())
    for id in OURS:
        (tmp_path / "catalogue" / f"{id}.toml").write_text("")
    monkeypatch.setattr(check_command, "check", lambda paths: [])

    def go(matrix, *names):
        monkeypatch.setattr(check_command, "_run", lambda paths, options: matrix)
        status = check_command.main(argparse.Namespace(names=names))
        return status, capsys.readouterr().out

    return go


def test_a_check_of_all_files_holds_the_same_matrix_to_the_approved_one(check, run, made):
    status, out = check(made())
    assert status == 1
    assert "approved_matrix.toml: is missing. Approve a matrix: python3 grade.py matrix --approve" in out
    run("--approve", matrix=made())
    assert check(made()) == (0, "2 files checked, 0 things to mend.\n")
    status, out = check(made(LESS))
    assert status == 1
    assert out.splitlines() == [
        "catalogue/one_less.toml: one_less x unit: killed by 1 check, approved 2; "
        "test_the_answer_is_even no longer kills it",
        approved_file.CURE,
        "2 files checked, 1 thing to mend.",
    ]


def test_a_check_of_one_file_asks_for_no_approval(check, made):
    status, out = check(made(LESS, ["one_less"]), "one_less")
    assert (status, out) == (0, "1 file checked, 0 things to mend.\n")


def test_a_new_defect_fails_the_check_until_it_is_approved_and_one_that_is_gone_too(
    check, run, made, tmp_path
):
    run("--approve", matrix=made())
    (tmp_path / "catalogue" / "two_more.toml").unlink()
    (tmp_path / "catalogue" / "no_name.toml").write_text("")
    fresh = made({**GOOD, "no_name": {NAME: "failed"}}, ["one_less", "no_name"])
    status, out = check(fresh)
    assert status == 1
    assert "catalogue/no_name.toml: no_name: not approved yet; killed by 1 check in unit" in out
    assert "approved_matrix.toml: two_more: approved, and no longer in the catalogue" in out


def test_a_plain_matrix_is_held_to_nothing():
    assert approving.former(argparse.Namespace(compare=False, approve=False)) is None
