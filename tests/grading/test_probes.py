"""Probes: what a defect changed is found, and a check that reaches it is told from one that does not."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import defects
from grading.engine.changes import Change, changed
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Check, Job, Run
from grading.engine.probes import CALL, laid
from grading.selection import checks_for

BEFORE = dedent(
    '''
    LIMIT = 20


    def close(ticket, reason):
        """Close it."""
        if not reason:
            raise ValueError("a reason")
        ticket["status"] = "closed"
        return ticket


    class Desk:
        def count(self):
            total = 0
            for ticket in self.tickets:
                try:
                    total += ticket.size
                except AttributeError:
                    total += 1
            return total
    '''
)


def change(find: str, replace: str) -> Change:
    assert BEFORE.count(find) == 1
    return changed({"a.py": BEFORE}, {"a.py": BEFORE.replace(find, replace)})


def line(text: str, source: str = BEFORE) -> int:
    return next(number for number, its in enumerate(source.splitlines(), 1) if text in its)


@pytest.mark.parametrize(
    ("find", "replace"),
    [
        ("LIMIT = 20", "LIMIT = 21"),
        ("def close(ticket, reason):", "def close(ticket, reason=None):"),
        ("def close(", "def shut("),
        ("class Desk:", "class Desk(dict):"),
        ("        return total\n", "        return total\n\n    def more(self):\n        return 1\n"),
        ("LIMIT = 20\n", "LIMIT = 20\nfrom os import close\n"),
        ("LIMIT = 20\n", "LIMIT = 20\nimport this\n"),
        ("LIMIT = 20\n", "LIMIT = 20\nfrom os import *\n"),
        ("LIMIT = 20\n", "LIMIT = 20\ndef more(x=LIMIT):\n    return x\n"),
        ("LIMIT = 20\n", "LIMIT = 20\ndef __getattr__(name):\n    return 1\n"),
        ('"""Close it."""', '"""Shut it."""'),
        ("total += 1", "yield 1"),
    ],
)
def test_a_change_outside_every_function_acts_at_import(find: str, replace: str):
    assert change(find, replace) == Change(at_import=True)


@pytest.mark.parametrize(
    ("find", "replace", "before"),
    [
        ("total += 1", "total += 2", "total += 1"),
        ("if not reason:", "if reason is None:", "if not reason"),
        ('    if not reason:\n        raise ValueError("a reason")\n', "", "if not reason"),
        ("        return total\n", "", "return total"),
        ("    return ticket\n", "    print(1)\n    return ticket\n", "return ticket"),
        ("    return ticket\n", "    return ticket\n    print(1)\n", "return ticket"),
        ("except AttributeError", "except TypeError", "try:"),
        ("total += 1", "fresh = 1", "total += 1"),
        ("total += 1", "self = 1", "total = 0"),
    ],
    ids=["replaced", "a head", "gone", "gone at the end", "new", "new at the end", "a handler",
         "a name of its own", "a name that the function used"],
)  # fmt: skip
def test_a_place_stands_before_what_is_changed(find: str, replace: str, before: str):
    found = change(find, replace)
    assert not found.at_import
    assert found.before == {"a.py": (line(before),)}


def test_a_comment_and_a_blank_line_are_no_change():
    assert change("    return ticket\n", "    # done\n\n    return ticket\n") == Change()


@pytest.mark.parametrize(
    "new", ["import re\n", "from os import path as place\n", "def more():\n    return 1\n"]
)
def test_a_name_that_the_module_did_not_know_changes_nothing_by_itself(new: str):
    assert change("LIMIT = 20\n", f"LIMIT = 20\n{new}") == Change()


def test_a_new_file_and_one_that_does_not_parse_act_at_import():
    assert changed({}, {"b.py": "x = 1\n"}) == Change(at_import=True)
    assert changed({"b.py": "x = 1\n"}, {"b.py": "x = (\n"}) == Change(at_import=True)


def test_two_changed_functions_have_a_place_each():
    after = BEFORE.replace("total += 1", "total += 2").replace("return ticket\n", "return None\n")
    found = changed({"a.py": BEFORE}, {"a.py": after})
    assert found.places() == {f"a.py:{line('return ticket')}", f"a.py:{line('total += 1')}"}


def run_with_probes(lines: Any, call: str) -> list[str]:
    """The probes that are passed when `call` is evaluated."""
    passed: list[str] = []
    names: dict[str, object] = {CALL: passed.append}
    exec(compile(laid(BEFORE, "a.py", "a.py", lines), "a.py", "exec"), names)
    assert not passed, "a probe runs at import"
    eval(call, names)
    return passed


@pytest.mark.parametrize(
    ("text", "call", "times"),
    [
        ("if not reason", "close({}, 'done')", 1),
        ('ticket["status"]', "close({}, 'done')", 1),
        ('"""Close it', "close({}, 'done')", 1),
        ("total += 1", "Desk.count(type('D', (), {'tickets': [1, 2]}))", 2),
        ("total += ticket.size", "Desk.count(type('D', (), {'tickets': []}))", 0),
        ("LIMIT", "close({}, 'done')", 0),
    ],
)
def test_a_probe_is_passed_when_its_statement_runs(text: str, call: str, times: int):
    assert run_with_probes([line(text)], call) == [f"a.py:{line(text)}"] * times


