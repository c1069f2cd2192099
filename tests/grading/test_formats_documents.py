"""Each format is held to what its reader documents, for every kind of verdict and for none."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from grading.exercises.formats import as_json, github, gradescope, junit, page, prairielearn
from grading.exercises.formats.texts import FAILED
from tests.grading.html_page import Page
from tests.grading.junit_reader import read
from tests.grading.made_up_verdicts import (
    BROKEN,
    ENDLESS,
    EXERCISE,
    HOSTILE,
    PARTIAL,
    PASSED,
    STAMP,
    VERDICTS,
)

SCHEMAS = {
    name: json.loads(Path(as_json.__file__).with_name(f"{name}.schema.json").read_text(encoding="utf-8"))
    for name in ("exercise", "gradescope", "prairielearn")
}
WRITERS = {"exercise": as_json, "gradescope": gradescope, "prairielearn": prairielearn}


def values(name, verdict):
    text = WRITERS[name].verdict(verdict, STAMP)
    text.encode("utf-8")
    value = json.loads(text)
    jsonschema.validate(value, SCHEMAS[name])
    return value


def failed(name, error=HOSTILE):
    value = json.loads(WRITERS[name].failure(EXERCISE, error))
    jsonschema.validate(value, SCHEMAS[name])
    return value


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_is_a_schema(schema):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[schema])


@pytest.mark.parametrize("kind", VERDICTS)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_verdict_fits_the_schema_of_its_format(schema, kind):
    values(schema, VERDICTS[kind])


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_failure_of_the_grader_fits_the_schema_too(schema):
    failed(schema)


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        ("gradescope", {"output": "neither a score nor a test"}),
        ("gradescope", {"score": 1, "visibilty": "visible"}),
        ("gradescope", {"tests": [{"name": "no score", "status": "passed"}]}),
        ("prairielearn", {"message": "no score"}),
        ("prairielearn", {"score": 14}),
        ("prairielearn", {"gradable": False, "score": 0, "format_errors": []}),
        ("prairielearn", {"score": 1, "tests": [{"name": "a test without points"}]}),
    ],
)
def test_a_schema_refuses_what_its_platform_would_not_take_as_meant(schema, wrong):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMAS[schema])


def test_gradescope_is_given_the_points_and_a_test_for_each_item_all_of_it_visible_and_text():
    value = values("gradescope", PARTIAL)
    assert value["score"] == 4.67
    assert [test["status"] for test in value["tests"]] == ["failed", "passed", "passed", *["failed"] * 3]
    assert {value[key] for key in ("output_format", "test_output_format", "test_name_format")} == {"text"}
    assert value["visibility"] == "visible"
    assert not any("visibility" in test for test in value["tests"]), "a hidden test hides the score"
    assert values("gradescope", PASSED)["score"] == 14


def test_gradescope_hears_of_a_failure_as_no_test_and_visible_words_and_the_error_is_for_instructors():
    value = failed("gradescope", "EngineError: the bug some_hidden_bug cannot be imported")
    assert (value["score"], value["visibility"]) == (0, "visible")
    assert "tests" not in value
    assert FAILED in value["output"]
    assert "some_hidden_bug" not in value["output"]
    assert "some_hidden_bug" in value["extra_data"]["error"]


def test_prairielearn_is_given_a_share_of_one_and_points_that_add_up_to_the_verdicts():
    for verdict in (PARTIAL, PASSED):
        value = values("prairielearn", verdict)
        assert value["gradable"] is True
        assert value["score"] == pytest.approx(verdict.points / 14, abs=1e-4)
        assert sum(test["points"] for test in value["tests"]) == pytest.approx(verdict.points, abs=0.01)
        assert sum(test["max_points"] for test in value["tests"]) == pytest.approx(14, abs=0.01)


def test_prairielearn_is_given_no_points_for_checks_that_a_file_passes_as_it_came():
    value = values("prairielearn", replace(PARTIAL, kind="server", points=0))
    assert value["score"] == 0
    assert sum(test["points"] for test in value["tests"]) == 0
    assert sum(test["max_points"] for test in value["tests"]) == pytest.approx(14, abs=0.01)


def test_prairielearn_takes_no_attempt_for_a_submission_that_cannot_be_judged():
    value = values("prairielearn", BROKEN)
    assert value["gradable"] is False
    assert value["format_errors"] == ["test_race.py is not valid Python, so no test of it could run."]
    assert value["tests"][0]["max_points"] == 0


def test_prairielearn_takes_no_attempt_when_the_grader_failed():
    value = failed("prairielearn")
    assert (value["gradable"], value["format_errors"]) == (False, [FAILED])


def test_platforms_that_take_only_so_much_get_no_more_and_it_says_what_was_cut():
    for writer in (prairielearn, github):
        text = writer.verdict(ENDLESS, STAMP)
        assert len(text.encode("utf-8")) <= writer.LIMIT <= 1 << 20
        assert "characters more" in text
        assert "9,980 more" in text
        assert len(writer.failure(EXERCISE, "é" * 300_000).encode("utf-8")) <= writer.LIMIT


def test_the_json_holds_everything_uncut():
    value = values("exercise", ENDLESS)
    assert len(value["found"][0]["found_by"]) == 10_000
    assert len(value["problems"][0]["said"]) == 300_000


@pytest.mark.parametrize("kind", VERDICTS)
def test_a_junit_report_keeps_the_rules_of_its_readers(kind):
    verdict = VERDICTS[kind]
    suite = read(junit.verdict(verdict, STAMP))[0]
    assert len(suite.findall("testcase/error")) == len(verdict.problems)
    assert len(suite.findall("testcase/failure")) == len(verdict.missed)
    assert len(suite.findall("testcase")) == sum(map(len, (verdict.problems, verdict.found, verdict.missed)))


def test_a_junit_report_of_a_failed_grader_has_one_error_that_is_the_graders():
    [case] = read(junit.failure(EXERCISE, HOSTILE)).iter("testcase")
    assert case.get("name") == "the grader"
    assert case[0].get("message") == FAILED


def test_a_github_summary_names_the_failure_and_why():
    text = github.failure(EXERCISE, "EngineError: no fork server")
    assert "says nothing about your work" in text
    assert "no fork server" in text


@pytest.mark.parametrize("kind", VERDICTS)
def test_a_page_is_whole_and_asks_for_nothing_from_elsewhere(kind):
    text = page.verdict(VERDICTS[kind], STAMP)
    text.encode("utf-8", errors="replace")
    whole = Page(text)
    [(attributes, _)] = whole.all("body")
    assert attributes["class"] == ("passed" if VERDICTS[kind].passed else "open")
    assert not [attrs for _, attrs, _ in whole.elements if {"src", "href", "onclick", "style"} & attrs.keys()]
    assert "url(" not in whole.all("style")[0][1]


def test_the_page_of_a_failed_grader_says_that_it_says_nothing_about_the_work():
    [(attributes, said)] = Page(page.failure(EXERCISE, HOSTILE)).all("body")
    assert attributes["class"] == "failed"
    assert FAILED in said
