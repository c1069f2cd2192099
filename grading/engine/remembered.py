"""Work that is the same in every run, done once before the fork: the check of a schema by its meta-schema.

Whether a JSON text is a JSON Schema does not depend on who asks. The desk checks its schemas at start, the
lint checks them, and the SDK's client checks each output schema: in a short run that adds up. Only what was
found valid is remembered, under its whole text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

__all__ = ["approved_schemas", "remember_schema_checks"]


def remember_schema_checks(schemas: Iterable[Any]) -> None:
    """Check these schemas now, and let `check_schema` skip every text that it has found valid once."""
    check = Draft202012Validator.check_schema
    valid: set[str] = set()

    def check_schema(cls: type, schema: Any, *args: Any, **kwargs: Any) -> None:
        text = json.dumps(schema)
        if args or kwargs or text not in valid:
            check(schema, *args, **kwargs)
            valid.add(text)

    Draft202012Validator.check_schema = classmethod(check_schema)  # type: ignore[method-assign]
    for schema in schemas:
        Draft202012Validator.check_schema(schema)


def approved_schemas(snapshot: Path) -> list[Any]:
    """The schemas in an approved snapshot of tools; none where there is no such file."""
    try:
        tools = json.loads(snapshot.read_text("utf-8"))["tools"].values()
        return [tool[field]["value"] for tool in tools for field in ("inputSchema", "outputSchema")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