def test_a_probe_changes_neither_answers_nor_docstrings_nor_line_numbers():
    names: dict[str, Any] = {CALL: lambda _: None}
    every = range(1, len(BEFORE.splitlines()) + 1)
    exec(compile(laid(BEFORE, "a.py", "a.py", every), "a.py", "exec"), names)
    close = names["close"]
    assert close({}, "done") == {"status": "closed"}
    assert close.__doc__ == "Close it."
    with pytest.raises(ValueError, match="a reason") as caught:
        close({}, "")
    assert caught.traceback[-1].lineno + 1 == line("raise ValueError")


def test_a_function_that_keeps_its_results_can_be_made_to_forget_them():
    source = "from functools import cache\n\n@cache\ndef f():\n    return g()\n\ndef g():\n    return 1\n"
    passed: list[str] = []
    names: dict[str, Any] = {CALL: passed.append}
    exec(compile(laid(source, "a.py", "a.py", [8]), "a.py", "exec"), names)
    assert [names["f"](), names["f"]()] == [1, 1]
    assert passed == ["a.py:8", "a.py:8"]


def test_every_defect_of_the_catalogue_changes_something():
    sources = defects.source_of_helpdesk()
    for id in defects.catalogue():
        mutant = defects.mutant([id])
        found = changed(sources, mutant)
        assert found.at_import or found.before, id
        for name, lines in found.before.items():
            compile(laid(sources[name], name, name, lines), name, "exec")


def trace(*passed: set[str], status: Any = "finished", outcome: Any = "passed") -> Run:
    checks = tuple(Check(f"test_{number}", "unit", outcome) for number, _ in enumerate(passed))
    places = {check.nodeid: frozenset(its) for check, its in zip(checks, passed, strict=True)}
    return Run(Job(Path("trees"), ("suite",)), "", checks, status, passed=places)


def test_only_checks_that_reach_a_changed_place_are_chosen():
    traced = trace({"a.py:1", "a.py:2"}, {"a.py:2"}, set())
    assert checks_for(Change(before={"a.py": (1,)}), traced) == ("test_0",)
    assert checks_for(Change(before={"a.py": (2, 3)}), traced) == ("test_0", "test_1")


def test_all_checks_are_chosen_where_a_change_acts_at_import_or_the_trace_is_not_whole():
    here = {"a.py": (1,)}
    assert checks_for(Change(before=here, at_import=True), trace({"a.py:1"}, set())) == ()
    assert checks_for(Change(before=here), trace({"a.py:1"}, set(), status="timeout")) == ()


def test_a_check_that_did_not_pass_in_the_trace_is_chosen():
    assert checks_for(Change({"a.py": (9,)}), trace({"a.py:1"}, set(), outcome="failed")) == ()


def test_one_check_is_chosen_where_none_reaches_the_change_for_a_run_must_show_that_it_can_be_imported():
    assert checks_for(Change(before={"a.py": (9,)}), trace({"a.py:1"}, set())) == ("test_0",)


TESTS = """
    import sys
    import pytest
    from grading.engine.spawn import start_program
    from helpdesk.service import answer

    def test_that_calls_it():
        assert answer() == 42

    def test_that_does_not():
        assert True

    def test_that_has_a_program_call_it():
        with start_program("helpdesk.echo_main") as program:
            program.stdin.close()
            program.wait(20)

    def test_that_does_not_either():
        assert True

    @pytest.fixture(scope="module")
    def shared():
        return answer()

    def test_whose_fixture_calls_it_for_several(shared):
        assert shared

    def test_that_leans_on_it(shared):
        assert shared
"""


def test_a_trace_knows_what_a_check_leans_on(fork: ForkRunner, job: Callable[..., Job]):
    [run] = fork.run([job(TESTS, trace={"service.py": (2,)})])
    passed = [bool(run.passed[check.nodeid]) for check in run.checks]
    assert passed == [True, False, True, False, True, True]


def test_a_place_that_is_passed_at_import_is_passed_for_every_check(
    fork: ForkRunner, job: Callable[..., Job]
):
    tests = """
        from helpdesk.service import answer

        ANSWER = answer()

        def test_it():
            assert ANSWER == 42
    """
    [run] = fork.run([job(tests, trace={"service.py": (2,)})])
    assert set(run.passed.values()) == {frozenset({"service.py:2"})}


def test_only_a_traced_run_has_the_built_in_that_probes_call(fork: ForkRunner, job: Callable[..., Job]):
    tests = """
        import builtins

        def test_there_is_none():
            assert not hasattr(builtins, "__reached__")
    """
    plain, traced = fork.run([job(tests), job(tests, trace={"service.py": (2,)})])
    assert [run.checks[0].outcome for run in (plain, traced)] == ["passed", "failed"]


def test_the_files_of_a_traced_tree_stay_as_they_are(fork: ForkRunner, job: Callable[..., Job]):
    tests = """
        import inspect
        from helpdesk.service import answer

        def test_the_source_has_no_probe():
            assert inspect.getsource(answer) == "def answer():\\n    return 42\\n"
    """
    [run] = fork.run([job(tests, trace={"service.py": (2,)})])
    assert [check.outcome for check in run.checks] == ["passed"]
