"""What the probes of a tree tell, in the run itself and in the programs that it starts.

Every run has the built-in that probes call, also one without probes: what stands in `builtins` does not say
which server it is.
"""

from __future__ import annotations

import builtins
import contextlib
import os
from pathlib import Path

from grading.engine.probes import CALL

__all__ = ["take", "tell", "watch"]

_hits: set[int] = set()
_NOTE = "reached"  # a program leaves it in the run's scratch folder


def watch() -> None:
    """Listen to the probes of this process."""
    setattr(builtins, CALL, _hits.add)


def tell(scratch: str) -> None:
    """In a program of a run: leave a note at the first probe that is passed."""
    note = os.path.join(scratch, _NOTE)
    told = False

    def passed(_: int) -> None:
        nonlocal told
        if not told:
            told = True
            with contextlib.suppress(OSError):
                Path(note).touch()

    setattr(builtins, CALL, passed)


def take(scratch: str) -> bool:
    """Whether a probe was passed, here or in a program, since this was asked last."""
    hit = bool(_hits)
    _hits.clear()
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(scratch, _NOTE))
        hit = True
    return hit
