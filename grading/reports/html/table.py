"""The grid of the page: a defect a row, a layer a column, each cell a link to what the layer says."""

from __future__ import annotations

from grading.matrix import Matrix, Row
from grading.reports.grid import Line, body, totals
from grading.reports.html.parts import anchor, foldable, layer_anchor, layer_name
from grading.reports.html.tags import Html, join, tag
from grading.reports.words import cell, count_of, short

__all__ = ["KEY", "grid", "spoken_cell"]

#: What a cell can show: an example, its class, and the words for it. The marks are those of every report.
KEY = (
    ("3", "kills k3", "checks kill it"),
    ("3", "kills k3 asked", "the same, in a layer that the catalogue names"),
    (".", "none", "none does"),
    ("!", "missed", "none does, and the catalogue says it dies here"),
    ("u", "mark", "changed its mind, kills nothing"),
    ("t", "mark", "time-out"),
    ("c", "mark", "crash"),
    ("e", "mark", "error: no assertion failed"),
    ("s", "mark", "did not run"),
    ("-", "broken", "the mutant is broken, and so never killed"),
)

_MANY = 3  # kills from here on look alike


def grid(matrix: Matrix) -> Html:
    """The table with its totals, in a box that scrolls where the screen is narrow."""
    table = tag(
        "table",
        tag("caption", "Defects by layer; survivors first", class_="unseen"),
        _head(matrix),
        tag("tbody", [_line(line, matrix) for line in body(matrix)]),
        tag("tfoot", [_total(line) for line in totals(matrix)]),
        id="matrix",
    )
    box = tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="Defects by layer")
    return join(box, _key())


def spoken_cell(row: Row, layer: str) -> str:
    """A cell in words, for who cannot see its colour and its place."""
    parts = []
    kills = row.verdict.kills_in(layer)
    if kills:
        parts.append(f"{count_of(kills, 'check')} {'kills' if kills == 1 else 'kill'} it")
    if layer in row.missed:
        parts.append("none kills it, and the catalogue says it dies here")
    for answer in sorted(row.verdict.answers_in(layer) - {"killed"}):
        number = sum(f.layer == layer and f.answer == answer for f in row.verdict.findings)
        parts.append(f"{count_of(number, 'check')}: {answer}")
    return f"{layer_name(layer)}: {'; '.join(parts) or 'none kills it'}"


def _head(matrix: Matrix) -> Html:
    fixed = [
        tag("th", "defect", scope="col", class_="name"),
        tag("th", "chapter", scope="col", class_="wide number"),
        tag("th", "family", scope="col", class_="wide"),
    ]
    layers = [
        tag(
            "th",
            tag("span", layer_name(layer), class_="long"),
            tag("span", short(layer), class_="short"),
            scope="col",
            class_="layer",
        )
        for layer in matrix.layers
    ]
    return tag("thead", tag("tr", fixed, layers, tag("th", "killed first by", scope="col", class_="last")))


def _line(line: Line, matrix: Matrix) -> Html:
    row = line.row
    assert row is not None
    defect = row.defect
    name = tag(
        "th",
        tag("a", tag("code", foldable(defect.id)), href=f"#{anchor(defect.id)}"),
        tag("span", defect.title, class_="title"),
        scope="row",
        class_="name",
    )
    numbers = {layer: str(number) for number, layer in enumerate(matrix.layers)}
    killing = [numbers[layer] for layer in row.killing_layers]
    return tag(
        "tr",
        name,
        tag("td", defect.chapter, class_="wide number"),
        tag("td", defect.family, class_="wide"),
        [_cell(row, layer, matrix) for layer in matrix.layers],
        tag("td", layer_name(line.last), class_="last"),
        class_=None if row.as_told else "bad",
        data_bug=anchor(defect.id),
        data_chapter=defect.chapter,
        data_family=defect.family,
        data_kills=" ".join(killing),
        data_misses=" ".join(numbers[layer] for layer in row.missed if layer in numbers),
        data_rank=killing[0] if killing else -1,
    )


def _cell(row: Row, layer: str, matrix: Matrix) -> Html:
    words = cell(row, layer)
    if words == ".":
        return tag("td", words, class_="none")
    if row.verdict.status == "broken":
        return tag("td", words, class_="broken")
    link = tag(
        "a", words, href=f"#{layer_anchor(row, layer, matrix)}", aria_label=f"{spoken_cell(row, layer)}"
    )
    return tag("td", link, class_=_class(row, layer))


def _class(row: Row, layer: str) -> str:
    kills = row.verdict.kills_in(layer)
    if layer in row.missed:
        return "missed"
    if not kills:
        return "mark"
    asked = " asked" if layer in row.asked else ""
    return f"kills k{min(kills, _MANY)}{asked}"


def _total(line: Line) -> Html:
    return tag(
        "tr",
        tag("th", line.name, scope="row", class_="name"),
        tag("td", class_="wide"),
        tag("td", class_="wide"),
        [tag("td", value) for value in line.cells],
        tag("td", line.last, " in all", class_="last"),
    )


def _key() -> Html:
    entries = [
        tag("div", tag("dt", tag("span", example, class_=f"swatch {class_}")), tag("dd", words))
        for example, class_, words in KEY
    ]
    return tag("dl", entries, class_="key", aria_label="What the cells mean")
