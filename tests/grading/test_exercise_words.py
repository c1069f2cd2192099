"""The words of a verdict, and how they are shown, from runs that are made up."""

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from grading.engine.jobs import Check, Job, Run
from grading.exercises import exercise, exercise_report, exercise_run
from grading.exercises.exercise_file import load
from grading.exercises.exercise_paths import known
from grading.exercises.exercise_run import Evidence
from grading.exercises.formats import as_json
from grading.exercises.submission import Submission, take
from grading.exercises.suite_words import suite_feedback
from grading.exercises.words import clean, short_name
from grading.stamp import stamp_of_submission
from grading.survival import Survival, Why
from grading.verdicts import Counting, EngineError, Finding, Refused, Verdict

RACE = "04_writes_that_may_be_retried/medium_race"
SCHEMA = json.loads(Path(as_json.__file__).with_name("exercise.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def race():
    return load(known()[RACE])


STAMP = stamp_of_submission((), {"test_race.py": b""}, "fork")
SUBMISSION = Submission({"test_race.py": b"def test_a(desk):\n    assert desk\n"}, {}, ())


def run(*checks):
    return Run(Job(Path("tree"), ("test_race.py",)), "tree/helpdesk", checks, "finished")


def said(race, refused=(), found=(), odd=None, first=None):
    """The feedback when `found` are killed, and the bugs of `odd` gave other findings."""
    verdicts = {defect.id: Verdict("survived") for defect in race.defects}
    for id in found:
        verdicts[id] = Verdict("killed", (Finding("test_race.py::test_a", "unit", "killed"),))
    for id, finding in (odd or {}).items():
        verdicts[id] = Verdict("survived", (finding,))
    counting = Counting({"test_race.py::test_a": "unit"}, tuple(refused), {})
    first = first or run(Check("test_race.py::test_a", "unit", "passed"))
    return suite_feedback(race, SUBMISSION, Evidence(first, counting, verdicts, 1.5), "HERE")


def refused(why, outcome="failed", server="", message="no"):
    return Refused("test_race.py::test_b", "unit", why, server, outcome, message, "test_race.py:2")


def test_a_test_that_changes_its_mind_is_asked_what_it_depends_on(race):
    [problem] = said(race, [refused("changes its mind")]).problems
    assert "passes and fails on one and the same correct server" in problem.title
    assert "on chance" in problem.advice[0]
    assert problem.said == "assert desk\nno"


def test_a_skipped_test_is_told_that_it_finds_nothing(race):
    [problem] = said(race, [refused("skipped", "skipped")]).problems
    assert problem.title == "test_b is skipped, so it finds nothing."


def test_at_most_five_problems_are_shown_and_the_rest_is_counted(race):
    problems = said(race, [refused("fails the correct server")] * 8).problems
    assert len(problems) == 6
    assert "3 more" in problems[-1].title


def test_the_first_hint_goes_with_the_first_bug_that_got_through_and_no_other_is_given(race):
    verdict = said(race, found=["ignores_idempotency_key"])
    assert [bool(bug.hint) for bug in verdict.missed] == [True, False, False, False, False]
    public = [defect.id for defect in race.public]
    hidden_only = said(race, found=public)
    assert [bool(bug.hint) for bug in hidden_only.missed] == [True, False]
    assert hidden_only.missed[0].hint == race.hidden[0].hint[0]


def test_a_hidden_bug_that_got_through_shows_family_and_hint_and_neither_title_nor_story(race):
    shown = json.dumps([str(bug) for bug in said(race).missed if bug.hidden], ensure_ascii=False)
    for defect in race.hidden:
        assert defect.family in shown
        assert defect.id not in shown
        assert defect.title not in shown
        assert defect.story[:40] not in shown


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("error", "stumbled here rather than judged"),
        ("timeout", "did not come to an end"),
        ("crashed", "ended the whole process"),
        ("unstable", "changed its mind"),
        ("skipped", "was skipped"),
        ("missing", "was not run"),
    ],
)
def test_what_a_test_did_on_a_bug_besides_judging_it_is_said(race, answer, words):
    finding = Finding("test_race.py::test_a", "unit", answer, "KeyError: 'x'", "test_race.py:2")
    verdict = said(race, odd={"racy_idempotency": finding})
    [bug] = [bug for bug in verdict.missed if bug.id == "racy_idempotency"]
    assert words in bug.remarks[0]


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("not reached", "None of your tests that count runs the code that this bug changes."),
        ("loaded", "Your tests load it, and none of them looks there."),
        (
            "reached, not noticed",
            "test_a runs the code that this bug changes, and is content with what it does.",
        ),
    ],
)
def test_why_a_bug_got_through_is_said(race, why: Why, words):
    reason = Survival(why, ("test_race.py::test_a",) if why.startswith("reached") else ())
    evidence = Evidence(
        run(Check("test_race.py::test_a", "unit", "passed")),
        Counting({"test_race.py::test_a": "unit"}, (), {}),
        {defect.id: Verdict("survived") for defect in race.defects},
        survivals={defect.id: reason for defect in race.defects},
    )
    verdict = suite_feedback(race, SUBMISSION, evidence, "HERE")
    assert [bug.remarks[0].endswith(words) for bug in verdict.missed] == [True] * len(race.defects)


