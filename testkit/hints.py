"""Following the hints in an error's words, without understanding them.

Five kinds are known, each by its wording: take one of the values listed; shorten to a number of characters
(or keep to a number); leave an argument out; call a tool that is named in backticks; do nothing. Where the
words say none of these there is no repair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from testkit import mending
from testkit.words import STOP_WORDS, words_of

Tools = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Call:
    """A tool and the arguments to call it with."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Repair:
    """What to call next, in order, and why; no calls means to leave it."""

    calls: tuple[Call, ...]
    reason: str


_STOP = re.compile(
    r"\bdo nothing\b|\bdo not (?:retry|repeat|try|call)\b|\bdon['’]t (?:retry|repeat|try|call)\b",
    re.I,
)
_OTHERWISE = re.compile(r"\b(?:otherwise|if not|else)\b", re.I)
_CONDITION = re.compile(r"\b(?:if|when|unless)\b([^,.;:]*?)(?:,|\bthen\b|$)", re.I)
_CALLED = re.compile(
    r"\b(?:call|use|run|try|invoke|with|through|via|see|ask|start with"
    r"|go on with)\s+(?:the\s+(?:tool\s+)?)?`([\w.-]+)`",
    re.I,
)
_MENTIONED = re.compile(r"`([\w.-]+)`")
_NEGATED = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\binstead of|\bwithout|\brather than)\s+(?:\w+\s+){0,2}$",
    re.I,
)
_AGAIN = re.compile(
    r"\b(?:try|call|send|do|repeat)\b[^.]{0,30}\bagain\b|\bretry\b|\brepeat (?:the|this|your) call\b",
    re.I,
)
_THEN = re.compile(r"^(?:then|after that|afterwards|next)\b", re.I)


def follow(call: Call, error: str, tools: Tools, goal: str = "") -> Repair:
    """The repair that the error's words ask for.

    Args:
        call: the call that was refused.
        error: the words it was refused with.
        tools: all tools, by name, for their input schemas.
        goal: what the user wanted. "If it needs more work, call `x`. Otherwise …" is followed when the
            goal shares a word with the condition.
    """
    mended = mending.mend(call.arguments, error, _schema(tools, call.tool))
    if mended is not None:
        return Repair((Call(call.tool, mended),), "the words say how to mend the arguments")
    sentences = [part.strip() for part in re.split(r"(?<=[.!?;])\s+|\n+", error) if part.strip()]
    fallen_back = any(_OTHERWISE.match(sentence) for sentence in sentences)
    skipped: list[str] = []
    for at, sentence in enumerate(sentences):
        condition = _CONDITION.search(sentence)
        if condition and not _OTHERWISE.match(sentence) and not _holds(condition[1], goal):
            if fallen_back:
                continue
            skipped.append(sentence)  # followed after all if nothing else is said
            continue
        if repair := _act_on(call, sentences, at, tools, goal):
            return repair
        if _STOP.search(sentence):
            return Repair((), "the words say to leave it")
    for sentence in skipped:
        if repair := _act_on(call, sentences, sentences.index(sentence), tools, goal):
            return repair
    if _AGAIN.search(error) and not _STOP.search(error) and not _MENTIONED.search(error):
        return Repair((call,), "the words say to try the same call again")
    return Repair((), "the words do not say what to do")


def _holds(condition: str, goal: str) -> bool:
    return bool(set(words_of(condition)) & set(words_of(goal)))


def _act_on(call: Call, sentences: list[str], at: int, tools: Tools, goal: str) -> Repair | None:
    """The calls that one sentence asks for, with those that a following "Then …" adds."""
    planned: list[Call] = []
    for number, sentence in enumerate(sentences[at:]):
        if number and not _THEN.match(sentence):
            break
        for name, said_after in _tools_named(sentence, tools):
            arguments = _arguments(name, said_after, call, tools, goal)
            if arguments is not None:
                planned.append(Call(name, arguments))
        if planned and planned[-1].tool != call.tool and _AGAIN.search(sentence):
            planned.append(call)
    if not planned or planned[0] == call:  # the very same call would fail the very same way
        return None
    return Repair(tuple(planned), f"the words say to call {planned[0].tool}")


def _tools_named(sentence: str, tools: Tools) -> Iterator[tuple[str, str]]:
    """Each tool that the sentence says to call, with the words after it. Of "`a` or `b`" only `a`."""
    found = [match for match in _CALLED.finditer(sentence) if match[1] in tools]
    for at, match in enumerate(found):
        if _NEGATED.search(sentence[: match.start()]):
            continue
        if at and re.search(r"\bor\b", sentence[found[at - 1].end() : match.start()], re.I):
            continue
        end = found[at + 1].start() if at + 1 < len(found) else len(sentence)
        yield match[1], sentence[match.end() : end]


def _arguments(name: str, said: str, call: Call, tools: Tools, goal: str) -> dict[str, Any] | None:
    """Arguments for a tool that a hint names: what the words say, what the refused call had, a plain text.

    None when a required one cannot be had.
    """
    schema = _schema(tools, name)
    properties = schema.get("properties") or {}
    spoken = {
        argument: value
        for argument, part in properties.items()
        if (value := _spoken(argument, part if isinstance(part, Mapping) else {}, said)) is not None
    }
    if name == call.tool:
        return {**call.arguments, **spoken}
    arguments = dict(spoken)
    for needed in schema.get("required") or []:
        if needed in arguments:
            continue
        part = properties.get(needed) or {}
        value = call.arguments.get(needed, _made_up(part, call, goal))
        if value is None:
            return None
        arguments[needed] = value
    return arguments


def _spoken(argument: str, part: Mapping[str, Any], said: str) -> Any:
    """The value that the words give to an argument: "with ticket_id 5", "`status` = 'open'"."""
    match = re.search(
        rf"(?<!\w)`?{re.escape(argument)}`?\s*(?:=|:|set to\b|of\b|is\b|as\b)?\s*"
        r"(?:'([^']*)'|\"([^\"]*)\"|`([^`]*)`|(-?\d+(?:\.\d+)?)(?!\w)|([A-Za-z][\w-]*))",
        said,
    )
    if not match:
        return None
    quoted = next((group for group in match.groups()[:3] if group is not None), None)
    number, word = match[4], match[5]
    kinds = mending.kinds(part)
    if number is not None and kinds & {"integer", "number"}:
        return int(number) if "." not in number else float(number)
    if word in ("true", "false") and "boolean" in kinds:
        return word == "true"
    text = quoted if quoted is not None else number or word
    if "string" not in kinds or (quoted is None and word is not None and word.lower() in STOP_WORDS):
        return None
    return text


def _made_up(part: Mapping[str, Any], call: Call, goal: str) -> Any:
    """A value for a required argument that nobody gave: an allowed one, or a sentence that says what is "
    "wanted."""
    if part.get("enum"):
        return part["enum"][0]
    kinds = mending.kinds(part)
    if "string" in kinds and "pattern" not in part and "format" not in part:
        text = (
            goal
            or f"Please do this: {call.tool} with {json.dumps(dict(call.arguments), ensure_ascii=False)}."
        )
        return text[: part.get("maxLength", len(text))]
    return False if "boolean" in kinds else None


def _schema(tools: Tools, name: str) -> Mapping[str, Any]:
    schema = tools.get(name, {}).get("inputSchema")
    return schema if isinstance(schema, Mapping) else {}
