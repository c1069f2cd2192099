"""Exercises that are graded by checks: a server mended, words written, something measured."""

import pytest

import defects
from grading.exercises.exercise import can_fork, grade, make_runner
from tests.grading.made_exercises import THREE_CHECKS, make_exercise

CURSORS = defects.source_of_helpdesk()["cursors.py"]
CHECKS = """
def test_first(desk):
    assert desk.search("alice")["total"] == 12, "The desk has twelve tickets."

def test_second(submission):
    assert "mended" in (submission / "cursors.py").read_text(), "The file does not say that it is mended."

def test_third(client, era):
    assert client.call("ticket_get", ticket_id=1), "Nothing came back."
"""


@pytest.fixture(scope="module")
def engine():
    with make_runner(2, cold=not can_fork()) as runner:
        yield runner


@pytest.fixture
def judge(engine, tmp_path):
    """Grade `cursors.py`, or the files given, in an exercise of the kind server."""

    def judge(text=None, files=None, more="", checks=CHECKS):
        exercise = make_exercise(
            tmp_path, "server", {"cursors.py": CURSORS + "# start\n"}, more + THREE_CHECKS, checks
        )
        folder = tmp_path / "handed_in"
        folder.mkdir()
        for name, content in (files if files is not None else {"cursors.py": text}).items():
            (folder / name).write_text(content, encoding="utf-8")
        return grade(exercise, folder, "HERE", engine=engine, cold=not can_fork())

    return judge


def test_what_every_check_is_content_with_has_passed(judge):
    verdict = judge(CURSORS + "mended = True\n", more='keep = ["unit"]\n')
    assert verdict.problems == ()
    assert verdict.passed
    assert verdict.points == verdict.out_of == 12
    assert verdict.counts == "3 public and 1 hidden checks: passed 3 of 3 public and 1 of 1 hidden"
    assert "unit of the reference suite" in verdict.found[-1].title
    assert verdict.pointer == "solutions/03_data/easy_thing/EXPLANATION.md"


def test_the_start_as_it_came_is_worth_nothing_whatever_it_passes(judge):
    verdict = judge(CURSORS + "# start\n")
    assert not verdict.passed
    assert verdict.points == 0
    assert "starting file" in verdict.headline
    assert [item.title for item in verdict.found] == ["The first is so", "The third is so"]
    assert verdict.problems[0].advice == ("What is missing: All of it.",)


def test_a_check_that_is_missed_says_what_it_saw_and_only_the_first_gives_a_hint(judge):
    verdict = judge(CURSORS.replace("def decode_cursor", "def decode_cursors"))
    assert "1 problem" not in verdict.headline
    assert not verdict.passed
    [problem] = verdict.problems
    assert problem.title == "The server cannot be imported with your file."
    assert "decode_cursor" in problem.said
    assert (verdict.found, verdict.missed) == ((), ())


def test_only_the_first_missed_check_gives_a_hint_and_a_hidden_one_shows_its_family(judge):
    checks = CHECKS.replace('"mended" in', '"mended" not in').replace("== 12", "== 13")
    checks = checks.replace("ticket_id=1)", "ticket_id=1) is None")
    verdict = judge(CURSORS + "mended = True\n", checks=checks)
    first, second, third = verdict.missed
    assert (first.title, first.story) == ("The first is so", "Carol waits.")
    assert first.remarks[0].startswith("The desk has twelve tickets.")
    assert first.hint == "Look at the first."
    assert (second.hint, third.hint) == ("", "")
    assert (third.id, third.story, third.remarks) == ("", "", ())
    assert third.title == "A hidden check of the family “third things”"
    assert verdict.points == 0
    assert verdict.counts.endswith("passed 0 of 2 public and 0 of 1 hidden")


def test_a_module_that_is_no_python_is_told_with_its_line(judge):
    verdict = judge("def f(:\n")
    [problem] = verdict.problems
    assert "not valid Python" in problem.title
    assert problem.where == "cursors.py:1"
    assert problem.said.startswith("def f(:")


def test_a_file_that_is_not_there_is_asked_for(judge):
    verdict = judge(files={"other.py": "x = 1\n"})
    [problem] = verdict.problems
    assert problem.title == "There is no cursors.py in HERE."
    assert verdict.points == 0


def test_an_endless_loop_in_a_tool_is_called_one_and_costs_its_check_alone(judge):
    checks = CHECKS.replace('desk.search("alice")', "__import__('helpdesk.cursors').cursors.spin()")
    verdict = judge(CURSORS + "mended = True\n\ndef spin():\n    while True:\n        pass\n", checks=checks)
    [missed] = verdict.missed
    assert "infinite loop" in missed.remarks[0]
    assert verdict.points == 8


def test_a_server_that_changes_what_checks_say_is_not_believed(judge):
    forge = "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
    verdict = judge(CURSORS + forge)
    [problem] = verdict.problems
    assert problem.title == "A check that always fails has passed."
    assert not verdict.passed
    assert (verdict.points, verdict.found) == (0, ())


def test_what_worked_before_must_still_work(judge):
    broken = CURSORS.replace("return ", "return None and ") + "mended = True\n"
    assert broken.count("None and") >= 2
    verdict = judge(broken, more='keep = ["unit"]\n')
    kept = verdict.missed[-1]
    assert kept.id == "keep"
    assert "test_" in kept.remarks[0]
    assert not verdict.passed


def test_words_are_read_by_the_checks_and_no_other_file_is_taken(engine, tmp_path):
    checks = """
def test_first(submission):
    assert "good" in (submission / "words.toml").read_text(), "Not a good word in it."

def test_second(submission):
    assert sorted(path.name for path in submission.iterdir()) == ["words.toml"]

def test_third():
    assert True
"""
    start = {"words.toml": 'text = ""\n'}
    exercise = make_exercise(tmp_path, "words", start, THREE_CHECKS, checks)
    folder = tmp_path / "handed_in"
    folder.mkdir()
    (folder / "words.toml").write_text('text = "bad"\n')
    (folder / "test_mine.py").write_text("def test_mine():\n    assert False\n")
    verdict = grade(exercise, folder, "HERE", engine=engine, cold=not can_fork())
    [missed] = verdict.missed
    assert missed.remarks[0].startswith("Not a good word in it.")
    assert verdict.points == 8
    assert verdict.headline == "Not passed yet: 1 thing that was asked for is not so yet."
