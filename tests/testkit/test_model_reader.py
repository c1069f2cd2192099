"""The reader that asks a model, against a stand-in endpoint on the loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from testkit.model_reader import ModelReader, ModelUnusable
from testkit.reader import Call, recover

TOOLS = [
    {"name": "book_lend", "description": "Lend.", "inputSchema": {"type": "object"}},
    {"name": "book_return", "description": "Return.", "inputSchema": {"type": "object"}},
]
LEND = Call("book_lend", {"book": 3})


class Endpoint:
    """Answers with what the test puts in `answers`, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[dict] = []
        self.keys: list[str | None] = []
        self.answers: list[tuple[int, object]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                outer.asked[-1]["path"] = self.path
                outer.keys.append(self.headers["Authorization"])
                status, answer = outer.answers.pop(0)
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format, *args) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def will_say(self, content: str | None = None, tool: str = "", arguments: object = None) -> None:
        made = (
            [{"id": "1", "function": {"name": tool, "arguments": json.dumps(arguments or {})}}]
            if tool
            else None
        )
        self.answers.append((200, {"choices": [{"message": {"content": content, "tool_calls": made}}]}))


@pytest.fixture
def endpoint():
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


def reader(endpoint: Endpoint, key: str | None = None) -> ModelReader:
    return ModelReader(endpoint.url, "small", key, tools=TOOLS, timeout=5)


def test_the_model_is_given_goal_and_tools_and_its_call_is_the_choice(endpoint):
    endpoint.will_say(tool="book_return")
    assert reader(endpoint, "k-1").choose("bring it back") == "book_return"
    asked = endpoint.asked[0]
    assert (asked["path"], asked["model"], endpoint.keys) == ("/v1/chat/completions", "small", ["Bearer k-1"])
    assert asked["messages"][-1] == {"role": "user", "content": "bring it back"}
    assert [each["function"]["name"] for each in asked["tools"]] == ["book_lend", "book_return"]


def test_a_choice_in_words_counts_when_it_names_one_tool(endpoint):
    endpoint.will_say("I would call `book_lend`.")
    assert reader(endpoint).choose("lend it") == "book_lend"
    assert endpoint.keys == [None]


@pytest.mark.parametrize(
    ("content", "tool"), [("Nothing fits.", ""), ("book_lend or book_return", ""), (None, "bake")]
)
def test_a_choice_that_is_none_of_the_tools_is_no_choice(endpoint, content, tool):
    endpoint.will_say(content, tool)
    with pytest.raises(ModelUnusable, match="chose no tool of the list"):
        reader(endpoint).choose("lend it")


def test_a_refusal_is_shown_to_the_model_and_its_calls_are_followed(endpoint):
    endpoint.will_say(tool="book_return", arguments={"book": 3})
    done = []

    def perform(name, arguments):
        done.append((name, arguments))
        return name == "book_lend", "Lent. Call `book_return`."

    assert recover(reader(endpoint), LEND, perform, "lend book 3").succeeded
    assert done == [("book_lend", {"book": 3}), ("book_return", {"book": 3})]
    assert [each["role"] for each in endpoint.asked[0]["messages"]] == ["system", "user", "assistant", "tool"]
    assert endpoint.asked[0]["messages"][-1]["content"] == "Lent. Call `book_return`."


def test_words_without_a_call_mean_to_leave_it(endpoint):
    endpoint.will_say("It is closed already; nothing to do.")
    repair = reader(endpoint).repair(LEND, "Lent.")
    assert (repair.calls, repair.reason) == ((), "It is closed already; nothing to do.")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, {"error": "no key"}), "answered 401: .*no key"),
        ((200, b"<html>"), "no chat completion"),
        ((200, {"choices": []}), "no chat completion"),
        ((200, []), "no chat completion"),
    ],
)
def test_an_endpoint_that_does_not_play_along_is_told_in_words(endpoint, answer, words):
    endpoint.answers.append(answer)
    with pytest.raises(ModelUnusable, match=words):
        reader(endpoint).choose("lend it")


def test_an_endpoint_that_is_not_there_is_told_in_words(endpoint):
    nobody = reader(endpoint)
    endpoint.server.server_close()
    nobody.timeout = 1
    with pytest.raises(ModelUnusable, match="cannot be reached"):
        nobody.choose("lend it")


def test_only_http_addresses_are_taken():
    with pytest.raises(ValueError, match=r"no http\(s\) address"):
        ModelReader("file:///etc/passwd", "m", tools=TOOLS)
