"""Mending the arguments of a refused call by what the error's words say about them."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping
from typing import Any

_LEAVE_OUT = re.compile(
    r"\bleave\s+`?([\w.]+)`?\s+(?:out|away|empty)\b|\bleave\s+out\s+`?([\w.]+)"
    r"|\b(?:omit|remove|drop|without)\s+`([\w.]+)`",
    re.I,
)
_BRACKETED = re.compile(r"\bone of:?\s*(\[[^\]]*\])", re.I)
_LISTED = re.compile(
    r"\b(?:one of(?: the following)?|allowed(?: values)?(?: are)?|choose from|valid values(?: are)?"
    r"|either)\s*:?\s*"
    r"((?:[`'\"]?[\w@.+-]+[`'\"]?)(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+"
    r"|\s*\|\s*)[`'\"]?[\w@.+-]+[`'\"]?)*)",
    re.I,
)
_LONGEST = re.compile(
    r"\b(?:at most|up to|maximum(?: of| is)?|max|limit(?: of| is)?|longer than|more than|exceeds?|to|under"
    r"|below)\s+(\d+)\s+char"
    r"|\b(\d+)\s+characters?\s+(?:at most|or (?:less|fewer)|maximum|max|or shorter)",
    re.I,
)
_AT_MOST = re.compile(
    r"\b(?:at most|no more than|maximum(?: of| is)?|less than or equal to|<=)\s+(-?\d+)\b(?!\s*char)",
    re.I,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|no less than|minimum(?: of| is)?|greater than or equal to|>=)\s+(-?\d+)\b(?!\s*char)",
    re.I,
)


def mend(arguments: Mapping[str, Any], error: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments as the error's words want them, or None when these say nothing that would change them."""
    mended = dict(arguments)
    _leave_out(mended, error)
    _take_an_allowed_value(mended, error, schema)
    _shorten(mended, error)
    _keep_to_a_bound(mended, error)
    return mended if mended != dict(arguments) else None


def kinds(part: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema lets through, as far as it says; a schema that says nothing: all."""
    named = part.get("type")
    found = set(named) if isinstance(named, list) else {named} if isinstance(named, str) else set()
    for keyword in ("anyOf", "oneOf"):
        for branch in part.get(keyword) or []:
            found |= kinds(branch) if isinstance(branch, Mapping) else set()
    if not found and "enum" in part:
        found = {"string"}
    return found or {"string", "integer", "number", "boolean", "array", "object", "null"}


def _leave_out(arguments: dict[str, Any], error: str) -> None:
    for match in _LEAVE_OUT.finditer(error):
        name = next(group for group in match.groups() if group is not None)
        arguments.pop(name.rsplit(".", 1)[-1], None)


def _take_an_allowed_value(arguments: dict[str, Any], error: str, schema: Mapping[str, Any]) -> None:
    match = _BRACKETED.search(error) or _LISTED.search(error)
    if not match:
        return
    allowed = _values(match[1])
    name = _argument_meant(arguments, error, match.start(), schema)
    if name is None or len(allowed) < 2 or arguments[name] in allowed:
        return
    arguments[name] = _nearest(arguments[name], allowed)


def _values(text: str) -> list[Any]:
    if text.startswith("["):
        try:
            read = ast.literal_eval(text)  # as Python writes a list; JSON's is read by the same but for null
            return [value for value in read if value is not None]
        except (ValueError, SyntaxError):
            text = text[1:-1]
    parts = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*\|\s*", text)
    return [value for part in parts if (value := part.strip("`'\" ").rstrip("."))]


def _nearest(value: Any, allowed: list[Any]) -> Any:
    """The allowed value that is spelled most like the given one; of equals the first."""
    return max(
        allowed, key=lambda each: difflib.SequenceMatcher(None, str(value).lower(), str(each).lower()).ratio()
    )


def _argument_meant(
    arguments: Mapping[str, Any], error: str, at: int, schema: Mapping[str, Any]
) -> str | None:
    """Which argument an error speaks of: the last one named before `at`, else named at all, else quoted."""
    named = [
        (match.end(), name)
        for name in arguments
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", error)
    ]
    if named:
        before = [pair for pair in named if pair[0] <= at]
        return max(before)[1] if before else min(named)[1]
    said = [
        name
        for name, value in arguments.items()
        if isinstance(value, str) and value and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", error)
    ]
    if said:
        return said[0]
    properties = schema.get("properties") or {}
    texts = [name for name, value in arguments.items() if isinstance(value, str) and name in properties]
    return texts[0] if len(texts) == 1 else None


def _shorten(arguments: dict[str, Any], error: str) -> None:
    match = _LONGEST.search(error)
    if not match:
        return
    longest = int(match[1] or match[2])
    too_long = {
        name: value for name, value in arguments.items() if isinstance(value, str) and len(value) > longest
    }
    if not too_long:
        return
    name = _argument_meant(too_long, error, match.start(), {}) or max(
        too_long, key=lambda each: len(too_long[each])
    )
    cut = too_long[name][:longest]
    at_a_word = cut.rsplit(None, 1)[0] if " " in cut[longest // 2 :] else cut
    arguments[name] = at_a_word


def _keep_to_a_bound(arguments: dict[str, Any], error: str) -> None:
    for pattern, better in ((_AT_MOST, min), (_AT_LEAST, max)):
        for match in pattern.finditer(error):
            numbers = {
                name: value
                for name, value in arguments.items()
                if isinstance(value, (int, float)) and not isinstance(value, bool)
            }
            name = _argument_meant(numbers, error, match.start(), {})
            if name is not None:
                arguments[name] = better(numbers[name], int(match[1]))
