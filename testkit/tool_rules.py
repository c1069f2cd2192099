"""How the rules L01 to L13 are judged. Each yields (subject, message) for each breach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from testkit import schemas
from testkit.rules import Finding
from testkit.tools import name_of, text_of
from testkit.verbs import DESTROYING, intent
from testkit.wording import CREDENTIAL_NAMES, listed_values, secrets_in

Tool = Mapping[str, Any]
Breach = tuple[str, str]  # where inside the tool ("" for the tool itself), and what to do

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
SHORTEST_NAME, LONGEST_NAME = 3, 41
SHORTEST_DESCRIPTION, LONGEST_DESCRIPTION = 60, 600
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def findings(tools: Sequence[Tool]) -> Iterator[Finding]:
    """Every breach of every rule, in the order of the rules."""
    for id, judge in JUDGES.items():
        for tool in tools:
            for where, message in judge(tool):
                yield Finding(id, f"{name_of(tool)}.{where}" if where else name_of(tool), message)
        if id == "L01":
            yield from repeated_names(tools)


def repeated_names(tools: Sequence[Tool]) -> Iterator[Finding]:
    """L02, the one rule that looks at the whole list."""
    for name, times in Counter(name_of(tool) for tool in tools).items():
        if times > 1:
            yield Finding("L02", name, f"{times} tools have this name; give each its own")


def name(tool: Tool) -> Iterator[Breach]:  # noqa: D103 - what each rule asks for stands in testkit.rules
    given = tool.get("name")
    if not isinstance(given, str) or not NAME.fullmatch(given):
        yield "", "the name is not lower snake case; rename it to something like ticket_get"
    elif not SHORTEST_NAME <= len(given) <= LONGEST_NAME:
        yield "", f"the name has {len(given)} characters; make it {SHORTEST_NAME} to {LONGEST_NAME}"


def description_length(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    length = len(text_of(tool.get("description")))
    if not length:
        yield "", "there is no description; say what the tool does, when to use it and what it returns"
    elif length < SHORTEST_DESCRIPTION:
        yield "", f"the description has {length} characters; say more, in at least {SHORTEST_DESCRIPTION}"
    elif length > LONGEST_DESCRIPTION:
        yield "", f"the description has {length} characters; cut it to {LONGEST_DESCRIPTION} at most"


def when_and_what_comes_back(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    parts = re.split(r"(?<=[.!?])[\"')\]]*\s+|\n+", text_of(tool.get("description")))
    sentences = [part.lstrip("-*#•>_ \t\"'(") for part in parts]
    for beginning, purpose in (("Use this", "when it is the right tool"), ("Returns", "what comes back")):
        if not any(re.match(rf"{beginning}\b", sentence) for sentence in sentences):
            yield "", f'no sentence of the description begins "{beginning}"; add one that says {purpose}'


def secrets(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    for where, text in _texts(tool):
        for what in secrets_in(text):
            yield where, f"the text {what}; take it out"
    for path, _ in schemas.parameters(tool.get("inputSchema")):
        last = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", "_", path.rsplit(".", 1)[-1]).lower().strip("_")
        if last in CREDENTIAL_NAMES:
            yield path, "the parameter takes a credential from the model; take it from the connection instead"


def input_schema(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    if "inputSchema" not in tool:
        yield (
            "",
            "there is no input schema; that of a tool without parameters is "
            '{"type": "object", "additionalProperties": false}',
        )
        return
    for fault in schemas.faults(tool["inputSchema"]):
        yield "", f"the input schema {fault}"


def closed_input(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    for path in schemas.open_objects(tool.get("inputSchema")):
        yield (
            path,
            "arguments with other names are let through; add additionalProperties: false to the input schema",
        )


def parameters_described(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    root = tool.get("inputSchema")
    for path, schema in schemas.parameters(root):
        if not any(text_of(part.get("description")) for part in _with_target(root, schema)):
            yield path, "the parameter has no description; say what to put there"


def lists_are_enums(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    root = tool.get("inputSchema")
    for path, schema in schemas.parameters(root):
        parts = _with_target(root, schema)
        if any(_range_is_closed(part) for part in parts):
            continue
        if isinstance(root, Mapping) and schemas.is_closed_set(root, schema):
            continue
        for part in parts:
            if values := listed_values(text_of(part.get("description"))):
                yield path, f"the description lists values ({values}) that the schema does not; add an enum"
                break


def output_schema(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    if tool.get("outputSchema") is None:
        yield "", "there is no output schema; describe the structured result"
        return
    for fault in schemas.faults(tool["outputSchema"]):
        yield "", f"the output schema {fault}"


def closed_output(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    for path in schemas.open_objects(tool.get("outputSchema")):
        yield (
            path,
            "fields that nobody named may come out; add additionalProperties: false to the output schema",
        )


def read_only_hint(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    if not isinstance(_hints(tool).get("readOnlyHint"), bool):
        yield "", "readOnlyHint is missing; set it to true if the tool changes nothing, else to false"


def hints_agree(tool: Tool) -> Iterator[Breach]:  # noqa: D103
    hints = _hints(tool)
    for hint in HINTS[1:]:
        if hints.get(hint) is not None and not isinstance(hints[hint], bool):
            yield "", f"{hint} is {hints[hint]!r}; it must be true or false"
    read_only = hints.get("readOnlyHint")
    if read_only is True and hints.get("destructiveHint") is True:
        yield "", "readOnlyHint and destructiveHint are both true; what changes nothing destroys nothing"
    if read_only is True and hints.get("idempotentHint") is False:
        yield (
            "",
            "readOnlyHint is true and idempotentHint false; a second look has no further effect, "
            "drop idempotentHint",
        )
    kind, verb = intent(name_of(tool))
    if kind == "write" and read_only is True:
        yield (
            "",
            f"the name says {verb!r}, which changes something, but readOnlyHint is true; correct one of them",
        )
    if kind == "read" and read_only is False:
        yield "", f"the name says {verb!r}, which only reads, but readOnlyHint is false; correct one of them"
    if verb in DESTROYING and hints.get("destructiveHint") is False:
        yield "", f"the name says {verb!r}, but destructiveHint is false; correct one of them"


JUDGES: dict[str, Callable[[Tool], Iterator[Breach]]] = {
    "L01": name,
    "L03": description_length,
    "L04": when_and_what_comes_back,
    "L05": secrets,
    "L06": input_schema,
    "L07": closed_input,
    "L08": parameters_described,
    "L09": lists_are_enums,
    "L10": output_schema,
    "L11": closed_output,
    "L12": read_only_hint,
    "L13": hints_agree,
}


def _hints(tool: Tool) -> Mapping[str, Any]:
    annotations = tool.get("annotations")
    return annotations if isinstance(annotations, Mapping) else {}


def _with_target(root: object, schema: object) -> list[Mapping[str, Any]]:
    """The parameter's schema and, where it is a reference, what that points at."""
    if not isinstance(schema, Mapping):
        return []
    resolved = schemas.target(root, schema) if isinstance(root, Mapping) else None
    return [schema] if resolved is None or resolved is schema else [schema, resolved]


def _range_is_closed(schema: Mapping[str, Any]) -> bool:
    return "maximum" in schema and "minimum" in schema


def _texts(tool: Tool) -> Iterator[tuple[str, str]]:
    """Every text in the tool, with where it stands: all of it reaches the model."""
    for field in ("title", "description"):
        yield "", text_of(tool.get(field))
    yield from (("", text) for text in _strings(tool.get("annotations")))
    for field in ("inputSchema", "outputSchema"):
        for at, part in schemas.subschemas(tool.get(field)):
            own = {key: value for key, value in part.items() if key in _WORDED}
            yield from ((at or field, text) for text in _strings(own))


_WORDED = ("title", "description", "$comment", "default", "examples", "enum", "const", "pattern")
"""The keywords of a schema that hold a text of their own."""


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
