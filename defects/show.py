"""What `python -m defects` prints: the table, one entry, and the diff of its edits."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from defects.model import Defect, Variant

__all__ = ["diff", "print_diff", "print_entry", "print_renamed", "print_tables"]

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff of two trees, with `helpdesk/…` names; the empty text when nothing differs."""
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        if old != new:
            lines += unified_diff(
                old.splitlines(), new.splitlines(), f"a/helpdesk/{name}", f"b/helpdesk/{name}", lineterm=""
            )
    return "".join(f"{line}\n" for line in lines)


def print_diff(text: str) -> None:
    """Print a diff as it is; in colour on a terminal. It can be piped into `git apply` or `patch -p1`."""
    console = Console(soft_wrap=True, highlight=False)
    for line in text.splitlines():
        heading = line.startswith(("--- ", "+++ "))
        console.print(Text(line, style="bold" if heading else _COLOURS.get(line[:1], "")))


def print_renamed(entries: Iterable[Defect | Variant]) -> None:
    """Print a line for each entry that writes every module anew: as a diff, that is the whole server."""
    for entry in entries:
        if isinstance(entry, Variant) and entry.local_names is not None:
            print(f"# every module is written anew, to be read with: python -m defects tree {entry.id} DIR")


def print_tables(defects: Iterable[Defect], halves: Iterable[Defect], variants: Iterable[Variant]) -> None:
    """Print every entry, a line each. In a pipe: columns of plain text, nothing cut or folded."""
    columns = ("id", "chapter", "family", "dies in", "title")
    known = sorted(defects, key=lambda defect: (defect.chapter, defect.id))
    _print_table("Defects", columns, map(_row, known))
    _print_table("Halves of pairs, alone", columns, map(_row, halves))
    others = ((variant.id, variant.title) for variant in variants)
    _print_table("Variants: correct servers written differently", ("id", "title"), others)


def print_entry(entry: Defect | Variant, changed: Iterable[str]) -> None:
    """Print one entry in full; `changed` are the files that it edits."""
    console = _console(width=100)
    console.print(Text(f"{entry.id}: {entry.title}", style="bold"))
    facts: dict[str, str] = {}
    if isinstance(entry, Defect):
        facts["chapter"] = str(entry.chapter)
        facts["family"] = entry.family
        facts["dies in"] = ", ".join(entry.layers) or "no layer, alone"
        if entry.combines:
            facts["pair of"] = " and ".join(entry.combines)
        if entry.origin:
            facts["seen in"] = entry.origin
    facts["edits"] = ", ".join(sorted(changed)) or "none"
    if isinstance(entry, Variant) and entry.local_names is not None:
        facts["names"] = f"every module is written anew, with the local names of seed {entry.local_names}"
    for name, value in facts.items():
        console.print(Text(f"  {name:8} {value}"), soft_wrap=True)
    console.print(Text(f"\n{entry.story if isinstance(entry, Defect) else entry.differs}"))
    if isinstance(entry, Defect):
        for number, hint in enumerate(entry.hint, start=1):
            console.print(Text(f"\nHint {number}: {hint}"))


def _row(defect: Defect) -> Sequence[str]:
    layers = " ".join(defect.layers) or "-"
    return (defect.id, str(defect.chapter), defect.family, layers, defect.title)


def _print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = list(rows)
    if not lines:
        return
    console = Console(highlight=False)
    heading = f"{title} ({len(lines)})"
    if console.is_terminal:
        table = Table(title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            table.add_column(column, no_wrap=column == "id")
        for line in lines:
            table.add_row(*map(Text, line))
        console.print(table)
        return
    widths = [max(map(len, cells)) for cells in zip(columns, *lines, strict=True)]
    print(f"# {heading}")
    for line in (columns, *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    print()


def _console(width: int) -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=width)
