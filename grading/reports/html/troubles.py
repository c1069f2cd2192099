"""What needs a look, first on the page: checks that do not count, defects that went otherwise than told."""

from __future__ import annotations

from collections.abc import Mapping

from defects import Variant
from grading.matrix import Matrix
from grading.reports.html.panel import quoted
from grading.reports.html.parts import bug_link, check_name, layer_name, section
from grading.reports.html.tags import Html, tag
from grading.reports.words import count_of, rows_by_state
from grading.verdicts import Refused

__all__ = ["skipped", "troubles"]

_WHY = {
    "fails the correct server": "It does not pass on the correct server",
    "changes its mind": "It passes on one run and not on another",
    "over-specified": "It rejects a correct server that is only written differently",
}


def troubles(matrix: Matrix, variants: Mapping[str, Variant]) -> Html | None:
    """The problems of the matrix, or None where all is as the catalogue says."""
    if not matrix.problems:
        return None
    refused = [refused for refused in matrix.counting.refused if refused.why != "skipped"]
    rows = [row for row in rows_by_state(matrix.rows) if row.problem]
    checks = tag("div", [_refused(one, variants) for one in refused], class_="refused")
    defects = [tag("li", bug_link(row.defect.id), row.problem.removeprefix(row.defect.id)) for row in rows]
    return section(
        "problems",
        "Look at this first",
        tag("h3", f"{count_of(len(refused), 'check')} that {'does' if len(refused) == 1 else 'do'} not count")
        if refused
        else None,
        checks if refused else None,
        tag("h3", f"{count_of(len(rows), 'defect')} not as the catalogue says") if rows else None,
        tag("ul", defects, class_="problems") if rows else None,
    )


def skipped(matrix: Matrix) -> Html | None:
    """The checks that were skipped: no fault, but they were not asked."""
    found = matrix.counting.refused_for("skipped")
    if not found:
        return None
    names = [tag("li", check_name(one.nodeid), " ", tag("span", one.message, class_="file")) for one in found]
    title = f"{count_of(len(found), 'check')} skipped, and so not counted"
    return tag("div", tag("h3", title), tag("ul", names, class_="checks"))


def _refused(refused: Refused, variants: Mapping[str, Variant]) -> Html:
    where = f"Variant {refused.server}" if refused.server else "Correct server"
    variant = variants.get(refused.server)
    differs = tag("p", f"{variant.title}. {variant.differs}") if variant else None
    return tag(
        "div",
        tag("p", check_name(refused.nodeid), " ", tag("span", layer_name(refused.layer), class_="file")),
        tag("p", tag("strong", _WHY.get(refused.why, refused.why), "."), f" {where}: {refused.outcome}."),
        differs,
        quoted(refused.message),
        tag("p", "at ", tag("code", refused.where), class_="where") if refused.where else None,
        class_="finding",
    )
