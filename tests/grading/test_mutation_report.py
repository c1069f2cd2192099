"""The matrix in the format of mutation-testing-report-schema, and the page that shows it."""

import json
import re
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest

from defects import Edit
from grading import __main__ as command
from grading import matrix_command
from grading.plan import Usage
from grading.reports.mutation_html import PACKAGE, as_mutation_html, find_viewer
from grading.reports.mutation_json import as_mutation_json
from tests.grading.small_matrix import DEFECTS, GROUP, NAME, ONE, SOURCES, STAMP, TWO, made_up

SCHEMA = Path(__file__).with_name("mutation_testing_report_schema") / "schema.json"
TWICE = replace(
    DEFECTS["one_less"],
    id="twice",
    edits=(Edit("service.py", "return 42", "return 41"), Edit("service.py", "'desk'", "'</script>\u2028'")),
)
OUTCOMES = {
    "one_less": {ONE: "failed", TWO: "failed", GROUP: "failed"},
    "two_more": {ONE: "timeout", NAME: "error"},
    "no_import": "broken",
    "first_time_only": {ONE: ["failed", "passed"]},
    "twice": {ONE: "failed", GROUP: "failed"},
}


@pytest.fixture
def matrix(tmp_path, monkeypatch):
    monkeypatch.setattr("defects.source_of_helpdesk", lambda: {**SOURCES, "notes.txt": "no module"})
    return made_up(tmp_path, OUTCOMES, {**DEFECTS, "twice": TWICE})


def reached(matrix, defect, *checks):
    """The same matrix, in which these checks ran the changed lines of one defect."""
    rows = [
        replace(row, verdict=replace(row.verdict, reached=dict.fromkeys(checks, "unit")))
        if row.defect.id == defect
        else row
        for row in matrix.rows
    ]
    return replace(matrix, rows=tuple(rows))


def mutants(matrix):
    files = json.loads(as_mutation_json(matrix))["files"]
    return {mutant["id"]: mutant for file in files.values() for mutant in file["mutants"]}


def test_the_report_is_what_the_published_schema_says(matrix):
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    report = json.loads(as_mutation_json(matrix))
    jsonschema.Draft7Validator(schema).validate(report)
    report["files"]["helpdesk/service.py"]["mutants"][0]["status"] = "Dead"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate(report)


def test_files_are_the_modules_of_the_server_with_their_source(matrix):
    files = json.loads(as_mutation_json(matrix))["files"]
    assert {name: file["source"] for name, file in files.items()} == {
        f"helpdesk/{name}": text for name, text in SOURCES.items()
    }
    assert files["helpdesk/__init__.py"]["mutants"] == []


def test_a_mutant_is_an_edit_of_a_defect_where_it_lies(matrix):
    mutant = mutants(matrix)["one_less"]
    assert mutant["location"] == {"start": {"line": 2, "column": 5}, "end": {"line": 2, "column": 14}}
    assert mutant["replacement"] == "return 41"
    assert (mutant["mutatorName"], mutant["description"]) == ("answer", "Title of one_less")
    assert mutant["killedBy"] == [ONE, TWO, GROUP]
    assert set(mutant["killedBy"]) <= set(mutant["coveredBy"])
    assert "unit: test_the_answer: failed: said this" in mutant["statusReason"].splitlines()


def test_a_defect_of_two_edits_is_two_mutants_with_one_verdict(matrix):
    first, second = mutants(matrix)["twice-1"], mutants(matrix)["twice-2"]
    assert "twice" not in mutants(matrix)
    assert (first["description"], second["description"]) == (
        "Title of one_less (edit 1 of 2)",
        "Title of one_less (edit 2 of 2)",
    )
    assert first["status"] == second["status"] == "Killed"
    assert "static" not in first, "it is not known of which edit"
    assert first["killedBy"] == second["killedBy"] == [ONE, GROUP]


