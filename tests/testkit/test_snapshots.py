import json

import mcp_types as types
import pytest

from testkit import snapshot
from testkit.snapshot import FIELDS, SnapshotUnusable, changes, compare, fingerprint, report


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", "Lend a book, and tell the reader by e-mail."),
        ("inputSchema", {"type": "object"}),
        ("outputSchema", None),
        ("annotations", {"readOnlyHint": True}),
    ],
)
def test_a_change_is_named_by_tool_and_field(good, field, value):
    approved = fingerprint([good])
    assert compare(approved, fingerprint([{**good, field: value}])) == [f"CHANGED book_lend.{field}"]


def test_a_tool_that_came_or_went_is_named(good):
    other = {**good, "name": "book_return"}
    assert compare(fingerprint([good]), fingerprint([good, other])) == ["ADDED book_return"]
    assert compare(fingerprint([good, other]), fingerprint([good])) == ["REMOVED book_return"]


def test_the_same_tools_are_the_same_in_any_order_of_tools_and_keys(good):
    turned = {key: good[key] for key in reversed(good)}
    turned["inputSchema"] = dict(reversed(good["inputSchema"].items()))
    other = {**good, "name": "book_return"}
    assert compare(fingerprint([good, other]), fingerprint([other, turned])) == []


def test_a_tool_of_the_sdk_and_the_same_from_the_wire_have_one_fingerprint(good):
    assert fingerprint([types.Tool.model_validate(good)]) == fingerprint([good])


def test_a_second_tool_of_one_name_does_not_hide_the_first(good):
    twin = {**good, "description": "Something else."}
    assert compare(fingerprint([good]), fingerprint([good, twin])) == ["ADDED book_lend (2)"]


def test_the_approved_file_is_read_back_the_same_and_can_be_reviewed(good, tmp_path):
    good["description"] += " Für Leser."
    snapshot.save(fingerprint([good]), tmp_path / "approved.json")
    text = (tmp_path / "approved.json").read_text(encoding="utf-8")
    assert good["description"] in text
    assert '"The book\'s number."' in text
    assert snapshot.load(tmp_path / "approved.json") == fingerprint([good])


def test_the_report_shows_the_old_and_the_new_words(good):
    changed = {**good, "description": "Lend a book, and tell the reader by e-mail."}
    text = report(changes(fingerprint([good]), fingerprint([changed])))
    assert text.splitlines() == [
        "CHANGED book_lend.description",
        f"  - {good['description']}",
        "  + Lend a book, and tell the reader by e-mail.",
    ]


def test_a_file_edited_by_hand_is_refused(good, tmp_path):
    file = tmp_path / "approved.json"
    snapshot.save(fingerprint([good]), file)
    file.write_text(file.read_text(encoding="utf-8").replace("Lend one", "Lend any"), encoding="utf-8")
    with pytest.raises(SnapshotUnusable, match=r"book_lend\.description does not fit its fingerprint"):
        snapshot.load(file)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"tools": []}', '{"tools": {"a": 1}}', '{"tools": {"a": {}}}']
)
def test_a_file_that_is_no_snapshot_is_refused_in_words(tmp_path, text):
    (tmp_path / "approved.json").write_text(text, encoding="utf-8")
    with pytest.raises(SnapshotUnusable, match=r"approved\.json"):
        snapshot.load(tmp_path / "approved.json")


def test_a_missing_file_says_how_to_make_it(tmp_path):
    with pytest.raises(SnapshotUnusable, match="no approved file yet; make it with `snapshot approve`"):
        snapshot.load(tmp_path / "none.json")


def test_each_field_has_its_own_fingerprint_of_canonical_json(good):
    fields = fingerprint([good])["tools"]["book_lend"]
    assert tuple(fields) == FIELDS
    assert len({entry["sha256"] for entry in fields.values()}) == 4
    assert json.dumps(fields["inputSchema"]["value"]) == json.dumps(good["inputSchema"])
