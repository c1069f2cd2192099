"""The desk as an MCP server: the SDK's low-level server with the desk's tools, resource and prompt.

Both protocol eras come from the SDK. What it leaves to the server is added here and in `tools`, `wire`
and `http_main`.
"""

from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from helpdesk import __version__
from helpdesk.service import Desk
from helpdesk.tools import ToolBox, UnknownTool

__all__ = ["make_server"]

INSTRUCTIONS = (
    "A help desk. Customers see and comment on their own tickets; staff work on all of them. Start with"
    " tickets_search. Every failure says what to do next."
)

POLICY_URI = "desk://policy"
POLICY = """# How this desk works

- A customer sees her own tickets and nobody else's. Staff see all.
- Answer urgent tickets first; one that nobody owns goes to the member of staff who finds it.
- Close a ticket only with a resolution that the customer can use. Reopen it if the problem is back.
- Only an administrator exports the desk.
"""

TRIAGE = "triage"
TRIAGE_TEXT = (
    "Find the open urgent tickets that nobody owns with `tickets_search`. Read each with `ticket_get`,"
    " give it to a member of support staff with `ticket_assign`, and tell the customer what happens next"
    " with `ticket_comment`."
)

RESOURCE_NOT_FOUND = -32002  # 2025-11-25 only; 2026-07-28 says -32602 and forbids this one

# The lists are the same for every caller, so a client may share what it keeps of them.
FRESH = CacheHint(ttl_ms=300_000, scope="public")
CACHE_HINTS: dict[CacheableMethod, CacheHint] = {
    "server/discover": FRESH,
    "tools/list": FRESH,
    "prompts/list": FRESH,
    "resources/list": FRESH,
    "resources/templates/list": FRESH,
    "resources/read": FRESH,
}

Context = ServerRequestContext[Any]
Paging = types.PaginatedRequestParams | None


def make_server(desk: Desk, caller: str | Callable[[], str]) -> Server[Any]:
    """An MCP server for one desk.

    `caller` is the user for whom calls are made: a name where the transport has one user (stdio), or a
    function that says who the user of the current request is (HTTP).
    """
    toolbox = ToolBox(desk)

    async def list_tools(ctx: Context, params: Paging) -> types.ListToolsResult:
        refuse_cursor(params)
        return types.ListToolsResult(tools=[tool.listed() for tool in toolbox.tools.values()])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        user = caller if isinstance(caller, str) else caller()
        try:
            return toolbox.call(user, params.name, params.arguments or {})
        except UnknownTool as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    return Server(
        "helpdesk",
        version=__version__,
        title="Help desk",
        instructions=INSTRUCTIONS,
        cache_hints=CACHE_HINTS,
        get_tool_input_schema=toolbox.input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_resource_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def refuse_cursor(params: Paging) -> None:
    """Every list is one page, so no cursor is one that this server gave."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor. Leave `cursor` out: the list is one page.")


async def list_resources(ctx: Context, params: Paging) -> types.ListResourcesResult:
    refuse_cursor(params)
    policy = types.Resource(
        name="policy",
        uri=POLICY_URI,
        description="How the desk works: who sees what, what comes first, when a ticket is closed.",
        mime_type="text/markdown",
    )
    return types.ListResourcesResult(resources=[policy])


async def list_resource_templates(ctx: Context, params: Paging) -> types.ListResourceTemplatesResult:
    refuse_cursor(params)
    return types.ListResourceTemplatesResult(resource_templates=[])


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    if str(params.uri) != POLICY_URI:
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        code = types.INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
        raise MCPError(
            code, f"No resource {str(params.uri)!r}. There is one: {POLICY_URI}", {"uri": str(params.uri)}
        )
    text = types.TextResourceContents(uri=POLICY_URI, mime_type="text/markdown", text=POLICY)
    return types.ReadResourceResult(contents=[text])


async def list_prompts(ctx: Context, params: Paging) -> types.ListPromptsResult:
    refuse_cursor(params)
    triage = types.Prompt(name=TRIAGE, description="Give every urgent ticket that nobody owns to somebody.")
    return types.ListPromptsResult(prompts=[triage])


async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name != TRIAGE:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name!r}. There is one: {TRIAGE}.")
    text = types.TextContent(type="text", text=TRIAGE_TEXT)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])
