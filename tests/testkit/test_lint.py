"""What the lint takes, gives and refuses, beside the rules themselves."""

import mcp_types as types
import pytest

from testkit.lint import Failure, lint_errors, lint_tools


def test_a_finding_names_rule_tool_and_parameter_and_says_what_to_do(good):
    good["inputSchema"]["properties"]["shelves"] = {
        "type": "array",
        "description": "Where to look.",
        "items": {"type": "object", "properties": {"row": {}}, "additionalProperties": False},
    }
    assert list(map(str, lint_tools([good]))) == [
        "L08 book_lend.shelves[].row: the parameter has no description; say what to put there"
    ]


def test_the_tools_of_the_sdk_are_taken_as_they_are(good):
    assert lint_tools([types.Tool.model_validate(good)]) == []
    bare = types.Tool(name="book_lend", input_schema={"type": "object"})
    assert [each.rule for each in lint_tools([bare])] == ["L03", "L04", "L04", "L07", "L10", "L12"]


def test_a_waived_rule_is_not_applied_and_the_others_are(good):
    del good["outputSchema"]
    good["description"] = "Books."
    assert [each.rule for each in lint_tools([good], waive={"L04", "L10"})] == ["L03"]


def test_waiving_a_rule_that_does_not_exist_is_an_error(good):
    with pytest.raises(ValueError, match="no rule L99 to waive"):
        lint_tools([good], waive={"L99"})


@pytest.mark.parametrize(
    "nonsense", [{}, {"name": None, "inputSchema": 3, "annotations": []}, {"inputSchema": True}]
)
def test_nonsense_is_found_and_does_not_raise(nonsense):
    assert {"L01", "L03", "L06", "L10", "L12"} <= {each.rule for each in lint_tools([nonsense])}


@pytest.mark.parametrize(
    "schema",
    [{"properties": 3}, {"properties": {"a": True}}, {"anyOf": 1}, {"items": {"$ref": 1}}],
)
def test_a_schema_of_any_shape_does_not_raise(good, schema):
    good["inputSchema"] = {"type": "object", "additionalProperties": False, **schema}
    good["outputSchema"] = schema
    assert lint_tools([good])


def test_a_schema_that_refers_to_itself_comes_to_an_end(good):
    tree = {"type": "array", "description": "a, b or c", "items": {"$ref": "#/$defs/tree"}}
    good["inputSchema"] |= {
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "required": [],
        "$defs": {"tree": tree},
    }
    good["inputSchema"]["$defs"]["loop"] = {"$ref": "#/$defs/loop"}
    assert {"L06", "L09"} == {each.rule for each in lint_tools([good])}


def test_a_failure_that_is_no_error_is_reported_and_cannot_be_waived():
    fine = Failure("a lent book", "book_lend", False, "Lent. Call `book_get` to see it.")
    findings = lint_errors([fine], waive={"E01", "E02", "E03"})
    assert list(map(str, findings)) == [
        "E00 book_lend (a lent book): was not an error; it answered 'Lent. Call `book_get` to see it.'"
    ]
    with pytest.raises(ValueError, match="no rule E00"):
        lint_errors([fine], waive={"E00"})


def test_every_failure_is_judged_and_named():
    poor = [Failure(name, "book_lend", True, "Forbidden") for name in ("one", "two")]
    assert [each.subject for each in lint_errors(poor, waive={"E03"})] == [
        "book_lend (one)",
        "book_lend (two)",
    ]
