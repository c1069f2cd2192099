"""Probes: what a defect changed is found, and a check that runs it is told from one that does not."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

import defects
from grading.engine.changes import Change, changed
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Job
from grading.engine.probes import CALL, laid, traced

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
        tools = {"list": lambda self: sorted(self)}

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


def line(text: str, source: str) -> int:
    return next(number for number, its in enumerate(source.splitlines(), 1) if text in its)


@pytest.mark.parametrize(
    ("find", "replace"),
    [("LIMIT = 20", "LIMIT = 21"), ("def close(ticket, reason):", "def close(ticket, reason=None):")],
    ids=["a constant", "a default"],
)
def test_a_change_outside_every_function_acts_at_import(find, replace):
    assert change(find, replace) == Change(at_import=True)


def test_a_changed_line_in_a_function_is_marked():
    assert change("total += 1", "total += 2").marks == {"a.py": (line("total += 1", BEFORE),)}


@pytest.mark.parametrize(
    ("gone", "stands"),
    [
        ('    if not reason:\n        raise ValueError("a reason")\n', 'ticket["status"]'),
        ("    return ticket\n", 'ticket["status"]'),
        ("        return total\n", "for ticket"),
    ],
    ids=["before", "behind", "level with it"],
)
def test_for_lines_that_are_gone_stands_a_statement_of_the_same_function(gone, stands):
    found = change(gone, "")
    after = BEFORE.replace(gone, "")
    ((number,),) = found.marks.values()
    assert not found.at_import
    assert number == line(stands, after)


@pytest.mark.parametrize(
    ("find", "replace", "functions"),
    [
        ("total += 1", "total += 2", {"a.py:Desk.count"}),
        ("    return ticket\n", "", {"a.py:close"}),
        ("    return ticket\n", "    ticket |= {}\n    return ticket\n", {"a.py:close"}),
    ],
    ids=["replaced", "taken away", "added"],
)
def test_a_change_names_the_functions_that_it_lies_in(find, replace, functions):
    assert change(find, replace).functions == functions
    assert not change(find, replace).at_import


def test_a_new_function_and_a_renamed_one_act_at_import():
    assert change("LIMIT = 20\n", "LIMIT = 20\n\n\ndef more():\n    return 1\n").at_import
    assert change("def close(", "def shut(").at_import


def test_a_function_inside_a_function_is_its_own_and_its_head_the_outer_ones():
    before = "def outer():\n    def inner(x):\n        return x\n    return inner\n"
    inner = changed({"a.py": before}, {"a.py": before.replace("return x", "return -x")})
    head = changed({"a.py": before}, {"a.py": before.replace("inner(x)", "inner(x=1)")})
    assert inner.functions == {"a.py:outer.inner"}
    assert head.functions == {"a.py:outer"}


def test_a_traced_function_tells_when_it_is_entered_and_forgets_what_it_kept():
    passed: list[str] = []
    source = dedent(
        '''
        from functools import cache

        @cache
        def f():
            """Text."""
            return [g(n) for n in "ab"]

        def g(n):
            return n
        '''
    )
    names: dict[str, object] = {CALL: passed.append}
    exec(compile(traced(source, "a.py", "a.py"), "a.py", "exec"), names)
    f = names["f"]
    assert [f(), f()] == [["a", "b"], ["a", "b"]]  # type: ignore[operator]
    assert passed == ["a.py:f", "a.py:g", "a.py:g"] * 2
    assert f.__doc__ == "Text."  # type: ignore[attr-defined]


def test_a_comment_and_a_blank_line_are_no_change():
    assert change("    return ticket\n", "    # done\n\n    return ticket\n") == Change()


def test_a_new_file_and_one_that_does_not_parse_act_at_import():
    assert changed({}, {"b.py": "x = 1\n"}).at_import
    assert changed({"b.py": "x = 1\n"}, {"b.py": "x = (\n"}) == Change(at_import=True)


def hits(source: str, text: str, call: str) -> int:
    """How often the probe at the line with this text is passed when `call` is evaluated."""
    passed: list[object] = []
    names: dict[str, object] = {CALL: passed.append}
    exec(compile(laid(source, "a.py", [line(text, source)]), "a.py", "exec"), names)
    assert not passed, "a probe runs at import"
    eval(call, names)
    return len(passed)


@pytest.mark.parametrize(
    ("text", "call", "times"),
    [
        ("if not reason", "close({}, 'done')", 1),
        ('ticket["status"]', "close({}, 'done')", 1),
        ("lambda self", "Desk.tools['list']([2, 1])", 1),
        ("total += 1", "Desk.count(type('D', (), {'tickets': [1, 2]}))", 2),
        ("except AttributeError", "Desk.count(type('D', (), {'tickets': [1, 2]}))", 2),
        ("total += ticket.size", "Desk.count(type('D', (), {'tickets': []}))", 0),
        ("return ticket", "close.__doc__", 0),
    ],
)
def test_a_probe_is_passed_when_its_line_runs(text, call, times):
    assert hits(BEFORE, text, call) == times


def test_a_probe_changes_neither_answers_nor_docstrings_nor_line_numbers():
    names: dict[str, object] = {CALL: lambda _: None}
    every = range(1, len(BEFORE.splitlines()) + 1)
    exec(compile(laid(BEFORE, "a.py", every), "a.py", "exec"), names)
    close = names["close"]
    assert close({}, "done") == {"status": "closed"}  # type: ignore[operator]
    assert close.__doc__ == "Close it."  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="a reason") as caught:
        close({}, "")  # type: ignore[operator]
    assert caught.traceback[-1].lineno + 1 == line("raise ValueError", BEFORE)


def test_every_defect_of_the_catalogue_changes_something():
    sources = defects.source_of_helpdesk()
    for id in defects.catalogue():
        mutant = defects.mutant([id])
        found = changed(sources, mutant)
        assert found.at_import or found.marks, id
        for name, lines in found.marks.items():
            compile(laid(mutant[name], name, lines), name, "exec")


TESTS = """
    import sys
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
"""


def test_a_run_tells_which_checks_reached_a_marked_line(fork: ForkRunner, job: Callable[..., Job]):
    [run] = fork.run([job(TESTS, marks={"service.py": (2,)})])
    assert [check.outcome for check in run.checks] == ["passed"] * 4
    assert [check.reached for check in run.checks] == [True, False, True, False]


def test_the_files_of_a_marked_tree_stay_as_they_are(
    fork: ForkRunner, job: Callable[..., Job], server: Callable[..., Path]
):
    tests = """
        import inspect
        from helpdesk.service import answer

        def test_the_source_has_no_probe():
            assert inspect.getsource(answer) == "def answer():\\n    return 42\\n"
    """
    [run] = fork.run([job(tests, marks={"service.py": (2,)})])
    assert [check.outcome for check in run.checks] == ["passed"]
