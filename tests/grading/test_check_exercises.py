"""`grade.py check exercises`: what is said about an exercise that is not as it should be."""

import argparse

import pytest

import defects
from grading.exercises import check_exercises
from grading.exercises.exercise import can_fork, make_runner
from grading.exercises.exercise_file import CHECKS, START
from tests.grading.made_exercises import THREE_CHECKS, make_exercise

CURSORS = defects.source_of_helpdesk()["cursors.py"]
CHECKS_OF_IT = """
def test_first(submission):
    assert "mended" in (submission / "cursors.py").read_text()

def test_second(submission):
    assert "mended" in (submission / "cursors.py").read_text()

def test_third(desk):
    assert desk.get("alice", 1)
"""
MENDED = CURSORS + "mended = True\n"


@pytest.fixture(scope="module")
def engine():
    with make_runner(2, cold=not can_fork()) as runner:
        yield runner


@pytest.fixture
def exercise(tmp_path):
    start, solution = {"cursors.py": CURSORS + "# start\n"}, {"cursors.py": MENDED}
    return make_exercise(tmp_path, "server", start, THREE_CHECKS, CHECKS_OF_IT, solution)


@pytest.fixture
def said(exercise, engine):
    """What is wrong now, the whole check run."""
    return lambda: [
        problem.message for problem in check_exercises.check(exercise.folder, engine, not can_fork())
    ]


def test_a_sound_exercise_has_nothing_to_mend(said):
    assert said() == []


def test_a_definition_that_cannot_be_read_is_the_only_complaint(exercise, said):
    (exercise.folder / "exercise.toml").write_text("points = 1\n")
    assert any("kind is missing" in message for message in said())


@pytest.mark.parametrize(
    ("file", "where"),
    [("notes.txt", "exercises/03_data/easy_thing"), (f"{START}/more.py", START)],
)
def test_what_is_stray_is_named(exercise, file, where):
    (exercise.folder / file).write_text("x = 1\n")
    [message] = check_exercises.problems_without_runs(exercise)
    assert message.startswith(f"{file.rsplit('/', 1)[-1]} is stray in {where}")


def test_a_solution_without_its_explanation_is_not_whole(exercise):
    (check_exercises.solution_of(exercise) / "EXPLANATION.md").unlink()
    assert list(check_exercises.problems_without_runs(exercise)) == [
        "EXPLANATION.md is missing in solutions/03_data/easy_thing"
    ]


def test_an_explanation_says_what_is_still_unguarded(exercise):
    explanation = check_exercises.solution_of(exercise) / "EXPLANATION.md"
    explanation.write_text("# Why this works\n\n# What else would do\n")
    assert list(check_exercises.problems_without_runs(exercise)) == [
        "EXPLANATION.md has no heading '# What is still unguarded'"
    ]


def test_a_readme_says_how_to_grade_and_for_how_much(exercise):
    (exercise.folder / "README.md").write_text("Good luck.\n")
    assert list(check_exercises.problems_without_runs(exercise)) == [
        "README.md does not say 'python3 grade.py exercises/03_data/easy_thing'",
        "README.md does not say '12 points'",
    ]


def test_a_file_of_checks_that_nothing_names_is_in_vain(exercise):
    (exercise.folder / CHECKS / "test_more.py").write_text("def test_more():\n    assert True\n")
    assert list(check_exercises.problems_without_runs(exercise)) == [
        ".checks/test_more.py: no check names a test of it"
    ]


def test_a_start_that_passes_every_check_is_no_exercise(exercise, said):
    for folder in (exercise.folder, exercise.folder / START):
        (folder / "cursors.py").write_text(MENDED + "# start\n")
    assert "the starting files pass every check already" in said()


def test_a_start_must_run(exercise, said):
    for folder in (exercise.folder, exercise.folder / START):
        (folder / "cursors.py").write_text("import nothing_of_this_name\n")
    assert any(message.startswith("the starting files do not run: ") for message in said())


def test_a_solution_that_misses_a_check_is_told_with_its_points(exercise, said):
    (check_exercises.solution_of(exercise) / "cursors.py").write_text(CURSORS + "x = 1\n")
    messages = said()
    assert any("the solution misses 'The first is so'" in message for message in messages)
    assert any("the solution gets 4 of 12 points" in message for message in messages)


def test_a_check_that_names_no_test_is_found(exercise, said):
    definition = exercise.folder / "exercise.toml"
    definition.write_text(definition.read_text().replace("::test_second", "::test_seconds"))
    assert any("names test_it.py::test_seconds, and there is no such test" in message for message in said())


def test_the_command_refuses_a_name_that_is_none(capsys):
    options = argparse.Namespace(names=["no/such"], jobs=None, cold=False)
    assert check_exercises.main(options) == 2
    assert "there is no no/such" in capsys.readouterr().err
