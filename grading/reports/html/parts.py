"""What every section of the page uses: anchors, links to a defect, names of layers and checks."""

from __future__ import annotations

from collections.abc import Iterable

from grading.matrix import Matrix, Row
from grading.reports.html.tags import Html, join, tag
from grading.reports.words import short_check

__all__ = [
    "anchor",
    "bug_link",
    "bug_links",
    "check_name",
    "foldable",
    "layer_anchor",
    "layer_name",
    "section",
]


def anchor(defect: str) -> str:
    """The id of a defect's panel."""
    return f"bug-{defect}"


def layer_anchor(row: Row, layer: str, matrix: Matrix) -> str:
    """The id of what a layer says about a defect, in its panel. A layer may have any name, so: its number."""
    return f"{anchor(row.defect.id)}.{matrix.layers.index(layer)}"


def layer_name(layer: str) -> str:
    """A layer's name in words."""
    return layer.replace("_", " ") or "other"


def foldable(name: str) -> Html:
    """A long name that may be folded after each underscore."""
    pieces = name.split("_")
    return join(*(join(piece, "_", tag("wbr")) for piece in pieces[:-1]), pieces[-1])


def bug_link(defect: str) -> Html:
    """A defect's id, as a link to its panel."""
    return tag("a", tag("code", foldable(defect)), href=f"#{anchor(defect)}")


def bug_links(defects: Iterable[str]) -> Html:
    """Several of them, in a list that reads as a line."""
    return tag("ul", [tag("li", bug_link(defect)) for defect in defects], class_="line")


def check_name(nodeid: str) -> Html:
    """A check by its short name, with its file beside it."""
    file = nodeid.rsplit("::", 1)[0] if "::" in nodeid else ""
    name = tag("code", foldable(short_check(nodeid)), class_="check")
    return join(name, " ", tag("span", file, class_="file")) if file else name


def section(id: str, title: str, *content: Html | None) -> Html:
    """A section of the page under its heading."""
    heading = tag("h2", title, id=f"{id}-title")
    return tag("section", heading, *content, id=id, aria_labelledby=f"{id}-title")
