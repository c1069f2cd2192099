"""Find defects, halves and variants by id: a folder each, a file an entry, the file's name its id."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from defects.model import Defect, FormatError, Variant
from defects.reading import read_defect, read_variant

__all__ = [
    "CATALOGUE",
    "HALVES",
    "VARIANTS",
    "UnknownDefect",
    "catalogue",
    "find_defect",
    "find_variant",
    "halves",
    "load",
    "variants",
]

HERE = Path(__file__).resolve().parent
CATALOGUE = HERE / "catalogue"
HALVES = HERE / "halves"
VARIANTS = HERE / "variants"

_Entry = TypeVar("_Entry")


class UnknownDefect(KeyError):
    """No file has this id. `nearest` holds up to three names that look like it."""

    def __init__(self, name: str, known: Iterable[str], kind: str = "defect") -> None:
        self.name = name
        self.nearest = get_close_matches(name, list(known), n=3, cutoff=0.5)
        also = f"; the nearest: {', '.join(self.nearest)}" if self.nearest else ""
        super().__init__(f"no {kind} {name!r}{also}")

    def __str__(self) -> str:  # KeyError's own gives the text in quotes
        return str(self.args[0])


def load(path: Path) -> Defect:
    """Read one defect, wherever its file lies; a pair gets the edits of its halves.

    A half is looked for in `defects/halves`, and in a folder `halves` beside the pair's own folder (for an
    instructor's own catalogue). Raises `FormatError`.
    """
    defect = read_defect(path, half=path.parent.name == "halves")
    if not defect.combines:
        return defect
    parts = [read_defect(_half(name, path), half=True) for name in defect.combines]
    return replace(defect, edits=tuple(edit for part in parts for edit in part.edits))


def catalogue() -> dict[str, Defect]:
    """Every defect that a suite is asked to kill, by id, in the order of the names. Raises `FormatError`."""
    return _read_all(CATALOGUE, load)


def halves() -> dict[str, Defect]:
    """The single defences that pairs take away; alone, one survives every layer that it does not name."""
    return _read_all(HALVES, load)


def variants() -> dict[str, Variant]:
    """The correct servers written differently, by id. Raises `FormatError`."""
    return _read_all(VARIANTS, read_variant)


def find_defect(name: str) -> Defect:
    """The defect or half of this id. Raises `UnknownDefect`, `FormatError`."""
    return load(_find(name, "defect", CATALOGUE, HALVES))


def find_variant(name: str) -> Variant:
    """The variant of this id. Raises `UnknownDefect`, `FormatError`."""
    return read_variant(_find(name, "variant", VARIANTS))


def _find(name: str, kind: str, *folders: Path) -> Path:
    # Compared with the names that are there: a name must not become a path of the caller's making.
    known = {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}
    if name not in known:
        raise UnknownDefect(name, known, kind)
    return known[name]


def _half(name: str, pair: Path) -> Path:
    for folder in (HALVES, pair.parent.parent / "halves"):
        path = folder / f"{name}.toml"
        if path.is_file():
            return path
    raise FormatError(pair, [f"combines names {name!r}, and there is no halves/{name}.toml"])


def _read_all(folder: Path, read: Callable[[Path], _Entry]) -> dict[str, _Entry]:
    return {path.stem: read(path) for path in sorted(folder.glob("*.toml"))}
