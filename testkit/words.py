"""The words of a text for comparing texts: plain English, no dictionary, nothing learned."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as a text, blanks between them."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    "a about after again all also am an and any are as at be because been before being between both but by "
    "can "
    "cannot could did do does doing done down during each either else ever every few for from further get "
    "gets got "
    "had has have having he her here hers him his how i if in into is it its itself just let like made make "
    "makes "
    "many may me might mine more most much must my neither no nor not now of off on once only or other our "
    "out "
    "over own per please same shall she should so some such than that the their them then there these they "
    "this "
    "those through to too under until up upon us use used uses using very via want wants was we were what "
    "when "
    "where whether which while who whom whose why will with within without would yes yet you your"
)
"""Function words, which say nothing about what a text is about."""


def words_of(text: str) -> list[str]:
    """The stems of a text's words, in order, without stop words and numbers. Names are taken apart."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).replace("'s", "").replace("’s", "")
    return [stem(word) for word in re.findall(r"[a-z]{2,}", parted.lower()) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """The word without its commonest English endings, so that "closing" and "closed" meet as "clos"."""
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and re.search("[aeiouy]", rest):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word
