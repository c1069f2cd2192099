"""The rules for a file of the catalogue that need no suite to be run.

    - it is in the format, and its id is its file's name;
    - each edit matches exactly once, and the result compiles and differs in its syntax tree;
    - its hints do not contain its fix;
    - no two files give the same tree, and no correct variant contains a defect;
    - a half belongs to a pair, and a pair dies in a layer that neither half names.

That the result starts, and dies in the layers that it names, is for the grader to prove.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from defects import entries
from defects.compare import given_away, holds, news, syntax, taken_away
from defects.edits import EditError, apply
from defects.entries import load
from defects.model import Defect, FormatError, Variant
from defects.reading import read_variant
from defects.trees import renamed, source_of_helpdesk

__all__ = ["Problem", "check"]


@dataclass(frozen=True)
class Problem:
    """One broken rule: the file that breaks it, and a sentence that says what to do."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}: {self.message}"


def check(paths: Sequence[Path] | None = None, sources: Mapping[str, str] | None = None) -> list[Problem]:
    """Hold these files, or every file of the catalogue, to the rules; no problems is an empty list.

    A file in a folder called `variants` is a variant, one in `halves` a half, any other a defect. The
    other files of the catalogue are read for the rules that compare. `sources` is the correct server's,
    taken from `helpdesk` when not given.
    """
    return _Checker(source_of_helpdesk() if sources is None else sources).check(paths)


class _Checker:
    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources
        self.problems: list[Problem] = []
        self.entries: dict[Path, Defect | Variant] = {}
        self.edited: dict[Path, dict[str, str]] = {}  # with the edits, and no other names yet
        self.trees: dict[Path, dict[str, str]] = {}
        self.syntax: dict[Path, dict[str, str]] = {}

    def check(self, paths: Sequence[Path] | None) -> list[Problem]:
        folders = (entries.CATALOGUE, entries.HALVES, entries.VARIANTS)
        known = [path for folder in folders for path in sorted(folder.glob("*.toml"))]
        asked = known if paths is None else [path.resolve() for path in paths]
        for path in dict.fromkeys([*asked, *known]):
            self._read(path)
        for path in asked:
            entry = self.entries.get(path)
            if entry is None or path not in self.trees:
                continue
            if not self._syntax(path):
                self._complain(
                    path, "changes only comments or layout: its syntax tree is the correct server's"
                )
            self._is_no_twin(path)
            if isinstance(entry, Defect):
                self._hints_keep_the_fix(path, entry)
                self._is_in_no_variant(path)
                self._is_a_sound_half_or_pair(path, entry)
        wanted = set(asked)
        return [problem for problem in dict.fromkeys(self.problems) if problem.path in wanted]

    def _complain(self, path: Path, message: str) -> None:
        self.problems.append(Problem(path, message))

    def _read(self, path: Path) -> None:
        """Format, edits and syntax: what a file must have before it can be compared with others."""
        try:
            entry = read_variant(path) if path.parent.name == "variants" else load(path)
            self.entries[path] = entry
            tree = apply(self.sources, entry.id, entry.edits)
            for name in sorted({edit.file for edit in entry.edits}):
                compile(tree[name], f"helpdesk/{name}", "exec", dont_inherit=True)
            self.edited[path] = tree
            self.trees[path] = renamed([entry], tree)
        except FormatError as error:
            for problem in error.problems:
                self._complain(error.path, problem)
        except (EditError, OSError) as error:
            self._complain(path, str(error))
        except SyntaxError as error:
            where = f"{error.filename}:{error.lineno}"
            self._complain(path, f"the result does not compile: {error.msg} ({where})")

    def _syntax(self, path: Path) -> dict[str, str]:
        if path not in self.syntax:
            self.syntax[path] = syntax(self.trees[path], self.sources)
        return self.syntax[path]

    def _hints_keep_the_fix(self, path: Path, defect: Defect) -> None:
        taken = taken_away(defect.edits)
        for number, hint in enumerate(defect.hint, start=1):
            for piece in sorted(given_away(hint, taken)):
                self._complain(path, f"hint {number} contains its fix: {piece!r}")

    def _is_no_twin(self, path: Path) -> None:
        for other in self.trees:
            same_kind = type(self.entries[other]) is type(self.entries[path])
            if same_kind and other != path and self._syntax(other) == self._syntax(path):
                self._complain(path, f"gives the same server as {other.stem}")

    def _is_in_no_variant(self, path: Path) -> None:
        new = news(self.trees[path], self.sources)
        for other, tree in self.edited.items():
            if isinstance(self.entries[other], Variant) and holds(tree, new):
                self._complain(path, f"is in the correct variant {other.stem}: one of the two is wrong")

    def _is_a_sound_half_or_pair(self, path: Path, defect: Defect) -> None:
        known = [entry for entry in self.entries.values() if isinstance(entry, Defect)]
        is_half = path.parent.name == "halves"
        if is_half and not any(defect.id in entry.combines for entry in known):
            self._complain(path, "no pair of the catalogue combines this half")
        for half in (entry for entry in known if entry.id in defect.combines):
            for layer in sorted(set(half.layers) & set(defect.layers)):
                self._complain(
                    path, f"names {layer}, where its half {half.id} dies alone: then it is no pair"
                )
