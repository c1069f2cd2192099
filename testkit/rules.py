"""What a lint rule is, what it finds, and the registry of all rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One rule: its id, what it asks for, and why a model or a reader suffers when it is broken."""

    id: str
    title: str
    reason: str


@dataclass(frozen=True)
class Finding:
    """One breach: the rule's id, the tool (and parameter, `tool.list[].field`), and what to do about it."""

    rule: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.rule} {self.subject}: {self.message}"


_TOOL_RULES = [
    Rule(
        "L01",
        "a name is lower snake case, 3 to 41 characters",
        "A model copies names letter by letter; one plain style is copied without slips, and hosts that put "
        "a "
        "prefix before it still stay below their limit of 64.",
    ),
    Rule(
        "L02",
        "names are unique",
        "Of two tools with one name a client can call only one, and nobody knows which.",
    ),
    Rule(
        "L03",
        "a description has 60 to 600 characters",
        "The description is all that a model knows of a tool. Too little leaves it guessing; too much is "
        "paid "
        "for in every request and hides the sentence that matters.",
    ),
    Rule(
        "L04",
        'a description has a sentence that begins "Use this" and one that begins "Returns"',
        "What a tool does is not enough to choose it by: a model must know when it is the right one among "
        "its "
        "neighbours, and what it will hold afterwards.",
    ),
    Rule(
        "L05",
        "no credentials, and nothing said to the model that the user must not know",
        "Whatever a description holds is sent to every model and may be repeated to anybody. Words meant to "
        "be "
        "kept from the user are how a poisoned tool works.",
    ),
    Rule(
        "L06",
        "the input schema is a valid schema of an object",
        "Clients refuse a tool whose schema they cannot read, or drop the whole list; and arguments are "
        "always "
        "an object.",
    ),
    Rule(
        "L07",
        "the input schema has additionalProperties: false",
        "Otherwise a misspelled argument is dropped without a word and the answer is to another question.",
    ),
    Rule(
        "L08",
        "every parameter is described, also inside objects and lists",
        "A model fills a parameter that it has only a name for by guessing.",
    ),
    Rule(
        "L09",
        "a parameter whose description lists its values has an enum",
        "A list in prose is a plea; an enum is checked before the tool runs, and many clients hold the model "
        "to it.",
    ),
    Rule(
        "L10",
        "an output schema that is a valid schema of an object",
        "Without it nobody can check what comes back, neither a client nor a test.",
    ),
    Rule(
        "L11",
        "the output schema has additionalProperties: false",
        "An open output lets a field slip out that nobody meant to show, and no check notices.",
    ),
    Rule(
        "L12",
        "readOnlyHint is given, true or false",
        "Hosts ask the user before a tool that may write. Left out, it counts as writing, and a person is "
        "asked "
        "before every look.",
    ),
    Rule(
        "L13",
        "the hints agree with one another and with the name",
        "A writer that calls itself a reader runs without anybody being asked; hints that contradict one "
        "another "
        "are read differently by each host.",
    ),
]
_ERROR_RULES = [
    Rule(
        "E01",
        "an error is not trivially short (20 characters and 4 words at least)",
        'A model that reads only "Forbidden" tries the same call again, or gives up.',
    ),
    Rule(
        "E02",
        "an error shows no internal detail",
        "Traces, paths and SQL help an attacker, cost tokens, and tell a model nothing that it could act on.",
    ),
    Rule(
        "E03",
        "an error says what to do next",
        "A model recovers by following words: a tool or an argument in backticks, or a sentence that begins "
        "with "
        "what to do.",
    ),
]

RULES: dict[str, Rule] = {rule.id: rule for rule in [*_TOOL_RULES, *_ERROR_RULES]}
"""All rules by id: L01 to L13 for tools, E01 to E03 for failures."""

NOT_AN_ERROR = "E00"
"""The rule id of a finding that a provoked failure was none. It is no rule and cannot be waived."""


def without_waived(findings: Iterable[Finding], waive: Iterable[str]) -> list[Finding]:
    """The findings whose rule is not waived.

    Raises:
        ValueError: there is no rule of a waived id. A slip there would waive nothing and say nothing.
    """
    if unknown := sorted(set(waive) - RULES.keys()):
        raise ValueError(f"no rule {', '.join(unknown)} to waive; the rules are {', '.join(RULES)}")
    waived = set(waive)
    return [finding for finding in findings if finding.rule not in waived]
