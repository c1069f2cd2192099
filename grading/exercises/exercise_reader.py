"""Reads an `exercise.toml` key by key: each method gives a usable value, or complains."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import defects

__all__ = ["DEFINITION", "ExerciseError", "Reader", "is_plain"]

DEFINITION = "exercise.toml"

_FILE = re.compile(r"[A-Za-z0-9_]+\.[a-z]+")


class ExerciseError(ValueError):
    """An exercise's definition is wrong. `problems` holds every complaint, one sentence each."""

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{path}: {problem}" for problem in self.problems))


def is_plain(name: str) -> bool:
    """Whether this is the name of a file and no path."""
    return bool(_FILE.fullmatch(name))


class Reader:
    """One definition and the complaints about it so far. Raises `ExerciseError` when it cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / DEFINITION
        self.problems: list[str] = []
        try:
            self.data: dict[str, Any] = tomllib.loads(self.path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ExerciseError(self.path, [f"cannot be read: {error.strerror}"]) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ExerciseError(self.path, [f"is not TOML: {error}"]) from None

    def finish(self) -> None:
        """Raise `ExerciseError` if anything was complained about."""
        if self.problems:
            raise ExerciseError(self.path, self.problems)

    def complain(self, problem: str) -> None:
        """Note what is wrong: one sentence."""
        self.problems.append(problem)

    def keys(self, required: Iterable[str], optional: Iterable[str]) -> None:
        """Complain about top-level keys that are missing or unknown."""
        needed = list(required)
        for key in needed:
            if key not in self.data:
                self.complain(f"{key} is missing")
        self.unknown("", self.data, [*needed, *optional])

    def unknown(self, where: str, table: dict[str, Any], known: Iterable[str]) -> None:
        """Complain about keys of a table that mean nothing."""
        names = list(known)
        for key in table:
            if key not in names:
                self.complain(f"unknown key {where + key!r}{did_you_mean(key, names)}")

    def text(self, key: str, table: dict[str, Any] | None = None, where: str = "") -> str:
        """A text that is not empty, on one line."""
        data = self.data if table is None else table
        value = data.get(key, "")
        if not isinstance(value, str) or (key in data and not value.strip()):
            self.complain(f"{where}{key} must be a text that is not empty")
            return ""
        return " ".join(value.split())

    def one_of(self, key: str, allowed: Iterable[str]) -> str:
        """One of these words."""
        value, known = self.text(key), list(allowed)
        if value and value not in known:
            self.complain(f"{key} is {value!r}{did_you_mean(value, known)}; one of {', '.join(known)}")
        return value

    def number(self, key: str, least: int, default: int | None = None) -> int:
        """A whole number, `least` or more."""
        value = self.data.get(key, least if default is None else default)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.complain(f"{key} is {value!r}; it is a whole number, {least} or more")
            return least
        return value

    def share(self, key: str) -> float:
        """A share of a whole, above 0 and up to 1; 1 when it is not given."""
        value = self.data.get(key, 1)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 1:
            self.complain(f"{key} is {value!r}; it is a share, above 0 and up to 1")
            return 1.0
        return float(value)

    def strings(
        self, key: str, least: int = 0, table: dict[str, Any] | None = None, where: str = ""
    ) -> tuple[str, ...]:
        """A list of different texts, none of them empty."""
        data = self.data if table is None else table
        value = data.get(key, ())
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) and v.strip() for v in value):
            self.complain(f"{where}{key} must be a list of texts, none of them empty")
            return ()
        if (key in data or where) and len(value) < least:
            self.complain(f"{where}{key} has {len(value)} entries; it needs {least} at least")
        if len(set(value)) != len(value):
            self.complain(f"{where}{key} says the same thing twice")
        return tuple(" ".join(item.split()) for item in value)

    def known(self, key: str, allowed: Iterable[str], what: str, least: int = 0) -> tuple[str, ...]:
        """A list of some of these words."""
        names, known = self.strings(key, least), list(allowed)
        for name in names:
            if name not in known:
                self.complain(f"no {what} {name!r}{did_you_mean(name, known)}; one of {', '.join(known)}")
        return names

    def entries(self, key: str, find: Callable[[str], Any]) -> tuple[Any, ...]:
        """A list of ids of the catalogue, each found by `find`."""
        found = []
        for name in self.strings(key):
            try:
                found.append(find(name))
            except (defects.UnknownDefect, defects.FormatError) as error:
                self.complain(f"{key}: {error}")
        return tuple(found)

    def seconds(self, key: str) -> float:
        """A time of the table `time`."""
        table = self.data.get("time", {})
        if not isinstance(table, dict):
            self.complain("time must be a table with check and total")
            return 1.0
        if key == "check":
            self.unknown("time.", table, ("check", "total"))
        value = table.get(key)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 600:
            self.complain(f"time.{key} is {value!r}; it is a number of seconds, above 0 and up to 600")
            return 1.0
        return float(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What to add to a complaint about an unknown word."""
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
