"""What a model reads of each tool, as it was when somebody reviewed it.

An approved file holds description, input schema, output schema and annotations of each tool, readable,
with a fingerprint (SHA-256 of canonical JSON) beside each. A change then shows up by tool and field, and
the report holds the old and the new words. Whoever means the change reviews it and approves anew.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testkit.tools import ToolLike, as_dict, name_of

FIELDS = ("description", "inputSchema", "outputSchema", "annotations")

Snapshot = dict[str, Any]
"""`{"tools": {name: {field: {"sha256": hex, "value": JSON}}}}`"""


class SnapshotUnusable(Exception):
    """The approved file is missing, unreadable, or was edited by hand. The message says which."""


@dataclass(frozen=True)
class Change:
    """One difference. `field` is empty, and the values None, when a whole tool was added or removed."""

    kind: str
    tool: str
    field: str = ""
    old: Any = None
    new: Any = None

    def __str__(self) -> str:
        return f"{self.kind} {self.tool}.{self.field}" if self.field else f"{self.kind} {self.tool}"


def fingerprint(tools: Iterable[ToolLike]) -> Snapshot:
    """The snapshot of these tools. A second tool of the same name is `name (2)`, so that none is lost."""
    found: dict[str, Any] = {}
    for tool in map(as_dict, tools):
        name = name_of(tool)
        times = 1
        while (key := name if times == 1 else f"{name} ({times})") in found:
            times += 1
        found[key] = {field: _entry(tool.get(field)) for field in FIELDS}
    return {"tools": found}


def changes(approved: Snapshot, current: Snapshot) -> list[Change]:
    """What differs, by tool in the approved order, then what was added."""
    before, after = approved["tools"], current["tools"]
    found: list[Change] = []
    for tool, fields in before.items():
        if tool not in after:
            found.append(Change("REMOVED", tool))
            continue
        for field in FIELDS:
            old, new = fields[field], after[tool][field]
            if old["sha256"] != new["sha256"]:
                found.append(Change("CHANGED", tool, field, old["value"], new["value"]))
    return found + [Change("ADDED", tool) for tool in after if tool not in before]


def compare(approved: Snapshot, current: Snapshot) -> list[str]:
    """The differences as lines: `CHANGED ticket_assign.description`, `REMOVED x`, `ADDED y`."""
    return [str(change) for change in changes(approved, current)]


def report(found: Iterable[Change]) -> str:
    """The differences with the old and the new text under each line."""
    parts: list[str] = []
    for change in found:
        parts.append(str(change))
        if change.field:
            old, new = _lines(change.old), _lines(change.new)
            parts += [f"  {line}" for line in difflib.ndiff(old, new) if not line.startswith(("  ", "?"))]
    return "\n".join(parts)


def save(snapshot: Snapshot, path: str | Path) -> None:
    """Write the approved file: indented, one field a block, the same text for the same tools."""
    text = json.dumps(snapshot, indent=2, ensure_ascii=False, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")


def load(path: str | Path) -> Snapshot:
    """Read an approved file.

    Raises:
        SnapshotUnusable: there is none, it is no snapshot, or a text in it does not fit its fingerprint.
    """
    try:
        snapshot = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SnapshotUnusable(
            f"{path}: there is no approved file yet; make it with `snapshot approve`"
        ) from None
    except (OSError, ValueError) as error:
        raise SnapshotUnusable(f"{path}: cannot be read as a snapshot: {error}") from error
    tools = snapshot.get("tools") if isinstance(snapshot, dict) else None
    if not isinstance(tools, dict):
        raise SnapshotUnusable(f"{path}: is no snapshot: it has no tools")
    for tool, fields in tools.items():
        for field in FIELDS:
            entry = fields.get(field) if isinstance(fields, Mapping) else None
            if not isinstance(entry, Mapping) or _entry(entry.get("value")) != entry:
                raise SnapshotUnusable(
                    f"{path}: {tool}.{field} does not fit its fingerprint; the file is not edited by hand, "
                    "review the change and run `snapshot approve`"
                )
    return snapshot


def _entry(value: Any) -> dict[str, Any]:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"sha256": hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest(), "value": value}


def _lines(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False).splitlines()
