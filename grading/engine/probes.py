"""Whether a check ran the code that a defect changed: probes in the tree, laid while it is compiled.

A probe is a call before a statement (or inside a lambda) that lies on a changed line. It goes into the syntax
tree alone, at the place of the statement that it stands before: the files on disk, their line numbers and
what a traceback shows stay as they are. A call costs about 0.1 µs, on every Python, which is why this is
neither `sys.settrace` nor `sys.monitoring` (the latter is missing on 3.11).

A change outside every function acts when the server is imported, such as a description or a schema: there is
nothing to reach, and `Change.at_import` says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

__all__ = ["CALL", "Change", "Marks", "changed", "laid"]

#: The name that a probe calls: a built-in, set in every run by `grading.engine.reached`.
CALL = "__reached__"

#: File in the package -> numbers of changed lines (from 1) that lie in functions.
Marks = Mapping[str, tuple[int, ...]]

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Change:
    """What tells a tree from the correct one: lines that a check can reach, and whether there are others."""

    marks: Marks = field(default_factory=dict)
    at_import: bool = False


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> Change:
    """Where the tree `after` differs from `before`, both file name -> text.

    What was only taken away is looked for at the statement that now stands in its place. A file that does
    not parse acts at import: there it fails.
    """
    marks: dict[str, tuple[int, ...]] = {}
    at_import = False
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        lines = list(_changed_lines(old, new)) if name.endswith(".py") and name in after else [None]
        reachable = tuple(sorted({line for line in lines if line is not None}))
        if reachable:
            marks[name] = reachable
        at_import = at_import or None in lines
    return Change(marks, at_import)


def laid(source: str | bytes, path: str, lines: Iterable[int]) -> ast.Module:
    """The syntax tree of a file with a probe at each of these lines. Raises SyntaxError as `compile` does."""
    tree = ast.parse(source, path)
    _probe_block(tree.body, frozenset(lines), inside=False)
    return ast.fix_missing_locations(tree)


def _changed_lines(old: str, new: str) -> Iterator[int | None]:
    """The lines of `new` that tell it from `old`: a number, or None for a change that acts at import."""
    try:
        was, now = _Map(old), _Map(new)
    except SyntaxError:
        yield None
        return
    matcher = SequenceMatcher(None, was.lines, now.lines, autojunk=False)
    for kind, old_start, old_end, start, end in matcher.get_opcodes():
        if kind == "delete":
            gone = [n for n in range(old_start + 1, old_end + 1) if was.says_something(n)]
            if gone:
                yield now.place_of(was, gone[0], start)
        elif kind != "equal":
            for number in range(start + 1, end + 1):
                if now.says_something(number):
                    yield number if now.function_of(number) else None


class _Map:
    """A file: its lines, and which function each of them runs in."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self._names: dict[int, str] = {}
        self._walk(ast.parse(text), "")

    def _walk(self, node: ast.AST, name: str) -> None:
        """Deeper functions come later, and so have the last word on a line."""
        for number, child in enumerate(ast.iter_child_nodes(node)):
            inner = name
            if isinstance(child, _Function | ast.ClassDef):
                inner = f"{name}.{getattr(child, 'name', number)}"
            if isinstance(child, _Function):
                body = child.body if isinstance(child.body, list) else [child.body]
                for line in range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1):
                    self._names[line] = inner
            self._walk(child, inner)

    def function_of(self, line: int) -> str:
        """The dotted name of the function whose body holds this line; "" where it runs at import."""
        return self._names.get(line, "")

    def says_something(self, line: int) -> bool:
        text = self.lines[line - 1].strip()
        return bool(text) and not text.startswith("#")

    def place_of(self, was: _Map, gone: int, at: int) -> int | None:
        """The line that stands for one that is gone; `at` is the number of lines before the place."""
        function = was.function_of(gone)
        if not function or function not in self._names.values():
            return None
        depth = _depth(was.lines[gone - 1])
        own = [n for n in sorted(self._names) if self._names[n] == function and self.says_something(n)]
        behind = [n for n in own if n > at][:1]
        level = [n for n in behind if _depth(self.lines[n - 1]) == depth]
        # the statement before it, not the end of a block that stands before it
        level += [n for n in reversed(own) if n <= at and _depth(self.lines[n - 1]) <= depth][:1]
        return next(iter((*level, *behind, *own)))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _probe_block(block: list[ast.stmt], wanted: frozenset[int], inside: bool) -> None:
    """Put probes into a list of statements and what is below it. `inside`: it is run by a function."""
    for statement in list(block):
        below = list(_blocks(statement))
        in_function = inside or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
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


def _call(at: ast.AST) -> ast.Call:
    """The probe: it gives None, and so leaves an `or` to what stands behind it."""
    return ast.copy_location(ast.Call(ast.Name(CALL, ast.Load()), [ast.Constant(1)], []), at)
