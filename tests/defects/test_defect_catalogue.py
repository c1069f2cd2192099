"""The catalogue that ships: every file keeps the rules, and there is enough of each kind."""

import ast
from collections import Counter

import pytest

import defects
from defects.check import check
from defects.model import LAYERS

FIRST = [
    "stdout_banner",
    "racy_idempotency",
    "sql_pasting",
    "false_description",
    "ignores_idempotency_key",
    "leaked_field",
    "endless_cursor",
    "unknown_tool_as_tool_error",
    "traceback_to_caller",
    "audience_unchecked",
]


def test_every_file_keeps_the_rules():
    assert [str(problem) for problem in check()] == []


def test_the_first_defects_are_there():
    assert set(FIRST) <= set(defects.catalogue())
    assert defects.catalogue()["false_description"].layers == ("snapshot",), "nothing else can notice it"
    assert len(defects.catalogue()["racy_idempotency"].edits) == 2, "the unique index goes too"


def test_there_are_enough_defects_for_each_layer_of_the_59():
    known = defects.catalogue().values()

    named = Counter(layer for defect in known for layer in defect.layers)

    assert len(known) >= 48
    for layer in LAYERS[:7]:
        assert named[layer] >= 5, layer
    assert sum(bool(defect.combines) for defect in known) >= 3


def test_no_two_defects_tell_the_same_story():
    for field in ("title", "story"):
        told = Counter(getattr(defect, field) for defect in defects.catalogue().values())
        assert [text for text, times in told.items() if times > 1] == []


def test_a_defect_can_be_taken_together_with_another():
    both = defects.mutant({"stdout_banner", "racy_idempotency"})

    changed = {name for name, text in defects.source_of_helpdesk().items() if both[name] != text}
    assert changed == {"stdio_main.py", "service.py", "db.py"}


@pytest.mark.parametrize("name", sorted(defects.variants()))
def test_a_variant_differs_from_the_server_in_its_syntax_tree(name):
    source = defects.source_of_helpdesk()
    variant = defects.find_variant(name)

    laid = defects.mutant([variant])

    changed = {file for file in source if syntax(laid[file]) != syntax(source[file])}
    assert changed >= {edit.file for edit in variant.edits}
    assert changed
    if variant.local_names is not None:
        assert changed >= {"app.py", "auth.py", "db.py", "service.py", "tools.py", "wire.py", "world.py"}


def syntax(text: str) -> str:
    return ast.dump(ast.parse(text))


def test_the_server_holds_no_trace_of_the_defects():
    for name, text in defects.source_of_helpdesk().items():
        for word in ("mutant", "variant", "--defect", "import defects"):
            assert word not in text, f"{name} speaks of {word}"
