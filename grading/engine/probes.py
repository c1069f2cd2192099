"""Probes in a server tree: they tell which statements a check reaches.

A probe is a call before a statement. It goes into the syntax tree alone, while a module is compiled, at the
place of the statement that it stands before: the files on disk, their line numbers and what a traceback shows
stay as they are. A call costs about 0.1 µs, on every Python, which is why this is neither `sys.settrace` nor
`sys.monitoring` (the latter is missing on 3.11).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from grading.engine.changes import blocks, is_text

__all__ = ["CALL", "laid"]

#: The name that a probe calls: a built-in, set in a traced run by `grading.engine.reached`.
CALL = "__reached__"


def laid(source: str | bytes, path: str, file: str, lines: Iterable[int]) -> ast.Module:
    """The syntax tree of a file with a probe before each statement in a function that begins on these lines.

    A probe gives its place away: "service.py:120", with `file` the name in the package. Functions that keep
    their results keep them no more, so that what they reach is reached each time: else a check would lean on
    what an earlier one has reached. Raises SyntaxError as `compile` does.
    """
    tree = ast.parse(source, path)
    _probe(tree.body, file, frozenset(lines), inside=False)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.decorator_list = [its for its in node.decorator_list if not _keeps(its)]
    return ast.fix_missing_locations(tree)


def _probe(block: list[ast.stmt], file: str, lines: frozenset[int], inside: bool) -> None:
    """Put probes into a list of statements and what is below it. `inside`: a function runs it."""
    for statement in list(block):
        if inside and statement.lineno in lines:
            # what stands first may be a docstring, which has to stay first
            after = statement is block[0] and is_text(statement)
            block.insert(block.index(statement) + after, _call(statement, f"{file}:{statement.lineno}"))
        within = inside or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        for below in blocks(statement):
            _probe(below, file, lines, within)


def _call(at: ast.stmt, place: str) -> ast.stmt:
    call = ast.Call(ast.Name(CALL, ast.Load()), [ast.Constant(place)], [])
    return ast.copy_location(ast.Expr(ast.copy_location(call, at)), at)


def _keeps(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("cache", "lru_cache")