class Busy:
    """A runner on a machine that is busy: the first `slow` runs do not come as far as the tests."""

    jobs = 2

    def __init__(self, slow: int, detail: str) -> None:
        self.slow, self.detail, self.asked = slow, detail, 0

    def run(self, jobs, on_done):
        assert len(jobs) == 1
        self.asked += 1
        late = self.asked <= self.slow
        return [
            Run(jobs[0], str(jobs[0].tree / "helpdesk"), (), "timeout" if late else "finished", self.detail)
        ]


def judged(race, busy: Any):
    return exercise_run.run(race, SUBMISSION, busy)


def test_a_busy_machine_is_never_taken_for_an_infinite_loop(race):
    slow = Busy(2, "no end after 10 s before any test was read (at compat.py:249 in safe_getattr)")
    assert judged(race, slow).first.status == "finished"
    hopeless = Busy(99, slow.detail)
    with pytest.raises(EngineError, match="busy"):
        judged(race, hopeless)
    assert hopeless.asked == 3
    loop = Busy(99, "no end after 10 s while test_race.py was being imported (at test_race.py:1 in <module>)")
    evidence = judged(race, loop)
    assert loop.asked == 1, "a loop of the student's own is not tried again"
    [problem] = suite_feedback(race, SUBMISSION, evidence, "HERE").problems
    assert problem.title == "An infinite loop while your file was being imported."


def test_points_are_the_sum_of_their_shares(race):
    everything = [defect.id for defect in race.defects]
    assert said(race).points == 0, "a test that finds nothing earns nothing for being sound"
    assert said(race, found=everything[:1]).points == 4
    assert said(race, found=everything).points == 14
    assert said(race, found=everything).passed
    unsound = said(race, [refused("over-specified")], everything)
    assert (unsound.points, unsound.passed) == (12, False)


def test_a_missing_file_is_asked_for(race, tmp_path):
    submission = take(race, tmp_path)
    verdict = suite_feedback(race, submission, None, "HERE")
    assert "There is no test_race.py in HERE" in verdict.problems[0].title
    assert not verdict.passed


def test_links_out_of_the_folder_and_huge_files_are_left_out(race, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text("def test_a(): pass\n")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "test_more.py").write_bytes(b"#" * (2 << 20))
    try:
        (folder / "test_race.py").symlink_to(outside)
    except OSError:
        pytest.skip("no links here")
    submission = take(race, folder)
    assert submission.files == {}
    assert "link" in submission.left_out["test_race.py"]
    assert "1,048,576" in submission.left_out["test_more.py"]
    assert "link" in suite_feedback(race, submission, None, "HERE").problems[0].title


def test_hostile_text_loses_its_escapes_and_keeps_its_brackets():
    assert clean("a\x1b[31mb\x1b]0;t\x07c\x00\x85d\u202ee[/bold]\n") == "abcde[/bold]\n"
    assert short_name("test_race.py::test_x[\x1b[2J]\n") == "test_x[] "
    assert len(short_name("test_race.py::test_" + "x" * 500)) == 120


def shown(verdict, width):
    out = io.StringIO()
    exercise_report.show(verdict, STAMP, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def test_sixty_columns_hold_everything_but_a_command(race):
    verdict = said(
        race, [refused("fails the correct server", message="[red]" + "word " * 60)], ["racy_idempotency"]
    )
    text = shown(verdict, 60)
    long = [line for line in text.splitlines() if len(line) > 60]
    assert long == [], "only a command may be longer, and here it is short"
    assert "[red]" in text, "what a test says is not read as markup"
    assert "\x1b" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())
    first, then = text.index("What is wrong with the tests"), text.index("Bugs found (1)")
    assert first < then < text.index("Bugs that got through (5)") < text.index("Points:")


def test_the_json_fits_its_schema_and_has_the_words_of_the_terminal(race):
    verdict = said(race, [refused("changes its mind")], ["racy_idempotency"])
    value = json.loads(as_json.verdict(verdict, STAMP))
    jsonschema.validate(value, SCHEMA)
    text = " ".join(shown(verdict, 100).split())
    for words in (
        value["headline"],
        value["problems"][0]["title"],
        value["missed"][0]["story"],
        value["counts"],
    ):
        assert words in text
    jsonschema.validate(json.loads(as_json.failure(RACE, "no fork server")), SCHEMA)


@pytest.mark.parametrize("form", ["terminal", "json"])
def test_the_exit_status_says_whether_it_was_passed(race, monkeypatch, capsys, form):
    import argparse

    everything = [defect.id for defect in race.defects]
    for found, status in ((everything, 0), (everything[1:], 1)):
        monkeypatch.setattr(exercise, "grade", lambda *args, found=found, **kw: said(race, found=found))
        assert exercise.main(RACE, argparse.Namespace(format=form, jobs=None, cold=False)) == status
        assert ("14 of 14" in capsys.readouterr().out) == (status == 0 and form == "terminal")


def test_an_unknown_path_is_a_usage_error_that_names_the_nearest(capsys):
    assert exercise.main("exercises/04_writes/medium_rcae") == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert RACE in output.err


def test_a_failure_of_the_grader_is_no_verdict_and_still_valid_json(monkeypatch, capsys):
    import argparse

    def fail(*args, **kw):
        raise exercise.verdicts.EngineError("the bug racy_idempotency cannot be imported")

    monkeypatch.setattr(exercise, "grade", fail)
    assert exercise.main(RACE, argparse.Namespace(format="json")) == 3
    output = capsys.readouterr()
    jsonschema.validate(json.loads(output.out), SCHEMA)
    assert "says nothing about your work" in output.err
