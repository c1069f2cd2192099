"""The approved matrix as a file of the repository: `defects/approved_matrix.toml`.

It is written to be read as a diff: everything sorted, each cell under a key of its own, one check a line, so
that a changed line says which check, and the heading of its hunk says which defect and layer.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from defects import entries
from grading.approved import Approved, Part, by_number
from grading.layers import LAYERS
from grading.plan import Usage
from grading.worth import in_order

__all__ = ["CURE", "PATH", "name", "read", "to_text", "write"]

PATH = entries.HERE / "approved_matrix.toml"

#: What to do about a change that is meant.
CURE = "If this is meant, approve it: python3 grade.py matrix --approve"

_HEAD = """\
# Which checks of the reference suite count, and which of them kill each defect.
# Written by `python3 grade.py matrix --approve`, never by hand.
"""

_PYTHON = """\

# What the property layer finds on Python {version}: hypothesis draws other examples on each.
"""


def name(path: Path | None = None) -> str:
    """The file's name as a person types it from the top of the repository."""
    path = path or PATH
    return f"{path.parent.name}/{path.name}"


def read(path: Path | None = None) -> Approved | None:
    """What was approved; None when nothing was. Raises `Usage` for a file that cannot be read."""
    path = path or PATH
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
        python = {version: _part(table) for version, table in plain.get("python", {}).items()}
        return Approved(_part(plain), python)
    except FileNotFoundError:
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError, TypeError) as problem:
        raise Usage(
            f"{name(path)} cannot be read ({problem}). Take it back from git, or delete it and approve anew: "
            "python3 grade.py matrix --approve"
        ) from None


def write(approved: Approved, path: Path | None = None) -> None:
    """Put what is approved in the place of what was."""
    path = path or PATH
    new = path.with_suffix(".new")  # so that what was approved is there until the new is whole
    new.write_text(to_text(approved), encoding="utf-8", newline="\n")
    new.replace(path)


def to_text(approved: Approved) -> str:
    """The file's text: the same for the same cells."""
    lines = [_HEAD, *_tables(approved.always, "")]
    for version in sorted(approved.python, key=by_number):
        lines += [_PYTHON.format(version=version), *_tables(approved.python[version], f'python."{version}".')]
    return "".join(lines)


def _tables(part: Part, prefix: str) -> Iterator[str]:
    yield f"\n[{prefix}counts]\n"
    for layer in in_order(part.counts):
        yield _array(_key(layer), part.counts[layer])
    yield f"\n[{prefix}kills]\n"
    for defect in sorted(part.kills):
        for layer in in_order(part.kills[defect]):
            if part.kills[defect][layer]:
                yield _array(f"{_key(defect)}.{_key(layer)}", part.kills[defect][layer])


def _array(key: str, checks: frozenset[str]) -> str:
    # JSON's way to write a string is TOML's too.
    items = "".join(f"    {json.dumps(check, ensure_ascii=False)},\n" for check in sorted(checks))
    return f"{key} = [\n{items}]\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)


def _part(table: Mapping[str, Any]) -> Part:
    return Part(
        {layer: _checks(layer, checks) for layer, checks in table.get("counts", {}).items()},
        {
            defect: {layer: _checks(layer, checks) for layer, checks in cells.items()}
            for defect, cells in table.get("kills", {}).items()
        },
    )


def _checks(layer: str, value: object) -> frozenset[str]:
    if layer not in (*LAYERS, ""):
        raise TypeError(f"there is no layer {layer!r}")
    if not isinstance(value, list) or not all(isinstance(check, str) for check in value):
        raise TypeError(f"the checks of a cell are a list of names, not {value!r}")
    return frozenset(value)
