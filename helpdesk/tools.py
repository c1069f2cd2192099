"""The eight tools, and the adapter between them and MCP.

The adapter holds no rule of the desk. It checks arguments against the input schema, calls the `Desk`,
checks the result against the output schema, and turns every failure into words: a refusal by the desk
into its message and hint, a bug into a reference that the operator can look up.
(MCP 2026-07-28, server/tools, "Error Handling": what the caller can act on is a result with `isError`.)
"""

import itertools
import json
import logging
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator, SchemaError

from helpdesk.errors import DeskError
from helpdesk.schemas import INPUT, OUTPUT
from helpdesk.service import Desk
from helpdesk.words import invalid_arguments

__all__ = ["TOOLS", "Tool", "ToolBox", "UnknownTool"]

logger = logging.getLogger("helpdesk")

NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
CHANGES = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}


@dataclass(frozen=True)
class Tool:
    """One tool: what a client is told of it, the token scope that it needs, and the method that it runs."""

    name: str
    description: str
    scope: str
    hints: Mapping[str, bool]
    run: Callable[..., dict[str, Any]]
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]

    def listed(self) -> types.Tool:
        """The tool as `tools/list` shows it."""
        return types.Tool(
            name=self.name,
            description=self.description,
            input_schema=dict(self.input_schema),
            output_schema=dict(self.output_schema),
            annotations=types.ToolAnnotations.model_validate(self.hints),
        )


def tool(name: str, scope: str, hints: Mapping[str, bool], run: Callable[..., Any], description: str) -> Tool:
    return Tool(name, description, scope, hints, run, INPUT[name], OUTPUT[name])


TOOLS = (
    tool(
        "tickets_search",
        "tickets:read",
        READS,
        Desk.search,
        "Search the tickets you can see, newest first, at most 20 a page. Use this to list tickets or "
        "to find them by words, status, priority, customer or assignee; for the whole of one ticket "
        "call ticket_get. Returns a short row for each ticket, the total, and next_cursor if there are "
        "more.",
    ),
    tool(
        "ticket_get",
        "tickets:read",
        READS,
        Desk.get,
        "Read one ticket in full, with all its comments, oldest first. Use this when you know the "
        "number of the ticket; to find the number call tickets_search. Returns the ticket's text, "
        "status, priority, customer, assignee, resolution and comments.",
    ),
    tool(
        "ticket_create",
        "tickets:write",
        ADDS,
        Desk.create,
        "Open a new ticket for a problem or a request. Use this once for each new problem; to add to a "
        "ticket that exists call ticket_comment. Send an idempotency_key, so that a retry does not open "
        "a second ticket. Returns the ticket, and created: false if the key was used before.",
    ),
    tool(
        "ticket_comment",
        "tickets:write",
        ADDS,
        Desk.comment,
        "Add a comment to a ticket. Use this to answer, to ask, or to note what is new on an existing "
        "ticket, and to ask staff for what only they may do; to finish a ticket call ticket_close. "
        "Returns the comment.",
    ),
    tool(
        "ticket_close",
        "tickets:write",
        CHANGES,
        Desk.close,
        "Close an open ticket with a one-sentence resolution. Staff only. Use this when the problem is "
        "solved or answered; to undo it call ticket_reopen. Returns the closed ticket.",
    ),
    tool(
        "ticket_reopen",
        "tickets:write",
        CHANGES,
        Desk.reopen,
        "Open a closed ticket again and clear its resolution. Staff only. Use this when a closed ticket "
        "needs more work; for a different problem call ticket_create. Returns the open ticket.",
    ),
    tool(
        "ticket_assign",
        "tickets:write",
        CHANGES,
        Desk.assign,
        "Make a member of support staff the owner of a ticket. Staff only. Use this to hand a ticket to "
        "somebody or to take it yourself; to say something about it call ticket_comment. Returns the "
        "ticket with its new assignee.",
    ),
    tool(
        "desk_export",
        "desk:admin",
        READS,
        Desk.export,
        "Export every ticket with all its comments in one answer, which grows with the desk. "
        "Administrators only. Use this for a full copy of the desk; to look something up call "
        "tickets_search, whose answers stay small. Returns all tickets.",
    ),
)


class UnknownTool(Exception):
    """No tool has this name: a protocol error, -32602 (MCP 2026-07-28, server/tools, "Error Handling")."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"Unknown tool: {name!r}. The tools are {', '.join(known)}.")


class ToolBox:
    """The tools over one desk, ready to be listed and called.

    Raises:
        ValueError: two tools have one name, a name is not lower snake case of 3 to 41 characters, or a
            schema is none. The SDK takes all of these without a word, so the desk refuses at start.
    """

    def __init__(self, desk: Desk, tools: Iterable[Tool] = TOOLS) -> None:
        self.desk = desk
        self.tools: dict[str, Tool] = {}
        self.inputs: dict[str, Draft202012Validator] = {}
        self.outputs: dict[str, Draft202012Validator] = {}
        self.references = itertools.count(1)
        for tool in tools:
            if not NAME.fullmatch(tool.name):
                raise ValueError(f"{tool.name!r} is no tool name: lower snake case, 3 to 41 characters")
            if tool.name in self.tools:
                raise ValueError(f"two tools are called {tool.name!r}")
            for schema in (tool.input_schema, tool.output_schema):
                if schema.get("type") != "object":
                    raise ValueError(f"a schema of {tool.name!r} does not have the type 'object'")
                if fault := schema_fault(json.dumps(schema)):
                    raise ValueError(f"a schema of {tool.name!r} is no JSON Schema: {fault}")
            self.tools[tool.name] = tool
            self.inputs[tool.name] = Draft202012Validator(tool.input_schema)
            self.outputs[tool.name] = Draft202012Validator(tool.output_schema)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The input schema of a tool, or None where there is no such tool."""
        return self.tools[name].input_schema if name in self.tools else None

    def call(self, caller: str, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Run a tool for a user. Whatever fails comes back as a result with `is_error` and words.

        Raises:
            UnknownTool: there is no such tool.
        """
        if name not in self.tools:
            raise UnknownTool(name, self.tools)
        complaint = invalid_arguments(name, self.inputs[name], arguments)
        if complaint is not None:
            return failure(complaint)
        try:
            result = self.tools[name].run(self.desk, caller, **whole_numbers(arguments))
            self.outputs[name].validate(result)
        except DeskError as error:
            logger.info("%s refused %s: %s", name, caller, error.code)
            return failure(f"{error.message} {error.hint}")
        except Exception as error:
            if is_busy(error):
                logger.warning("%s for %s: the database is locked by another program", name, caller)
                return failure(f"The desk is busy and nothing was changed. Call `{name}` again in a moment.")
            reference = f"e-{next(self.references)}"
            logger.exception("%s failed for %s, reference %s", name, caller, reference)
            return failure(
                f"The tool failed unexpectedly (reference {reference})."
                " Do not retry the same call; tell the user."
            )
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=result, is_error=False
        )


def is_busy(error: Exception) -> bool:
    """Whether another program holds the database's lock, which a later call may find free."""
    return (
        isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    )


@cache
def schema_fault(schema: str) -> str:
    """What makes a JSON text no JSON Schema, or "". Kept, for to check the desk's schemas takes 0.1 s."""
    try:
        Draft202012Validator.check_schema(json.loads(schema))
    except SchemaError as error:
        return error.message
    return ""


def failure(text: str) -> types.CallToolResult:
    """A result that tells the caller what went wrong."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def whole_numbers(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema counts 5.0 as an integer; the desk wants an int."""
    return {name: int(value) if isinstance(value, float) else value for name, value in arguments.items()}
