"""The whole page, in one piece: nothing in it is fetched from anywhere, and nothing in it is sent."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import defects
from grading.matrix import Matrix
from grading.reports.html.controls import filters, themes
from grading.reports.html.panel import panel
from grading.reports.html.parts import section
from grading.reports.html.table import grid
from grading.reports.html.tags import Html, join, tag
from grading.reports.html.troubles import skipped, troubles
from grading.reports.html.worth import worth
from grading.reports.words import count_of, has_worth, headline, how_it_ran, rows_by_state, seconds

__all__ = ["as_html"]

_HERE = Path(__file__).parent
_TITLE = "Which layer kills which bug"


def as_html(matrix: Matrix) -> str:
    """The matrix as one HTML document. Reads the server and the variants, for the diffs and the differences.

    Without JavaScript everything is there but sorting and filtering.
    """
    style, script = (Html((_HERE / name).read_text("utf-8")) for name in ("style.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", f"{_TITLE}: {headline(matrix)}"),
        tag("style", style),
    )
    body = tag("body", _top(matrix), _main(matrix), _sheet(), tag("script", script))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _hash(text: str) -> str:
    """A hash as a content security policy wants it: what has another one does not run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _top(matrix: Matrix) -> Html:
    contents = [("grid", "The grid"), ("bugs", "Each bug"), ("made", "How it was made")]
    if has_worth(matrix):
        contents.insert(1, ("worth", "What the suite is worth"))
    if matrix.problems:
        contents.insert(0, ("problems", f"Look at this first ({len(matrix.problems)})"))
    return tag(
        "header",
        tag("a", "Skip to the grid", href="#grid", class_="skip"),
        themes(),
        tag("p", "The Mutant Help Desk", class_="over"),
        tag("h1", _TITLE),
        tag("p", headline(matrix), ".", class_="headline bad" if matrix.problems else "headline"),
        _filtered(matrix),
        tag(
            "nav",
            tag("ul", [tag("li", tag("a", words, href=f"#{id}")) for id, words in contents]),
            aria_label="On this page",
        ),
    )


def _filtered(matrix: Matrix) -> Html | None:
    """Says it when the catalogue holds bugs that were not asked about: the page is no whole matrix then."""
    asked, known = {row.defect.id for row in matrix.rows}, set(defects.catalogue())
    if not asked < known:
        return None
    return tag("p", f"Only {len(asked)} of the {len(known)} bugs in the catalogue were asked about.")


def _main(matrix: Matrix) -> Html:
    return tag(
        "main",
        troubles(matrix, defects.variants()),
        section("grid", "The grid", _how_to_read(), filters(matrix), grid(matrix)),
        worth(matrix),
        _bugs(matrix),
        _made(matrix),
    )


def _how_to_read() -> Html:
    return tag(
        "p",
        "A row is a bug, planted in a help desk that is otherwise correct. A column is a layer of the suite, "
        "cheap ones first. A number says how many checks of the layer kill the bug; it opens what they said.",
        class_="why",
    )


def _bugs(matrix: Matrix) -> Html:
    sources = defects.source_of_helpdesk()
    panels = [panel(row, matrix, sources) for row in rows_by_state(matrix.rows)]
    open_all = tag("button", "Open all", type="button", id="open-all", hidden=True)
    note = tag("p", "What is open is printed. ", open_all, class_="why")
    return section("bugs", "Each bug", note, join(panels))


def _made(matrix: Matrix) -> Html:
    facts = [(name, str(value)) for name, value in matrix.stamp.to_json().items()]
    facts += [
        ("time", seconds(matrix.wall)),
        ("inside checks", seconds(sum(matrix.inside.values()))),
        ("runs", str(matrix.runs)),
        ("at a time", str(matrix.jobs)),
        ("checks that count", str(len(matrix.counting.counted))),
    ]
    return section(
        "made",
        "How it was made",
        tag(
            "p",
            "Server, catalogue and suite are hashes: two matrices can be compared where they are the same. A "
            "check counts when it passes on the correct server, twice, in two orders, and on every correct "
            "variant. It kills by a failed assertion, twice.",
            class_="why",
        ),
        tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts], class_="about"),
        skipped(matrix),
        tag("p", f"{count_of(len(matrix.rows), 'defect')}, {count_of(len(matrix.layers), 'layer')}."),
        tag("p", how_it_ran(matrix)),
    )


def _sheet() -> Html:
    """Where a script shows the panel of a bug beside the grid; without one the panels stand further down."""
    buttons = [
        tag("button", words, type="button", id=f"sheet-{id}")
        for id, words in (("before", "Previous"), ("after", "Next"), ("close", "Close"))
    ]
    return tag(
        "dialog",
        tag("div", tag("h2", id="sheet-title"), tag("div", buttons, class_="buttons"), class_="bar"),
        tag("div", id="sheet-body", class_="bug"),
        id="sheet",
        aria_labelledby="sheet-title",
    )
