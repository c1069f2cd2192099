"""Exercises in which a student writes a bug that one suite misses and another kills."""

import pytest

from grading.exercises.exercise import can_fork, grade, make_runner
from tests.grading.made_exercises import make_exercise

HEAD = """
title = "A ticket is called something else"
chapter = 5
family = "words"
layers = ["snapshot"]
story = "The words are wrong. Somebody believes them."
hint = ["Read what is said of the tool.", "Somebody has to have read it once before."]
"""
LIE = """
[[edit]]
file = "tools.py"
find = "say something about it call ticket_comment. Returns the"
replace = "say something about it call ticket_comment, at night too. Returns the"
"""
LOUD = """
[[edit]]
file = "service.py"
find = 'return {**ticket, "comments": [dict(comment) for comment in comments]}'
replace = 'return {}'
"""
CLOSE = '\n[[edit]]\nfile = "service.py"\nfind = "def close("\nreplace = "{}"\n'
ASKED = 'misses = ["unit", "contract"]\nkills = ["snapshot"]\n'


@pytest.fixture(scope="module")
def engine():
    with make_runner(2, cold=not can_fork()) as runner:
        yield runner


@pytest.fixture
def judge(engine, tmp_path):
    """Grade the text of a `defect.toml`; `weak` is the weak suite's only file."""

    def judge(text, more=ASKED, weak=""):
        folder = tmp_path / "exercises" / "03_data" / "easy_thing" / "weak"
        if weak:
            folder.mkdir(parents=True)
            (folder / "test_weak.py").write_text(weak)
            more += 'weak = "weak"\ngiven = ["weak"]\n'
        exercise = make_exercise(tmp_path, "defect", {"defect.toml": HEAD}, more)
        handed_in = tmp_path / "handed_in"
        handed_in.mkdir()
        (handed_in / "defect.toml").write_text(text, encoding="utf-8")
        return grade(exercise, handed_in, "HERE", engine=engine, cold=not can_fork())

    return judge


def titles(items):
    return [item.title for item in items]


def test_a_bug_that_the_one_misses_and_the_other_kills_passes(judge):
    verdict = judge(HEAD + LIE, weak="def test_weak(desk):\n    assert desk.get('alice', 1)\n")
    assert verdict.problems == ()
    assert verdict.passed, verdict.missed
    assert verdict.points == verdict.out_of == 12
    assert titles(verdict.found) == [
        "The weak suite misses it",
        "The unit layer of the reference suite misses it",
        "The contract layer of the reference suite misses it",
        "The snapshot layer of the reference suite kills it",
        "It is a bug of your own",
    ]


def test_the_start_as_it_came_is_worth_nothing(judge):
    verdict = judge(HEAD)
    assert not verdict.passed
    assert verdict.points == 0
    assert verdict.problems[0].title == "Nothing has been written yet."


def test_a_bug_that_everybody_notices_is_told_who_noticed_it(judge):
    verdict = judge(HEAD + LOUD, weak="def test_weak(desk):\n    assert desk.get('alice', 1)\n")
    assert "The unit layer of the reference suite misses it" in titles(verdict.missed)
    weak, unit, *_ = verdict.missed
    assert weak.remarks[0].startswith("test_weak notices it (failed): assert")
    assert "notices it" in unit.remarks[0]
    assert verdict.missed[-1].remarks == ("Every check of it passes.",)
    assert 0 < verdict.points < 12


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("title = [", ASKED, "is not TOML"),
        (HEAD.replace("family", "famly") + LIE, ASKED, "did you mean 'family'"),
        (HEAD + LIE.replace("say something", "say anything"), ASKED, "tools.py"),
        (HEAD + LIE.replace('at night too. Returns the"', 'at "night'), ASKED, "TOML"),
        (HEAD + CLOSE.format("def clo se("), ASKED, "not valid Python"),
        (HEAD + LIE, ASKED + 'files = ["service.py"]\n', "the bug belongs into service.py"),
        (HEAD + CLOSE.format("def close(  # closes\\n"), ASKED, "the server is still the correct one"),
    ],
)  # fmt: skip
def test_a_file_that_makes_no_server_is_told_why(judge, text, more, said):
    verdict = judge(text, more)
    assert not verdict.passed
    assert verdict.points == 0
    assert any(said in problem.title for problem in verdict.problems), verdict.problems


def test_a_server_that_does_not_start_is_no_bug_that_hides(judge):
    verdict = judge(HEAD + CLOSE.format("close = nothing\\n\\n    def close("))
    [problem] = verdict.problems
    assert problem.title == "The server with this bug cannot be imported."
    assert (verdict.found, verdict.points) == ((), 0)


def test_a_bug_of_the_catalogue_is_not_ones_own(judge):
    import defects

    edit = defects.find_defect("false_description").edits[0]
    text = f"{HEAD}\n[[edit]]\nfile = 'tools.py'\nfind = '''{edit.find}'''\nreplace = '''{edit.replace}'''\n"
    verdict = judge(text)
    [missed] = verdict.missed
    assert missed.remarks == (
        "The catalogue has this very server already: false_description. Find one of your own.",
    )
    assert verdict.points == 9
