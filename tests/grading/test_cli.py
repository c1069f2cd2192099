"""The command line: what it offers, what it refuses, and the exit status."""

from pathlib import Path

import pytest

import defects
from grading import __main__ as command
from grading import check_command, matrix_command, own_tests
from grading.engine.runner import EngineError


def run(capsys, *words):
    try:
        status = command.main(words)
    except SystemExit as leave:  # argparse
        status = leave.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_alone_it_says_what_it_can_do(capsys):
    status, out, _ = run(capsys)
    assert status == 0
    for word in ("EXERCISE", "matrix", "check", "test"):
        assert word in out


@pytest.mark.parametrize("words", [["--help"], ["matrix", "--help"], ["check", "--help"], ["test", "--help"]])
def test_each_command_has_help(capsys, words):
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert "usage: grade.py" in out


def test_paths_of_the_users_folder_are_meant_when_tests_are_run_by_hand(tmp_path, monkeypatch, capfd):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "test_mine.py").write_text(
        "def test_one(desk):\n    assert desk\n\ndef test_two():\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    assert own_tests.main(["-q", "mine/test_mine.py::test_one"]) == 0
    assert "1 passed" in capfd.readouterr().out


def test_a_misspelled_command_is_told_the_one_that_was_meant(capsys):
    status, _, err = run(capsys, "martix")
    assert status == 2
    assert "did you mean matrix?" in err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--defect", "racy_idempotence"], "racy_idempotency"),
        (["--explain", "stdout_baner"], "stdout_banner"),
        (["--layer", "units"], "did you mean 'unit'?"),
        (["--suite", "no/such/folder"], "no folder no/such/folder"),
        (["--jobs", "0"], "at least 1"),
        (["--jobs", "many"], "many"),
        (["--format", "pdf"], "markdown"),
    ],
)
def test_matrix_refuses_what_is_not_there_and_says_what_is(capsys, words, hint):
    status, out, err = run(capsys, "matrix", *words)
    assert status == 2
    assert hint in err
    assert out == ""


def test_matrix_refuses_a_folder_without_tests(capsys, tmp_path):
    (tmp_path / "notes.py").write_text("")
    status, _, err = run(capsys, "matrix", "--suite", str(tmp_path))
    assert status == 2
    assert "holds no tests" in err


def test_check_refuses_an_unknown_defect_with_the_nearest_names(capsys):
    status, _, err = run(capsys, "check", "defects", "sql_pastng")
    assert status == 2
    assert "sql_pasting" in err


def test_check_needs_no_run_to_find_a_broken_file(capsys, tmp_path):
    path = tmp_path / "half_done.toml"
    path.write_text('title = "Half done, as yet"\nlayers = ["unti"]\n')
    status, out, _ = run(capsys, "check", "defects", str(path))
    assert status == 1
    assert "no layer 'unti' (did you mean 'unit'?)" in out
    assert "half_done.toml: story is missing" in out


def test_a_fault_of_the_grader_itself_is_loud_and_has_its_own_status(capsys, monkeypatch):
    def fail(*args, **options):
        raise EngineError("the null mutant did not survive")

    monkeypatch.setattr(matrix_command, "measure", fail)
    status, out, err = run(capsys, "matrix")
    assert status == 3
    assert "NO VERDICT: the null mutant did not survive" in err
    assert out == ""


def test_a_file_that_cannot_be_written_is_a_usage_error_before_anything_runs(capsys, tmp_path):
    status, _, err = run(capsys, "matrix", "-o", str(tmp_path / "no" / "report.txt"))
    assert status == 2
    assert "report.txt" in err


def test_the_command_that_a_new_defect_is_sent_to_is_one(monkeypatch):
    told = (
        (defects_folder() / "__main__.py")
        .read_text("utf-8")
        .split("then run `python3 grade.py ")[1]
        .split("`")[0]
    )
    asked = []
    monkeypatch.setattr(check_command, "main", lambda options: asked.append(options.names) or 0)
    assert command.main(told.replace("{path}", "a_new_one.toml").split()) == 0
    assert asked == [["a_new_one.toml"]]


def defects_folder():
    return Path(str(defects.__file__)).parent
