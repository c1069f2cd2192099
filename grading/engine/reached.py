"""What the probes of a traced tree tell, in the run itself and in the programs that it starts.

No other run has probes, or the built-in that they call: what tells a mutant from the correct server is its
code alone.
"""

from __future__ import annotations

import builtins
import contextlib
import os

from grading.engine.probes import CALL

__all__ = ["take", "tell", "watch"]

_passed: set[str] = set()
_NOTE = "reached"  # the programs of a run leave it in its scratch folder: a name a line


def watch() -> None:
    """Listen to the probes of this process."""
    setattr(builtins, CALL, _passed.add)


def tell(scratch: str) -> None:
    """In a program of a run: note what is passed, each probe once."""
    note = os.path.join(scratch, _NOTE)

    def passed(name: str) -> None:
        if name not in _passed:
            _passed.add(name)
            with contextlib.suppress(OSError), open(note, "a", encoding="utf-8") as file:
                file.write(f"{name}\n")

    setattr(builtins, CALL, passed)


def take(scratch: str) -> frozenset[str]:
    """The names of the probes that were passed, here or in a program, since this was asked last."""
    names = frozenset(_passed)
    _passed.clear()
    note = os.path.join(scratch, _NOTE)
    with contextlib.suppress(OSError), open(note, encoding="utf-8") as file:
        names |= frozenset(file.read().splitlines())
        os.unlink(note)
    return names
