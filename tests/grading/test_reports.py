"""The reports of a made-up matrix: read as a person reads them, and as a program does."""

import csv
import io
import json

import jsonschema
import pytest
from rich.console import Console

from grading.reports.as_csv import as_csv
from grading.reports.as_json import SCHEMA, as_json
from grading.reports.explain import print_explanation
from grading.reports.markdown import as_markdown
from grading.reports.terminal import print_matrix
from tests.grading.small_matrix import GROUP, SOURCES, made_up


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    return made_up(tmp_path_factory.mktemp("matrix"))


def printed(matrix, **options):
    text = io.StringIO()
    print_matrix(matrix, Console(file=text, width=80, highlight=False, **options))
    return text.getvalue()


def rows_of(text):
    grid = text.split("-----")[0].splitlines()
    return {line.split()[0]: line.split()[1:] for line in grid}


def test_the_grid_tells_kills_and_misses_and_what_does_not_kill_apart(matrix):
    rows = rows_of(printed(matrix))
    assert rows["no_name"] == ["1", "1", "unit"]
    assert rows["one_less"] == ["2", "!", "unit"]
    assert rows["two_more"] == ["1e", "t", "unit"]
    assert rows["quiet"] == [".", "!", "SURVIVED"]
    assert rows["first_time_only"] == ["!u", ".", "UNSTABLE"]
    assert rows["no_import"] == ["-", "-", "BROKEN"]


def test_survivors_stand_first(matrix):
    lines = printed(matrix).splitlines()
    names = [line.split()[0] for line in lines[1:7]]
    assert names == ["quiet", "first_time_only", "no_import", "one_less", "no_name", "two_more"]


def test_a_log_gets_the_same_words_in_80_columns_and_no_colour(matrix):
    text = printed(matrix)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    coloured = printed(matrix, force_terminal=True, color_system="standard")
    assert "\x1b[" in coloured


def test_the_report_says_what_is_not_as_told_and_what_the_suite_is_worth(matrix):
    text = " ".join(printed(matrix).split())
    assert "3 of 6 defects killed, 1 survived, 1 unstable, 1 broken, 1 not in every layer" in text
    assert "quiet survived; the catalogue says contract" in text
    assert "2 checks would kill as much as all 4 (no fewer do)" in text
    assert "test_the_answer: two_more" in text
    assert "Python 3.11.0" in text


def test_json_is_what_its_schema_says(matrix):
    plain = json.loads(as_json(matrix))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(plain, schema)
    assert plain["as_told"] is False
    rows = {row["id"]: row for row in plain["defects"]}
    assert rows["one_less"]["kills"] == {"unit": 2, "contract": 0}
    assert rows["one_less"]["missed"] == ["contract"]
    assert rows["two_more"]["findings"][2] == {
        "check": GROUP,
        "layer": "contract",
        "answer": "timeout",
        "message": "timeout: said this",
        "where": "test_answer.py:5",
    }


def test_the_schema_holds_the_report_to_something(matrix):
    plain = json.loads(as_json(matrix))
    plain["defects"][0]["status"] = "dead"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plain, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_csv_has_a_line_for_each_defect(matrix):
    lines = list(csv.DictReader(io.StringIO(as_csv(matrix))))
    by_id = {line["defect"]: line for line in lines}
    assert len(lines) == 6
    assert (by_id["one_less"]["unit"], by_id["one_less"]["missed"]) == ("2", "contract")
    assert by_id["quiet"]["status"] == "survived"
    assert by_id["no_name"]["cheapest_layer"] == "unit"


def test_markdown_tables_have_as_many_cells_in_each_line(matrix):
    text = as_markdown(matrix)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    assert "| `quiet` | . | ! | SURVIVED |" in table


def test_an_explanation_shows_story_diff_and_the_first_failing_check_of_each_layer(matrix, monkeypatch):
    monkeypatch.setattr("defects.source_of_helpdesk", lambda: SOURCES)
    text = io.StringIO()
    row = next(row for row in matrix.rows if row.defect.id == "no_name")
    print_explanation(matrix, row, Console(file=text, width=80))
    said = text.getvalue()
    assert "It is wrong." in said
    assert "-    return 'desk'\n+    return None" in said
    assert "unit         1 check kills: test_the_name" in said
    assert "contract     1 check kills: test_the_answer_in_a_task_group" in said
    assert "             failed: said this" in said
