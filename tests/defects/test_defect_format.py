"""What the loader says of a file that breaks the format: each complaint names what to mend."""

import pytest

import defects
from defects import FormatError

PAIR = """\
title = "Two things at once"
chapter = 8
family = "identity"
layers = ["security"]
story = "One sentence is here. Another one follows."
hint = ["The first hint is vague.", "The second hint points somewhere."]
combines = ["one_half", "other_half"]
"""


def complaints(path) -> str:
    with pytest.raises(FormatError) as caught:
        defects.load(path)
    return "\n".join(caught.value.problems)


def test_a_good_file_becomes_a_defect_whose_id_is_the_name_of_the_file(shelf):
    defect = defects.load(shelf.write("adds_too_much"))

    assert defect.id == "adds_too_much"
    assert defect.chapter == 3
    assert defect.layers == ("unit",)
    assert defect.hint[0] == "Nobody looks at the difference."
    assert defect.edits == (defects.Edit("service.py", "return a - b", "return a + b"),)


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("title", "", "title is missing"),
        ("title", '"Short"', "title has 5 characters; 8 to 70"),
        ("title", '"A heading with a stop."', "ends with a full stop"),
        ("chapter", "2", "chapter is 2; defects are met in chapters 3 to 12"),
        ("chapter", "true", "chapter is True"),
        ("family", '"pagging"', "did you mean 'paging'?"),
        ("layers", '["unti"]', "no layer 'unti' (did you mean 'unit'?)"),
        ("layers", "[]", "name at least one layer"),
        ("layers", '["unit", "unit"]', "names a layer twice"),
        ("layers", '"unit"', "layers must be a list of texts"),
        ("origin", '"github.com/octo/desk"', "origin is 'github.com/octo/desk'; it is the https://"),
        ("story", '"One sentence only."', "story has 1 sentences; it takes 2 to 4"),
        ("story", '"TODO: write it. Soon."', "story still says TODO"),
        ("hint", '["Only one hint is given."]', "hint has 1 entries; give two or three"),
        ("hint", '["The same hint twice.", "The same hint twice."]', "says the same thing twice"),
        ("hint", '["Too short", "This one is long enough."]', "hint 1 has 9 characters"),
        ("hint", '["TODO, vague: something.", "This one is long enough."]', "hint 1 still says TODO"),
        ("hints", '["a"]', "unknown key 'hints' (did you mean 'hint'?)"),
        ("find", '"  "', "edit 1: find is blank"),
        ("find", '"return a + b"', "edit 1 leaves service.py unchanged"),
        ("find", "7", "edit 1: file, find and replace must be texts"),
        ("replace", "", "edit 1 needs file, find and replace"),
        ("file", '"../service.py"', "it is a file of helpdesk, such as service.py"),
    ],
)
def test_a_broken_file_is_refused_in_words_that_say_what_to_mend(shelf, key, value, complaint):
    assert complaint in complaints(shelf.write("broken", **{key: value}))


def test_all_complaints_about_a_file_come_at_once_and_name_the_file(shelf):
    path = shelf.write("broken", chapter="99", family='"none"', hint="[]")

    with pytest.raises(FormatError) as caught:
        defects.load(path)

    assert len(caught.value.problems) == 3
    assert str(caught.value).count("broken.toml: ") == 3


def test_what_is_not_toml_is_refused_with_the_place(shelf):
    assert "is not TOML" in complaints(shelf.write("broken", title='"no end'))


def test_an_id_that_is_not_lower_snake_case_is_refused(shelf):
    assert "lower snake case" in complaints(shelf.write("Not-Snake"))


def test_a_file_without_an_edit_is_refused(shelf):
    text = PAIR.replace('combines = ["one_half", "other_half"]\n', "")

    assert "has no [[edit]]" in complaints(shelf.write("broken", text))


def test_a_pair_has_the_edits_of_its_halves_in_their_order(shelf):
    one = shelf.write("one_half", folder="halves", layers="[]")
    shelf.write("other_half", folder="halves", layers="[]", find='"return a + b"', replace='"return b + a"')

    pair = defects.load(shelf.write("both", PAIR))

    assert pair.combines == ("one_half", "other_half")
    assert [edit.replace for edit in pair.edits] == ["return a + b", "return b + a"]
    assert defects.load(one).layers == ()


@pytest.mark.parametrize(
    ("combines", "complaint"),
    [
        ('["one_half"]', "combines names exactly two halves"),
        ('["one_half", "one_half"]', "combines names exactly two halves"),
        ('["one_half", "missing"]', "there is no halves/missing.toml"),
    ],
)
def test_a_pair_names_two_halves_that_are_there(shelf, combines, complaint):
    shelf.write("one_half", folder="halves", layers="[]")

    assert complaint in complaints(shelf.write("both", PAIR, combines=combines))


def test_a_pair_has_no_edits_of_its_own(shelf):
    assert "a pair has no edits of its own" in complaints(
        shelf.write("both", combines='["a_half", "b_half"]')
    )


def test_a_half_cannot_be_a_pair(shelf):
    assert "a half cannot combine others" in complaints(shelf.write("half", PAIR, folder="halves"))


def test_a_variant_says_what_is_different_in_it(shelf):
    path = shelf.write(
        "other_words",
        """\
        title = "Other words in an error"
        differs = "The text of the ValueError. It is for programmers, not an interface."

        [[edit]]
        file = "service.py"
        find = "return a - b"
        replace = "return -b + a"
        """,
        folder="variants",
    )

    assert defects.variants()["other_words"].differs.startswith("The text")
    path.write_text(path.read_text(encoding="utf-8").replace("differs", "story"), encoding="utf-8")
    with pytest.raises(FormatError, match="differs is missing"):
        defects.variants()


NAMES = """\
title = "Other names for what is local"
differs = "The names of variables inside functions."
local_names = 7
"""


def test_a_variant_may_have_other_local_names_beside_its_edits_or_alone(shelf):
    shelf.write("names", NAMES, folder="variants")

    variant = defects.variants()["names"]

    assert (variant.local_names, variant.edits) == (7, ())


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"local_names": ""}, "changes nothing: give an [[edit]], or local_names, a whole number"),
        ({"local_names": '"seven"'}, "local_names is 'seven'; it is a whole number"),
        ({"local_names": "true"}, "local_names is True; it is a whole number"),
        ({"local_name": "7"}, "unknown key 'local_name' (did you mean 'local_names'?)"),
        ({"edit": "[]"}, "has no [[edit]]"),
    ],
)
def test_a_variant_that_changes_nothing_or_by_no_number_is_refused(shelf, changes, complaint):
    shelf.write("names", NAMES, folder="variants", **changes)

    with pytest.raises(FormatError) as caught:
        defects.variants()
    assert complaint in "\n".join(caught.value.problems)


def test_a_defect_has_no_other_local_names(shelf):
    assert "unknown key 'local_names'" in complaints(shelf.write("broken", local_names="7"))


def test_the_catalogue_holds_defects_and_not_halves(shelf):
    shelf.write("one_half", folder="halves", layers="[]")
    shelf.write("b_defect")
    shelf.write("a_defect")

    assert list(defects.catalogue()) == ["a_defect", "b_defect"]
    assert list(defects.halves()) == ["one_half"]


def test_an_unknown_id_is_answered_with_the_nearest_ones(shelf):
    shelf.write("adds_too_much")

    with pytest.raises(defects.UnknownDefect, match="no defect 'add_too_much'; the nearest: adds_too_much"):
        defects.find_defect("add_too_much")
    with pytest.raises(defects.UnknownDefect):
        defects.find_defect("../catalogue/adds_too_much")
