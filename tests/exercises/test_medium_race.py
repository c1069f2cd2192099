"""The exercise of six racing callers, graded as a student meets it."""

import shutil

import pytest

from grading.exercises.exercise import can_fork, grade, make_runner
from grading.exercises.exercise_file import START, load
from grading.exercises.exercise_paths import ROOT, find, known

RACE = "04_writes_that_may_be_retried/medium_race"


@pytest.fixture(scope="module")
def engine():
    with make_runner(2, cold=not can_fork()) as runner:
        yield runner


@pytest.fixture
def judge(engine, tmp_path):
    """Grade a test file's text, or a folder."""
    exercise = load(known()[RACE])

    def judge(what):
        folder = what
        if isinstance(what, str):
            folder = tmp_path
            (folder / "test_race.py").write_text(what, encoding="utf-8")
        return grade(exercise, folder, "HERE", engine=engine, cold=not can_fork())

    return judge


@pytest.fixture
def course(tmp_path):
    """The course's own folder of the exercise, in a course that a test may edit."""
    return shutil.copytree(known()[RACE], tmp_path / "exercises" / RACE)


def test_the_untouched_start_fails_and_says_what_is_missing(judge):
    verdict = judge(known()[RACE] / START)
    assert not verdict.passed
    assert verdict.points == 0
    assert "starting file" in verdict.headline
    [problem] = verdict.problems
    assert problem.advice[0].startswith("What is missing: A test that lets six callers")


def test_the_solution_passes_with_full_points_on_every_bug(judge):
    verdict = judge(ROOT / "solutions" / RACE)
    assert verdict.problems == ()
    assert verdict.missed == ()
    assert verdict.passed
    assert verdict.points == verdict.out_of == 14
    assert len(verdict.found) == 6
    assert "EXPLANATION.md" in verdict.pointer


def test_a_test_with_a_single_caller_is_told_which_bug_got_through(judge):
    verdict = judge("""
def test_one_caller_twice(desk):
    first = desk.create("carol", "t", "b", idempotency_key="k")
    again = desk.create("carol", "t", "b", idempotency_key="k")
    assert first["ticket"]["id"] == again["ticket"]["id"]
    assert (first["created"], again["created"]) == (True, False)
""")
    assert verdict.problems == ()
    assert not verdict.passed
    assert [bug.id for bug in verdict.found] == [
        "ignores_idempotency_key",
        "retry_says_created",
        "retry_moves_the_ticket",
    ]
    racy, *hidden = verdict.missed
    assert racy.id == "racy_idempotency"
    assert "two people" in racy.story
    assert racy.hint == "One caller at a time will not show it."
    assert racy.command == "python3 grade.py test --defect racy_idempotency HERE"
    assert "found 3 of 4 public and 0 of 2 hidden" in verdict.counts
    assert verdict.points == 8, "three bugs, and a sound test"
    for bug in hidden:
        assert bug.hidden
        assert "family" in bug.title
        assert (bug.id, bug.story, bug.command, bug.hint) == ("", "", "", ""), "one hint at a time"


def test_a_test_that_only_counts_tickets_misses_what_the_answers_say(judge):
    verdict = judge("""
def test_one_row(env, gate):
    gate.race(6, lambda desk: desk.create("carol", "Unheard of", "b", idempotency_key="k"))
    assert env.desk_on_file().search("alice", text="Unheard of")["total"] == 1
""")
    assert [bug.id for bug in verdict.found] == ["ignores_idempotency_key", "racy_idempotency"]
    assert [bug.id for bug in verdict.missed[:2]] == ["retry_says_created", "retry_moves_the_ticket"]


def test_a_test_that_fails_the_correct_server_is_told_so_first_and_in_words_that_help(judge):
    verdict = judge("""
def test_everybody_created_it(gate):
    answers = gate.race(6, lambda desk: desk.create("carol", "t", "b", idempotency_key="k"))
    assert all(answer["created"] for answer in answers), "each caller wants to hear yes"
""")
    assert not verdict.passed
    assert verdict.points == 0
    assert verdict.found == verdict.missed == ()
    [problem] = verdict.problems
    assert problem.title == "test_everybody_created_it fails on a correct server."
    assert problem.where == "test_race.py:4"
    assert "each caller wants to hear yes" in problem.said
    assert "There is no bug in this server" in problem.advice[0]
    assert problem.advice[1].startswith("Not promised here: which of the six callers comes first")


def test_an_over_specified_test_is_told_what_differs_on_the_other_correct_server(judge):
    verdict = judge("""
def test_the_index_decides(desk):
    desk.create("carol", "t", "b", idempotency_key="k")
    seen = []
    desk.conn.set_trace_callback(seen.append)
    desk.create("carol", "t", "b", idempotency_key="k")
    assert any(sql.lstrip().startswith("INSERT") for sql in seen), "the retry has to insert"
""")
    [problem] = verdict.problems
    assert problem.title == (
        "test_the_index_decides asks for more than was promised: it fails on another correct server."
    )
    assert "What differs there: `create` begins its transaction with BEGIN IMMEDIATE" in problem.advice[0]
    assert verdict.found == ()


def test_a_test_that_stumbles_on_a_bug_is_told_that_it_has_not_judged(judge):
    verdict = judge("""
def test_stumbles(gate):
    answers = gate.race(6, lambda desk: desk.create("carol", "t", "b", idempotency_key="k"))
    {1: "all is well"}[len({answer["ticket"]["id"] for answer in answers})]
""")
    racy = next(bug for bug in verdict.missed if bug.id == "racy_idempotency")
    [remark] = racy.remarks
    assert "stumbled here rather than judged" in remark
    assert "KeyError" in remark
    assert "test_race.py:4" in remark


def test_a_bad_test_beside_a_good_one_does_not_hide_what_the_good_one_finds(judge):
    solution = (ROOT / "solutions" / RACE / "test_race.py").read_text(encoding="utf-8")
    verdict = judge(solution + "\n\ndef test_too_much():\n    assert False, 'no'\n")
    assert [problem.title for problem in verdict.problems] == ["test_too_much fails on a correct server."]
    assert verdict.missed == ()
    assert not verdict.passed
    assert verdict.points == 12, "every bug, but not the share for sound tests"


def test_what_is_written_into_the_courses_own_folder_is_graded_like_a_copy(engine, course):
    exercise = load(course)
    solution = ROOT / "solutions" / RACE / "test_race.py"

    def graded():
        return grade(exercise, course, "HERE", engine=engine, cold=not can_fork())

    shutil.copy(solution, course)
    verdict = graded()
    assert verdict.passed
    assert verdict.points == 14
    (course / "test_race.py").write_text("def test_it(desk):\n    assert desk.get('carol', 4)['x']\n")
    [problem] = graded().problems
    assert "KeyError" in problem.said, "the real problem is told, not that nothing was written"
    shutil.copy(course / START / "test_race.py", course)
    assert "starting file" in graded().headline


def test_a_copy_elsewhere_is_graded_by_the_definition_of_the_course(judge, tmp_path):
    copy = shutil.copytree(known()[RACE], tmp_path / "my evening")
    shutil.copy(ROOT / "solutions" / RACE / "test_race.py", copy)
    (copy / "exercise.toml").write_text(f'id = "{RACE}"\npoints = 1000\n', encoding="utf-8")
    found = find(str(copy))
    verdict = judge(found.folder)
    assert verdict.passed
    assert verdict.out_of == 14
