"""The page of a made-up matrix: whole, self-contained, escaped, and readable in light and dark."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest

import defects
from grading.matrix import Matrix
from grading.reports import WRITERS
from grading.reports.html import as_html
from grading.reports.html.table import KEY
from grading.reports.html.tags import join, tag
from grading.reports.visible import visible
from grading.reports.words import LEGEND
from grading.verdicts import Refused, Verdict
from grading.worth import weigh
from tests.grading.html_page import Page
from tests.grading.small_matrix import DEFECTS, GROUP, ONE, SOURCES, STAMP, VARIANTS, made_up

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31mred\x00 \u202eback \ud800 & <b>"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Matrix:
    return made_up(tmp_path_factory.mktemp("matrix"))


@pytest.fixture
def matrix(made, monkeypatch) -> Matrix:
    monkeypatch.setattr(defects, "source_of_helpdesk", lambda: SOURCES)
    monkeypatch.setattr(defects, "variants", lambda: VARIANTS)
    return made


def refused(why, server="", message=""):
    return Refused(ONE, "unit", why, server, "failed", message, "test_answer.py:5")


def with_refused(matrix, *some):
    return replace(matrix, counting=replace(matrix.counting, refused=some))


def saying(matrix, message):
    rows = []
    for row in matrix.rows:
        findings = tuple(replace(finding, message=message) for finding in row.verdict.findings)
        rows.append(replace(row, verdict=replace(row.verdict, findings=findings)))
    return replace(matrix, rows=tuple(rows))


def pages(matrix):
    """The page, and the pages of its odd relatives."""
    nothing = weigh({}, matrix.counting.counted, matrix.counting.seconds)
    survivors = tuple(replace(row, verdict=Verdict("survived")) for row in matrix.rows)
    return {
        "as it is": matrix,
        "no defect": replace(matrix, rows=(), worth=nothing),
        "survivors only": replace(matrix, rows=survivors, worth=nothing),
        "refused": with_refused(matrix, refused("over-specified", "sums"), refused("skipped")),
        "hostile": with_refused(saying(matrix, HOSTILE), refused(HOSTILE, HOSTILE, HOSTILE)),
        "odd layer": replace(matrix, layers=(*matrix.layers, "", 'a "b" <c>')),
    }


ODD = ("as it is", "no defect", "survivors only", "refused", "hostile", "odd layer")


@pytest.fixture(params=ODD)
def text(request, matrix):
    odd = pages(matrix)[request.param]
    if request.param == "odd layer":
        odd = replace(odd, inside={**odd.inside, **dict.fromkeys(odd.layers[-2:], 0.0)})
    return as_html(odd)


def test_it_is_one_of_the_formats():
    assert WRITERS["html"] is as_html


def test_elements_nest_and_ids_are_unique_and_every_link_on_the_page_leads_somewhere(text):
    page = Page(text)
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert sorted(set(ids)) == sorted(ids)
    links = [attributes["href"] for attributes, _ in page.all("a")]
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)


def test_headings_come_in_order(text):
    levels = [int(name[1]) for name, _, _ in Page(text).elements if re.fullmatch(r"h[1-6]", name)]
    assert levels[0] == 1 and levels.count(1) == 1
    steps = [after - before for before, after in pairwise(levels)]
    assert max(steps) <= 1


def test_nothing_is_fetched_from_anywhere(text):
    page = Page(text)
    for name, attributes, _ in page.elements:
        assert "src" not in attributes and "srcset" not in attributes, name
        assert name not in ("img", "iframe", "object", "embed", "base", "form"), name
        assert not [attribute for attribute in attributes if attribute.startswith("on")], name
        if name == "link":
            assert attributes["href"] == "data:,"
        if name == "a" and not attributes["href"].startswith("#"):
            assert attributes["href"].startswith("https://")
    (_, style), *more = page.all("style")
    assert not more and "url(" not in style and "@import" not in style


def test_only_the_own_style_and_script_may_run(text):
    page = Page(text)
    (policy,) = [a["content"] for a, _ in page.all("meta") if a.get("http-equiv")]
    for name in ("style", "script"):
        ((_, body),) = page.all(name)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert not [a for _, a, _ in page.elements if "style" in a]


def test_what_servers_and_tests_say_is_quoted_and_can_be_written_to_a_file(matrix):
    hostile = pages(matrix)["hostile"]
    text = as_html(hostile)
    text.encode("utf-8")
    said = {body for a, body in Page(text).all("pre") if a["class"] == "said"}
    quoted = HOSTILE.replace("\x1b", r"\x1b").replace("\x00", r"\x00")
    quoted = quoted.replace("\u202e", r"\u202e").replace("\ud800", r"\ud800")
    assert said == {quoted}
    assert "\x1b" not in text and "\x00" not in text and "\u202e" not in text


def test_every_defect_has_a_row_and_a_panel_with_story_diff_and_what_each_layer_says(matrix):
    page = Page(as_html(matrix))
    assert {a["data-bug"] for a, _ in page.all("tr") if "data-bug" in a} == {f"bug-{id}" for id in DEFECTS}
    attributes, panel = page.by_id("bug-no_name")
    assert "open" not in attributes
    assert "Title of no_name" in panel and "It is wrong." in panel
    assert "-    return 'desk'\n+    return None" in panel
    assert "the catalogue says it dies inunit" in panel
    assert "test_the_name" in panel and "failed: said this" in panel and "at test_answer.py:5" in panel
    _, layer = page.by_id("bug-no_name.1")
    assert "contract" in layer and "test_the_answer_in_a_task_group" in layer


def test_cells_say_in_words_what_they_show_in_colour(matrix):
    links = {a["href"]: (a.get("aria-label"), words) for a, words in Page(as_html(matrix)).all("a")}
    assert links["#bug-one_less.0"] == ("unit: 2 checks kill it", "2")
    label, words = links["#bug-quiet.1"]
    assert words == "!" and "the catalogue says it dies here" in label
    assert links["#bug-two_more.0"] == ("unit: 1 check kills it; 1 check: error", "1e")


def test_the_key_explains_every_mark_of_the_reports():
    marks = {word for line in LEGEND for word in line.split() if len(word) == 1 and word != "a"}
    assert marks <= {example for example, _, _ in KEY}


def test_what_needs_a_look_stands_first_and_its_panels_are_open(matrix):
    text = as_html(with_refused(matrix, refused("over-specified", "sums", "assert 3 == 4")))
    page = Page(text)
    assert text.index('id="problems"') < text.index('id="grid"')
    _, problems = page.by_id("problems")
    assert "1 check that does not count" in problems
    assert "A sum. How it is computed." in problems and "assert 3 == 4" in problems
    for row in matrix.rows:
        attributes, _ = page.by_id(f"bug-{row.defect.id}")
        assert ("open" in attributes) == bool(row.problem)
        assert row.problem in problems


def test_a_survivor_is_explained_where_its_layer_was_asked(matrix):
    (quiet,) = [row for row in matrix.rows if row.defect.id == "quiet"]
    seen = replace(quiet, verdict=replace(quiet.verdict, reached={GROUP: "contract", ONE: "unit"}))
    page = Page(as_html(replace(matrix, rows=(seen,))))
    _, asked = page.by_id("bug-quiet.1")
    assert "reached, not noticed" in asked and "test_the_answer_in_a_task_group" in asked
    _, whole = page.by_id("bug-quiet")
    assert "reached, not noticedunit" in whole


def test_no_problems_no_list_of_them(matrix):
    fine = replace(matrix, rows=tuple(row for row in matrix.rows if not row.problem))
    assert 'id="problems"' not in as_html(fine)


def test_the_page_says_what_the_suite_is_worth_and_what_it_was_made_with(matrix):
    page = Page(as_html(matrix))
    _, worth = page.by_id("worth")
    assert "2 checks would kill as much as all 4 (no fewer do)" in worth
    assert "Delete this check, and these bugs ship" in worth
    assert "Any one of them may go" in worth
    _, made = page.by_id("made")
    assert STAMP.catalogue in made and STAMP.sandbox in made


def test_a_very_long_message_is_cut_and_the_page_says_so(matrix):
    text = as_html(saying(matrix, "x" * 1_000_000))
    assert len(text) < 200_000
    assert "996,000 more characters" in text


def test_an_edit_that_fits_no_more_costs_its_diff_only(matrix, monkeypatch):
    monkeypatch.setattr(defects, "source_of_helpdesk", lambda: {"service.py": ""})
    assert "It does not fit the server any more" in as_html(matrix)


def test_only_markup_is_markup():
    assert (
        tag("p", "a < b", class_="x", hidden=True, title='"')
        == '<p class="x" hidden title="&quot;">a &lt; b</p>'
    )
    assert join("<", tag("wbr"), None, ["&", 3]) == "&lt;<wbr>&amp;3"
    assert visible("tab\tline\r\nend\x85\u200b\U000e0001ö") == "tab\tline\nend\\x85\\u200b\\U000e0001ö"


def test_a_page_of_one_bug_says_so_and_links_to_no_section_that_is_not_there(matrix):
    one = next(iter(defects.catalogue().values()))
    row = replace(matrix.rows[0], defect=one)
    text = as_html(replace(matrix, rows=(row,)))
    assert f"Only 1 of the {len(defects.catalogue())} bugs in the catalogue were asked about." in text
    page = Page(text)
    ids = {attributes.get("id") for _, attributes, _ in page.elements}
    assert {a["href"][1:] for a, _ in page.all("a") if a["href"].startswith("#")} <= ids
