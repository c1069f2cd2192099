"""A verdict as one HTML page that asks for nothing else: for a browser, light or dark, and for print."""

from __future__ import annotations

from collections.abc import Iterator

from grading.exercises.feedback import Feedback
from grading.exercises.formats.parts import Entry, Section, footer, sections, summary
from grading.exercises.formats.texts import FAILED, TELL, fit, legal
from grading.reports.html.tags import Html, join, tag
from grading.stamp import Stamp

__all__ = ["failure", "verdict"]

_STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1d2129, #e7e9ed); --faint: light-dark(#59616e, #a5aebb);
  --paper: light-dark(#fcfbf9, #14171c); --sunk: light-dark(#f0eee8, #20252d);
  --problem: light-dark(#a81f17, #ffaea6); --found: light-dark(#1c6334, #8fdba6);
  --missed: light-dark(#7a4d00, #ffcf7a); }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; margin: 0; }
h2 { font-size: 1.2rem; margin-top: 2.5rem; border-bottom: 1px solid; padding-bottom: 0.2rem; }
h3 { font-size: 1rem; margin-top: 1.25rem; }
p { margin: 0.35rem 0; }
pre { font: 0.875rem/1.5 ui-monospace, Consolas, monospace; background: var(--sunk); padding: 0.6rem 0.8rem;
  margin: 0.5rem 0; white-space: pre-wrap; border-radius: 4px; }
.quiet { color: var(--faint); }
.headline { font-size: 1.15rem; font-weight: 600; margin: 1rem 0; }
.problem h3, .failed .headline { color: var(--problem); }
.found h3, .passed .headline { color: var(--found); }
.missed h3, .open .headline { color: var(--missed); }
"""
_MARKS = {"problem": "", "found": "+ ", "missed": "- "}


def verdict(feedback: Feedback, stamped: Stamp) -> str:
    """The page of one verdict."""
    fitted = fit(feedback)
    *notes, points = summary(fitted)
    body = join(
        tag("h1", fitted.title),
        tag("p", fitted.exercise, class_="quiet"),
        tag("p", fitted.headline, class_="headline"),
        [_section(section) for section in sections(fitted)],
        tag("h2", "Points"),
        [tag("p", note) for note in notes],
        tag("p", tag("strong", points)),
        tag("p", f"{fitted.then}:"),
        tag("pre", fitted.pointer),
        tag("p", footer(fitted, stamped), class_="quiet"),
    )
    return _page(fitted.title, body, "passed" if fitted.passed else "open")


def failure(exercise: str, error: str) -> str:
    """The page when the grader itself failed."""
    body = join(
        tag("h1", legal(exercise)),
        tag("p", FAILED, class_="headline"),
        tag("p", TELL),
        tag("pre", legal(error)[:10_000]),
    )
    return _page(legal(exercise), body, "failed")


def _section(section: Section) -> Html:
    entries = [
        tag("h3", f"{number}. " if section.kind == "problem" else _MARKS[section.kind], entry.title)
        + join(*_below(entry))
        for number, entry in enumerate(section.entries, start=1)
    ]
    return tag("section", tag("h2", section.title), [Html(entry) for entry in entries], class_=section.kind)


def _below(entry: Entry) -> Iterator[Html]:
    if entry.where:
        yield tag("p", entry.where, class_="quiet")
    if entry.said:
        yield tag("pre", entry.said)
    yield from (tag("p", text) for text in entry.text)


def _page(title: str, body: Html, class_: str) -> str:
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(_STYLE)),
    )
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body, class_=class_), lang='en')}\n"
