"""The input and output schemas of the tools: JSON Schema 2020-12, closed, every parameter described.

Bounds live here and not only in descriptions: a schema refuses, a description pleads. `service.Desk`
checks the lengths again, for callers that come without a schema.
"""

from typing import Any

from helpdesk.service import BODY_MOST, COMMENT_MOST, KEY_MOST, PAGE_MOST, RESOLUTION_MOST, TITLE_MOST

__all__ = ["INPUT", "OUTPUT"]

Schema = dict[str, Any]

STATUS = ["open", "closed"]
PRIORITY = ["low", "normal", "high", "urgent"]
CURSOR = "^[A-Za-z0-9_-]{1,64}$"
NUMBER_MOST = 2**53 - 1  # the largest integer that every JSON reader keeps exact


def closed(properties: Schema, *optional: str) -> Schema:
    """An object schema without further properties; all are required but the optional ones."""
    required = [name for name in properties if name not in optional]
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def text(most: int, description: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def user(description: str) -> Schema:
    return text(64, description)


TICKET_ID = {"type": "integer", "minimum": 1, "maximum": NUMBER_MOST, "description": "The ticket's number."}

INPUT: dict[str, Schema] = {
    "tickets_search": closed(
        {
            "text": text(
                200,
                "Words as they stand in the title or the text of the ticket; A to Z and a to z are the same.",
            ),
            "status": {"type": "string", "enum": STATUS, "description": "Only tickets in this state."},
            "priority": {"type": "string", "enum": PRIORITY, "description": "Only tickets of this priority."},
            "customer": user("Only tickets of the customer with this user name."),
            "assignee": user("Only tickets that the member of staff with this user name owns."),
            "unassigned": {
                "type": "boolean",
                "description": "True: only tickets that nobody owns. False: only tickets that somebody owns.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": PAGE_MOST,
                "default": PAGE_MOST,
                "description": "How many tickets to return at most.",
            },
            "cursor": {
                "type": "string",
                "pattern": CURSOR,
                "description": "The next_cursor of the page before. Leave it out for the first page.",
            },
        },
        "text",
        "status",
        "priority",
        "customer",
        "assignee",
        "unassigned",
        "limit",
        "cursor",
    ),
    "ticket_get": closed({"ticket_id": TICKET_ID}),
    "ticket_create": closed(
        {
            "title": text(TITLE_MOST, "What is wrong, in one line."),
            "body": text(BODY_MOST, "The problem in full: what happened, and what was expected."),
            "priority": {
                "type": "string",
                "enum": PRIORITY,
                "default": "normal",
                "description": "How much it hurts.",
            },
            "customer": user(
                "For staff: the user name of the customer whose ticket it is. Customers leave it out."
            ),
            "idempotency_key": text(
                KEY_MOST, "A value of your own, new for each new ticket. A retry sends the same value again."
            ),
        },
        "priority",
        "customer",
        "idempotency_key",
    ),
    "ticket_comment": closed(
        {
            "ticket_id": TICKET_ID,
            "body": text(COMMENT_MOST, "The comment, as the people on the ticket will read it."),
        }
    ),
    "ticket_close": closed(
        {
            "ticket_id": TICKET_ID,
            "resolution": text(RESOLUTION_MOST, "One sentence: how the problem was solved."),
        }
    ),
    "ticket_reopen": closed({"ticket_id": TICKET_ID}),
    "ticket_assign": closed(
        {
            "ticket_id": TICKET_ID,
            "assignee": user("The user name of the member of support staff who takes it."),
        }
    ),
    "desk_export": {"type": "object", "additionalProperties": False},
}

SUMMARY = {
    "id": {"type": "integer"},
    "title": {"type": "string"},
    "status": {"type": "string", "enum": STATUS},
    "priority": {"type": "string", "enum": PRIORITY},
    "customer": {"type": "string"},
    "assignee": {"type": ["string", "null"]},
}
WHOLE = {
    **SUMMARY,
    "body": {"type": "string"},
    "resolution": {"type": ["string", "null"]},
    "opened_at": {"type": "string"},
}
COMMENT = closed(
    {
        "ticket_id": {"type": "integer"},
        "author": {"type": "string"},
        "body": {"type": "string"},
        "written_at": {"type": "string"},
    }
)
TICKET = closed(WHOLE)
THREAD = closed({**WHOLE, "comments": {"type": "array", "items": COMMENT}})

OUTPUT: dict[str, Schema] = {
    "tickets_search": closed(
        {
            "tickets": {"type": "array", "items": closed(SUMMARY), "maxItems": PAGE_MOST},
            "total": {"type": "integer", "minimum": 0},
            "next_cursor": {"type": ["string", "null"], "pattern": CURSOR},
        }
    ),
    "ticket_get": THREAD,
    "ticket_create": closed({"ticket": TICKET, "created": {"type": "boolean"}}),
    "ticket_comment": COMMENT,
    "ticket_close": TICKET,
    "ticket_reopen": TICKET,
    "ticket_assign": TICKET,
    "desk_export": closed({"tickets": {"type": "array", "items": THREAD}}),
}
