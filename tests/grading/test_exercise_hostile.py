"""Submissions that would stop a careless grader. Each gets a clear verdict; the grader lives, and can go on.

Every test bounds what it starts by the exercise's own limits, which are short here.
"""

import dataclasses
import os

import pytest

from grading.exercises.exercise import can_fork, grade, make_runner
from grading.exercises.exercise_file import load
from grading.exercises.exercise_paths import known
from grading.exercises.exercise_run import COLD

RACE = "04_writes_that_may_be_retried/medium_race"
GOOD = """
def test_good(gate):
    answers = gate.race(6, lambda desk: desk.create("carol", "t", "b", idempotency_key="k"))
    assert len({answer["ticket"]["id"] for answer in answers}) == 1
"""


@pytest.fixture(scope="module")
def engine():
    with make_runner(2, cold=not can_fork()) as runner:
        yield runner


@pytest.fixture
def judge(engine, tmp_path):
    """Grade a test file's text; an endless test may take 2 seconds, the verdict 100. One bug will do."""
    whole = load(known()[RACE])
    [bug] = [defect for defect in whole.public if defect.id == "racy_idempotency"]
    exercise = dataclasses.replace(
        whole, public=(bug,), hidden=(), variants=whole.variants[:1], check_seconds=2.0, total_seconds=100.0
    )

    def judge(text):
        (tmp_path / "test_race.py").write_text(text, encoding="utf-8")
        verdict = grade(exercise, tmp_path, "HERE", engine=engine, cold=not can_fork())
        assert verdict.seconds < 100 * COLD, "the verdict keeps the time limit"
        assert verdict.counts.startswith("1 public and 0 hidden bugs")
        return verdict

    return judge


def assert_nothing_was_judged(verdict):
    assert not verdict.passed
    assert (verdict.points, verdict.found, verdict.missed) == (0, (), ())
    assert "no test that can be judged" in verdict.headline


def test_a_syntax_error_is_told_with_its_line(judge):
    verdict = judge("def test_x(desk):\n    assert 1 == 1\n    assert (2 ==\n")
    assert_nothing_was_judged(verdict)
    [problem] = verdict.problems
    assert "not valid Python" in problem.title
    assert problem.where == "test_race.py:3"
    assert "assert (2 ==" in problem.said
    assert "SyntaxError" in problem.said


def test_an_empty_file_is_called_empty(judge):
    verdict = judge("\n")
    assert_nothing_was_judged(verdict)
    assert "test_race.py is empty" in verdict.problems[0].title


def test_a_file_without_a_test_is_told_what_pytest_looks_for(judge):
    verdict = judge("def race(gate):\n    pass\n")
    assert_nothing_was_judged(verdict)
    assert "no test in test_race.py" in verdict.problems[0].title
    assert "begins with test_" in verdict.problems[0].advice[0]


def test_an_import_that_fails_is_told_with_its_line(judge):
    verdict = judge("import os\nimport no_such_thing\n\ndef test_x():\n    pass\n")
    assert_nothing_was_judged(verdict)
    [problem] = verdict.problems
    assert "cannot be imported" in problem.title
    assert problem.where == "test_race.py:2"
    assert "ModuleNotFoundError" in problem.said


def test_an_infinite_loop_in_a_test_is_called_one_with_test_and_line_and_the_rest_is_judged(judge):
    verdict = judge("def test_loop(desk):\n    n = 0\n    while True:\n        n += 1\n" + GOOD)
    [problem] = verdict.problems
    assert "test_loop" in problem.title
    assert "infinite loop" in problem.title
    assert problem.where in ("test_race.py:3", "test_race.py:4")
    assert "time limit" in problem.advice[0]
    assert verdict.then == "Mend this, and grade again", "nobody is sent to watch a test that never ends"
    assert "racy_idempotency" in [bug.id for bug in verdict.found]
    assert not verdict.passed


def test_an_infinite_loop_at_import_is_called_one(judge):
    verdict = judge("while True:\n    pass\n" + GOOD)
    assert_nothing_was_judged(verdict)
    assert "infinite loop" in verdict.problems[0].title
    assert "import" in verdict.problems[0].title
    assert "test_race.py" in verdict.problems[0].advice[0]


