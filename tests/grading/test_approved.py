"""What a new matrix changes in the approved one, cell by cell; and the file that keeps it."""

import pytest

from grading.approved import Approved, Part, approve, compare, minor
from grading.approved_file import CURE, PATH, read, to_text, write
from grading.plan import Usage

COUNTS = {
    "unit": {"unit/test_a.py::test_one", "unit/test_a.py::test_two", "unit/test_a.py::test_three"},
    "security": {"security/test_b.py::test_token"},
    "property": {"property/test_c.py::test_any"},
}
KILLS = {
    "racy": {"unit": {"unit/test_a.py::test_one", "unit/test_a.py::test_two"}},
    "leak": {
        "security": {"security/test_b.py::test_token"},
        "property": {"property/test_c.py::test_any"},
    },
    "lost": {"property": {"property/test_c.py::test_any"}},
}
CATALOGUE = tuple(KILLS)


def part(counts=COUNTS, **kills):
    """The cells above, with these defects' cells instead; None takes a defect away."""
    wanted = {defect: cells for defect, cells in (KILLS | kills).items() if cells is not None}
    return Part(
        {layer: frozenset(checks) for layer, checks in counts.items()},
        {id: {layer: frozenset(its) for layer, its in cells.items()} for id, cells in wanted.items()},
    )


@pytest.fixture
def approved():
    return approve(Approved(), part(), "3.11")


def changes(approved, new, python="3.11", catalogue=CATALOGUE):
    return [str(change) for change in compare(approved, new, python, catalogue).changes]


def test_the_same_matrix_changes_nothing(approved):
    assert compare(approved, part(), "3.11", CATALOGUE) == compare(approved, part(), "3.11")
    assert compare(approved, part(), "3.11").changes == ()
    assert compare(approved, part(), "3.11").notes == ()


def test_a_lost_kill_names_the_cell_both_numbers_and_the_check(approved):
    new = part(racy={"unit": {"unit/test_a.py::test_one"}})
    assert changes(approved, new) == [
        "racy x unit: killed by 1 check, approved 2; test_two no longer kills it"
    ]


def test_a_cell_with_the_same_number_of_other_checks_is_a_change_too(approved):
    new = part(racy={"unit": {"unit/test_a.py::test_one", "unit/test_a.py::test_three"}})
    assert changes(approved, new) == [
        "racy x unit: killed by 2 checks, approved 2; test_two no longer kills it; test_three now kills it"
    ]


def test_a_cell_that_was_empty_and_one_that_becomes_empty_are_told_cheap_layer_first(approved):
    new = part(leak={"unit": {"unit/test_a.py::test_one"}, "property": {"property/test_c.py::test_any"}})
    assert changes(approved, new) == [
        "leak x unit: killed by 1 check, approved 0; test_one now kills it",
        "leak x security: killed by 0 checks, approved 1; test_token no longer kills it",
    ]


def test_a_new_defect_and_one_that_is_gone_are_changes(approved):
    new = part(lost=None, fresh={"unit": {"unit/test_a.py::test_one"}, "security": set()})
    assert changes(approved, new, catalogue=("racy", "leak", "fresh")) == [
        "fresh: not approved yet; killed by 1 check in unit",
        "lost: approved, and no longer in the catalogue",
    ]
    assert changes(approved, part(fresh={})) == ["fresh: not approved yet; no check kills it"]


def test_checks_that_begin_or_cease_to_count_are_changes(approved):
    new = part({**COUNTS, "security": {"security/test_b.py::test_scope"}}, leak=KILLS["leak"])
    assert changes(approved, new) == [
        "security/test_b.py::test_token no longer counts",
        "security/test_b.py::test_scope now counts",
    ]


def test_many_names_are_cut_short():
    many = {f"unit/test_a.py::test_{number}" for number in range(6)}
    before = approve(Approved(), part({"unit": many}, racy={"unit": many}), "3.11")
    (change,) = compare(before, part({"unit": many}, racy={"unit": set()}), "3.11").changes
    assert change.words.endswith("test_0, test_1, test_2, test_3 and 2 more no longer kill it")


