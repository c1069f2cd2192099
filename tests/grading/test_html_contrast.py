"""The colours of the page of a matrix: every text can be read on what it stands on, in light and in dark."""

import re
from pathlib import Path

import pytest

from grading.reports import html

STYLE = Path(html.__file__).with_name("style.css")

INK_ON_PAPER = (
    *((ink, paper) for ink in ("ink", "faint", "link", "miss-text") for paper in ("paper", "raised", "sunk")),
    *(("kill-ink", f"kill-{number}") for number in (1, 2, 3)),
    ("miss-ink", "miss"),
    ("miss-text", "miss-wash"),
    ("mark-ink", "mark"),
    ("plus-ink", "plus"),
    ("minus-ink", "minus"),
    ("paper", "ink"),
)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_ink_has_the_contrast_that_aa_asks_for(scheme):
    style = STYLE.read_text(encoding="utf-8")
    colours = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\)", style))
    told = {name: pair.split(", ")[scheme] for name, pair in colours.items()}
    weak = {pair: contrast(told[pair[0]], told[pair[1]]) for pair in INK_ON_PAPER}
    assert {pair: value for pair, value in weak.items() if value < 4.5} == {}


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    """As WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
