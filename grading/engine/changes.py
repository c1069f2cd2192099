"""What a defect changed, in the terms of a run: lines that a check can reach, functions that it can enter.

Pure functions on sources. A change outside every function acts when the server is imported, such as a
description or a schema: there is nothing to reach, and `Change.at_import` says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

__all__ = ["Change", "Function", "Marks", "changed", "function_name"]

#: File in the package -> numbers of changed lines (from 1) that lie in functions.
Marks = Mapping[str, tuple[int, ...]]

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Change:
    """What tells a tree from the correct one.

    `marks` are lines of the tree in functions, which a check can reach. `functions` are the functions of the
    correct tree that the change lies in (see `function_name`): a check that enters none of them there runs
    the same code on both. That holds unless `at_import`: then something acts when the server is imported.
    """

    marks: Marks = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    at_import: bool = False


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> Change:
    """Where the tree `after` differs from `before`, both file name -> text.

    What was only taken away is looked for at the statement that now stands in its place. A file that does
    not parse acts at import: there it fails.
    """
    marks: dict[str, tuple[int, ...]] = {}
    functions: set[str] = set()
    at_import = False
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        try:
            was, now = _File(name, old), _File(name, new)
        except SyntaxError:
            at_import = True
            continue
        lines = list(_reachable(was, now))
        marks |= {name: tuple(sorted(set(lines)))} if lines else {}
        owners = list(_owners(was, now))
        functions.update(owner for owner in owners if owner)
        at_import = at_import or "" in owners
    return Change(marks, frozenset(functions), at_import)


def function_name(file: str, outer: str, name: str) -> str:
    """How a function is called here: "service.py:Desk.close". `outer` are the names around it, dotted."""
    return f"{file}:{outer}.{name}" if outer else f"{file}:{name}"


def _reachable(was: _File, now: _File) -> Iterator[int]:
    """The lines of `now`, in functions, that tell it from `was`."""
    for kind, gone, new, place in _differences(was, now):
        if kind == "delete":
            stands_for_it = now.place_of(was, gone[0], place)
            if stands_for_it is not None:
                yield stands_for_it
        else:
            yield from (line for line in new if line in now.runs)


def _owners(was: _File, now: _File) -> Iterator[str]:
    """The functions of `was` that the difference lies in; "" for what acts at import.

    A new function is no function of `was`: its head is a statement of what is around it.
    """
    for _, gone, new, _ in _differences(was, now):
        yield from (was.owner.get(line, "") for line in gone)
        yield from (owner for line in new if (owner := now.owner.get(line, "")) in was.functions or not owner)


def _differences(was: _File, now: _File) -> Iterator[tuple[str, list[int], list[int], int]]:
    """Each difference: its kind, the lines that are gone, those that are new, and the lines before them."""
    matcher = SequenceMatcher(None, was.lines, now.lines, autojunk=False)
    for kind, old_start, old_end, start, end in matcher.get_opcodes():
        gone = [line for line in range(old_start + 1, old_end + 1) if was.says_something(line)]
        new = [line for line in range(start + 1, end + 1) if now.says_something(line)]
        if kind != "equal" and (gone or new):
            yield ("delete" if not new else kind), gone, new, start


class _File:
    """A file. `owner`: line -> the function whose body it is in; `runs`: lines that run after the import."""

    def __init__(self, name: str, text: str) -> None:
        self.lines = text.splitlines()
        self.owner: dict[int, str] = {}
        self.runs: set[int] = set()
        self._file = name
        self._walk(ast.parse(text) if name.endswith(".py") else ast.Module([], []), "")
        self.functions = set(self.owner.values())

    def _walk(self, node: ast.AST, outer: str) -> None:
        """What is deeper comes later, and so has the last word on a line."""
        for child in ast.iter_child_nodes(node):
            inner = outer
            if isinstance(child, Function | ast.ClassDef):
                inner = f"{outer}.{child.name}" if outer else child.name
            if isinstance(child, Function):
                body = _lines_of(child.body[0], child.body[-1])
                self.owner |= dict.fromkeys(body, function_name(self._file, outer, child.name))
                self.runs.update(body)
            elif isinstance(child, ast.Lambda):
                self.runs.update(_lines_of(child.body, child.body))
            self._walk(child, inner)

    def says_something(self, line: int) -> bool:
        text = self.lines[line - 1].strip()
        return bool(text) and not text.startswith("#")

    def place_of(self, was: _File, gone: int, at: int) -> int | None:
        """The line that stands for one that is gone; `at` is the number of lines before the place."""
        function = was.owner.get(gone)
        own = [
            line for line in sorted(self.owner) if self.owner[line] == function and self.says_something(line)
        ]
        depth = _depth(was.lines[gone - 1])
        behind = [line for line in own if line > at][:1]
        level = [line for line in behind if _depth(self.lines[line - 1]) == depth]
        # the statement before it, not the end of a block that stands before it
        level += [line for line in reversed(own) if line <= at and _depth(self.lines[line - 1]) <= depth][:1]
        return next(iter((*level, *behind, *own)), None)


def _lines_of(first: ast.stmt | ast.expr, last: ast.stmt | ast.expr) -> range:
    decorators = getattr(first, "decorator_list", ())
    start = min((first.lineno, *(decorator.lineno for decorator in decorators)))
    return range(start, (last.end_lineno or last.lineno) + 1)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
