"""An edit matches exactly once, or it is an error that says where it should have."""

import pytest

import defects
from defects import Edit, EditError
from defects.edits import apply

SOURCES = {"service.py": "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"}


def refusal(find: str, replace: str = "", file: str = "service.py") -> EditError:
    with pytest.raises(EditError) as caught:
        apply(SOURCES, "careless", [Edit(file, find, replace)])
    return caught.value


def test_an_edit_replaces_what_it_found_and_nothing_else():
    changed = apply(SOURCES, "x", [Edit("service.py", "return a - b", "return b - a")])

    assert changed["service.py"] == SOURCES["service.py"].replace("a - b", "b - a")
    assert "b - a" not in SOURCES["service.py"]


def test_an_edit_that_matches_nothing_names_file_defect_and_nearest_line_with_its_number():
    error = refusal("    return a  -  b")

    assert (error.owner, error.file, error.line) == ("careless", "service.py", 6)
    assert str(error).startswith("careless: helpdesk/service.py:6: edit 1 matches nothing.")
    assert "'return a - b'" in str(error)


def test_the_nearest_line_of_a_longer_text_is_the_first_one_that_differs():
    error = refusal("def sub(a, b):\n    return a * b\n")

    assert error.line == 6
    assert "wanted 'return a * b'" in str(error)


def test_an_edit_that_matches_twice_names_both_lines():
    error = refusal("(a, b):")

    assert "more than once (lines 1, 5)" in str(error)
    assert error.line == 1


def test_matches_that_overlap_are_two_matches():
    with pytest.raises(EditError, match="more than once"):
        apply({"a.py": "x = 'aaa'\n"}, "x", [Edit("a.py", "aa", "b")])


def test_an_edit_of_a_file_that_is_not_there_names_the_one_that_is():
    assert "did you mean service.py?" in str(refusal("return", file="services.py"))


def test_an_edit_that_changes_nothing_is_an_error():
    assert "leaves the file unchanged" in str(refusal("return a - b", "return a - b"))


def test_several_edits_are_made_one_after_another():
    edits = [Edit("service.py", "a - b", "a * b"), Edit("service.py", "a * b", "a / b")]

    assert "a / b" in apply(SOURCES, "x", edits)["service.py"]


def test_a_mutant_of_no_defect_is_byte_for_byte_the_correct_server(shelf):
    assert defects.mutant([]) == defects.source_of_helpdesk()


def test_a_mutant_holds_the_whole_package(shelf):
    shelf.write("adds")

    tree = defects.mutant(["adds"])

    assert set(tree) == {"__init__.py", "__main__.py", "service.py"}
    assert "a - b" not in tree["service.py"]


def test_a_mutant_can_have_several_defects(shelf):
    shelf.write("adds")
    shelf.write("subtracts", find='"return a + b"', replace='"return a * b"')

    # In the order given: the other order would find "return a + b" twice.
    assert defects.mutant(["subtracts", "adds"])["service.py"].count("return a + b") == 1
    with pytest.raises(EditError, match=r"subtracts.*in the tree that adds has changed already"):
        defects.mutant(["adds", "subtracts"])


def test_a_set_of_ids_gives_the_same_mutant_each_time(shelf):
    shelf.write("b_last", find='"return a - b"', replace='"return a - b - 1"')
    shelf.write("a_first", find='"def add"', replace='"def plus"')

    assert defects.mutant({"b_last", "a_first"}) == defects.mutant(["a_first", "b_last"])


def test_one_text_in_the_place_of_a_list_is_refused(shelf):
    with pytest.raises(TypeError, match="several ids"):
        defects.mutant("adds")


def test_a_defect_object_needs_no_file_in_the_catalogue(shelf):
    defect = defects.load(shelf.write("hidden", folder="variants"))

    assert "a - b" not in defects.mutant([defect])["service.py"]


def test_a_tree_is_laid_as_a_package_and_never_over_another(shelf, tmp_path):
    shelf.write("adds")

    tree = defects.lay(["adds"], tmp_path / "new" / "tree")

    assert (tree / "helpdesk" / "service.py").read_text(encoding="utf-8").count("a + b") == 2
    with pytest.raises(FileExistsError):
        defects.lay([], tree)


def test_only_text_files_of_the_package_are_its_source(shelf):
    package = shelf.root / "helpdesk"
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "service.cpython-311.pyc").write_bytes(b"\xff\xfe")
    (package / "logo.png").write_bytes(b"\x89PNG\xff")

    assert set(defects.source_of_helpdesk()) == {"__init__.py", "__main__.py", "service.py"}
