"""Write a server again, with other names for all that is local: it does the same and reads differently.

    regenerate(sources, seed)      every module of a tree
    rename_locals(source, seed)    one module

Comments and layout are lost with the names. What the outside can use stays: parameters, attributes, what a
module defines, texts, docstrings. A local function or class calls itself, in `__name__`, by its new name.
"""

import ast
import builtins
import keyword
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import count

from defects.scope_finder import locals_of

__all__ = ["regenerate", "rename_locals"]

CONSONANTS = "bdklmnrtvz"
VOWELS = "aeio"


def regenerate(sources: Mapping[str, str], seed: int) -> dict[str, str]:
    """A tree (file name to text) with other local names in every Python file; other files stay as they are.

    Raises as `rename_locals` does; the error's `filename` is the file's name in the tree.
    """
    return {
        name: rename_locals(text, seed, name) if name.endswith(".py") else text
        for name, text in sources.items()
    }


def rename_locals(source: str, seed: int, file: str = "<source>") -> str:
    """The source of a module that does the same, written anew, with other names for all that is local.

    One seed gives the same names on every Python; the layout is that of the Python that runs this. Different
    seeds give different names, which say nothing of what they stand for. To ask for a second seed is cheap.

    Raises:
        SyntaxError: `source` is no module of this Python.
        ValueError: this Python cannot write such a source so that it reads it back as the same.
    """
    template = _template(source, file)
    names = _names(seed, template.taken)
    new = [next(names) for _ in range(template.count)]
    return re.sub(rf"\b{template.mark}(\d+)\b", lambda found: new[int(found[1])], template.text)


@dataclass(frozen=True)
class _Template:
    """A module whose local names are numbers behind a mark: `local_0`. `taken` are names to keep clear of."""

    text: str
    mark: str
    count: int
    taken: frozenset[str]


@lru_cache(maxsize=512)  # the trees of a catalogue differ in a file or two
def _template(source: str, file: str) -> _Template:
    tree = ast.parse(source, file)
    taken = frozenset(_words(tree))
    mark = "local_"
    while any(mark in word for word in taken):
        mark += "_"
    found = locals_of(tree)
    for number, local in enumerate(found):
        local.rename(f"{mark}{number}")
    text = ast.unparse(tree) + "\n"
    if ast.dump(ast.parse(text, file)) != ast.dump(tree):
        raise ValueError(f"{file} cannot be written anew: Python would read it back as another program")
    return _Template(text, mark, len(found), taken)


def _words(tree: ast.AST) -> Iterator[str]:
    """Every name and every text in a module: variables, attributes, parameters, keywords, constants."""
    for node in ast.walk(tree):
        for value in vars(node).values():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str):
                    yield item
                elif isinstance(item, bytes):
                    yield item.decode("latin-1")


def _names(seed: int, taken: Collection[str]) -> Iterator[str]:
    """Names of three syllables that nothing in the module has, and nothing in Python."""
    used = {*taken, *dir(builtins), *keyword.kwlist, *keyword.softkwlist}
    for number in count():
        syllables = sha256(f"{seed} {number}".encode()).digest()[:3]
        name = "".join(CONSONANTS[byte % 10] + VOWELS[byte // 10 % 4] for byte in syllables)
        if name not in used:
            used.add(name)
            yield name
