"""`--hidden DIR`: an instructor's own hidden defects."""

import shutil

import pytest

from defects.entries import CATALOGUE
from grading.exercises.exercise import main
from grading.exercises.exercise_file import load
from grading.exercises.exercise_paths import ROOT, known
from grading.exercises.own_hidden import NoHiddenDefects, with_hidden
from tests.grading.made_exercises import THREE_CHECKS, make_exercise

RACE = "04_writes_that_may_be_retried/medium_race"


@pytest.fixture
def race():
    return load(known()[RACE])


@pytest.fixture
def folder(tmp_path):
    """An instructor's folder with one bug that the exercise has not."""
    shutil.copy(CATALOGUE / "sql_pasting.toml", tmp_path / "pasted.toml")
    return tmp_path


def test_the_bugs_of_a_folder_are_hidden_ones_beside_the_exercises_own(race, folder):
    more = with_hidden(race, folder)
    assert [defect.id for defect in more.hidden] == [*(defect.id for defect in race.hidden), "pasted"]
    assert more.public == race.public


def test_a_folder_of_the_exercises_name_goes_before_the_others(race, folder):
    own = folder / RACE
    own.mkdir(parents=True)
    shutil.copy(CATALOGUE / "sql_pasting.toml", own / "of_its_own.toml")
    assert with_hidden(race, folder).hidden[-1].id == "of_its_own"
    assert len(with_hidden(race, folder).hidden) == len(race.hidden) + 1


def test_a_hidden_bug_that_is_missed_counts_and_is_told_by_its_family(race, folder, capsys):
    import argparse

    args = argparse.Namespace(hidden=folder, format="terminal", jobs=2, cold=False)
    assert main(str(ROOT / "solutions" / RACE), args) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "4 public and 3 hidden bugs: found 4 of 4 public and 2 of 3 hidden" in said
    assert "A hidden bug of the family" in said
    assert "pasted" not in said


def test_what_is_wrong_with_the_folder_is_said(race, tmp_path, folder):
    with pytest.raises(NoHiddenDefects, match="no folder"):
        with_hidden(race, tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoHiddenDefects, match="has no defects: write them as 04_writes"):
        with_hidden(race, tmp_path / "empty")
    shutil.copy(CATALOGUE / "racy_idempotency.toml", folder)
    with pytest.raises(NoHiddenDefects, match="of this name already: racy_idempotency"):
        with_hidden(race, folder)


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [("title", "tilte", "did you mean 'title'"), ('find = """', 'find = """never there ', "never there")],
)
def test_a_file_that_is_no_defect_is_named(race, folder, pattern, replacement, said):
    file = folder / "pasted.toml"
    text = file.read_text().replace("'''", '"""').replace(pattern, replacement, 1)
    file.write_text(text)
    with pytest.raises(NoHiddenDefects, match=said):
        with_hidden(race, folder)


def test_an_exercise_without_bugs_takes_none(folder, tmp_path):
    checks = "def test_first():\n    assert True\n"
    course = tmp_path / "course"
    exercise = make_exercise(course, "words", {"words.toml": "a = 1\n"}, THREE_CHECKS, checks)
    with pytest.raises(NoHiddenDefects, match="of the kind words"):
        with_hidden(exercise, folder)


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    import argparse

    args = argparse.Namespace(hidden=tmp_path / "nowhere")
    assert main(RACE, args) == 2
    assert "there is no folder" in capsys.readouterr().err
