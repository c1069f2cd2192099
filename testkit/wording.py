"""What a text gives away: credentials, talk behind the user's back, a list of allowed values.

Patterns, not understanding. Each function says what it found, so that a person can judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from testkit.words import word_set

_LOOKS_LIKE_A_KEY = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "an API key": r"\b(?:sk|pk|rk)[-_](?:\w+[-_])*[A-Za-z0-9]{12,}"
    r"|\bAIza[\w-]{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{12,}",
    "an access token": r"\b(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_)[\w-]{10,}",
    "a signed token (JWT)": r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
    "a bearer token": r"(?i)\bbearer\s+(?=\S*\d)[\w.~+/-]{16,}",
    "a user name and password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@",
    "a long random text, as keys are": r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{32,}\b"
    r"|\b(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[A-Za-z0-9_]{32,}\b",
}
_SECRET_NAME = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|(?:api|access|secret|private|signing|admin|master)[ _-]?key|secret"
    r"|(?:access|auth|api|admin|bearer|session)[ _-]?token|token|credentials?|pin)"
)
_DESCRIBING = (  # words that tell about a password rather than give one
    r"(?:an?|the|your|their|its|this|that|it|is|not|no|never|required|optional|string|text|opaque|from|for|of"
    r"|to"
    r"|returned|given|used|as|none|null|must|may|if|when|see|any|next|value|valid|invalid|expired|missing)\b"
)
_GIVES_A_SECRET = re.compile(
    rf"(?i)\b{_SECRET_NAME}(?:\s*=\s*[^\s,;)]{{3,}}|\s*:\s*(?=\S*\d)[^\s,;)]{{6,}}"
    rf"|\s*(?:is|was|will be|:)?\s*(?:[\"'`“‘])(?=[^\s\"'`]*[^\sA-Za-z_\"'`])[^\s\"'`]{{4,}}[\"'`”’]"
    rf"|\s(?=\S*\d)(?=\S*[A-Za-z])[^\s,;:.)\"'`]{{6,}}"
    rf"|\s+(?:is|was)\s+(?=\S*\d)[^\s,;)]{{4,}}|\s+(?:is|was)\s+[\"'`“‘][^\s\"'`]{{4,}})"
)
_GIVES_A_PASSWORD = re.compile(
    rf"(?i)\b(?:password|passwd|pwd|passphrase)\s*:\s*(?!{_DESCRIBING})[^\s,;)]{{4,}}"
)
_BEHIND_THE_USER = [
    re.compile(pattern, re.I)
    for pattern in (
        r"\b(?:do not|don['’]?t|never|must not|should not|without|avoid)\s+(?:\w+\s+){0,2}?"
        r"(?:tell|telling|mention|mentioning|reveal|revealing|disclose|disclosing|inform|informing|show"
        r"|showing"
        r"|notify|notifying|ask|asking|alert|alerting|let|letting)\b(?:\s+[\w'’]+){0,5}?\s+(?:user|human"
        r"|person|customer)s?\b",
        r"\b(?:do not|don['’]?t|never|must not)\s+(?:mention|reveal|disclose)\b",
        r"\b(?:hide|hidden|conceal|keep|secret)\b[^.]{0,40}\bfrom the (?:user|human|person|customer)s?\b",
        r"\bkeep\b[^.]{0,30}\b(?:secret|hidden|confidential|to yourself|between us)\b",
        r"\b(?:secretly|in secret|behind the user|unknown to the user|the user (?:must|should"
        r"|need) not (?:know|see))\b",
        r"\b(?:hidden|secret|confidential|internal|private)\s+(?:instruction|prompt|rule|note|directive"
        r"|guideline|policy)",
        r"\bsystem\s+(?:prompt|message|instruction)s?\b|\bdeveloper\s+(?:prompt|message)s?\b",
        r"\b(?:ignore|disregard|forget|override)\b[^.]{0,20}\b(?:previous|prior|earlier|above|other|all|any"
        r"|your)\b"
        r"[^.]{0,20}\b(?:instruction|prompt|rule|message|guideline)",
        r"\b(?:admin|administrator|root|master|internal|service|our)(?:['’]s)?\s+"
        r"(?:password|token|api[ _-]?key|secret|credential)s?\b",
        r"<\s*/?\s*(?:important|system|secret|instructions?|hidden)\s*>|<!--",
    )
]
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)

CREDENTIAL_NAMES = word_set(
    "password passwd passphrase pwd api_key apikey access_key secret_key private_key secret client_secret "
    "access_token auth_token bearer_token refresh_token credentials credential"
)
"""Parameters of these names make a model carry a credential."""


def secrets_in(text: str) -> Iterator[str]:
    """What looks like a credential, or like words that the user is not meant to see. For rule L05."""
    for what, pattern in _LOOKS_LIKE_A_KEY.items():
        if found := re.search(pattern, text):
            yield f"holds what looks like {what} ({found[0][:6]}…)"
    if found := _GIVES_A_SECRET.search(text) or _GIVES_A_PASSWORD.search(text):
        yield f"gives a credential away ({found[0].split()[0]} …)"
    for pattern in _BEHIND_THE_USER:
        if found := pattern.search(text):
            yield f"talks to the model behind the user's back ({' '.join(found[0].split())!r})"
            break
    if found := _INVISIBLE.search(text):
        yield f"holds a character that nobody can see (U+{ord(found[0]):04X})"


_QUOTED = r"(?:'[^'\s]{1,30}'|\"[^\"\s]{1,30}\"|`[^`\s]{1,30}`|‘[^’\s]{1,30}’|“[^”\s]{1,30}”)"
_WORD = r"[A-Za-z0-9][\w-]*"
_ITEM = rf"(?:{_QUOTED}|{_WORD})"
_OR = r"(?:,?\s+(?:or|and/or)\s+|\s*[|/]\s*)"
_ANY_OR = r"(?:,?\s+(?:or|and)\s+|\s*[|/]\s*|\s*,\s*)"
_END = r"(?=\s*(?:$|[.;:)\]!?—–(]|,?\s+by default))"
_INTRODUCED = (  # words after which a list is a list of values
    r"(?:\b(?:(?:any )?one|either|any) of(?: the following)?(?: values)?|\beither|\b(?:must|can|may|will"
    r"|should) be"
    r"|\b(?:status|state|priority|kind|type|mode|order|direction|level|format|severity|role"
    r"|visibility)(?=[,:(])[,:]?"
    r"|\b(?:is|are|takes?|accepts?|allowed|values?|options?|choices?|possible|supported|valid)(?: values?"
    r"| options?)?"
    r"(?: are| is)?)\s*:?\s*[\[({]?\s*"
)
_PROSE = (
    word_set(  # a list after one of these names things, not values: "words to find in title, body or tags"
        "in on of at about from with without within across by to into than like as via per between against "
        "the a an its their your his her this that these those each every any all no some such "
        "e.g e.g. eg example examples instance include includes including matches contains mentions finds"
    )
)
_ALPHABET = word_set("letters digits numbers characters dashes hyphens underscores dots spaces")
"""What a value is spelled with is no list of values: "letters, digits or dashes"."""
_SORTING = re.compile(r"\b(?:sort|sorted|order|ordered|group|grouped)\s+by\s*$", re.I)
_EXAMPLES = re.compile(
    r"(?:\be\.?g\.?|\bfor (?:example|instance)|\bsuch as|\blike|\bexamples?)[\s,:(]*$", re.I
)

_LISTS = (
    re.compile(rf"{_INTRODUCED}(?P<list>{_ITEM}(?:{_ANY_OR}{_ITEM})*?{_ANY_OR}{_ITEM}){_END}", re.I),
    re.compile(rf"(?P<list>{_QUOTED}(?:{_ANY_OR}{_QUOTED})+)"),
    re.compile(rf"(?<![\w'-])(?P<list>{_WORD}(?:\s*,\s*{_WORD})+{_OR}{_WORD}){_END}"),
    re.compile(rf"(?:^|[.:;(\[—–]\s*)(?P<list>{_WORD}(?:{_OR}{_WORD})+){_END}"),
    re.compile(rf"(?:^|[:(\[])\s*(?P<list>{_WORD}(?:\s*,\s*{_WORD}){{2,}}){_END}"),
    re.compile(rf"(?<!\S)(?P<list>{_WORD}(?:\s?[|]\s?{_WORD})+|{_WORD}(?:/{_WORD}){{2,}}){_END}"),
)


def listed_values(text: str) -> str | None:
    """The list of allowed values in a parameter's description, or None. For rule L09.

    "low, normal, high or urgent", "one of: a, b", "'asc' or 'desc'" are lists of values. Examples
    ("for example …") are not, nor is a list inside a sentence that names where or what ("in title, body
    or comments").
    """
    for pattern in _LISTS:
        for found in pattern.finditer(text):
            before = text[: found.start("list")]
            if _EXAMPLES.search(before) or _ALPHABET & set(found["list"].lower().replace(",", " ").split()):
                continue
            introduced = (
                pattern is _LISTS[0] or "'" in found["list"] or '"' in found["list"] or "`" in found["list"]
            )
            last = before.split()[-1].lower() if before.split() and before[-1:].isspace() else ""
            if not introduced and last in _PROSE and not _SORTING.search(before):
                continue
            return found["list"]
    return None
