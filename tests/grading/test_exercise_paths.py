"""Which exercise a path means."""

import pytest

from grading.exercises.exercise_file import START
from grading.exercises.exercise_paths import NoExercise, find, known

NAME = "04_writes/medium_race"


def exercise(root, name, file="test_it.py"):
    folder = root / "exercises" / name
    folder.mkdir(parents=True)
    (folder / "exercise.toml").write_text(f'id = "{name}"\n')
    (folder / START).mkdir()
    for place in (folder, folder / START):
        (place / file).write_text("")
    return folder


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A course with three exercises, and a working directory that is none of it."""
    root = tmp_path / "course"
    exercise(root, NAME, "test_race.py")
    exercise(root, "03_rules/easy_pages")
    exercise(root, "05_tools/easy_names")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return root


@pytest.mark.parametrize(
    "form",
    [f"exercises/{NAME}", f"exercises/{NAME}/", f"exercises/{NAME}/test_race.py", NAME, "medium_race"],
)
def test_a_path_from_the_top_of_the_course_or_a_name_is_enough_anywhere(root, form):
    found = find(form, root)
    home = root / "exercises" / NAME
    assert (found.exercise, found.folder.resolve(), found.only) == (home, home, None)


def test_an_absolute_path_and_a_path_from_inside_the_folder_are_found(root, monkeypatch):
    home = root / "exercises" / NAME
    assert find(str(home / "test_race.py"), root).folder == home
    monkeypatch.chdir(home)
    for form in (".", "test_race.py", "./test_race.py"):
        assert find(form, root).exercise == home, form


def test_the_mirror_in_solutions_is_graded_as_the_exercise(root):
    mirror = root / "solutions" / NAME
    mirror.mkdir(parents=True)
    found = find(f"solutions/{NAME}", root)
    assert found.exercise == root / "exercises" / NAME
    assert found.folder == mirror


def test_a_copy_under_another_name_is_known_by_its_exercise_toml_and_defined_by_the_course(root, tmp_path):
    copy = tmp_path / "handed_in_by_carol"
    copy.mkdir()
    (copy / "exercise.toml").write_text(f'id = "{NAME}"\npoints = 1000\n')
    found = find(str(copy), root)
    assert found.exercise == root / "exercises" / NAME
    assert (found.folder, found.only) == (copy, None)


def test_a_copy_without_exercise_toml_is_known_by_the_name_of_its_folder(root, tmp_path):
    copy = tmp_path / "medium_race"
    copy.mkdir()
    assert find(str(copy), root).exercise == root / "exercises" / NAME


def test_a_single_file_elsewhere_is_known_by_its_name_and_its_neighbours_are_not_taken(root, tmp_path):
    file = tmp_path / "elsewhere" / "test_race.py"
    file.write_text("")
    found = find("test_race.py", root)
    assert found.exercise == root / "exercises" / NAME
    assert (found.folder, found.only) == (file.parent, "test_race.py")


def test_a_single_file_that_several_exercises_could_want_is_refused_with_their_names(root, tmp_path):
    (tmp_path / "elsewhere" / "test_it.py").write_text("")
    with pytest.raises(NoExercise, match=r"several exercises: 03_rules/easy_pages, 05_tools/easy_names"):
        find("test_it.py", root)


def test_an_unknown_path_names_the_nearest_exercise(root):
    with pytest.raises(NoExercise, match=r"04_writes/medium_race"):
        find("exercises/04_writes/medium_rcae", root)
    with pytest.raises(NoExercise, match=r"there is no qqqq.*The exercises are: 03_rules/easy_pages"):
        find("qqqq", root)


def test_a_folder_that_is_no_exercise_says_why(root, tmp_path):
    with pytest.raises(NoExercise, match=r"no exercise\.toml in it"):
        find(str(tmp_path / "elsewhere"), root)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "exercise.toml").write_bytes(b"id = \xff\xff")
    with pytest.raises(NoExercise):
        find(str(broken), root)


def test_the_course_lists_its_exercises_in_the_order_of_the_chapters(root):
    assert list(known(root)) == ["03_rules/easy_pages", NAME, "05_tools/easy_names"]
