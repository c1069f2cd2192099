"""Compare trees, and hints with edits: what the rules of the catalogue are judged by."""

import ast
import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from defects.model import Edit

__all__ = ["given_away", "holds", "news", "syntax", "taken_away"]


def syntax(tree: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, str]:
    """What differs from the correct server: file name to its syntax tree as text."""
    edited = {name: text for name, text in tree.items() if text != sources.get(name)}
    dumps = {name: _dump(text) for name, text in edited.items()}
    return {name: dump for name, dump in dumps.items() if dump != _dump(sources.get(name, ""))}


def _dump(text: str) -> str:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:  # not Python: the text stands for itself
        return text


def taken_away(edits: Iterable[Edit]) -> list[str]:
    """The words that the edits take away: a text for each line, its words with a space between them."""
    lines: list[str] = []
    for edit in edits:
        old, new = re.findall(r"\w+|\W", edit.find), re.findall(r"\w+|\W", edit.replace)
        for kind, start, end, _, _ in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind in ("delete", "replace"):
                lines += map(_words, "".join(old[start:end]).splitlines())
    return lines


def given_away(hint: str, taken: Iterable[str]) -> set[str]:
    """What of the fix a hint says: four words of it in a row, all of a shorter line, or two as code."""
    given: set[str] = set()
    said = f" {_words(hint)} "
    code = [span for span in map(_words, re.findall(r"`([^`]+)`", hint)) if " " in span]
    for line in taken:
        words = line.split()
        run = min(4, len(words))
        starts = range(len(words) - run + 1) if run >= 2 and len(line) >= 12 else ()
        given.update(piece for at in starts if f" {(piece := ' '.join(words[at : at + run]))} " in said)
        given.update(span for span in code if f" {span} " in f" {line} ")
    return given


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def news(mutant: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, list[str]]:
    """What a mutant has that the correct server has not: file name to its new lines and those around them."""
    return {
        name: _regions(_lines(sources.get(name, "")), _lines(text))
        for name, text in mutant.items()
        if text != sources.get(name)
    }


def holds(tree: Mapping[str, str], new: Mapping[str, Iterable[str]]) -> bool:
    """Whether a tree has all of a mutant's `news`."""
    return all(
        region in _joined(_lines(tree.get(name, ""))) for name, regions in new.items() for region in regions
    )


def _regions(before: list[str], after: list[str]) -> list[str]:
    """Each change between two files, with so many lines around it that the first file has no such place."""
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    regions: list[str] = []
    old = _joined(before)
    for _, _, _, start, end in (change for change in changes if change[0] != "equal"):
        for around in range(1, len(after)):
            region = _joined(after[max(0, start - around) : end + around])
            if region not in old:
                regions.append(region)
                break
    return regions


def _lines(text: str) -> list[str]:
    """The lines of a file without blank ones and indentation, between two that mark its ends."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return ["<begin>", *filter(None, lines), "<end>"]


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"\n{line}\n" for line in lines)
