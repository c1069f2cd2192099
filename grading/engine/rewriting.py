"""Keeps test files, as pytest rewrites them, in a worker's memory, so that its runs need not do it again.

pytest rewrites every test file for its assertions: a quarter of the time of a run, and the same each time.
Its own cache is files beside the tests, judged by time and size; a run must neither trust nor leave such
files. Here the whole source is the key, and nothing is executed. The function that is replaced is pytest's
own and private: where it is missing, files are rewritten as ever.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import Any

from _pytest.assertion import rewrite

_Rewrite = Callable[[Path, Any], tuple[os.stat_result, CodeType]]

_original: _Rewrite | None = getattr(rewrite, "_rewrite_test", None)
_ready: dict[tuple[str, bytes], CodeType] = {}
_MOST_FILES = 400
_MOST_BYTES = 1 << 18


def ahead(paths: Iterable[Path]) -> None:
    """Rewrite the Python files at and below `paths`. What cannot be rewritten is left for the run to meet."""
    if _original is None:
        return
    rewrite._rewrite_test = _rewritten
    if len(_ready) > _MOST_FILES:
        _ready.clear()
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            with contextlib.suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                source = file.read_bytes()
                if len(source) <= _MOST_BYTES and (str(file), source) not in _ready:
                    _ready[str(file), source] = _original(file, None)[1]


def _rewritten(file: Path, config: Any) -> tuple[os.stat_result, CodeType]:
    assert _original is not None
    code = _ready.get((str(file), file.read_bytes()))
    return _original(file, config) if code is None else (file.stat(), code)
