"""What a schema has against some arguments, in words that carry the cure."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import ValidationError
from jsonschema.protocols import Validator

__all__ = ["invalid_arguments"]

SHOWN_MOST = 60  # characters of a value that an error repeats
FAULTS_MOST = 10  # faults that one error names


def invalid_arguments(tool: str, validator: Validator, arguments: Mapping[str, Any]) -> str | None:
    """All that is wrong with `arguments`, as one text for the caller; None when nothing is.

    Each fault names the argument and the cure, and the text ends with what to do next.
    """
    faults = (fault for error in validator.iter_errors(arguments) for fault in describe(tool, error))
    faults = list(itertools.islice(faults, FAULTS_MOST))
    faults += unstorable("arguments", arguments) if not faults else []
    if not faults:
        return None
    return f"Invalid arguments: {'; '.join(sorted(faults))}. Fix the arguments and call `{tool}` again."


def describe(tool: str, error: ValidationError) -> Iterator[str]:
    """One fault, or several where the schema reports several names in one error."""
    where = ".".join(["arguments", *map(str, error.absolute_path)])
    value: Any = error.instance
    limit: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            # jsonschema reports each missing name in an error of its own.
            name = next(name for name in limit if name not in value and f"{name!r} is a" in error.message)
            yield f"{where}.{name} is required"
        case "additionalProperties":
            known = list(schema.get("properties", {}))
            takes = f"it takes {', '.join(known)}" if known else "it takes no arguments"
            for name in value:
                if name not in known:
                    yield f"{where}.{shown(name, quoted=False)} is not an argument of `{tool}` ({takes})"
        case "enum":
            yield f"{where} must be one of {limit}, got {shown(value)}"
        case "type":
            yield f"{where} must be of type {limit}, got {shown(value)}"
        case "maxLength":
            yield f"{where} must be at most {limit} characters, got {len(value)}"
        case "minLength":
            yield f"{where} must not be empty"
        case "maximum":
            yield f"{where} must be at most {limit}, got {shown(value)}"
        case "minimum":
            yield f"{where} must be at least {limit}, got {shown(value)}"
        case "pattern" if where == "arguments.cursor":
            yield f"{where} is no cursor that `{tool}` returned: leave `cursor` out for the first page"
        case _:
            yield f"{where} does not fit {error.validator} {limit}, got {shown(value)}"


def shown(value: Any, quoted: bool = True) -> str:
    """A value as an error repeats it: short, and never a whole structure."""
    if isinstance(value, dict | list):
        return f"a {'JSON object' if isinstance(value, dict) else 'JSON array'}"
    text = repr(value) if quoted or not str(value).isidentifier() else str(value)
    return text if len(text) <= SHOWN_MOST else f"{text[:SHOWN_MOST]}…"


def unstorable(where: str, value: Mapping[str, Any]) -> list[str]:
    """Text that JSON can carry and the database cannot keep: NUL, and half of a surrogate pair."""
    return [
        f"{where}.{name} has a character that cannot be stored (NUL or a lone surrogate)"
        for name, text in value.items()
        if isinstance(text, str) and any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)
    ]
