"""What the suite is worth, on the page: what each layer adds, which checks carry it, which add nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized

from grading.matrix import Matrix
from grading.reports.html.parts import bug_link, bug_links, check_name, layer_name, section
from grading.reports.html.tags import Child, Html, tag
from grading.reports.words import count_of, has_worth, seconds
from grading.worth import Step

__all__ = ["worth"]


def worth(matrix: Matrix) -> Html | None:
    """The section, or None where nothing kills anything."""
    if not has_worth(matrix):
        return None
    return section(
        "worth",
        "What the suite is worth",
        _steps(matrix),
        _without(matrix),
        _sole(matrix),
        _smallest(matrix),
        _idle(matrix),
        _redundant(matrix),
        _twins(matrix),
        _subsumed(matrix),
    )


def _part(title: str, why: str, *content: Child) -> Html:
    return tag("div", tag("h3", title), tag("p", why, class_="why") if why else None, *content, class_="part")


def _table(head: Sequence[str], rows: Iterable[Sequence[Child]], class_: str = "") -> Html:
    top = tag("thead", tag("tr", [tag("th", name, scope="col") for name in head]))
    lines = [
        tag("tr", tag("th", first, scope="row"), [tag("td", value) for value in rest])
        for first, *rest in rows
    ]
    table = tag("table", top, tag("tbody", lines), class_=f"plain {class_}".rstrip())
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=" and ".join(head[:2]))


def _steps(matrix: Matrix) -> Html:
    total = len(matrix.worth.cheapest)
    checks = list(matrix.counting.counted.values())
    rows = []
    before = 0
    for step in matrix.worth.steps:
        rows.append(
            (
                layer_name(step.layer),
                str(checks.count(step.layer)),
                tag("span", seconds(step.seconds)),
                str(step.kills),
                _new(step),
                (_bar(before, len(step.new), total), tag("span", f"{before + len(step.new)} of {total}")),
            )
        )
        before += len(step.new)
    return _part(
        "Layer after layer, cheap ones first",
        "New are the bugs that no cheaper layer kills: this layer is the cheapest that finds them.",
        _table(("layer", "checks", "time", "kills", "new", "killed up to here"), rows, "steps"),
    )


def _new(step: Step) -> Child:
    if not step.new:
        return "none"
    return tag("details", tag("summary", f"{len(step.new)} new"), bug_links(step.new))


def _bar(before: int, new: int, total: int) -> Html:
    """A bar of what was killed before and what is new; the words beside it say the same."""
    shapes = (
        tag("rect", width=before, height=1, class_="old"),
        tag("rect", x=before, width=new, height=1, class_="new"),
    )
    return tag("svg", *shapes, viewBox=f"0 0 {total} 1", preserveAspectRatio="none", aria_hidden="true")


def _without(matrix: Matrix) -> Html:
    total = len(matrix.worth.cheapest)
    rows = []
    for layer in matrix.layers:
        lost = matrix.worth.only_in.get(layer, ())
        rows.append(
            (
                layer_name(layer),
                tag("span", f"{len(lost)} of {total}"),
                bug_links(lost) if lost else "nothing",
            )
        )
    why = "The bugs that no other layer kills ship when a layer is left out."
    if "transport" in matrix.layers:
        lost = matrix.worth.only_in.get("transport", ())
        why += f" Without transport, the layer that starts a real process, {len(lost)} would be missed."
    return _part("What leaving out a layer would miss", why, _table(("without", "misses", "bugs"), rows))


def _sole(matrix: Matrix) -> Html | None:
    if not matrix.worth.sole:
        return None
    rows = [
        (check_name(check), layer_name(matrix.counting.counted[check]), bug_links(bugs))
        for check, bugs in matrix.worth.sole.items()
    ]
    return _part(
        "Delete this check, and these bugs ship",
        f"{count_of(len(rows), 'check')} of {len(matrix.counting.counted)} kill what nothing else kills.",
        _table(("check", "layer", "bugs that it alone kills"), rows, "checks"),
    )


def _smallest(matrix: Matrix) -> Html:
    smallest = matrix.worth.smallest
    counting = matrix.counting
    how = "no fewer do" if smallest.exact else "found greedily: fewer may do"
    all_ = len(counting.counted)
    times = f"{seconds(smallest.seconds)} instead of {seconds(matrix.worth.seconds)}"
    rows = [
        (
            check_name(check),
            layer_name(counting.counted[check]),
            tag("span", seconds(counting.seconds[check])),
        )
        for check in smallest.checks
    ]
    return _part(
        "The smallest set that kills as much",
        f"{count_of(len(rows), 'check')} would kill as much as all {all_} ({how}), in {times}."
        " They tell less: where several checks fail, their pattern says where to look.",
        _folded(f"the {count_of(len(rows), 'check')}", _table(("check", "layer", "time"), rows, "checks")),
    )


def _idle(matrix: Matrix) -> Html | None:
    idle = matrix.worth.idle
    if not idle:
        return None
    return _part(
        f"{_that(idle, 'check', 'kill')} nothing here",
        "Each may guard against a bug that is not among these, or against none.",
        _checks(idle),
    )


def _redundant(matrix: Matrix) -> Html | None:
    redundant = matrix.worth.redundant
    if not redundant:
        return None
    return _part(
        f"{_that(redundant, 'check', 'kill')} only what others kill too",
        "Any one of them may go and nothing more ships. Not all at once: they stand in for one another.",
        _folded(f"the {count_of(len(redundant), 'check')}", _checks(redundant)),
    )


def _checks(checks: Iterable[str]) -> Html:
    return tag("ul", [tag("li", check_name(check)) for check in checks], class_="checks")


def _twins(matrix: Matrix) -> Html | None:
    if not matrix.worth.twins:
        return None
    groups = [tag("li", bug_links(group)) for group in matrix.worth.twins]
    return _part(
        "Bugs that no check tells apart",
        "Exactly the same checks kill all bugs of a line.",
        tag("ul", groups, class_="groups"),
    )


def _subsumed(matrix: Matrix) -> Html | None:
    subsumed = matrix.worth.subsumed
    if not subsumed:
        return None
    rows = [(bug_link(defect), bug_link(other)) for defect, other in subsumed.items()]
    return _part(
        f"{_that(rows, 'bug', 'come')} free with another",
        "Subsumed: every check that kills the second kills the first too.",
        _folded(f"the {count_of(len(rows), 'pair')}", _table(("this bug", "dies with"), rows)),
    )


def _that(things: Sized, noun: str, verb: str) -> str:
    """Such as "1 check that kills" and "2 checks that kill"."""
    return f"{count_of(len(things), noun)} that {verb}{'s' if len(things) == 1 else ''}"


def _folded(title: str, content: Html) -> Html:
    return tag("details", tag("summary", title), content, class_="folded")