def test_only_a_kill_is_killed(matrix):
    status = {id: mutant["status"] for id, mutant in mutants(reached(matrix, "two_more", ONE)).items()}
    assert status == {
        "one_less": "Killed",
        "twice-1": "Killed",
        "twice-2": "Killed",
        "two_more": "Survived",
        "first_time_only": "Survived",
        "quiet": "NoCoverage",
        "no_name": "NoCoverage",
        "no_import": "RuntimeError",
    }
    reason = mutants(matrix)["two_more"]["statusReason"]
    assert "unit: test_the_answer: timeout, which is no kill: timeout: said this" in reason
    assert "two_more survived" in reason
    assert "changed its mind" in mutants(matrix)["first_time_only"]["statusReason"]
    assert "no_import is broken, and so never killed" in mutants(matrix)["no_import"]["statusReason"]


def test_who_ran_the_changed_lines_covers_them_and_kills_only_by_noticing(matrix):
    mutant = mutants(reached(matrix, "quiet", ONE, TWO))["quiet"]
    assert (mutant["status"], mutant["coveredBy"], mutant["killedBy"]) == ("Survived", [ONE, TWO], [])


def test_a_survivor_that_no_layer_was_asked_to_kill_says_so_and_why_it_lives(matrix):
    rows = [replace(row, asked=()) if row.defect.id == "quiet" else row for row in matrix.rows]
    reason = mutants(replace(matrix, rows=tuple(rows)))["quiet"]["statusReason"]
    assert reason.startswith("no layer that was run is asked to kill it; not reached")


def test_every_test_that_a_mutant_names_is_listed_with_its_file(matrix):
    report = json.loads(as_mutation_json(matrix))
    tests = {test["id"]: test["name"] for file in report["testFiles"].values() for test in file["tests"]}
    assert list(report["testFiles"]) == ["suite/unit/test_answer.py", "suite/contract/test_group.py"]
    assert tests[GROUP] == "test_the_answer_in_a_task_group"
    assert {test for mutant in mutants(matrix).values() for test in mutant["coveredBy"]} <= tests.keys()


def test_the_report_says_what_it_was_made_with(matrix):
    report = json.loads(as_mutation_json(matrix))
    assert report["framework"]["dependencies"] == {"python": "3.11.0", "mcp": "2.3.0"}
    assert report["config"]["catalogue"] == STAMP.catalogue
    assert report["system"]["os"]["platform"] == "linux"


def test_the_page_holds_viewer_and_report_and_asks_for_nothing_else(matrix):
    page = as_mutation_html(matrix)
    assert find_viewer().read_text("utf-8")[:200] in page
    rest = page.replace(find_viewer().read_text("utf-8"), "")
    assert not re.search(r"<(link|img|iframe)\b|\bsrc=|\bhref=|@import|fetch\(", rest)
    assert "default-src 'none'" in rest, "and a browser sees to it"
    report = re.search(r"app\.report = (.*);\n", rest)
    assert report is not None
    assert json.loads(report[1]) == json.loads(as_mutation_json(matrix))


def test_no_source_can_end_the_script_that_it_stands_in(matrix):
    page = as_mutation_html(matrix)
    assert page.count("</script>") == 2 == page.count("<script>")
    assert "\u2028" not in page.replace(find_viewer().read_text("utf-8"), "")
    assert "\\u003c/script>" in page


@pytest.fixture
def no_viewer(monkeypatch):
    real = metadata.distribution

    def distribution(name):
        if name == PACKAGE:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "distribution", distribution)


def test_without_the_viewer_there_is_a_line_with_the_cure(no_viewer):
    with pytest.raises(Usage, match=r'not installed.* -m pip install "cosmic-ray-.*mutation-json'):
        find_viewer()


def test_a_missing_viewer_is_told_before_anything_runs(no_viewer, monkeypatch, capsys):
    monkeypatch.setattr(matrix_command, "measure", lambda *args, **options: pytest.fail("it ran"))
    assert command.main(["matrix", "--format", "mutation-html"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1


def test_both_formats_can_be_asked_for(matrix, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(matrix_command, "measure", lambda *args, **options: matrix)
    assert command.main(["matrix", "--format", "mutation-json"]) == 1, "some survive"
    assert json.loads(capsys.readouterr().out)["schemaVersion"] == "2"
    command.main(["matrix", "--format", "mutation-html", "-o", str(tmp_path / "page.html")])
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")
