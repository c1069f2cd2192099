"""What a tool's name says that it does: read, or write."""

from __future__ import annotations

import re
from typing import Literal

from testkit.words import word_set

READING = word_set("get read fetch describe lookup retrieve download")
WRITING = word_set(
    "create delete remove destroy erase purge drop add insert append assign unassign reassign reopen close "
    "write "
    "send edit update upsert modify rename replace restore cancel approve reject submit publish upload "
    "register "
    "invite grant revoke enable disable comment reply resolve escalate merge move"
)
DESTROYING = word_set("delete remove destroy erase purge drop")

READING_OR_A_THING = word_set("search list export view query count find show check report summarize stats")
"""Reading verbs that are nouns as well: `create_list` creates."""
WRITING_OR_A_THING = word_set(
    "comment update reply edit move set put patch post open mark tag archive import note start stop reset "
    "merge"
)
"""Writing verbs that are nouns as well: `get_update` reads."""

Kind = Literal["read", "write"]


def intent(name: str) -> tuple[Kind | None, str]:
    """What the name says, and the verb that says it; (None, "") when no verb is plain.

    The verb stands first or last (`delete_ticket`, `ticket_delete`). Where both ends are verbs, one that
    cannot be a noun wins, else the first. After "and" or "or", any writing verb makes it a writer.
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    parts = [part for part in re.split(r"[^a-z]+", words) if part]
    if not parts:
        return None, ""
    if {"and", "or"} & set(parts):
        for part in parts:
            if part in WRITING:
                return "write", part
    ends = [part for part in (parts[0], parts[-1]) if _kind(part)]
    plain = [part for part in ends if part not in READING_OR_A_THING | WRITING_OR_A_THING]
    verb = [*plain, *ends, ""][0]
    return _kind(verb), verb


def _kind(word: str) -> Kind | None:
    if word in READING or word in READING_OR_A_THING:
        return "read"
    if word in WRITING or word in WRITING_OR_A_THING:
        return "write"
    return None
