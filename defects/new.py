"""Start a defect's file from a selection of the source."""

from collections.abc import Mapping

from defects.edits import EditError
from defects.model import LAYERS

__all__ = ["select_lines", "select_text", "skeleton", "toml_text"]

TEMPLATE = '''\
title = "TODO"                 # a heading of a few words
chapter = 0                    # 3 to 12: where the course meets it
family = "TODO"                # python -m defects new --help lists them
layers = []                    # each of these must kill it: {layers}
origin = ""                    # the address of a public report of the same kind, where there is one
story = """
TODO: what a user of the desk suffers, in two to four sentences."""
hint = [
    "TODO, vague: which behaviour nobody guards.",
    "TODO, pointed: which call shows it. Never the fix.",
]

[[edit]]
file = "{file}"
find = {find}
replace = {find}
'''


def select_lines(sources: Mapping[str, str], file: str, first: int, last: int) -> str:
    """Lines `first` to `last` (from 1, both included), grown upwards until they occur once in the file.

    Raises `EditError` when there is no such file, or it has no such lines.
    """
    text = _text(sources, file)
    lines = text.splitlines(keepends=True)
    if not 1 <= first <= last <= len(lines):
        raise EditError("new", file, f"has lines 1 to {len(lines)}, not {first} to {last}")
    while text.count("".join(lines[first - 1 : last])) > 1 and first > 1:
        first -= 1
    return "".join(lines[first - 1 : last])


def select_text(sources: Mapping[str, str], find: str, file: str | None = None) -> tuple[str, str]:
    """The file and the whole line in which `find` stands: in `file`, or in any file.

    Raises `EditError` when no line or more than one holds it; the message lists the places.
    """
    places = [
        (name, number)
        for name in ([file] if file else sorted(sources))
        for number, line in enumerate(_text(sources, name).splitlines(), start=1)
        if find in line
    ]
    if not places:
        raise EditError("new", file or "*", f"no line holds {find!r}")
    if len(places) > 1:
        where = ", ".join(f"{name}:{number}" for name, number in places[:8])
        raise EditError("new", file or "*", f"{len(places)} lines hold {find!r} ({where}): use --lines")
    name, number = places[0]
    return name, select_lines(sources, name, number, number)


def skeleton(file: str, find: str) -> str:
    """The text of a defect's file with `find` in it. What is left to write is what the check asks for."""
    return TEMPLATE.format(layers=", ".join(LAYERS), file=file, find=toml_text(find))


def toml_text(text: str) -> str:
    """A multi-line TOML text that reads back as `text`: literal where it can be, escaped where not."""
    if "'''" not in text and not text.endswith("'"):
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""'


def _text(sources: Mapping[str, str], file: str) -> str:
    if file not in sources:
        raise EditError("new", file, f"helpdesk lacks that file; it has {', '.join(sorted(sources))}")
    return sources[file]
