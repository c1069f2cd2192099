"""Every format has the words of the terminal, all of them and no others, and nothing in them acts."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from grading.exercises import exercise_report
from grading.exercises.feedback import Feedback
from grading.exercises.formats import as_json, github, gradescope, junit, page, prairielearn
from grading.exercises.formats.texts import LONGEST, MOST, fit, legal
from tests.grading.html_page import Page
from tests.grading.junit_reader import read
from tests.grading.made_up_verdicts import ENDLESS, HOSTILE, PARTIAL, STAMP, VERDICTS, VICIOUS

# Tables and struck-out text beyond CommonMark: what GitHub adds that could act on a line.
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
OURS = {"heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence", "hr"}
OURS_INSIDE = {"text", "text_special", "strong_open", "strong_close", "softbreak"}


def terminal(verdict: Feedback) -> str:
    out = io.StringIO()
    exercise_report.show(verdict, STAMP, Console(file=out, width=10**6, color_system=None))
    return out.getvalue()


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value but the keys."""
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from texts(each)
        case list():
            for each in value:
                yield from texts(each)


def in_markdown(text: str) -> str:
    """What somebody reads who looks at the page."""
    lines = []
    for token in MARKDOWN.parse(text):
        if token.type == "fence":
            lines.append(token.content)
        for part in token.children or ():
            lines.append(part.content)
    return "\n".join(lines)


def in_xml(text: str) -> str:
    shown = []
    for element in read(text).iter():
        keys = ("value",) if element.tag == "property" else ("name", "message", "type")
        shown += [element.text or "", *(element.get(key, "") for key in keys)]
    return "\n".join(shown)


def in_html(text: str) -> str:
    return "\n".join(words for _, words in Page(text).all("h1", "h2", "h3", "p", "pre"))


SHOWN = {
    "html": lambda verdict: in_html(page.verdict(verdict, STAMP)),
    "json": lambda verdict: "\n".join(texts(json.loads(as_json.verdict(verdict, STAMP)))),
    "gradescope": lambda verdict: "\n".join(texts(json.loads(gradescope.verdict(verdict, STAMP)))),
    "prairielearn": lambda verdict: "\n".join(texts(json.loads(prairielearn.verdict(verdict, STAMP)))),
    "junit": lambda verdict: in_xml(junit.verdict(verdict, STAMP)),
    "github": lambda verdict: in_markdown(github.verdict(verdict, STAMP)),
}


def flat(text: str) -> str:
    return " ".join(text.replace("| ", "").split())


def pieces(verdict: Feedback) -> list[str]:
    """Everything that a verdict says, a piece an entry."""
    found = [(item.title, *item.found_by) for item in verdict.found]
    missed = [(item.title, item.story, *item.remarks, item.hint) for item in verdict.missed]
    wrong = [(problem.title, problem.where, problem.said, *problem.advice) for problem in verdict.problems]
    said = [verdict.headline, *verdict.notes, verdict.counts, verdict.shares, verdict.then, verdict.pointer]
    return [
        flat(legal(text)) for text in (*said, *(text for part in (*found, *missed, *wrong) for text in part))
    ]


@pytest.mark.parametrize("kind", ["passed", "partial", "broken", "vicious"])
@pytest.mark.parametrize("form", SHOWN)
def test_a_format_says_all_that_the_terminal_says(form, kind):
    verdict = VERDICTS[kind]
    shown, on_screen = flat(SHOWN[form](verdict)), flat(terminal(verdict))
    for piece in pieces(verdict):
        assert piece in on_screen
        assert piece in shown


@pytest.mark.parametrize("kind", ["passed", "partial", "broken"])
@pytest.mark.parametrize("form", ["html", "gradescope", "prairielearn", "junit", "github"])
def test_a_format_says_nothing_that_the_terminal_does_not_say(form, kind):
    verdict = VERDICTS[kind]
    marks = {"passed", "failed", "text", "visible", "hidden", "problem", "missed", "fork", "Tests"}
    ids = {verdict.exercise, verdict.exercise.replace("/", "."), verdict.exercise.partition("/")[2]}
    words = set(re.findall(r"[\w./]*\w", SHOWN[form](verdict)))
    assert words - set(re.findall(r"[\w./]*\w", terminal(verdict))) <= marks | ids


@pytest.mark.parametrize("form", ["gradescope", "prairielearn", "junit", "github"])
def test_what_is_wrong_comes_before_what_was_found_and_that_before_what_was_missed(form):
    writer = {"gradescope": gradescope, "prairielearn": prairielearn, "junit": junit, "github": github}[form]
    text = writer.verdict(PARTIAL, STAMP)
    places = [text.index(words) for words in ("asks for more", "Look first", "A retry is told")]
    assert places == sorted(places)


@pytest.mark.parametrize("form", SHOWN)
def test_no_format_carries_a_control_character_or_half_a_character(form):
    shown = SHOWN[form](VICIOUS)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202e]", shown)
    assert "<script>alert(1)</script>" in shown, "it is shown as what it is: text"


def test_markdown_of_a_vicious_submission_has_the_shape_of_a_harmless_one():
    tokens = MARKDOWN.parse(github.verdict(VICIOUS, STAMP))
    assert {token.type for token in tokens} <= OURS
    assert {part.type for token in tokens for part in token.children or ()} <= OURS_INSIDE
    harmless = MARKDOWN.parse(github.verdict(PARTIAL, STAMP))
    assert (
        sum(t.type == "heading_open" for t in tokens) == sum(t.type == "heading_open" for t in harmless) - 1
    )
    assert sum(t.type == "fence" for t in tokens) == sum(t.type == "fence" for t in harmless)
    assert {part.type for token in MARKDOWN.parse(HOSTILE) for part in token.children or ()} - OURS_INSIDE, (
        "unescaped, it would act"
    )


def test_a_page_of_a_vicious_submission_has_no_element_of_its_making():
    vicious, harmless = (
        {tag for tag, _, _ in Page(page.verdict(verdict, STAMP)).elements} for verdict in (VICIOUS, PARTIAL)
    )
    assert vicious <= harmless
    assert not {"script", "img", "a", "link", "iframe"} & harmless


def test_addresses_are_not_made_into_links_by_a_reader_that_looks_for_them():
    text = github.verdict(VICIOUS, STAMP)
    outside = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", text)
    assert "http://" not in outside
    assert "www." not in outside


def test_a_text_that_is_cut_says_how_much_is_missing():
    cut = fit(ENDLESS)
    assert cut.problems[0].said == "é" * LONGEST + f"… and {300_000 - LONGEST:,} characters more"
    assert len(cut.found[0].found_by) == MOST + 1
    assert cut.found[0].found_by[-1] == "… and 9,980 more"
    assert len(cut.problems) == 6, "problems and items are never left out"
    assert fit(PARTIAL) == PARTIAL


def test_ten_thousand_tests_that_find_a_bug_do_not_fill_the_terminal():
    assert len(terminal(ENDLESS)) < 500_000
