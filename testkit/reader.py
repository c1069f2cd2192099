"""A stand-in for a model: it chooses a tool by shared words and recovers by following hints.

It is a script. A high score shows that the words needed are there and can be told apart; it does not show
that any model would do the same. It is free, takes no time, and gives the same answer each time, so it can
stand in a test suite. A real model fits the same interface (`testkit.model_reader`).

Nothing here knows any server's tools or goals.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from testkit.hints import Call, Repair, follow
from testkit.tools import ToolLike, as_dict, name_of, text_of
from testkit.words import words_of

__all__ = [
    "MAX_CALLS",
    "MAX_REPAIRS",
    "Call",
    "Reader",
    "Recovery",
    "Repair",
    "StandInReader",
    "Step",
    "make_reader",
    "recover",
    "recover_async",
]

MAX_REPAIRS, MAX_CALLS = 3, 5

Answer = tuple[bool, str]
"""What a call gave: the result's `isError`, and its text."""


class Reader(Protocol):
    """Whoever reads tools and errors in place of a person: this script, or a model."""

    def choose(self, goal: str) -> str:
        """The name of the tool to reach the goal with."""
        ...

    def repair(self, call: Call, error: str, goal: str = "") -> Repair:
        """What to call after `call` was refused with these words; no calls means to leave it."""
        ...


class StandInReader:
    """The scripted reader of a list of tools.

    Args:
        tools: `mcp_types.Tool` objects or dicts. Only names and descriptions count for choosing, and
            input schemas for filling in the arguments of a tool that a hint names.
        weigh_rare: False counts every shared word the same, to see what weighing does.
    """

    def __init__(self, tools: Iterable[ToolLike], *, weigh_rare: bool = True) -> None:
        self.tools = {name_of(tool): tool for tool in map(as_dict, tools)}
        self._weigh_rare = weigh_rare
        self._name_words = {name: set(words_of(name)) for name in self.tools}
        self._words = {name: self._name_words[name] | self._description_words(name) for name in self.tools}

    def _description_words(self, name: str) -> set[str]:
        text = text_of(self.tools[name].get("description"))
        for other in sorted(self.tools, key=len, reverse=True):
            if other != name:  # "to undo it call x" tells about x
                text = text.replace(other, " ")
        return set(words_of(text))

    def ranking(self, goal: str) -> list[tuple[str, float]]:
        """Every tool with its score for the goal, best first; equal ones in the order of the list.

        A shared word scores log(tools / tools that have it), twice that if it is in the tool's name.
        """
        wanted = dict.fromkeys(words_of(goal))
        scores = {
            name: sum(
                self._weight(word) * (2 if word in self._name_words[name] else 1)
                for word in wanted
                if word in own
            )
            for name, own in self._words.items()
        }
        return sorted(scores.items(), key=lambda item: -item[1])

    def _weight(self, word: str) -> float:
        if not self._weigh_rare:
            return 1.0
        return math.log(len(self._words) / sum(word in own for own in self._words.values()))

    def choose(self, goal: str) -> str:
        """The tool whose name and description share most with the goal. Raises ValueError without tools."""
        if not self.tools:
            raise ValueError("there are no tools to choose from")
        return self.ranking(goal)[0][0]

    def repair(self, call: Call, error: str, goal: str = "") -> Repair:
        """What the words of the error say to do; see `testkit.hints`."""
        return follow(call, error, self.tools, goal)


@dataclass(frozen=True)
class Step:
    """One call and what it gave."""

    call: Call
    is_error: bool
    text: str


@dataclass
class Recovery:
    """What a reader did about a call: every step, how many repairs, and why it stopped.

    Whether it reached what was wanted is for the caller to judge, best by the server's own data.
    """

    steps: list[Step] = field(default_factory=list)
    repairs: int = 0
    reason: str = ""
    cut_short: bool = False
    """Whether calls were left to make when there had been enough."""

    @property
    def succeeded(self) -> bool:
        """Whether the last call was no error and none was left to make."""
        return bool(self.steps) and not self.steps[-1].is_error and not self.cut_short

    @property
    def characters(self) -> int:
        """How many characters of error text were read."""
        return sum(len(step.text) for step in self.steps if step.is_error)


def recover(
    reader: Reader, call: Call, perform: Callable[[str, dict[str, Any]], Answer], goal: str = ""
) -> Recovery:
    """Make the call and follow the reader's repairs: three at most, and five calls at most.

    Args:
        reader: decides what to do about an error.
        call: the first call.
        perform: makes a call (tool, arguments) and gives (is_error, text).
        goal: what the user wanted, in words; a hint that begins "if …" is judged by it.
    """
    recovery = Recovery()
    attempts = _attempts(reader, call, goal, recovery)
    wanted = next(attempts, None)
    while wanted is not None:
        wanted = _next(attempts, perform(wanted.tool, dict(wanted.arguments)))
    return recovery


async def recover_async(
    reader: Reader, call: Call, perform: Callable[[str, dict[str, Any]], Awaitable[Answer]], goal: str = ""
) -> Recovery:
    """As `recover`, with a `perform` that is awaited."""
    recovery = Recovery()
    attempts = _attempts(reader, call, goal, recovery)
    wanted = next(attempts, None)
    while wanted is not None:
        wanted = _next(attempts, await perform(wanted.tool, dict(wanted.arguments)))
    return recovery


def _attempts(reader: Reader, first: Call, goal: str, recovery: Recovery) -> Generator[Call, Answer, None]:
    ahead = [first]
    while ahead:
        if len(recovery.steps) == MAX_CALLS:
            recovery.reason, recovery.cut_short = f"{MAX_CALLS} calls were not enough", True
            return
        call = ahead.pop(0)
        is_error, text = yield call
        recovery.steps.append(Step(call, is_error, text))
        if not is_error:
            recovery.reason = "the last call succeeded"
            continue
        if recovery.repairs == MAX_REPAIRS:
            recovery.reason = f"{MAX_REPAIRS} repairs were not enough"
            return
        repair = reader.repair(call, text, goal)
        recovery.reason = repair.reason
        if not repair.calls:
            return
        recovery.repairs += 1
        ahead = [*repair.calls, *ahead]


def _next(attempts: Generator[Call, Answer, None], answer: Answer) -> Call | None:
    try:
        return attempts.send(answer)
    except StopIteration:
        return None


def make_reader(
    spec: str | None, tools: Iterable[ToolLike], *, model: str = "", key: str | None = None
) -> Reader:
    """The reader that `--reader SPEC` names: nothing or "stand-in" for the script, an address for a model.

    Raises:
        ValueError: the spec is neither.
    """
    if spec in (None, "", "stand-in"):
        return StandInReader(tools)
    if spec.startswith(("http://", "https://")):
        from testkit.model_reader import ModelReader

        return ModelReader(spec, model, key, tools=tools)
    raise ValueError(
        f"no reader {spec!r}: give stand-in, or the http(s) address of an OpenAI-compatible endpoint"
    )


def describe(call: Call | Mapping[str, Any]) -> str:
    """A call for a report: `tool(argument='value')`."""
    tool, arguments = (
        (call.tool, call.arguments) if isinstance(call, Call) else (call["tool"], call["arguments"])
    )
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
