"""What a local name is, where it stands, and which scope it belongs to.

The rules are those of the language reference, "Resolution of names", with PEP 227 (closures), 572 (`:=`), 695
(type parameters) and 709 (comprehensions). `symtable` knows them too, but not where in the text a name
stands, and its tables differ from one Python to the next.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Local", "Place", "Scope"]


@dataclass(frozen=True)
class Place:
    """One place where a name stands: a field of a node, or a place in a list of names."""

    node: ast.AST
    field: str
    index: int | None = None

    def put(self, name: str) -> None:
        """Write another name there."""
        if self.index is None:
            setattr(self.node, self.field, name)
        else:
            getattr(self.node, self.field)[self.index] = name


@dataclass
class Local:
    """A local name, and all the places in the module that mean it."""

    name: str
    places: list[Place]

    def rename(self, name: str) -> None:
        """Give it another name, in the tree."""
        for place in self.places:
            place.put(name)


@dataclass(eq=False)
class Scope:
    """A block with names of its own. `types` is the block of the type parameters around a definition."""

    kind: str  # module, class, function, comprehension or types
    outer: "Scope | None"
    bound: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    looks: bool = False
    looks_inside: bool = False

    def around(self) -> Iterator["Scope"]:
        """This scope, the one around it, and so on to the module."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def home(self, name: str) -> "Scope | None":
        """The function or comprehension whose local a name is here; None for any other name."""
        sees_class = True  # only from the class's own block: methods do not see it
        for scope in self.around():
            if scope.kind == "module" or ((sees_class or scope.kind != "class") and name in scope.globals):
                return None
            if name in scope.bound - scope.nonlocals and (sees_class or scope.kind != "class"):
                return scope if scope.kind in ("function", "comprehension") else None
            sees_class = sees_class and scope.kind == "types"
        return None

    def keeps(self, name: str) -> bool:
        """Whether a local of this scope has to stay as it is."""
        return (
            name in self.kept
            or "__" in name  # in a class, `__a` and `_Class__a` are one name
            or name == "super"  # the compiler knows it by its name
            or self.looks_inside
            or any(scope.looks and scope.kind == "function" for scope in self.around())
        )
