"""A lending library on the SDK: the well-behaved subject of the kit's tests. It speaks both eras."""

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

CLOSED = {"additionalProperties": False}
TOOLS = [
    types.Tool(
        name="books_search",
        description="Find books by words of the title. Use this to learn a book's number before book_lend. "
        "Returns the books found.",
        input_schema={
            "type": "object",
            "properties": {"words": {"type": "string", "description": "Words of the title."}},
            **CLOSED,
        },
        output_schema={
            "type": "object",
            "properties": {"books": {"type": "array", "items": {"type": "string"}}},
            **CLOSED,
        },
        annotations=types.ToolAnnotations(read_only_hint=True),
    ),
    types.Tool(
        name="book_lend",
        description="Lend one book to the caller. Use this when the number is known, else books_search. "
        "Returns the day when the book is due.",
        input_schema={
            "type": "object",
            "properties": {"book": {"type": "integer", "description": "The book's number."}},
            "required": ["book"],
            **CLOSED,
        },
        output_schema={"type": "object", "properties": {"due": {"type": "string"}}, **CLOSED},
        annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False),
    ),
]


async def list_tools(context, params) -> types.ListToolsResult:
    """One tool a page, so that paging is used."""
    at = int(params.cursor) if params and params.cursor else 0
    more = str(at + 1) if at + 1 < len(TOOLS) else None
    return types.ListToolsResult(tools=[TOOLS[at]], next_cursor=more)


async def call_tool(context, params) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=f"called {params.name}")])


async def main() -> None:
    server = Server("library", version="3", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


anyio.run(main)
