"""The rules that need no suite: each test breaks one of them in a catalogue of its own."""

from defects.check import check

VARIANT = """\
title = "The same sum, written backwards"
differs = "The order of the operands."

[[edit]]
file = "service.py"
find = "return a + b"
replace = "return b + a"
"""


def said(*paths) -> str:
    return "\n".join(str(problem) for problem in check(list(paths) or None))


def test_a_good_catalogue_has_no_problems(shelf):
    shelf.write("adds")
    shelf.write("backwards", VARIANT, folder="variants")

    assert check() == []


def test_a_problem_names_the_file_and_comes_from_the_files_asked_for_only(shelf):
    shelf.write("broken", chapter="99")
    good = shelf.write("adds")

    assert said().startswith("catalogue/broken.toml: chapter is 99")
    assert check([good]) == []


def test_an_edit_that_does_not_match_is_reported_with_its_line(shelf):
    shelf.write("adds", find='"return a //  b"')

    assert "catalogue/adds.toml: adds: helpdesk/service.py:" in said()


def test_a_result_that_does_not_compile_is_reported(shelf):
    shelf.write("adds", replace='"return a -"')

    assert "does not compile" in said()
    assert "service.py:13" in said()


def test_a_change_of_comments_only_is_no_defect(shelf):
    shelf.write("adds", replace='"return a - b  # minus"')

    assert "only comments or layout" in said()


def test_a_hint_that_contains_its_fix_is_refused(shelf):
    shelf.write(
        "adds",
        find="'''raise ValueError('a')\n    return a - b'''".replace("'a'", '"a is negative"'),
        replace='"return a - b"',
        hint='["What about numbers below zero?", "It forgot to `raise ValueError` there."]',
    )

    assert "hint 2 contains its fix: 'raise valueerror" in said()


def test_a_hint_may_use_the_words_of_what_it_is_about(shelf):
    shelf.write("adds", hint='["Look at what sub does with a and b.", "Compare sub with add for b = 0."]')

    assert check() == []


def test_two_defects_that_give_the_same_server_are_one_too_many(shelf):
    shelf.write("adds")
    shelf.write("adds_again", replace='"return (a + b)"')

    assert "catalogue/adds.toml: gives the same server as adds_again" in said()


def test_a_defect_that_a_correct_variant_contains_is_refused(shelf):
    shelf.write("adds", find='"return a + b"', replace='"return b + a"')
    shelf.write("backwards", VARIANT, folder="variants")

    assert "is in the correct variant backwards" in said()


def test_a_half_that_no_pair_combines_is_refused(shelf):
    shelf.write("one_half", folder="halves", layers="[]")

    assert "halves/one_half.toml: no pair of the catalogue combines this half" in said()


def test_a_pair_dies_where_neither_half_dies_alone(shelf):
    shelf.write("one_half", folder="halves", layers='["unit"]')
    shelf.write("other_half", folder="halves", layers="[]", find='"return a + b"', replace='"return b + a"')
    text = """\
        title = "Two things at once"
        chapter = 8
        family = "identity"
        layers = ["unit"]
        story = "One sentence is here. Another one follows."
        hint = ["The first hint is vague.", "The second hint points somewhere."]
        combines = ["other_half", "one_half"]
        """
    shelf.write("both", text)

    assert "catalogue/both.toml: names unit, where its half one_half dies alone" in said()
    shelf.write("both", text, layers='["security"]')
    assert check() == []


def test_a_defect_that_only_takes_a_line_away_is_not_found_where_the_line_still_stands(shelf):
    shelf.write(
        "negative", find="'''(\"a is negative\")\n    return a + b'''", replace="'''()\n    return a + b'''"
    )
    shelf.write("unguarded", find="'''    return a - b\n'''", replace="''")
    shelf.write(
        "other_words",
        VARIANT.replace("return a + b", "A rule or two").replace("return b + a", "Two"),
        folder="variants",
    )

    assert "is in the correct variant" not in said()


SUM = """\
def add(a, b):
    total = a + b
    return total


def sub(a, b):
    return a - b
"""

NAMES = """\
title = "Other names for what is local"
differs = "The names of variables inside functions."
local_names = 7
"""


def test_other_local_names_are_a_difference_in_the_syntax_tree_where_something_is_local(shelf):
    path = shelf.write("names", NAMES, folder="variants")

    assert "its syntax tree is the correct server's" in said(path)
    (shelf.root / "helpdesk" / "service.py").write_text(SUM, encoding="utf-8")
    assert check([path]) == []


def test_two_variants_that_give_the_same_server_are_one_too_many(shelf):
    shelf.write("backwards", VARIANT, folder="variants")
    shelf.write("backwards_again", VARIANT, folder="variants", replace='"return (b + a)"')

    assert "variants/backwards.toml: gives the same server as backwards_again" in said()


def test_a_defect_is_found_in_a_variant_that_has_other_local_names_too(shelf):
    (shelf.root / "helpdesk" / "service.py").write_text(SUM, encoding="utf-8")
    shelf.write("adds")
    names = shelf.write("names", NAMES, folder="variants")
    assert check() == []

    edit = """
[[edit]]
file = "service.py"
find = "return a - b"
replace = "return a + b"
"""
    names.write_text(NAMES + edit, encoding="utf-8")
    assert "is in the correct variant names" in said()
