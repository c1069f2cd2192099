"""A tool as plain JSON, whatever the caller holds: an `mcp_types.Tool`, or the dict from the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class ToolModel(Protocol):
    """What this package needs of `mcp_types.Tool`; any pydantic model of a tool fits."""

    def model_dump(self, *, mode: str, by_alias: bool, exclude_none: bool) -> dict[str, Any]:
        """The tool as a dict, as pydantic makes it."""
        ...


ToolLike = ToolModel | Mapping[str, Any]


def as_dict(tool: ToolLike) -> dict[str, Any]:
    """The tool as it looks in a `tools/list` result: `name`, `description`, `inputSchema`, …

    A field that is not set is left out. A mapping is taken as it is: it may well be wrong, and saying
    so is the work of the lint.
    """
    if isinstance(tool, Mapping):
        return dict(tool)
    return tool.model_dump(mode="json", by_alias=True, exclude_none=True)


def name_of(tool: Mapping[str, Any]) -> str:
    """The tool's name for a report, also when the name is missing or no text."""
    name = tool.get("name")
    return name if isinstance(name, str) and name else f"(unnamed: {name!r})"


def text_of(value: object) -> str:
    """A text field for reading: surrounding blanks gone, the empty text when it is missing or no text."""
    return value.strip() if isinstance(value, str) else ""
