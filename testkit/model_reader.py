"""A real model as the reader: any endpoint that speaks OpenAI's chat completions.

It costs money, takes seconds, and answers differently from day to day; that is why the suite uses the
script, and why a score of this one belongs into a report and not into a check.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from typing import Any

from testkit.hints import Call, Repair
from testkit.tools import ToolLike, as_dict, name_of, text_of

INSTRUCTIONS = (
    "You reach the user's goal by calling tools. Call exactly one tool. After an error call what the error "
    "tells you to, or answer in words without a call when nothing more should be done."
)


class ModelUnusable(Exception):
    """The endpoint cannot be reached, refuses, or answers something else. The message says which."""


class ModelReader:
    """Reads tools and errors with a model behind an HTTP endpoint.

    Args:
        url: the endpoint's base, such as `http://127.0.0.1:8080/v1`, or the full address of its
            `chat/completions`.
        model: the model's name there.
        key: sent as a bearer token if given.
        tools: the tools it may choose from.
        timeout: seconds for one request.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        tools: Iterable[ToolLike],
        timeout: float = 60.0,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"no http(s) address: {url!r}")
        base = url.rstrip("/")
        self.url = base if base.endswith("/chat/completions") else f"{base}/chat/completions"
        self.model, self.timeout = model, timeout
        self._key = key
        self.tools = {name_of(tool): tool for tool in map(as_dict, tools)}

    def choose(self, goal: str) -> str:
        """The tool that the model calls, or the only one that it names in words.

        Raises:
            ModelUnusable: no answer, or one that names no tool, or one that does not exist.
        """
        answer = self._ask([{"role": "user", "content": goal}])
        calls = _calls(answer)
        if calls:
            chosen = calls[0].tool
        else:
            words = set(re.findall(r"[\w.-]+", text_of(answer.get("content"))))
            named = [name for name in self.tools if name in words]
            chosen = named[0] if len(named) == 1 else ""
        if chosen not in self.tools:
            raise ModelUnusable(f"{self.url} chose no tool of the list: {json.dumps(answer)[:300]}")
        return chosen

    def repair(self, call: Call, error: str, goal: str = "") -> Repair:
        """What the model calls after the refusal; no call means that it leaves it. Raises ModelUnusable."""
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        made = {"id": "call_1", "type": "function", "function": {"name": call.tool, "arguments": arguments}}
        answer = self._ask(
            [
                {"role": "user", "content": goal or f"Call {call.tool} with {arguments}."},
                {"role": "assistant", "content": None, "tool_calls": [made]},
                {"role": "tool", "tool_call_id": "call_1", "content": error},
            ]
        )
        calls = _calls(answer)[:1]
        return Repair(tuple(calls), text_of(answer.get("content")) or "the model's choice")

    def _ask(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        body = {
            "model": self.model,
            "temperature": 0,
            "messages": [{"role": "system", "content": INSTRUCTIONS}, *messages],
            "tools": [_function(tool) for tool in self.tools.values()],
        }
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                answer = json.load(response)
            message = answer["choices"][0]["message"]
            if not isinstance(message, dict):
                raise TypeError("a message that is no object")
        except urllib.error.HTTPError as error:
            said = error.read(500).decode("utf-8", "replace")
            raise ModelUnusable(f"{self.url} answered {error.code}: {said}") from error
        except OSError as error:  # unreachable, or too slow
            raise ModelUnusable(f"{self.url} cannot be reached: {error}") from error
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise ModelUnusable(
                f"{self.url} answered something that is no chat completion: {error}"
            ) from error
        return message


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name_of(tool),
            "description": text_of(tool.get("description")),
            "parameters": tool.get("inputSchema") or {"type": "object"},
        },
    }


def _calls(message: Mapping[str, Any]) -> list[Call]:
    """The tool calls of a message; arguments that are no JSON object count as none."""
    calls: list[Call] = []
    for made in message.get("tool_calls") or []:
        function = made.get("function") or {} if isinstance(made, Mapping) else {}
        try:
            arguments = json.loads(function.get("arguments") or "{}")
        except (ValueError, TypeError):
            arguments = {}
        calls.append(Call(str(function.get("name", "")), arguments if isinstance(arguments, dict) else {}))
    return calls
