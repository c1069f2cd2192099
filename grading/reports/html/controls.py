"""What can be set on the page: light or dark, which works without a script, and the filters, which do not."""

from __future__ import annotations

from collections.abc import Iterable

from grading.matrix import Matrix
from grading.reports.html.parts import layer_name
from grading.reports.html.tags import Html, tag

__all__ = ["filters", "themes"]


def themes() -> Html:
    """Three radio buttons; the style sheet looks which one is on."""
    choices = [
        tag(
            "label",
            tag("input", type="radio", name="theme", id=f"theme-{name}", checked=name == "system"),
            tag("span", name),
        )
        for name in ("system", "light", "dark")
    ]
    return tag("fieldset", tag("legend", "Colours", class_="unseen"), choices, class_="themes")


def filters(matrix: Matrix) -> Html:
    """The filters, hidden until the script that serves them says otherwise."""
    numbers = [(str(number), layer_name(layer)) for number, layer in enumerate(matrix.layers)]
    how = [("kills", "killed in"), ("first", "killed first in"), ("only", "killed only in")]
    how += [("not", "not killed in"), ("misses", "missed, though named, in")]
    chapters = sorted({row.defect.chapter for row in matrix.rows})
    families = sorted({row.defect.family for row in matrix.rows})
    return tag(
        "div",
        tag(
            "label",
            "Find ",
            tag("input", type="search", id="f-text", placeholder="name, story, check, message…"),
        ),
        _choice("How", "f-how", how),
        _choice("Layer", "f-layer", [("", "any layer"), *numbers]),
        _choice("Chapter", "f-chapter", [("", "all"), *((str(number), str(number)) for number in chapters)]),
        _choice("Family", "f-family", [("", "all"), *((family, family) for family in families)]),
        tag("button", "Clear", type="button", id="f-clear"),
        tag("output", id="f-count", aria_live="polite"),
        tag("span", "The heads of the columns sort.", class_="file"),
        id="filters",
        class_="filters",
        role="search",
        aria_label="Filter the grid",
        hidden=True,
    )


def _choice(name: str, id: str, options: Iterable[tuple[str, str]]) -> Html:
    entries = [tag("option", words, value=value) for value, words in options]
    return tag("label", f"{name} ", tag("select", entries, id=id))
