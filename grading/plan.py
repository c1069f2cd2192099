"""What a matrix runs: a suite, and the servers that it meets, each laid in a tree of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

import defects
from defects import Defect, UnknownDefect, Variant, tree_of
from grading.engine.changes import Change, changed
from grading.engine.jobs import Job, Order
from grading.engine.runner import EngineError
from grading.engine.tree import digest, lay
from grading.selection import every_place

__all__ = ["ROOT", "Plan", "Server", "Suite", "Usage", "chosen_defects", "find_suite", "make_plan"]

#: The repository: where `suite/` lies.
ROOT = Path(__file__).resolve().parent.parent

Kind = Literal["correct", "traced", "null", "variant", "defect"]


class Usage(ValueError):
    """The command asks for something that is not there: exit status 2, with the cure in the message."""


@dataclass(frozen=True)
class Suite:
    """A folder of tests. Node ids are relative to the folder that holds it; `layers` empty means all."""

    folder: Path
    layers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Server:
    """One server that the suite meets. `name` is for people: the defect's or the variant's id.

    `change` is what a defect changed in it. The traced server is the correct one, in which the places that
    any defect changes tell when they are passed.
    """

    name: str
    kind: Kind
    tree: Path
    change: Change = field(default_factory=Change, hash=False)


@dataclass(frozen=True)
class Plan:
    """A suite and its servers, ready to run. `defects` are in the order in which they will be shown."""

    suite: Suite
    correct: Server
    traced: Server
    null: Server
    variants: tuple[Server, ...]
    mutants: tuple[Server, ...]
    defects: Mapping[str, Defect]

    def job(self, server: Server, order: Order = "as written", only: Sequence[str] = ()) -> Job:
        """The whole suite against a server, or only the tests with these node ids."""
        return Job(
            tree=server.tree,
            tests=tuple(only) or (self.suite.folder.name,),
            layers=self.suite.layers,
            order=order,
            rootdir=self.suite.folder.parent,
            timeout=300.0,
            name=server.name,
            trace=every_place(its.change for its in self.mutants) if server.kind == "traced" else {},
        )


def find_suite(folder: Path | None = None, layers: Iterable[str] = ()) -> Suite:
    """The suite in this folder; the reference suite when none is given.

    Raises `Usage` for a folder that is missing or holds no `test_*.py`, and for a layer that is none.
    """
    wanted = tuple(dict.fromkeys(layers))
    for layer in wanted:
        if layer not in defects.LAYERS:
            raise Usage(f"no layer {layer!r}{_nearest(layer, defects.LAYERS)}: {', '.join(defects.LAYERS)}")
    place = (ROOT / "suite" if folder is None else folder).resolve()
    if not place.is_dir():
        raise Usage(f"no folder {folder}")
    if not any(place.rglob("test_*.py")):
        raise Usage(f"{folder or place} holds no tests: their files are called test_….py")
    return Suite(place, wanted)


def chosen_defects(ids: Iterable[str] = ()) -> dict[str, Defect]:
    """The defects (or halves) with these ids; the whole catalogue when none is given.

    Raises `Usage` for one that is not there, with the names nearest to it.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return defects.catalogue()
    try:
        return {id: defects.find_defect(id) for id in wanted}
    except UnknownDefect as unknown:
        raise Usage(str(unknown)) from None


def make_plan(
    suite: Suite,
    chosen: Mapping[str, Defect],
    variants: Mapping[str, Variant],
    directory: Path,
    sources: Mapping[str, str] | None = None,
) -> Plan:
    """Lay every server below `directory`.

    The correct one and the null mutant, its copy in another folder, always; `sources` is the correct
    server's, taken from `helpdesk` when not given. Raises `EditError` when an edit does not match, and
    `EngineError` when a mutant comes out as the correct server all the same.
    """
    correct = dict(defects.source_of_helpdesk() if sources is None else sources)
    own = digest(correct)

    def server(name: str, kind: Kind, tree: Mapping[str, str]) -> Server:
        if kind in ("defect", "variant") and digest(tree) == own:
            raise EngineError(f"{name} is the correct server, byte for byte: its edits were never made")
        folder = "copy" if kind == "null" else "servers"
        change = changed(correct, tree) if kind == "defect" else Change()
        return Server(name, kind, lay(tree, directory / folder, name).root, change)

    return Plan(
        suite=suite,
        correct=server("correct server", "correct", correct),
        traced=server("correct server", "traced", correct),
        null=server("null mutant", "null", correct),
        variants=tuple(server(id, "variant", tree_of(entry, correct)) for id, entry in variants.items()),
        mutants=tuple(server(id, "defect", tree_of(entry, correct)) for id, entry in chosen.items()),
        defects=dict(chosen),
    )


def _nearest(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
