"""Source written anew with other local names: it does the same, and nothing local keeps its name."""

import ast
import builtins
import importlib.util
import re
import symtable
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import defects
from defects.local_names import regenerate, rename_locals
from defects.scope_finder import locals_of

AGAIN = "AGAIN"
HERE = Path(__file__).parent


def programs() -> dict[str, tuple[str, list[str]]]:
    """Title to program and names, of those that this Python can run."""
    found = {}
    for text in (HERE / "programs_with_locals.txt").read_text(encoding="utf-8").split("\n#### ")[1:]:
        head, _, source = text.partition("\n")
        title, since, gone = (part.strip() for part in head.split("|"))
        if sys.version_info >= tuple(map(int, since.split("."))):
            found[title] = source, gone.split()
    return found


PROGRAMS = programs()

STANDARD = [
    "asyncio.tasks",
    "bisect",
    "contextlib",
    "csv",
    "dataclasses",
    "functools",
    "heapq",
    "json.decoder",
    "queue",
    "shlex",
    "string",
    "textwrap",
    "traceback",
]


def run(source: str) -> object:
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "program", "exec", dont_inherit=True), names)
    return names["answer"]


def words(source: str) -> set[str]:
    """The names in a module, without those in texts."""
    nodes = [node for node in ast.walk(ast.parse(source)) if not isinstance(node, ast.Constant)]
    fields = [value for node in nodes for field, value in ast.iter_fields(node) if field != "str"]
    lists = [value if isinstance(value, list) else [value] for value in fields]
    return {value for values in lists for value in values if isinstance(value, str)}


@pytest.mark.parametrize("title", PROGRAMS)
def test_a_program_gives_the_same_answer_and_its_local_names_are_gone(title):
    source, gone = PROGRAMS[title]

    renamed = rename_locals(source, 7)

    assert repr(run(renamed)) == repr(run(source)), renamed
    assert set(gone) <= words(source)
    assert not words(renamed) & set(gone), renamed


def test_the_names_of_a_seed_are_the_same_on_every_python():
    source = "def f(a):\n    # a comment\n    x, y = (a, 1)\n    return x + y\n"

    assert rename_locals(source, 7) == (
        "def f(a):\n    zotota, rizake = (a, 1)\n    return zotota + rizake\n"
    )
    assert rename_locals(source, 7) == rename_locals(source, 7)


@given(seed=st.integers(), other=st.integers())
@example(seed=0, other=-1)
def test_two_seeds_give_different_names_and_none_that_the_module_has(seed, other):
    source, _ = PROGRAMS["targets of every kind"]
    one, two = words(rename_locals(source, seed)), words(rename_locals(source, other))
    kept = words(source) & one

    assert (one - kept).isdisjoint({*words(source), *dir(builtins)})
    assert len(one) == len(words(source)), "no two names became one"
    if seed != other:
        assert one != two


def test_a_name_that_the_module_has_is_never_given_again():
    source = "zotota = 1\ndef f(rizake):\n    x = zotota\n    return x, rizake, f.redoma\n"

    assert rename_locals(source, 7).count("zotota") == 2
    assert not {"rizake", "redoma", "zotota"} & {local.name for local in locals_of(ast.parse(source))}
    assert "nedivo = zotota" in rename_locals(source, 7)


def test_a_local_function_shows_its_new_name_and_that_is_all_that_shows():
    source = "def outer():\n    def inner():\n        pass\n    return inner\nanswer = outer().__name__\n"

    assert run(source) == "inner"
    assert run(rename_locals(source, 7)) == "zotota"


def test_what_does_not_parse_is_refused_with_the_name_of_the_file():
    with pytest.raises(SyntaxError) as caught:
        regenerate({"service.py": "def f(:\n"}, 7)
    assert caught.value.filename == "service.py"


def test_a_tree_keeps_its_files_and_those_that_are_no_python():
    tree = regenerate({"service.py": "x = 1  # one\n", "py.typed": "# kept\n"}, 7)

    assert tree == {"service.py": "x = 1\n", "py.typed": "# kept\n"}


def module_source(name: str) -> str:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", STANDARD)
def test_a_module_of_the_standard_library_means_the_same(name):
    assert_same_but_for_local_names(module_source(name))


@pytest.mark.parametrize("name", sorted(defects.source_of_helpdesk()))
def test_a_module_of_the_help_desk_means_the_same(name):
    assert_same_but_for_local_names(defects.source_of_helpdesk()[name])


def assert_same_but_for_local_names(source: str) -> None:
    """Two ways: the trees are equal when both get the same names, and Python sees the same scopes."""
    assert same_names(source) == same_names(rename_locals(source, 7))

    tree = ast.parse(source)
    for local in locals_of(tree):
        local.rename(local.name + AGAIN)
    before, after = tables(source), tables(ast.unparse(tree))
    for old, new in zip(before, after, strict=True):
        if sys.version_info < (3, 12):  # since then, a comprehension's names stand in the table around it
            assert len(meanings(old)) == len(list(new.get_symbols())), old
        assert meanings(old) == meanings(new), old


def same_names(source: str) -> str:
    tree = ast.parse(source)
    for number, local in enumerate(locals_of(tree)):
        local.rename(f"local_{number}")
    return ast.dump(tree)


def tables(source: str) -> Iterator[symtable.SymbolTable]:
    waiting = [symtable.symtable(source, "module", "exec")]
    while waiting:
        table = waiting.pop()
        yield table
        waiting.extend(table.get_children())


def meanings(table: symtable.SymbolTable) -> dict[str, tuple[bool, ...]]:
    """What Python takes each name of a scope for: a global, a local, a free name, a parameter …"""
    found: dict[str, tuple[bool, ...]] = {}
    for symbol in table.get_symbols():
        name = symbol.get_name().removesuffix(AGAIN)
        flags = (
            symbol.is_global(),
            symbol.is_declared_global(),
            symbol.is_local(),
            symbol.is_free(),
            symbol.is_parameter(),
            symbol.is_imported(),
            symbol.is_assigned(),
            symbol.is_referenced(),
        )
        found[name] = tuple(map(any, zip(flags, found.get(name, flags), strict=True)))
    return found


def test_nothing_local_to_the_help_desk_keeps_its_name():
    """But for parameters, and what is passed through `import a.b`."""
    sources = defects.source_of_helpdesk()
    for name, text in regenerate(sources, 7).items():
        for table in tables(text):
            if table.get_type() != "function" and str(table.get_type()) != "SymbolTableType.FUNCTION":
                continue
            kept = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}
            kept -= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_parameter()}
            assert all(re.fullmatch(r"([bdklmnrtvz][aeio]){3}|__class__", word) for word in kept), (
                name,
                kept,
            )
