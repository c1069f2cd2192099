"""Does any input break the desk? Arguments generated from the schemas, lines of text, worlds of any size."""

import json
import math
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from grading.fixtures.client import text_of
from grading.fixtures.generated import examples

CRASH = "The tool failed unexpectedly"
TOOLS = ["tickets_search", "ticket_get", "ticket_create", "ticket_comment", "ticket_close", "ticket_reopen",
         "ticket_assign", "desk_export"]  # fmt: skip

characters = st.characters(codec="utf-8", exclude_characters="\0")
names = st.text(characters, max_size=8)
plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema of one parameter."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "boolean":
        return st.booleans()
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema["maximum"]) | st.integers(schema["minimum"], 20)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    most = schema.get("maxLength", 30)
    return st.text(characters, min_size=schema.get("minLength", 0), max_size=min(most, 30)) | st.just(
        "x" * most
    )


def fitting_arguments(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments that fit an input schema, optional ones now and then."""
    values = {name: fitting(its) for name, its in schema.get("properties", {}).items()}
    required = {name: values.pop(name) for name in schema.get("required", [])}
    return st.fixed_dictionaries(required, optional=values)


@examples(12)
@given(data=st.data())
def test_arguments_that_fit_the_schema_never_crash_a_tool(client, env, data):
    name = data.draw(st.sampled_from(TOOLS))
    arguments = data.draw(arguments_of(client, name))
    user = data.draw(st.sampled_from(["alice", "carol", "dave"]))
    result = as_user(client, user).call(name, **arguments)
    text = text_of(result)
    assert CRASH not in text, env.errors
    assert "Invalid arguments" not in text, "the schema lets it through, and the tool does not"
    if not result.is_error:
        assert json.loads(text) == result.structured_content
    assert env.errors == []


@examples(12)
@given(data=st.data())
def test_arguments_that_do_not_fit_are_always_refused_in_words(client, env, data):
    name = data.draw(st.sampled_from(TOOLS))
    schema = input_schema(client, name)
    arguments = data.draw(arguments_of(client, name))
    properties = schema.get("properties", {})
    broken = data.draw(st.sampled_from([*properties, "no such argument"]))
    value = data.draw(plain_json)
    if broken in properties and fits(properties[broken], value):
        arguments[broken] = {"not": "what was asked for"}
    else:
        arguments[broken] = value
    text = as_user(client, "dave").refused(name, **arguments)
    assert text.startswith("Invalid arguments: arguments.")
    assert text.endswith(f"Fix the arguments and call `{name}` again.")
    assert len(text) < 2000
    assert env.errors == []


def kept(client: Any, key: str, make: Callable[[], Any]) -> Any:
    """Something that all examples of a test share: made once, and kept with the test's client."""
    known = client.__dict__.setdefault("kept", {})
    if key not in known:
        known[key] = make()
    return known[key]


def input_schema(client: Any, tool: str) -> dict[str, Any]:
    """What `tools/list` says that a tool takes."""
    return kept(client, "schemas", lambda: {each.name: each.input_schema for each in client.tools()})[tool]


def arguments_of(client: Any, tool: str) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments that fit the tool; made once, for to make them is slower than to draw from them."""
    return kept(client, f"arguments of {tool}", lambda: fitting_arguments(input_schema(client, tool)))


def as_user(client: Any, user: str) -> Any:
    """One connection a user."""
    return kept(client, user, lambda: client.as_user(user))


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a value may fit, generously: then the test takes another."""
    kinds = {"string": str, "boolean": bool, "integer": int | float}
    return isinstance(value, kinds[schema["type"]])


def is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=lambda name: math.nan)
    except ValueError:
        return False
    return True


lines = (
    st.text(characters, min_size=1, max_size=40)
    | plain_json.map(json.dumps)
    | plain_json.map(lambda value: json.dumps({"jsonrpc": "2.0", "params": value}))
    | plain_json.map(lambda value: json.dumps({"jsonrpc": "2.0", "id": 1, "method": value})[:-1])
)


@examples(16)
@given(line=lines)
def test_no_line_of_text_kills_the_server_and_each_gets_the_code_that_it_deserves(wire, line):
    line = line.replace("\n", " ").replace("\r", " ")
    if "NaN" in line or "Infinity" in line:
        return  # JSON has neither, and readers differ
    wire.send(line)
    wire.request("prompts/list")
    said, wire.kept = wire.kept, []
    if not line.strip(" \t\r\f\v"):
        assert said == []
        return
    code = -32600 if is_json(line) else -32700
    assert [reply["error"]["code"] for reply in said] == [code], line


@examples(5)
@given(
    size=st.integers(12, 70), limit=st.integers(1, 20), caller=st.sampled_from(["alice", "carol", "frank"])
)
def test_paging_covers_any_world_once(tmp_path, size, limit, caller):
    from grading.fixtures.env import Env

    with Env(tmp_path) as env:
        env.grow(size)
        seen, cursor, page = [], None, {}
        for _ in range(size + 1):
            page = env.desk.search(caller, limit=limit, cursor=cursor)
            seen += [ticket["id"] for ticket in page["tickets"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        own = "1" if caller == "alice" else f"customer = '{caller}'"
        assert cursor is None, "paging does not end"
        assert [(number,) for number in sorted(seen)] == env.rows(
            f"SELECT id FROM tickets WHERE {own} ORDER BY id"
        )
        assert page["total"] == len(seen)
