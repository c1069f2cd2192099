"""Probes in a server tree: which checks run a changed line, and which functions a check enters.

A probe is a call before a statement, or inside a lambda. It goes into the syntax tree alone, while a module
is compiled, at the place of the statement that it stands before: the files on disk, their line numbers and
what a traceback shows stay as they are. A call costs about 0.1 µs, on every Python, which is why this is
neither `sys.settrace` nor `sys.monitoring` (the latter is missing on 3.11).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from grading.engine.changes import Function, function_name

__all__ = ["CALL", "laid", "traced"]

#: The name that a probe calls: a built-in, set in every run by `grading.engine.reached`.
CALL = "__reached__"


def laid(source: str | bytes, path: str, lines: Iterable[int]) -> ast.Module:
    """The syntax tree of a file with a probe at each of these lines. Raises SyntaxError as `compile` does."""
    tree = ast.parse(source, path)
    _probe_block(tree.body, frozenset(lines), inside=False)
    return ast.fix_missing_locations(tree)


def traced(source: str | bytes, path: str, file: str) -> ast.Module:
    """The syntax tree of a file in which each function tells its name (`function_name`) when it is entered.

    Functions that keep their results are made to forget, so that what they enter is entered each time: else
    a check would lean on what an earlier one has entered. Raises SyntaxError as `compile` does.
    """
    tree = ast.parse(source, path)
    _trace(tree, file, "")
    return ast.fix_missing_locations(tree)


def _trace(node: ast.AST, file: str, outer: str) -> None:
    for child in list(ast.iter_child_nodes(node)):
        inner = outer
        if isinstance(child, Function | ast.ClassDef):
            inner = f"{outer}.{child.name}" if outer else child.name
        if isinstance(child, Function):
            child.decorator_list = [keeper for keeper in child.decorator_list if not _keeps(keeper)]
            entry = ast.copy_location(ast.Expr(_call(child, function_name(file, outer, child.name))), child)
            child.body.insert(1 if _is_text(child.body[0]) else 0, entry)
        _trace(child, file, inner)


def _keeps(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("cache", "lru_cache")


def _probe_block(block: list[ast.stmt], wanted: frozenset[int], inside: bool) -> None:
    """Put probes into a list of statements and what is below it. `inside`: it is run by a function."""
    for statement in list(block):
        below = list(_blocks(statement))
        in_function = inside or isinstance(statement, Function)
        handlers = [
            (handler, set(range(handler.lineno, handler.body[0].lineno)))
            for handler in getattr(statement, "handlers", ())
        ]
        covered = {line for its in below for part in its for line in _span(part)}
        covered.update(*(header for _, header in handlers))
        lambdas = list(_lambdas(statement, covered, wanted))
        for node in lambdas:
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [_call(node.body), node.body]), node.body)
        if inside and wanted & (set(_span(statement)) - covered) and not lambdas:
            # what stands first may be a docstring, which has to stay first
            after = statement is block[0] and _is_text(statement)
            block.insert(
                block.index(statement) + after, ast.copy_location(ast.Expr(_call(statement)), statement)
            )
        for its in below:
            _probe_block(its, wanted, in_function)
        for handler, header in handlers:
            if inside and wanted & header:
                handler.body.insert(0, ast.copy_location(ast.Expr(_call(handler)), handler.body[0]))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Every list of statements right below one."""
    for holder in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list) and block:
                yield block


def _lambdas(statement: ast.stmt, covered: set[int], wanted: frozenset[int]) -> Iterator[ast.Lambda]:
    """The lambdas of a statement itself, not of those below it, whose body lies on a wanted line."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Lambda) and wanted & (set(_span(node.body)) - covered):
            yield node


def _span(node: ast.stmt | ast.expr) -> range:
    decorators = getattr(node, "decorator_list", ())
    first = min((node.lineno, *(decorator.lineno for decorator in decorators)))
    return range(first, (node.end_lineno or node.lineno) + 1)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _call(at: ast.AST, what: str = "") -> ast.Call:
    """The probe: it gives None, and so leaves an `or` to what stands behind it."""
    return ast.copy_location(ast.Call(ast.Name(CALL, ast.Load()), [ast.Constant(what)], []), at)
