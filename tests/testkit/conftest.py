"""A tool that no rule objects to, and the subjects of the kit's tests."""

import copy
import json
import sys
from pathlib import Path

import pytest

SERVERS = Path(__file__).parent / "servers"

GOOD = {
    "name": "book_lend",
    "description": "Lend one book to a reader. Use this when the number is known, else books_search. "
    "Returns the day when it is due.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "book": {"type": "integer", "description": "The book's number."},
            "size": {"enum": ["small", "large"], "description": "How big the print is: small or large."},
        },
        "required": ["book"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"due": {"type": "string"}},
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
}


@pytest.fixture
def good() -> dict:
    """A fresh copy each time, to be spoiled."""
    return copy.deepcopy(GOOD)


@pytest.fixture
def plain():
    """The command of the server without an SDK."""

    def command(tools: list | None = None, how: str = "") -> list[str]:
        given = [GOOD] if tools is None else tools
        return [sys.executable, str(SERVERS / "plain.py"), json.dumps(given), how]

    return command


@pytest.fixture
def library() -> list[str]:
    """The command of the server on the SDK."""
    return [sys.executable, str(SERVERS / "library.py")]
