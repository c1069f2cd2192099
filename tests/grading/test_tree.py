"""Laying server trees."""

from pathlib import Path

import pytest

from grading.engine.tree import BadTree, digest, lay, read


def test_a_tree_is_laid_as_a_package_and_reads_back_the_same(tmp_path: Path) -> None:
    sources = {"__init__.py": "", "deep/__init__.py": "x = 'é'\n"}
    tree = lay(sources, tmp_path, "a name")
    assert tree.name == "a name"
    assert (tree.root / "helpdesk" / "deep" / "__init__.py").is_file()
    assert read(tree.package) == sources


def test_the_path_tells_nothing_but_the_content(tmp_path: Path) -> None:
    one = lay({"__init__.py": "a = 1\n"}, tmp_path, "leaked_field")
    other = lay({"__init__.py": "a = 2\n"}, tmp_path, "leaked_field")
    same = lay({"__init__.py": "a = 1\n"}, tmp_path, "correct")
    assert "leaked" not in str(one.root)
    assert one.root == same.root != other.root


def test_a_tree_that_was_edited_is_laid_again(tmp_path: Path) -> None:
    sources = {"__init__.py": "a = 1\n"}
    tree = lay(sources, tmp_path)
    (tree.package / "__init__.py").write_text("a = 2\n")
    assert read(lay(sources, tmp_path).package) == sources


def test_names_and_texts_cannot_trade_places_in_the_digest() -> None:
    assert digest({"a": "bc", "d": ""}) != digest({"ab": "c", "d": ""})


def test_a_file_outside_the_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTree, match="outside"):
        lay({"__init__.py": "", "../../evil.py": ""}, tmp_path)


def test_no_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTree, match=r"__init__\.py"):
        lay({"service.py": ""}, tmp_path)
