"""Make trees of the server from defects.

`helpdesk` is read here as text and never imported: which server a test runs is decided by the tree on the
path, and a parent that has imported the correct one would give it to every mutant.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from defects.edits import apply
from defects.entries import find_defect
from defects.local_names import regenerate
from defects.model import Defect, Variant

__all__ = ["changed", "edited", "lay", "lay_sources", "mutant", "renamed", "source_of_helpdesk", "tree_of"]

HELPDESK = Path(__file__).resolve().parent.parent / "helpdesk"


def source_of_helpdesk() -> dict[str, str]:
    """The correct server: file name in the package (`service.py`) to its text, every text file of it.

    Raises FileNotFoundError when there is no `helpdesk` beside this package.
    """
    if not HELPDESK.is_dir():
        raise FileNotFoundError(f"no helpdesk package beside defects: {HELPDESK} is missing")
    sources: dict[str, str] = {}
    for path in sorted(HELPDESK.rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        try:
            sources[path.relative_to(HELPDESK).as_posix()] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not a text file: no part of the server
    return sources


def tree_of(entry: Defect | Variant, sources: Mapping[str, str]) -> dict[str, str]:
    """What an entry makes of `sources` (file name to text): its edits, then its other local names.

    Raises `EditError`, and as `regenerate` does.
    """
    return renamed([entry], apply(sources, entry.id, entry.edits))


def changed(entries: Iterable[Defect | Variant]) -> dict[str, str]:
    """The server that these entries make together: all edits, in order, then other local names, if any.

    Raises as `tree_of` does.
    """
    wanted = list(entries)
    return renamed(wanted, edited(wanted))


def renamed(entries: Iterable[Defect | Variant], sources: Mapping[str, str]) -> dict[str, str]:
    """`sources` with the other local names that these entries ask for."""
    tree = dict(sources)
    for entry in entries:
        if isinstance(entry, Variant) and entry.local_names is not None:
            tree = regenerate(tree, entry.local_names)
    return tree


def edited(entries: Iterable[Defect | Variant]) -> dict[str, str]:
    """The server with the edits of these entries made, in order, and nothing else. Raises `EditError`."""
    sources = source_of_helpdesk()
    before: list[str] = []
    for entry in entries:
        sources = apply(sources, entry.id, entry.edits, before=before)
        before.append(entry.id)
    return sources


def mutant(ids: Iterable[str | Defect | Variant]) -> dict[str, str]:
    """The server with these defects in it: file name to text of the whole `helpdesk` package.

    Edits are made in the order given (a set is taken in the order of its names). No ids give the null
    mutant, byte for byte the correct server. Raises `UnknownDefect`, `FormatError`, and `EditError` when
    an edit does not match exactly once, which is also how two defects conflict.
    """
    if isinstance(ids, str):
        raise TypeError("mutant takes several ids, such as ['stdout_banner'], not one text")
    wanted = [find_defect(item) if isinstance(item, str) else item for item in ids]
    if not isinstance(ids, Sequence):
        wanted.sort(key=lambda defect: defect.id)
    return changed(wanted)


def lay(ids: Iterable[str | Defect | Variant], directory: Path) -> Path:
    """Write the server with these defects to `directory/helpdesk`, and give `directory` back.

    Put `directory` first on the path, and `PYTHONSAFEPATH=1` into the environment, to run it.
    Raises as `mutant` does, and FileExistsError when `directory` holds a `helpdesk` already.
    """
    return lay_sources(mutant(ids), directory)


def lay_sources(sources: Mapping[str, str], directory: Path) -> Path:
    """Write a package's sources to `directory/helpdesk`. Raises FileExistsError rather than mix two trees."""
    package = directory / "helpdesk"
    package.mkdir(parents=True)
    for name, text in sources.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return directory
