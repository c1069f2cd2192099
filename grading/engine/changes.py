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

__all__ = ["Change", "Marks", "blocks", "changed", "is_text"]

#: File in the package -> numbers of lines (from 1) at which statements begin.
Marks = Mapping[str, tuple[int, ...]]

_Head = tuple[object, ...]
_Block = list[ast.stmt]
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

#: Modules that do nothing to anybody when they are imported.
_QUIET = frozenset({
    "collections", "contextlib", "dataclasses", "datetime", "functools", "itertools", "json", "math", "os",
    "re", "sqlite3", "sys", "time", "traceback", "typing",
})  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What tells a mutant from the correct server.

    `before` are the places in the correct server. Unless `at_import`, a check that passes none of them runs
    the same code on both.
    """

    before: Marks = field(default_factory=dict)
    at_import: bool = False

    def places(self) -> frozenset[str]:
        """The names of the places in the correct server, as `grading.engine.probes` has them."""
        return frozenset(f"{file}:{line}" for file, lines in self.before.items() for line in lines)


def changed(correct: Mapping[str, str], mutant: Mapping[str, str]) -> Change:
    """Where two trees differ, both file name -> text.

    A file that does not parse acts at import: there it fails.
    """
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
        found = {place.lineno for place in places if place}
        at_import = at_import or None in places
        if found:
            before[name] = tuple(sorted(found))
    return Change(before, at_import)


def _compare(was: _Block, now: _Block, inside: bool) -> Iterator[ast.stmt | None]:
    """The places, in `was`, at which two blocks differ; None for one that acts at import.

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
        yield was[min(same, len(was) - 1)]
        return
    for number, (old, new) in enumerate(zip(was, now, strict=True)):
        if _dump(old) == _dump(new):
            continue
        below, other = list(blocks(old)), list(blocks(new))
        is_function = isinstance(old, _FUNCTION)
        if number == 0 and is_text(old):  # a docstring is there from the beginning, and can be read
            yield None
        elif _head(old) != _head(new) or len(below) != len(other):
            yield old if inside else None
        elif is_function and not inside and _binds_otherwise(old, new):
            yield from _entry(old, new)
        else:
            for pair in zip(below, other, strict=True):
                yield from _compare(*pair, inside or is_function)


def _binds_otherwise(old: ast.stmt, new: ast.stmt) -> bool:
    """Whether a name that both functions use is bound in one of them only, or one of them is a generator.

    What a name means, and what a call gives, is a matter of a whole function: an `import json` in a branch
    that never runs makes `json` unbound in all the others. Functions inside count as parts of the outer one.
    """
    bound_was, bound_now = _bound(old), _bound(new)
    used = _words(old) & _words(new)
    return bool((bound_was ^ bound_now) & used) or _gives(old) != _gives(new)


def _entry(old: ast.stmt, new: ast.stmt) -> Iterator[ast.stmt | None]:
    """The place of a change that concerns a function as a whole: its beginning, or its caller's."""
    yield None if _gives(old) != _gives(new) else next(blocks(old))[0]


def _bound(function: ast.stmt) -> set[str]:
    """The names that a function, or one inside it, binds or declares, parameters left out."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node is not function:
            names.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(f"{type(node).__name__} {name}" for name in node.names)
            names.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
    return names


def _gives(function: ast.stmt) -> list[str]:
    """The kinds of `yield` and `await` in a function, and in those inside it: with one it is no plain one."""
    kinds = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
    return sorted({type(node).__name__ for node in ast.walk(function) if isinstance(node, kinds)})


def _without_fresh_names(was: _Block, now: _Block) -> _Block:
    """A module without the imports and functions that only it has, under names that `was` does not know.

    To have them changes nothing: what uses them is a change of its own. That is true of modules that do
    nothing when they are imported, and of functions whose head does nothing; all else acts at import.
    """
    known = _words(ast.Module(was, []))
    return [statement for statement in now if not _is_fresh(statement, known)]


def _is_fresh(statement: ast.stmt, known: set[str]) -> bool:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        modules = [alias.name for alias in statement.names]
        modules = [str(statement.module)] if isinstance(statement, ast.ImportFrom) else modules
        names = {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
        return set(modules) <= _QUIET and "*" not in names and not names & known
    if isinstance(statement, ast.FunctionDef):
        arguments = statement.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        plain = not (
            statement.decorator_list
            or statement.returns
            or arguments.defaults
            or any(arguments.kw_defaults)
            or any(argument.annotation for argument in every)
        )
        return plain and not statement.name.startswith("__") and statement.name not in known
    return False


def _words(tree: ast.AST) -> set[str]:
    """Every word in a tree that could be a name, texts included: they may be looked up."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            for word in value if isinstance(value, list) else [value]:
                if isinstance(word, str):
                    found.update((word, *word.split(".")))
    return found


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a bare text, which is a docstring where it stands first."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def blocks(statement: ast.stmt) -> Iterator[_Block]:
    """Every list of statements right below one, in a fixed order; an empty one where there could be one."""
    for holder in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list):
                yield block


def _head(statement: ast.stmt) -> _Head:
    """All of a statement but the blocks below it: two with equal heads differ in these only."""
    holders = (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    parts = ("body", "orelse", "finalbody", "handlers", "cases")
    return tuple(
        (
            type(holder),
            *((name, _dump(value)) for name, value in ast.iter_fields(holder) if name not in parts),
        )
        for holder in holders
    ) + tuple(bool(block) for block in blocks(statement))


def _dump(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_dump, value))}]"
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)