def test_only_what_ran_is_compared(approved):
    some = Part({"unit": frozenset(COUNTS["unit"])}, {"racy": {"unit": frozenset(KILLS["racy"]["unit"])}})
    assert changes(approved, some, catalogue=None) == []
    nothing = Part({"unit": frozenset(COUNTS["unit"])}, {"racy": {}, "leak": {}})
    (change,) = changes(approved, nothing, catalogue=None)
    assert change.startswith("racy x unit: killed by 0 checks"), "leak dies in layers that did not run"


def test_a_python_that_nobody_approved_is_told_and_the_other_layers_are_compared(approved):
    new = part(racy={"unit": set()}, lost={}, leak={"security": KILLS["leak"]["security"]})
    found = compare(approved, new, "3.13", CATALOGUE)
    assert [change.defect for change in found.changes] == ["racy"]
    assert found.notes == (
        "Not compared: the property layer, which is approved for Python 3.11 and not for 3.13.",
    )
    without = Part({"unit": frozenset(COUNTS["unit"])}, {"lost": {}})
    assert compare(approved, without, "3.13").notes == (), "nothing of it ran"


def test_each_python_keeps_its_own_cells_of_the_property_layer(approved):
    both = approve(approved, part(leak={"security": KILLS["leak"]["security"]}), "3.9")
    assert changes(both, part()) == []
    assert changes(both, part(), "3.9") == [
        "leak x property: killed by 1 check, approved 0; test_any now kills it"
    ]
    assert "Python 3.9, 3.11 and not for 3.12" in compare(both, part(), "3.12").notes[0]


def test_a_cell_of_another_layer_is_the_same_cell_on_every_python(approved):
    both = approve(approved, part(racy={"unit": {"unit/test_a.py::test_one"}}), "3.12")
    assert changes(both, part(), "3.11") == changes(both, part(), "3.12") != []


def test_approving_drops_a_defect_that_is_gone_from_every_python(approved):
    later = approve(approved, part(lost=None), "3.12")
    assert later.defects == {"racy", "leak"}
    assert changes(later, part(lost=None), "3.11", ("racy", "leak")) == []


def test_the_file_gives_back_what_was_written(approved, tmp_path):
    path = tmp_path / "approved.toml"
    write(approve(approved, part(), "3.12"), path)
    again = read(path)
    assert again is not None
    assert changes(again, part(), "3.11") == changes(again, part(), "3.12") == []
    assert to_text(again) == path.read_text("utf-8")


def test_the_file_has_a_line_for_each_check_below_the_name_of_its_cell(approved):
    lines = to_text(approved).splitlines()
    at = lines.index("racy.unit = [")
    assert lines[at + 1 : at + 4] == [
        '    "unit/test_a.py::test_one",',
        '    "unit/test_a.py::test_two",',
        "]",
    ]
    assert [line for line in lines if line.startswith("[")] == [
        "[counts]",
        "[kills]",
        '[python."3.11".counts]',
        '[python."3.11".kills]',
    ]


def test_the_text_does_not_depend_on_the_order_in_which_things_were_found(approved):
    turned = Part(dict(reversed(list(part().counts.items()))), dict(reversed(list(part().kills.items()))))
    assert to_text(approve(Approved(), turned, "3.11")) == to_text(approved)


def test_a_file_that_is_not_there_is_nothing_approved_and_a_broken_one_comes_with_the_cure(tmp_path):
    assert read(tmp_path / "none.toml") is None
    for text in ("<<<<<<< mine\n", "kills = 3\n", "[kills]\nracy = 1\n"):
        (tmp_path / "bad.toml").write_text(text)
        with pytest.raises(Usage, match=r"bad\.toml cannot be read .*--approve"):
            read(tmp_path / "bad.toml")


def test_the_version_is_the_minor_one():
    assert minor("3.11.7") == "3.11"
    assert minor("3.14.0rc2") == "3.14"


def test_the_cure_is_a_command_and_the_file_lies_beside_the_catalogue():
    assert CURE.endswith("python3 grade.py matrix --approve")
    assert (PATH.parent / "catalogue").is_dir()
