"""Read one entry of the catalogue from its TOML file; the file's name is its id.

Reading collects everything that is wrong with a file and raises one `FormatError` with all of it, for a
contributor mends a file once, not six times.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from defects.model import CHAPTERS, FAMILIES, LAYERS, Defect, Edit, FormatError, Variant

__all__ = ["read_defect", "read_variant"]

_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_FILE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*\.py")


def read_defect(path: Path, *, half: bool = False) -> Defect:
    """Read one defect. A pair comes back without edits: its halves are in other files.

    `half` says that the file is one half of a pair, which may name no layer at all.
    Raises `FormatError`.
    """
    reader = _Reader(path)
    reader.keys(
        ("title", "chapter", "family", "layers", "story", "hint"), optional=("origin", "edit", "combines")
    )
    combines = reader.strings("combines", default=())
    if "combines" in reader.data:
        if half:
            reader.complain("a half cannot combine others")
        if len(combines) != 2 or len(set(combines)) != 2:
            reader.complain("combines names exactly two halves, each the name of a file in defects/halves")
        if "edit" in reader.data:
            reader.complain("a pair has no edits of its own: its halves have them; remove [[edit]]")
    defect = Defect(
        id=reader.id,
        title=reader.title(),
        chapter=reader.chapter(),
        family=reader.one_of("family", tuple(FAMILIES)),
        layers=reader.layers(may_be_empty=half),
        origin=reader.origin(),
        story=reader.prose("story", sentences=range(2, 5)),
        hint=reader.hint(),
        edits=() if "combines" in reader.data else reader.edits(),
        combines=combines,
    )
    reader.finish()
    return defect


def read_variant(path: Path) -> Variant:
    """Read one variant. Raises `FormatError`."""
    reader = _Reader(path)
    reader.keys(("title", "differs"), optional=("edit", "local_names"))
    local_names = reader.seed("local_names")
    if "edit" not in reader.data and "local_names" not in reader.data:
        reader.complain("changes nothing: give an [[edit]], or local_names, a whole number")
    variant = Variant(
        id=reader.id,
        title=reader.title(),
        differs=reader.prose("differs", sentences=range(1, 5)),
        edits=reader.edits() if "edit" in reader.data else (),
        local_names=local_names,
    )
    reader.finish()
    return variant


class _Reader:
    """One TOML file and the complaints about it so far. Each method gives a usable value or complains."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.stem
        self.problems: list[str] = []
        try:
            self.data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise FormatError(path, [f"is not TOML: {error}"]) from None
        if not _ID.fullmatch(self.id) or not 3 <= len(self.id) <= 40:
            self.complain("the file's name is the id: lower snake case, 3 to 40 characters")

    def complain(self, problem: str) -> None:
        self.problems.append(problem)

    def finish(self) -> None:
        if self.problems:
            raise FormatError(self.path, self.problems)

    def keys(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        known = (*required, *optional)
        for key in self.data:
            if key not in known:
                self.complain(f"unknown key {key!r}{_did_you_mean(key, known)}")
        for key in required:
            if key not in self.data:
                self.complain(f"{key} is missing")

    def text(self, key: str) -> str:
        value = self.data.get(key, "")
        if not isinstance(value, str):
            self.complain(f"{key} must be a text")
            return ""
        return value.strip()

    def strings(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        value = self.data.get(key, default)
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            self.complain(f"{key} must be a list of texts")
            return default
        return tuple(item.strip() for item in value)

    def title(self) -> str:
        title = self.text("title")
        if "title" in self.data and not 8 <= len(title) <= 70:
            self.complain(f"title has {len(title)} characters; 8 to 70 read well in a table")
        if title.endswith("."):
            self.complain("title ends with a full stop; it is a heading")
        return title

    def chapter(self) -> int:
        chapter = self.data.get("chapter", CHAPTERS.start)
        if not isinstance(chapter, int) or isinstance(chapter, bool) or chapter not in CHAPTERS:
            self.complain(f"chapter is {chapter!r}; defects are met in chapters 3 to 12")
            return CHAPTERS.start
        return chapter

    def one_of(self, key: str, allowed: Sequence[str]) -> str:
        value = self.text(key)
        if key in self.data and value not in allowed:
            self.complain(f"{key} is {value!r}{_did_you_mean(value, allowed)}; one of {', '.join(allowed)}")
        return value

    def layers(self, may_be_empty: bool) -> tuple[str, ...]:
        layers = self.strings("layers")
        for layer in layers:
            if layer not in LAYERS:
                self.complain(f"no layer {layer!r}{_did_you_mean(layer, LAYERS)}; one of {', '.join(LAYERS)}")
        if len(set(layers)) != len(layers):
            self.complain("layers names a layer twice")
        if "layers" in self.data and not layers and not may_be_empty:
            self.complain("layers is empty: name at least one layer that must kill it")
        return layers

    def origin(self) -> str:
        origin = self.text("origin")
        if origin and not re.fullmatch(r"https://\S+/\S+", origin):
            self.complain(f"origin is {origin!r}; it is the https:// address of a public report, or left out")
        return origin

    def prose(self, key: str, sentences: range) -> str:
        value = " ".join(self.text(key).split())
        count = len(_SENTENCE_END.findall(value))
        if key in self.data and count not in sentences:
            self.complain(
                f"{key} has {count} sentences; it takes {sentences.start} to {sentences.stop - 1}, plain ones"
            )
        if "TODO" in value:
            self.complain(f"{key} still says TODO")
        return value

    def hint(self) -> tuple[str, ...]:
        hints = self.strings("hint")
        if "hint" in self.data and len(hints) not in (2, 3):
            self.complain(f"hint has {len(hints)} entries; give two or three, from vague to pointed")
        if len(set(hints)) != len(hints):
            self.complain("hint says the same thing twice")
        for number, text in enumerate(hints, start=1):
            if not 15 <= len(text) <= 300:
                self.complain(f"hint {number} has {len(text)} characters; 15 to 300 make a sentence or two")
            if "TODO" in text:
                self.complain(f"hint {number} still says TODO")
        return hints

    def seed(self, key: str) -> int | None:
        value = self.data.get(key)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            self.complain(f"{key} is {value!r}; it is a whole number, any one, that the names are made from")
            return None
        return value

    def edits(self) -> tuple[Edit, ...]:
        tables = self.data.get("edit", [])
        if not isinstance(tables, list) or not tables:
            self.complain("has no [[edit]]: a file, a find and a replace")
            return ()
        found: list[Edit] = []
        for number, table in enumerate(tables, start=1):
            edit = self._edit(number, table)
            if edit is not None:
                found.append(edit)
        return tuple(found)

    def _edit(self, number: int, table: Mapping[str, Any]) -> Edit | None:
        if not isinstance(table, dict) or set(table) != {"file", "find", "replace"}:
            self.complain(f"edit {number} needs file, find and replace, and nothing else")
            return None
        file, find, replace = table["file"], table["find"], table["replace"]
        if not all(isinstance(value, str) for value in (file, find, replace)):
            self.complain(f"edit {number}: file, find and replace must be texts")
            return None
        if not _FILE.fullmatch(file):
            self.complain(f"edit {number}: file is {file!r}; it is a file of helpdesk, such as service.py")
        if not find.strip():
            self.complain(f"edit {number}: find is blank")
        elif find == replace:
            self.complain(f"edit {number} leaves {file} unchanged: find and replace are the same")
        return Edit(file, find, replace)


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
