"""A small package in the place of `helpdesk`, and an empty catalogue, so that tests can break both."""

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from defects import entries, trees

SERVICE = '''\
"""A rule or two."""


def add(a, b):
    if a < 0:
        raise ValueError("a is negative")
    return a + b


def sub(a, b):
    if a < 0:
        raise ValueError("a is negative")
    return a - b
'''

MAIN = """\
import sys

from helpdesk.service import add

print(add(2, 3), sys.stdin.read())
sys.exit(add(0, 4))
"""

DEFECT = """\
title = "Adds what it should subtract"
chapter = 3
family = "state"
layers = ["unit"]
origin = "https://github.com/octo/desk/issues/1"
story = "The sum is wrong. Nobody notices for weeks."
hint = ["Nobody looks at the difference.", "Ask for a difference whose sum is another number."]

[[edit]]
file = "service.py"
find = "return a - b"
replace = "return a + b"
"""


@dataclass
class Shelf:
    """The folders of a catalogue of one's own."""

    root: Path

    def write(self, name: str, text: str = DEFECT, *, folder: str = "catalogue", **changes: str) -> Path:
        """Write an entry; a keyword replaces the whole line of that key, or removes it when it is ''."""
        lines = dedent(text).splitlines()
        for key, value in changes.items():
            at = next((i for i, line in enumerate(lines) if line.startswith(f"{key} =")), None)
            new = [f"{key} = {value}"] if value else []
            if at is None:
                lines = new + lines
            else:
                lines[at : at + 1] = new
        path = self.root / folder / f"{name}.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    package = tmp_path / "helpdesk"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "service.py").write_text(SERVICE, encoding="utf-8")
    (package / "__main__.py").write_text(MAIN, encoding="utf-8")
    monkeypatch.setattr(trees, "HELPDESK", package)
    for name in ("catalogue", "halves", "variants"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(entries, name.upper(), tmp_path / name)
    return Shelf(tmp_path)
