"""Makes sure that `helpdesk` is the laid tree's `helpdesk`, and proves it afterwards.

The silent danger of mutation testing is a mutant that runs as the correct server: a parent that had
imported it, a `conftest.py` that puts the repository on `sys.path`, a `tests/__init__.py`, pytest's
`pythonpath`, `python -m` from the repository root. So a finder that stands first on `sys.meta_path` answers
for `helpdesk` and everything below it, from one directory and from nowhere else, and `foreign()` names every
module of another `helpdesk` that got in all the same.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from grading.engine import probes
from grading.engine.changes import Marks
from grading.engine.tree import PACKAGE

# Source bytes and module name -> code. Filled by a fork server before it forks: compiling runs no code.
_compiled: dict[tuple[bytes, str], CodeType] = {}


class WrongServer(RuntimeError):
    """A `helpdesk` that is not the tree's own took part, or would have."""


class TreeLoader(SourceFileLoader):
    """Loads from source and from nothing else: a stale or planted `.pyc` is never looked at.

    In a traced tree `lines` are the places of `file` that get a probe; see `probes`. None: no traced tree.
    """

    def __init__(self, fullname: str, path: str, file: str, lines: Sequence[int] | None = None) -> None:
        super().__init__(fullname, path)
        self._file, self._lines = file, lines

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source, unless the same source was compiled ahead."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        if self._lines is not None:
            tree = probes.laid(source, path, self._file, self._lines)
            return compile(tree, path, "exec", dont_inherit=True)
        ready = _compiled.get((source, fullname))
        if ready is not None:
            return _moved(ready, path)
        return self.source_to_code(source, path)


class TreeFinder(MetaPathFinder):
    """Resolves `helpdesk` and `helpdesk.*` in `root`, alone: what is missing there is missing."""

    def __init__(self, root: Path, trace: Marks | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self._trace = trace

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of the tree; None for what is not the help desk's."""
        if fullname != PACKAGE and not fullname.startswith(PACKAGE + "."):
            return None
        base = self.root.joinpath(*fullname.split("."))
        package = base / "__init__.py"
        if package.is_file():
            return importlib.util.spec_from_file_location(
                fullname,
                package,
                loader=self._loader(fullname, package),
                submodule_search_locations=[str(base)],
            )
        module = base.with_name(base.name + ".py")
        if module.is_file():
            return importlib.util.spec_from_file_location(
                fullname, module, loader=self._loader(fullname, module)
            )
        raise ModuleNotFoundError(f"No module named {fullname!r} in the server tree", name=fullname)

    def _loader(self, fullname: str, path: Path) -> TreeLoader:
        name = path.relative_to(self.root / PACKAGE).as_posix()
        return TreeLoader(fullname, str(path), name, self._trace.get(name, ()) if self._trace else None)


_installed: TreeFinder | None = None


def install(root: Path, trace: Marks | None = None) -> TreeFinder:
    """Put a finder for `root` first. `trace` is that of `Job`.

    Raises `WrongServer` when a `helpdesk` is imported already.
    """
    global _installed
    early = sorted(name for name in sys.modules if name == PACKAGE or name.startswith(PACKAGE + "."))
    if early:
        file = getattr(sys.modules[early[0]], "__file__", None)
        raise WrongServer(f"{early[0]} was imported from {file} before the server tree was in place")
    remove()
    _installed = TreeFinder(root, trace)
    sys.meta_path.insert(0, _installed)
    return _installed


def stand_first() -> None:
    """Move the finder to the front again: pytest and plugins put their own there."""
    if _installed is not None and (not sys.meta_path or sys.meta_path[0] is not _installed):
        sys.meta_path[:] = [_installed, *(finder for finder in sys.meta_path if finder is not _installed)]


def remove() -> None:
    """Take the finder away (for tests of the engine)."""
    global _installed
    if _installed is not None:
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not _installed]
    _installed = None


def current_tree() -> Path:
    """The directory that holds the `helpdesk/` which this process tests.

    The installed tree, else wherever Python would find `helpdesk` (in plain pytest: this repository).
    Raises `ModuleNotFoundError` when there is none.
    """
    if _installed is not None:
        return _installed.root
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)
    return Path(os.path.realpath(spec.origin)).parent.parent


def foreign(root: Path) -> list[str]:
    """Every module that comes from a `helpdesk` outside `root`, as "name from file".

    By name (`helpdesk`, `helpdesk.*`), and by place: a file of another `helpdesk` package that was loaded
    under some other name.
    """
    home = Path(os.path.realpath(root)) / PACKAGE
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        ours = name == PACKAGE or name.startswith(PACKAGE + ".")
        if not isinstance(file, str):
            if ours:
                found.append(f"{name} from nowhere")
            continue
        if not ours and PACKAGE not in file:
            continue
        path = Path(os.path.realpath(file))
        if path.is_relative_to(home):
            continue
        if ours or (path.parent.name == PACKAGE and (path.parent / "__init__.py").is_file()):
            found.append(f"{name} from {path}")
    return sorted(found)


def modules_of(root: Path) -> list[str]:
    """The dotted names of all modules of the tree, packages first; `__main__` files are left out."""
    package = Path(root) / PACKAGE
    names = []
    for path in package.rglob("*.py"):
        parts = [PACKAGE, *path.relative_to(package).with_suffix("").parts]
        if parts[-1] == "__main__":
            continue
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(names)


def compile_ahead(root: Path) -> None:
    """Compile a tree's modules into this process's memory, so that forked runs need not.

    What does not compile is left for the run to meet. Nothing of the tree is executed.
    """
    for name in modules_of(root):
        base = Path(root).joinpath(*name.split("."))
        path = base / "__init__.py" if base.is_dir() else base.with_name(base.name + ".py")
        try:
            source = path.read_bytes()
            if (source, name) not in _compiled:
                _compiled[source, name] = compile(source, str(path), "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError):
            continue


def _moved(code: CodeType, path: str) -> CodeType:
    """The same code as if compiled from `path`: a traceback must name the run's own file."""
    if code.co_filename == path:
        return code
    constants = tuple(_moved(c, path) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=path, co_consts=constants)
