"""Find every local name of a module, and every place where it stands.

A name is local when it is bound in a function, a lambda or a comprehension: a variable, a nested function or
class, an import, a capture of `match`. The rules are those of `defects.scopes`.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from defects.scopes import Local, Place, Scope

__all__ = ["locals_of"]

#: A function that asks for its variables by name, or may, sees other names when they are changed.
LOOKS = frozenset({"dir", "eval", "exec", "locals", "vars", "f_locals", "_getframe", "currentframe"})


def locals_of(tree: ast.Module) -> list[Local]:
    """The local names that can be changed without a change to what the module does, in a fixed order.

    Left out, since somebody can see them: parameters, which are passed by keyword; names with two underscores
    in a row; `import a.b`, which binds `a`; names in annotations that are kept as text and in template
    strings; a class whose private attributes carry its name; a function that looks at its own variables.
    """
    finder = _Finder()
    finder.visit(tree)
    return finder.locals()


class _Finder(ast.NodeVisitor):
    """Walks the tree once; what a name means is known at the end, for a binding may stand below its use."""

    def __init__(self) -> None:
        self._scope = Scope("module", None)
        self._seen: list[tuple[Scope, str, Place | None]] = []
        self._in_text = 0
        self._annotations_are_text = False

    def locals(self) -> list[Local]:
        homes = [(scope.home(name), name, place) for scope, name, place in self._seen]
        for home, name, place in homes:
            if home is not None and place is None:
                home.kept.add(name)
        found: dict[tuple[int, str], Local] = {}
        for home, name, place in homes:
            if home is not None and place is not None and not home.keeps(name):
                found.setdefault((id(home), name), Local(name, [])).places.append(place)
        return list(found.values())

    def _use(self, name: str, place: Place | None) -> None:
        """A name stands here. No place: it has to stay as it is, wherever it comes from."""
        self._seen.append((self._scope, name, None if self._in_text else place))
        if name in LOOKS:
            self._look()

    def _bind(self, name: str, place: Place | None) -> None:
        self._scope.bound.add(name)
        self._use(name, place)

    def _look(self) -> None:
        self._scope.looks = True
        for scope in self._scope.around():
            scope.looks_inside = True

    @contextmanager
    def _inside(self, kind: str) -> Iterator[None]:
        outer = self._scope
        self._scope = Scope(kind, outer)
        yield
        self._scope = outer

    @contextmanager
    def _as_text(self, is_text: bool = True) -> Iterator[None]:
        self._in_text += is_text
        yield
        self._in_text -= is_text

    @contextmanager
    def _type_parameters(self, node: ast.AST) -> Iterator[None]:
        parameters = getattr(node, "type_params", None)  # since Python 3.12
        if not parameters:
            yield
            return
        with self._inside("types"):
            self._each(parameters)
            yield

    def _each(self, nodes: Sequence[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    # Definitions

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._each(node.decorator_list)
        self._bind(node.name, Place(node, "name"))
        self._each((*node.args.defaults, *node.args.kw_defaults))
        with self._type_parameters(node):
            for argument in _arguments(node.args):
                self._annotation(argument.annotation)
            self._annotation(node.returns)
            with self._inside("function"):
                self._parameters(node.args)
                self._each(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._each((*node.args.defaults, *node.args.kw_defaults))
        with self._inside("function"):
            self._parameters(node.args)
            self.visit(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._each(node.decorator_list)
        self._bind(node.name, None if _has_private_names(node) else Place(node, "name"))
        with self._type_parameters(node):
            self._each((*node.bases, *node.keywords))
            with self._inside("class"):
                self._each(node.body)

    def visit_TypeAlias(self, node: Any) -> None:  # since Python 3.12
        self.visit(node.name)
        with self._type_parameters(node), self._inside("types"):
            self.visit(node.value)

    def visit_TypeVar(self, node: Any) -> None:  # since Python 3.12
        self._bind(node.name, None)
        self.generic_visit(node)

    visit_TypeVarTuple = visit_ParamSpec = visit_TypeVar

    def _parameters(self, arguments: ast.arguments) -> None:
        for argument in _arguments(arguments):
            self._bind(argument.arg, None)

    # Annotations

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # `(name): int` binds nothing and reads nothing
        if node.simple or node.value or not isinstance(node.target, ast.Name):
            self.visit(node.target)
        if self._scope.kind == "function":  # never evaluated, never kept
            self.visit(node.annotation)
        else:
            self._annotation(node.annotation)
        self._each([node.value])

    def _annotation(self, node: ast.expr | None) -> None:
        """Some libraries look up the words of an annotation that is text, in the caller's variables too."""
        if node is None:
            return
        with self._as_text(self._annotations_are_text):
            self.visit(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                for word in re.findall(r"[^\W\d]\w*", part.value):
                    self._use(word, None)

    def visit_Interpolation(self, node: Any) -> None:  # since Python 3.14
        with self._as_text():  # a template string keeps the text of its expressions
            self.generic_visit(node)

    # Comprehensions

    def visit_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> None:
        self._comprehension(node.generators, node.elt)

    visit_ListComp = visit_SetComp = visit_GeneratorExp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, node.key, node.value)

    def _comprehension(self, loops: list[ast.comprehension], *results: ast.expr) -> None:
        self.visit(loops[0].iter)  # the first iterable belongs to the outside
        with self._inside("comprehension"):
            for number, loop in enumerate(loops):
                self._each((loop.target, *loop.ifs) if number == 0 else (loop.iter, loop.target, *loop.ifs))
            self._each(results)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        inner = self._scope
        self._scope = next(scope for scope in inner.around() if scope.kind != "comprehension")
        self.visit(node.target)
        self._scope = inner
        self.visit(node.value)

    # Single names

    def visit_Name(self, node: ast.Name) -> None:
        place = Place(node, "id")
        if isinstance(node.ctx, ast.Load):
            self._use(node.id, place)
        else:
            self._bind(node.id, place)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in LOOKS:
            self._look()
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name in LOOKS:
                self._look()
            first, dot, _ = alias.name.partition(".")
            self._bind(alias.asname or first, None if dot and not alias.asname else Place(alias, "asname"))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__":
            self._annotations_are_text |= any(alias.name == "annotations" for alias in node.names)
        self.visit_Import(node)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.nonlocals.update(node.names)
        for index, name in enumerate(node.names):
            self._use(name, Place(node, "names", index))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._capture(node, "name", node.name)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._capture(node, "name", node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._capture(node, "name", node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._capture(node, "rest", node.rest)

    def _capture(self, node: ast.AST, where: str, name: str | None) -> None:
        if name is not None:
            self._bind(name, Place(node, where))
        self.generic_visit(node)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    stars = (arguments.vararg, arguments.kwarg)
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [*named, *(star for star in stars if star is not None)]


def _has_private_names(node: ast.ClassDef) -> bool:
    """Whether something in a class begins with two underscores: Python puts the class's name before it."""
    words = (word for part in ast.walk(node) for value in vars(part).values() for word in _texts(value))
    return any(word.startswith("__") and not word.endswith("__") for word in words)


def _texts(value: object) -> list[str]:
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
