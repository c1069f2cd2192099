"""One defect of the page: what it is, its edit as a diff, and what each layer says about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from defects import EditError
from defects.edits import apply
from defects.show import diff
from grading.matrix import Matrix, Row
from grading.reports.html.parts import anchor, check_name, layer_anchor, layer_name
from grading.reports.html.tags import Child, Html, join, tag
from grading.reports.words import count_of, seconds, state
from grading.verdicts import Finding

__all__ = ["panel", "quoted"]

_MOST = 4000  # characters of one message; what says more is cut, and says so
_MOST_NEAR = 12  # checks that ran the changed code and passed, of one layer
_LINES = {"+": "plus", "-": "minus", "@": "place"}

# What a check gave, where the reader of a page says it in other words.
_ANSWERS = {
    "killed": "kills",
    "unstable": "changed its mind",
    "timeout": "time-out",
    "crashed": "crash",
    "missing": "did not run",
}


def panel(row: Row, matrix: Matrix, sources: Mapping[str, str]) -> Html:
    """The panel of a defect; open from the start where something is not as the catalogue says."""
    defect = row.defect
    facts = f"chapter {defect.chapter} · {defect.family} · {_fate(row)}"
    summary = tag(
        "summary",
        tag("h3", tag("code", defect.id), " ", tag("span", defect.title)),
        tag("span", facts, class_="facts"),
    )
    return tag(
        "details",
        summary,
        tag("div", _about(row), _edit(row, sources), _layers(row, matrix), _hints(row), class_="body"),
        id=anchor(defect.id),
        class_="bug" if row.as_told else "bug bad",
        open=not row.as_told,
    )


def quoted(message: str) -> Html:
    """What a test or a server said, as it said it."""
    more = len(message) - _MOST
    cut = message[:_MOST] + f"\n… {more:,} more characters" if more > 0 else message
    return tag("pre", cut or "(no message)", class_="said")


def _fate(row: Row) -> str:
    word = state(row)
    return f"killed first by {layer_name(word)}" if row.verdict.status == "killed" else word


def _about(row: Row) -> Iterable[Child]:
    defect = row.defect
    if row.problem:
        yield tag("p", row.problem, class_="problem")
    yield tag("p", defect.story, class_="story")
    named = ", ".join(map(layer_name, defect.layers)) or "no layer, alone"
    facts = [("the catalogue says it dies in", join(named)), ("time of its runs", join(seconds(row.seconds)))]
    if defect.combines:
        facts.insert(0, ("takes away at once", join(" and ".join(defect.combines))))
    if defect.origin:
        facts.append(("a bug of this kind was seen in", _origin(defect.origin)))
    yield tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts], class_="about")


def _origin(address: str) -> Html:
    if not address.startswith(("https://", "http://")):
        return join(address)
    words = address.split("://", 1)[1].removeprefix("github.com/")
    return tag("a", words, href=address, rel="noreferrer noopener", target="_blank")


def _edit(row: Row, sources: Mapping[str, str]) -> Iterable[Child]:
    yield tag("h4", "The edit")
    try:
        text = diff(sources, apply(sources, row.defect.id, row.defect.edits))
    except EditError as error:
        yield tag("p", f"It does not fit the server any more: {error}")
        return
    # A line in a file's heading could pass for a change, so each line says what it is.
    lines = []
    for line in text.splitlines():
        heading = line.startswith(("--- a/", "+++ b/"))
        kind = "head" if heading else _LINES.get(line[:1])
        lines.append(tag("span", line, class_=kind) if kind else join(line))
        lines.append(join("\n"))
    yield tag("pre", lines, class_="diff", tabindex=0)


def _layers(row: Row, matrix: Matrix) -> Iterable[Child]:
    if row.verdict.status == "broken":
        return
    yield tag("h4", "What each layer says")
    quiet: dict[str, list[str]] = {}
    for layer in matrix.layers:
        findings = [finding for finding in row.verdict.findings if finding.layer == layer]
        if findings or layer in row.missed:
            yield _layer(row, layer, findings, matrix)
        else:
            why = row.why_missed(layer)
            quiet.setdefault(why.why if why else "notices nothing", []).append(layer_name(layer))
    if quiet:
        yield tag("h5", "And the others")
        lines = [tag("div", tag("dt", why), tag("dd", ", ".join(names))) for why, names in quiet.items()]
        yield tag("dl", lines, class_="about")


def _layer(row: Row, layer: str, findings: Sequence[Finding], matrix: Matrix) -> Html:
    killers = sum(finding.answer == "killed" for finding in findings)
    kill = f"{count_of(killers, 'check')} {'kills' if killers == 1 else 'kill'} it"
    words = kill if killers else "nothing kills it here"
    named = ", as the catalogue says" if killers and layer in row.asked else ""
    return tag(
        "div",
        tag("h5", layer_name(layer), " ", tag("span", words + named)),
        _unnoticed(row, layer) if layer in row.missed else None,
        [_findings(group) for group in _alike(findings)],
        id=layer_anchor(row, layer, matrix),
        class_="layer missed" if layer in row.missed else "layer",
        tabindex=-1,
    )


def _unnoticed(row: Row, layer: str) -> Html:
    """Why a layer that must kill it does not, with the checks that were near enough to notice."""
    why = row.why_missed(layer)
    words = f": {why.words}." if why else "."
    near = [tag("li", check_name(nodeid)) for nodeid in why.tests[:_MOST_NEAR]] if why else []
    more = len(why.tests) - len(near) if why else 0
    return tag(
        "div",
        tag("p", f"The catalogue says that it dies here{words}", class_="why"),
        tag("ul", near, tag("li", f"and {more} more") if more else None, class_="checks") if near else None,
    )


def _alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings that say the same are told once: mostly one check, in both eras of the protocol."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.answer, finding.message, finding.where), []).append(finding)
    return list(groups.values())


def _findings(group: Sequence[Finding]) -> Html:
    first = group[0]
    word = tag(
        "span",
        _ANSWERS.get(first.answer, first.answer),
        class_="answer" if first.answer == "killed" else "answer not",
    )
    return tag(
        "div",
        [tag("p", word, " ", check_name(finding.nodeid)) for finding in group],
        quoted(first.message),
        tag("p", "at ", tag("code", first.where), class_="where") if first.where else None,
        class_="finding",
    )


def _hints(row: Row) -> Iterable[Child]:
    if row.defect.hint:
        yield tag("h4", "Hints that a student is given, one after another")
        yield tag("ol", [tag("li", hint) for hint in row.defect.hint], class_="hints")
