"""What a defect changed, as places that a check can reach, on the correct server and on the mutant.

Two trees are compared as syntax, block by block. Where two statements differ but have the same head (a
function, a loop, an `if`), only their bodies are compared. So a place is the line of a statement in a
function such that whatever runs changed code passes it first, on both servers. A change outside every
function acts when the server is imported, such as a description or a schema: it has no place, and
`Change.at_import` says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Change", "Marks", "changed"]

#: File in the package -> numbers of lines (from 1) at which statements begin.
Marks = Mapping[str, tuple[int, ...]]

_Head = tuple[object, ...]
_Block = list[ast.stmt]


@dataclass(frozen=True)
class Change:
    """What tells a mutant from the correct server.

    `marks` are places in the mutant, `before` the same places in the correct server. Unless `at_import`, a
    check that passes none of `before` runs the same code on both.
    """

    marks: Marks = field(default_factory=dict)
    before: Marks = field(default_factory=dict)
    at_import: bool = False

    def places(self) -> frozenset[str]:
        """The names of the places in the correct server, as `grading.engine.probes` has them."""
        return frozenset(f"{file}:{line}" for file, lines in self.before.items() for line in lines)


def changed(correct: Mapping[str, str], mutant: Mapping[str, str]) -> Change:
    """Where two trees differ, both file name -> text.

    A file that does not parse acts at import: there it fails.
    """
    marks: dict[str, tuple[int, ...]] = {}
    before: dict[str, tuple[int, ...]] = {}
    at_import = False
    for name in sorted({*correct, *mutant}):
        old, new = correct.get(name), mutant.get(name)
        if old == new:
            continue
        if old is None or new is None or not name.endswith(".py"):
            at_import = True
            continue
        try:
            was, now = ast.parse(old).body, ast.parse(new).body
            places = list(_compare(was, _without_fresh_names(was, now), inside=False))
        except SyntaxError:
            at_import = True
            continue
        found = [place for place in places if place]
        at_import = at_import or None in places
        if found:
            before[name] = tuple(sorted({was.lineno for was, _ in found}))
            marks[name] = tuple(sorted({now.lineno for _, now in found}))
    return Change(marks, before, at_import)


def _compare(was: _Block, now: _Block, inside: bool) -> Iterator[tuple[ast.stmt, ast.stmt] | None]:
    """The places at which two blocks differ; None for one that acts at import.

    `inside`: a function runs them.
    """
    if len(was) != len(now):
        if not inside:
            yield None
            return
        same = 0
        while same < min(len(was), len(now)) and _dump(was[same]) == _dump(now[same]):
            same += 1
        # at the end of a block nothing stands in the place of what is new there: its last statement does
        yield was[min(same, len(was) - 1)], now[min(same, len(now) - 1)]
        return
    for old, new in zip(was, now, strict=True):
        if _dump(old) == _dump(new):
            continue
        below, other = list(_blocks(old)), list(_blocks(new))
        if _head(old) == _head(new) and len(below) == len(other):
            within = inside or isinstance(old, ast.FunctionDef | ast.AsyncFunctionDef)
            for pair in zip(below, other, strict=True):
                yield from _compare(*pair, within)
        else:
            yield (old, new) if inside else None


def _without_fresh_names(was: _Block, now: _Block) -> _Block:
    """A module without the imports and functions that only it has, under names that `was` does not know.

    To have them changes nothing: what uses them is a change of its own.
    """
    known = {
        word for node in ast.walk(ast.Module(was, [])) for word in (getattr(node, "id", ""), *_binds(node))
    }
    return [statement for statement in now if not _binds(statement) or set(_binds(statement)) & known]


def _binds(node: ast.AST) -> tuple[str, ...]:
    """The names that an import or a function gives to its module; none for anything else."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple((alias.asname or alias.name).split(".")[0] for alias in node.names)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
        return (node.name,)
    return ()


def _blocks(statement: ast.stmt) -> Iterator[_Block]:
    """Every list of statements right below one, in a fixed order; an empty one where there could be one."""
    for holder in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list):
                yield block


def _head(statement: ast.stmt) -> _Head:
    """All of a statement but the blocks below it: two with equal heads differ in these only."""
    holders = (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    blocks = ("body", "orelse", "finalbody", "handlers", "cases")
    return tuple(
        (
            type(holder),
            *((name, _dump(value)) for name, value in ast.iter_fields(holder) if name not in blocks),
        )
        for holder in holders
    ) + tuple(bool(block) for block in _blocks(statement))


def _dump(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_dump, value))}]"
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)
