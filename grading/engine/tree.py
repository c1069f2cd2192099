"""Server trees: a `helpdesk` package laid on disk, ready to be tested."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "helpdesk"


class BadTree(ValueError):
    """The sources do not make a package, or would be written outside it."""


@dataclass(frozen=True)
class LaidTree:
    """A tree on disk. `name` is for people; `root` is the directory that holds `helpdesk/`."""

    name: str
    root: Path

    @property
    def package(self) -> Path:
        """The directory of the package itself."""
        return self.root / PACKAGE


def digest(sources: Mapping[str, str]) -> str:
    """A short hash of file names and texts: equal for equal trees, whatever they are called."""
    whole = hashlib.sha256()
    for file in sorted(sources):
        for part in (file.encode(), sources[file].encode()):
            whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:16]


def lay(sources: Mapping[str, str], parent: Path, name: str = "") -> LaidTree:
    """Write `sources` (file name inside the package -> text) below `parent` and return the tree.

    The directory is named by the content and never by `name`: tested code can see its own path,
    and is not to learn from it which server it faces. A tree that is already there is written again,
    so that nobody's later edit is trusted. Raises `BadTree` without an `__init__.py`, or when a file
    name leads out of the package.
    """
    if "__init__.py" not in sources:
        raise BadTree(f"a server tree needs helpdesk/__init__.py; these are the files: {sorted(sources)}")
    root = parent.resolve() / digest(sources)
    package = root / PACKAGE
    for file, text in sources.items():
        path = (package / file).resolve()
        if package.resolve() not in path.parents:
            raise BadTree(f"{file!r} would be written outside the package")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return LaidTree(name or root.name, root)


def read(directory: Path) -> dict[str, str]:
    """The sources of the package in `directory` (the package itself), as `lay` takes them."""
    return {
        path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(directory.rglob("*.py"))
    }
