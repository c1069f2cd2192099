"""Walking a JSON Schema: its parameters at any depth, and its objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

BRANCHES = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLE = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "unevaluatedProperties")
NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties")
OPEN_BY_NATURE = ("allOf", "not", "if", "then", "else", "dependentSchemas")
"""Where a sub-schema speaks of a part of an object, so that closing it would be wrong."""


def faults(schema: object) -> Iterator[str]:
    """What keeps this from being the schema of an object, one sentence each; nothing when it is one."""
    if not isinstance(schema, Mapping):
        yield f"is no object but {schema!r}"
        return
    if schema.get("type") != "object":
        yield f'has type {schema.get("type")!r} at its root; it must be "object"'
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        yield f"is no valid JSON Schema (2020-12): at {error.json_path}: {error.message}"
        return
    for at, part in subschemas(schema):
        ref = part.get("$ref")
        if isinstance(ref, str) and ref.startswith("#") and target(schema, part) is None:
            yield f"refers to {ref!r} (at {at or 'its root'}), which is not in it"
    if schema.get("additionalProperties") is False and not schema.get("patternProperties"):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in known:
                yield f"requires {name!r}, which it does not have as a property, so nothing can satisfy it"


def target(root: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a schema's local `$ref` points at; the schema itself without one; None when nothing is there.

    A reference to elsewhere is not followed: the schema itself is given back.
    """
    for _ in range(20):  # a chain of references; a circle ends here too
        ref = part.get("$ref")
        if not isinstance(ref, str) or not ref.startswith("#"):
            return part
        found: Any = root
        for step in ref[1:].split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            elif isinstance(found, Mapping) and step in found:
                found = found[step]
            else:
                return None
        if not isinstance(found, Mapping):
            return None
        part = found
    return None


def subschemas(
    schema: object, at: str = "", *, skip: tuple[str, ...] = ()
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The schema and every schema inside it, each with the path of parameter names that leads there.

    A list's items are `name[]`. Keywords in `skip` are not entered. References are not followed; what
    they point at stands under `$defs` and is met there.
    """
    if not isinstance(schema, Mapping):
        return
    yield at, schema
    for name, part in _mapping(schema.get("properties")).items():
        yield from subschemas(part, f"{at}.{name}" if at else str(name), skip=skip)
    for keyword in SINGLE:
        if keyword in schema and keyword not in skip:
            yield from subschemas(schema[keyword], f"{at}[]" if keyword == "items" else at, skip=skip)
    for keyword in BRANCHES:
        if keyword not in skip and isinstance(schema.get(keyword), list):
            for part in schema[keyword]:
                yield from subschemas(part, at, skip=skip)
    for keyword in NAMED:
        if keyword not in skip:
            for name, part in _mapping(schema.get(keyword)).items():
                yield from subschemas(part, f"{at}({name})", skip=skip)


def parameters(schema: object) -> Iterator[tuple[str, Any]]:
    """Every named property at any depth, as (path, its schema). The schema may be any JSON value."""
    for at, part in subschemas(schema):
        for name, value in _mapping(part.get("properties")).items():
            yield (f"{at}.{name}" if at else str(name)), value


def open_objects(schema: object) -> Iterator[str]:
    """Paths of the objects that accept properties they do not name; "" is the root.

    The root counts always, an inner one when it names properties. An inner object without any is a map
    of free names, which is a choice and not an oversight.
    """
    for at, part in subschemas(schema, skip=OPEN_BY_NATURE):
        if part is not schema and "properties" not in part:
            continue
        closed = part.get("additionalProperties") is False or part.get("unevaluatedProperties") is False
        if not closed:
            yield at


def is_closed_set(root: Mapping[str, Any], part: object, depth: int = 10) -> bool:
    """Whether the schema itself says which values there are: an enum or const, in it or in its branches."""
    resolved = target(root, part) if isinstance(part, Mapping) else None
    if resolved is None or not depth:
        return False
    if "enum" in resolved or "const" in resolved or resolved.get("type") == "boolean":
        return True
    inner = [resolved.get("items")]
    for keyword in ("anyOf", "oneOf", "allOf"):
        inner += resolved[keyword] if isinstance(resolved.get(keyword), list) else []
    return any(is_closed_set(root, each, depth - 1) for each in inner)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
