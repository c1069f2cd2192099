"""Run a program with a broken server in the place of the correct one."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from defects.trees import lay_sources

__all__ = ["environment", "run"]


def environment(tree: Path) -> dict[str, str]:
    """This process's environment, with `tree` first on Python's path.

    `PYTHONSAFEPATH` keeps the working directory off the path: from the root of the repository, `-m
    helpdesk.stdio_main` would otherwise start the correct server, and nobody would notice.
    """
    path = [str(tree), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)), "PYTHONSAFEPATH": "1"}


def run(sources: Mapping[str, str], arguments: Sequence[str]) -> int:
    """Run this interpreter with `arguments` on the server in `sources` (as `mutant` gives them).

    Gives the program's exit status, or 128 and the signal's number, as a shell does. The program has this
    process's own stdin, stdout and stderr, so a host can be configured with it. The tree lies in a
    temporary folder, which is gone afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="helpdesk-") as folder:
        tree = lay_sources(sources, Path(folder))
        program = subprocess.Popen([sys.executable, *arguments], env=environment(tree))

        def pass_on(number: int, frame: FrameType | None) -> None:
            program.send_signal(number)

        # Ctrl-C reaches the program by itself. A host that ends this process means the program.
        earlier = {
            signal.SIGTERM: signal.signal(signal.SIGTERM, pass_on),
            signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
        }
        try:
            status = program.wait()
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)
    return status if status >= 0 else 128 - status
