"""How the rules E01 to E03 are judged, on failures that a test provoked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from testkit.rules import NOT_AN_ERROR, Finding
from testkit.words import word_set

SHORTEST_TEXT, FEWEST_WORDS = 20, 4

IMPERATIVES = word_set(
    "add ask call change check choose contact correct create drop fill fix give include leave limit list "
    "look omit "
    "open pass pick provide put read reduce remove rename repeat replace request retry run search see select "
    "send "
    "set shorten sign specify split start stop supply tell try use wait write do don't"
)
"""A sentence or clause that begins with one of these says what to do next (rule E03)."""

_ADVICE = re.compile(
    r"(?:^|[.!?:;,(—–]\s*|\b(?:please|then|or|and|instead|otherwise)\s+)"
    rf"(?:{'|'.join(sorted(IMPERATIVES, reverse=True))})\b(?!['’-])"
    r"(?!\s+(?:of|is|was|were|are|has|had|have|failed|fails|failure|error|errors|denied|rejected|refused"
    r"|timed|exceeded"
    r"|not\s+(?:found|allowed|permitted|possible|supported)|returned|aborted|cannot|can't|could|must|may"
    r"|in progress)\b)",
    re.I,
)
_NAMED = re.compile(r"`[A-Za-z_][\w.\[\]-]*`")

_ROOTS = "usr|home|var|etc|opt|tmp|root|app|srv|mnt|proc|lib|Users|private|workspace|data"
_ENDINGS = "py|pyc|js|ts|go|rb|rs|java|db|sqlite3?|log|cfg|ini|toml|env|so"
_INTERNAL = {
    "a traceback": (
        r"Traceback \(most recent call last\)",
        r"^\s*File \"[^\"]+\", line \d+",
        r"\bstack ?trace\b",
        r"\n\s+at [\w.$<>]+ ?\(",
        r"^panic:|goroutine \d+",
    ),
    "a line number of a program": (r"\bline \d+\b", r"\.(?:py|js|ts|go|rb|rs|java):\d+"),
    "a file path": (
        rf"(?<![\w:/.])/(?:{_ROOTS})/[\w.-]+",
        rf"(?<![\w:/])(?:~|\.{{0,2}})/(?:[\w.-]+/)*[\w-]+\.(?:{_ENDINGS})\b",
        r"\b[A-Za-z]:\\[\w\\. -]+",
        r"\\\\[\w.-]+\\\w",
        r"\bsite-packages\b",
        r"(?<![\w.])[\w-]+\.(?:py|pyc|sqlite3?|db)\b",
    ),
    "SQL": (
        r"\bSELECT\b.{1,200}\bFROM\b",
        r"(?i:\bselect\b[^.]{1,200}\bfrom\s+\w+\s+(?:where|join|order by|group by|limit)\b)",
        r"(?i:\binsert\s+into\b|\bdelete\s+from\s+\w+\s+where\b|\bupdate\s+\w+\s+set\b)",
        r"(?i:\bno such (?:table|column)\b|\b(?:unique|check|not null|foreign key) constraint\b)",
        r"(?i:\bconstraint failed\b|\bsqlite\w*|\bpsycopg\w*|\bsqlalchemy\b)",
        r"near \"[^\"]*\": syntax error",
    ),
    "the name of an exception class": (
        r"\b(?:[a-z_]\w*\.)*[A-Z][A-Za-z0-9]*(?:Error|Exception|Warning|Exit|Interrupt)\b",
        r"\bStopIteration\b|\bNoneType\b",
    ),
    "a memory address": (
        r"\b0x[0-9a-fA-F]{6,}\b",
        r"<[\w. ]+ object\b",
        r"<(?:class|function|module|built-in|bound method) ",
    ),
    "an operating system's error": (
        r"\[?(?:Errno|WinError) \d+\]?",
        r"\bE(?:NOENT|ACCES|PERM|CONNREFUSED|PIPE|EXIST)\b|\berrno\b",
    ),
}
_INTERNAL_COMPILED = {what: re.compile("|".join(patterns), re.M) for what, patterns in _INTERNAL.items()}


@dataclass(frozen=True)
class Failure:
    """One provoked failure, as the caller saw it.

    Args:
        name: what was provoked, for the report ("closing a closed ticket").
        tool: the tool that was called.
        is_error: the result's `isError`.
        text: the result's text.
    """

    name: str
    tool: str
    is_error: bool
    text: str


def findings(failure: Failure) -> Iterator[Finding]:
    """Every breach in one failure."""
    subject = f"{failure.tool} ({failure.name})"
    text = failure.text.strip()
    if failure.is_error is not True:
        yield Finding(NOT_AN_ERROR, subject, f"was not an error; it answered {text[:200]!r}")
        return
    if len(text) < SHORTEST_TEXT or len(text.split()) < FEWEST_WORDS:
        yield Finding("E01", subject, f"the text says too little: {text!r}; say what is wrong and what to do")
    for what, pattern in _INTERNAL_COMPILED.items():
        if found := pattern.search(text):
            shown = found[0].strip()[:60]
            yield Finding("E02", subject, f"the text shows {what} ({shown!r}); log it, do not say it")
    if not _NAMED.search(text) and not _ADVICE.search(text):
        yield Finding(
            "E03",
            subject,
            f"the text does not say what to do next: {text[:200]!r}; name a tool or an argument in `…`",
        )
