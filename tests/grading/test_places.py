"""Where an edit lies in the correct source: no more than what it changes, and exactly that."""

import pytest

import defects
from defects import Defect, Edit
from defects.edits import apply
from grading.reports.places import Place, places_of, replaced

SOURCE = "def one():\n    return 1\n\n\ndef two():\n    first = 2\n    return first\n"


def places(*edits, source=SOURCE):
    made = tuple(Edit("a.py", find, replace) for find, replace in edits)
    bug = Defect("bug", "A bug", 3, "answer", ("unit",), "", "Wrong.", ("hint",), made)
    return places_of(bug, {"a.py": source})


def test_a_place_is_the_line_that_differs_without_what_surrounds_it():
    (place,) = places(("def one():\n    return 1\n\n\ndef two", "def one():\n    return 7\n\n\ndef two"))
    assert place == Place("a.py", (2, 5), (2, 13), "return 7")


def test_a_line_put_in_is_told_beside_the_one_that_follows():
    (place,) = places(("\n    return first", "\n    first = 3\n    return first"))
    assert place == Place("a.py", (7, 5), (7, 17), "first = 3\n    return first")


def test_a_line_taken_away_is_told_beside_the_one_that_follows():
    (place,) = places(("    first = 2\n", ""))
    assert place == Place("a.py", (6, 5), (7, 17), "return first")


def test_the_last_line_taken_away_is_told_beside_the_one_before():
    (place,) = places(("    return first\n", ""))
    assert place == Place("a.py", (6, 5), (7, 17), "first = 2")


def test_a_line_put_in_at_the_end_and_one_at_the_start_have_a_place():
    (place,) = places(("return first\n", "return first\n\nprint()\n"))
    assert place.start[0] == place.end[0] == 7
    (place,) = places(("def one", "import os\n\n\ndef one"))
    assert place == Place("a.py", (1, 1), (1, 11), "import os\n\n\ndef one():")


def test_an_edit_of_another_indent_keeps_only_what_both_have():
    (place,) = places(("    first = 2", "  first = 2"))
    assert place == Place("a.py", (6, 3), (6, 14), "first = 2")


def test_each_edit_has_its_own_place_in_the_order_in_which_it_is_made():
    found = places(("first = 2", "first = 3"), ("return 1", "return 4"))
    assert [place.start for place in found] == [(6, 5), (2, 5)]


@pytest.mark.parametrize(
    "edits", [(("return 1", "return 5"), ("return 5", "return 6")), (("1", "12"), ("def two", "def too"))]
)
def test_an_edit_of_what_an_earlier_one_wrote_shares_its_place_with_it(edits):
    found = places(*edits)
    mutant = SOURCE
    for find, replace in edits:
        mutant = mutant.replace(find, replace)
    assert replaced(SOURCE, found) == mutant


def test_replacing_at_the_places_gives_exactly_the_mutant_for_the_whole_catalogue():
    sources = defects.source_of_helpdesk()
    known = [*defects.catalogue().values(), *defects.halves().values(), *defects.variants().values()]
    for entry in (entry for entry in known if isinstance(entry, Defect)):
        found = places_of(entry, sources)
        mutant = apply(sources, entry.id, entry.edits)
        for file in {edit.file for edit in entry.edits}:
            ours = [place for place in found if place.file == file]
            assert replaced(sources[file], ours) == mutant[file], f"{entry.id}: {file}"
