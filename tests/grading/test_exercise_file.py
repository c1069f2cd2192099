"""The definition of an exercise: what is read, and what is complained about."""

import re
import shutil

import pytest

from grading.exercises.exercise_file import ExerciseError, load
from grading.exercises.exercise_paths import known

RACE = "04_writes_that_may_be_retried/medium_race"


@pytest.fixture
def folder(tmp_path):
    """A copy of a real exercise, to be broken."""
    return shutil.copytree(known()[RACE], tmp_path / "exercises" / RACE)


def change(folder, pattern, replacement):
    file = folder / "exercise.toml"
    text, count = re.subn(pattern, replacement, file.read_text(encoding="utf-8"), count=1, flags=re.M | re.S)
    assert count == 1, f"{pattern} is not in the definition"
    file.write_text(text, encoding="utf-8")


def test_a_definition_is_read_with_the_bugs_and_variants_it_names(folder):
    exercise = load(folder)
    assert (exercise.id, exercise.kind, exercise.chapter, exercise.points) == (RACE, "suite", 4, 14)
    assert "racy_idempotency" in [defect.id for defect in exercise.public]
    assert exercise.defects == exercise.public + exercise.hidden
    assert len(exercise.variants) == 2
    assert exercise.start("test_race.py").startswith('"""')
    assert "\n" not in exercise.missing


@pytest.mark.parametrize(
    ("pattern", "replacement", "complaint"),
    [
        (r"^points = 14", "", "points is missing"),
        (r"^points = 14", "points = 0", "points is 0"),
        (r"^points = 14", "points = true", "points is True"),
        (r"^points = 14", "pionts = 14", r"unknown key 'pionts' \(did you mean 'points'\?\)"),
        (r'^kind = "suite"', 'kind = "suit"', r"kind is 'suit' \(did you mean 'suite'\?\)"),
        (r"^chapter = 4", "chapter = 5", "chapter is 5, and the folder says 04"),
        (r'^id = "04_\w+', 'id = "04_elsewhere', "it is the exercise's place below exercises/"),
        (r'"racy_idempotency"', '"racy_idempotence"', "no defect 'racy_idempotence'; the nearest: racy"),
        (r'"one_writer_at_a_time"', '"one_writer"', "no variant 'one_writer'"),
        (r"^variants = .*?\]", 'variants = ["insert_and_catch"]', "name two correct servers"),
        (r"^public = .*?\]", "public = []", "public is empty"),
        (r"^hidden = .*?\]", 'hidden = ["racy_idempotency"]', "public and hidden at once: racy_idempotency"),
        (r'"test_race.py"', '"test_rice.py"', "no such starting file"),
        (r'"test_race.py"', '"../test_race.py"', "plain file names"),
        (r'"test_race.py"', '"conftest.py"', "no conftest.py"),
        (r'\["unit"\]', '["units"]', r"no layer 'units' \(did you mean 'unit'\?\)"),
        (r"^hints = .*?^\]", 'hints = ["One."]', "hints has 1 entries"),
        (r"^check = 5", "check = 500", "time.check is longer than time.total"),
        (r"^check = 5", "check = 0", "time.check is 0"),
        (r"^check = 5", "chekc = 5", r"unknown key 'time\.chekc' \(did you mean 'check'\?\)"),
        (r"^title = ", "title = [", "is not TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_definition_is_said(folder, pattern, replacement, complaint):
    change(folder, pattern, replacement)
    with pytest.raises(ExerciseError, match=complaint):
        load(folder)


def test_all_that_is_wrong_is_said_at_once(folder):
    change(folder, r"^points = 14", "points = 0")
    change(folder, r"^chapter = 4", "chapter = 5")
    (folder / "README.md").unlink()
    with pytest.raises(ExerciseError) as wrong:
        load(folder)
    assert len(wrong.value.problems) == 3
    assert any("README.md" in problem for problem in wrong.value.problems)


@pytest.mark.parametrize("name", known())
def test_every_exercise_of_the_course_has_a_sound_definition_and_a_solution(name):
    exercise = load(known()[name])
    solution = exercise.folder.parents[2] / "solutions" / name
    assert (solution / "EXPLANATION.md").is_file()
    for file in exercise.submit:
        assert (solution / file).is_file()