def test_leaving_the_process_in_a_test_costs_that_test(judge):
    verdict = judge("import os\n\ndef test_leaves(desk):\n    os._exit(0)\n" + GOOD)
    [problem] = verdict.problems
    assert "test_leaves ended the process" in problem.title
    assert "racy_idempotency" in [bug.id for bug in verdict.found]
    assert not verdict.passed


@pytest.mark.parametrize("leave", ["import os\nos._exit(0)", "import sys\nsys.exit(0)", "raise SystemExit"])
def test_leaving_at_import_is_no_pass(judge, leave):
    verdict = judge(leave + "\n" + GOOD)
    assert_nothing_was_judged(verdict)
    said = verdict.problems[0].title + verdict.problems[0].said
    assert "ended the process" in said or "cannot be imported" in said


def test_a_hundred_megabytes_of_output_are_bounded_and_told(judge):
    loud = 'def test_loud(desk):\n    for _ in range(100):\n        print("x" * 1_000_000)\n'
    verdict = judge(loud + GOOD)
    assert any("The rest was dropped" in note for note in verdict.notes)
    assert "racy_idempotency" in [bug.id for bug in verdict.found]
    assert verdict.problems == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the attack needs fork")
def test_a_daemon_that_is_left_behind_holds_nothing_up(judge, tmp_path):
    daemon = f"""
import os, time

def test_leaves_a_daemon(desk):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open({str(tmp_path / "pids")!r}, "a").write(f"{{os.getpid()}}\\n")
            time.sleep(600)
        os._exit(0)
"""
    verdict = judge(daemon + GOOD)
    assert verdict.problems == ()
    assert "racy_idempotency" in [bug.id for bug in verdict.found]
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert pids, "the attack was made"
    assert [pid for pid in pids if alive(pid)] == [], "nothing is left running"


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_file_that_deletes_itself_is_judged_all_the_same(judge, tmp_path):
    verdict = judge("import os\nos.remove(__file__)\n" + GOOD)
    assert verdict.problems == ()
    assert "racy_idempotency" in [bug.id for bug in verdict.found]
    assert (tmp_path / "test_race.py").exists(), "the student's own file is not what was run"


def test_a_test_that_fails_by_chance_finds_nothing(judge, tmp_path):
    counter = tmp_path / "count"
    verdict = judge(f"""
def test_fails_every_second_time(desk):
    with open({str(counter)!r}, "a+") as file:
        file.write("x")
        file.seek(0)
        assert len(file.read()) % 2
""")
    assert verdict.found == ()
    assert not verdict.passed


def test_a_conftest_is_not_taken_and_the_student_is_told(judge, tmp_path):
    (tmp_path / "conftest.py").write_text(
        "def pytest_runtest_makereport(item, call):\n    raise KeyboardInterrupt\n"
    )
    verdict = judge(GOOD)
    assert any("conftest.py was not taken" in note for note in verdict.notes)
    assert verdict.problems == ()
    assert verdict.found


def test_what_a_test_says_reaches_the_terminal_without_its_escapes(judge):
    verdict = judge(
        'def test_x(desk):\n    assert False, "\\x1b[2J\\x1b]0;owned\\x07[bold]hello[/bold]\\x9b31m"\n'
    )
    said = verdict.problems[0].said
    assert "[bold]hello[/bold]" in said
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in said)


def test_the_grader_lives_and_judges_a_good_file_after_all_that(judge):
    verdict = judge("import os, signal\n\ndef test_kills(desk):\n    os.kill(os.getpid(), signal.SIGKILL)\n")
    assert_nothing_was_judged(verdict)
    assert "test_kills ended the process" in verdict.problems[0].title
    assert judge(GOOD).found


@pytest.mark.parametrize(
    "forged", ["builtins.__reached__ = boom", "vars(builtins).pop('__reached__', None)"], ids=["put", "taken"]
)
def test_whoever_forges_what_probes_call_finds_no_bug_by_it(judge, forged):
    verdict = judge(
        f"""
import builtins

def boom(place):
    raise AssertionError("nothing was looked at")

def test_probe(desk):
    {forged}
    for key in ("k", "k", None):
        desk.create("carol", "t", "b", idempotency_key=key)
"""
    )
    assert verdict.found == ()
    assert not verdict.passed
