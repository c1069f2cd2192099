"""What a result was made with: without it no matrix and no verdict can be compared with another."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import defects
from defects import Defect, Variant, entries

__all__ = ["Stamp", "hash_of_files", "stamp", "stamp_of_submission"]

#: The level of isolation of a run, until there is a stronger one.
SANDBOX = "process group"

#: The endings of files that can change what a suite says: tests and what they read.
SUITE_FILES = (".py", ".toml", ".json", ".txt")


@dataclass(frozen=True)
class Stamp:
    """Hashes (12 hexadecimal digits) of server, catalogue and suite, and what ran them.

    For a submission the catalogue is what its exercise takes of it, and the suite what was submitted.

    `way` is "fork" or "cold"; `sandbox` the level of isolation that was in force.
    """

    server: str
    catalogue: str
    suite: str
    python: str
    sdk: str
    system: str
    processors: int
    way: str
    sandbox: str

    def to_json(self) -> dict[str, str | int]:
        """The stamp as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"server {self.server}, catalogue {self.catalogue}, suite {self.suite}; Python {self.python}, "
            f"mcp {self.sdk}, {self.system}, {self.processors} processors; {self.way}, {self.sandbox}"
        )


def stamp(suite: Path, way: str) -> Stamp:
    """The stamp of a matrix of the suite in this folder, run now."""
    folders = (entries.CATALOGUE, entries.HALVES, entries.VARIANTS)
    return _stamp(
        catalogue=hash_of_files(entries.HERE, (p for folder in folders for p in folder.glob("*.toml"))),
        suite=hash_of_files(suite, (p for p in suite.rglob("*") if p.suffix in SUITE_FILES)),
        way=way,
    )


def stamp_of_submission(asked: Iterable[Defect | Variant], files: Mapping[str, bytes], way: str) -> Stamp:
    """The stamp of a verdict on these files, judged on these entries of a catalogue, now."""
    return _stamp(
        catalogue=_hash((entry.id, _what_it_changes(entry).encode()) for entry in asked),
        suite=_hash(sorted(files.items())),
        way=way,
    )


def _what_it_changes(entry: Defect | Variant) -> str:
    return repr((entry.edits, entry.local_names if isinstance(entry, Variant) else None))


def _stamp(catalogue: str, suite: str, way: str) -> Stamp:
    sources = defects.source_of_helpdesk()
    return Stamp(
        server=_hash((name, text.encode()) for name, text in sources.items()),
        catalogue=catalogue,
        suite=suite,
        python=platform.python_version(),
        sdk=_version("mcp"),
        system=f"{platform.system()} {platform.machine()}",
        processors=os.cpu_count() or 1,
        way=way,
        sandbox=SANDBOX,
    )


def hash_of_files(base: Path, files: Iterable[Path]) -> str:
    """A short hash of the files' names below `base` and of their bytes."""
    return _hash((path.relative_to(base).as_posix(), path.read_bytes()) for path in sorted(files))


def _hash(parts: Iterable[tuple[str, bytes]]) -> str:
    whole = hashlib.sha256()
    for name, data in parts:
        for part in (name.encode(), data):
            whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:12]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
