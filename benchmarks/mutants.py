"""Generic mutants: small changes to a source, made by the operators of mutmut (and by its parser, libcst).

mutmut is used as a library: its operators say what each piece of a syntax tree may become. What is in, and
what is not:

- In: an assignment to None, a comparison or an arithmetic or Boolean operator to its neighbour (`<` to `<=`,
  `and` to `or`, `in` to `not in`), a number to the next one, True and False, `not` taken away, each branch of
  a conditional expression forced, a `case` dropped, `+=` to `=`, string methods to their opposite, a lambda
  that returns None, `break` and `continue`; of the arguments of a call, a keyword argument left out.
- Out: other letters inside strings, and arguments that are strings. Here they are words for people, and
  what a model reads of them is held by the snapshot, whole: each would be killed, by one and the same check.
- Out: a positional argument left out or set to None. Nearly each is a call that cannot be made, which says
  nothing of the suite; they would be two of three mutants.
- Out: annotations, which nothing reads, and `__all__`, which only `from … import *` reads.

Everything else takes part: every module, and the level of the module as well as what stands in functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from grading.reports.places import alike

try:
    import libcst as cst
    from mutmut.mutation import mutators
except ModuleNotFoundError as missing:
    words = "mutants are made by mutmut, a tool for developers: pip install -r requirements-dev.lock"
    raise ModuleNotFoundError(words) from missing

__all__ = ["Mutant", "change", "mutants_of", "mutants_of_all"]

SHOWN_MOST = 110  # characters of a changed line, as it is shown and as it is known in the list of survivors

OPERATORS = tuple(
    (kind, operator)
    for kind, operator in mutators.mutation_operators
    if operator not in (mutators.operator_string, mutators.operator_arg_removal)
)
STRINGS = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)


@dataclass(frozen=True)
class Mutant:
    """One change to one module.

    `inside` is the qualified name of the function or class that holds it ("" for the module itself), `change`
    the line as it was and as it is, in one text. Module, `inside` and `change` together name a mutant for
    people and stay the same when lines move; `line` is where the change begins now. `source` is the module.
    """

    module: str
    inside: str
    operator: str
    line: int
    change: str
    source: str

    @property
    def name(self) -> tuple[str, str, str]:
        """What the list of survivors knows it by."""
        return self.module, self.inside, self.change

    @property
    def where(self) -> str:
        """Module, line and function, for people."""
        return f"{self.module}:{self.line} {self.inside}".strip()


def mutants_of_all(sources: Mapping[str, str]) -> list[Mutant]:
    """The mutants of every module (file name -> source), in the order of the files and of their lines."""
    return [mutant for module in sorted(sources) for mutant in mutants_of(module, sources[module])]


def mutants_of(module: str, source: str) -> list[Mutant]:
    """The mutants of one module, each text once, in the order of their lines."""
    tree = cst.parse_module(source)
    found: dict[str, Mutant] = {}
    place = 0
    for statement in tree.body:
        own = tree.code_for_node(statement)
        place = source.index(own, place)
        for inside, node in pieces(statement):
            for operator, changed in mutations(node):
                # Only the statement is made anew: of the whole module that would take ten times as long.
                mutated = changed if node is statement else statement.deep_replace(node, changed)
                assert isinstance(mutated, cst.CSTNode)
                text = source[:place] + tree.code_for_node(mutated) + source[place + len(own) :]
                if text != source and text not in found:
                    line, words = change(source, text)
                    found[text] = Mutant(module, inside, operator, line, words, text)
        place += len(own)
    return sorted(numbered(found.values()), key=lambda mutant: mutant.line)


def pieces(node: cst.CSTNode, inside: str = "") -> Iterator[tuple[str, cst.CSTNode]]:
    """Every node that may be changed, with the qualified name of what holds it."""
    if isinstance(node, cst.Annotation) or is_export_list(node):
        return
    yield inside, node
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        inside = f"{inside}.{node.name.value}".lstrip(".")
    for child in node.children:
        yield from pieces(child, inside)


def is_export_list(node: cst.CSTNode) -> bool:
    """Whether this is `__all__ = […]`."""
    if not isinstance(node, cst.Assign):
        return False
    target = node.targets[0].target
    return isinstance(target, cst.Name) and target.value == "__all__"


def mutations(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """The operator's name and the changed node, for every way to change this one."""
    for kind, operator in OPERATORS:
        if isinstance(node, kind):
            for changed in operator(node):
                yield operator.__name__.removeprefix("operator_"), changed
    if isinstance(node, cst.Call):
        for changed in mutators.operator_arg_removal(node):
            if leaves_out_an_option(node, changed):
                yield "option_removal", changed


def leaves_out_an_option(before: cst.Call, after: cst.Call) -> bool:
    """Whether one call is the other without one keyword argument, which was no string."""
    if len(after.args) == len(before.args):
        return False
    kept = {id(argument) for argument in after.args}
    gone = next(argument for argument in before.args if id(argument) not in kept)
    return gone.keyword is not None and not isinstance(gone.value, STRINGS)


def change(before: str, after: str) -> tuple[int, str]:
    """The number of the first changed line, and the change in one short text: "a == b -> a != b"."""
    old, new = before.splitlines(), after.splitlines()
    first = alike(old, new)
    last = alike(old[first:][::-1], new[first:][::-1])
    gone, come = (short(lines[first : len(lines) - last]) for lines in (old, new))
    return first + 1, f"{gone} -> {come or '(left out)'}"


def short(lines: Iterable[str]) -> str:
    text = " ".join(line.strip() for line in lines).strip()
    return text if len(text) <= SHOWN_MOST else f"{text[:SHOWN_MOST]}…"


def numbered(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Tell apart what looks alike: the second of two equal changes in one function gets " (2)"."""
    seen: dict[tuple[str, str, str], int] = {}
    for mutant in mutants:
        seen[mutant.name] = seen.get(mutant.name, 0) + 1
        if seen[mutant.name] > 1:
            words = f"{mutant.change} ({seen[mutant.name]})"
            mutant = replace(mutant, change=words)
        yield mutant
