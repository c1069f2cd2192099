"""Start any stdio server as a child process and talk to it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, Literal, cast

from testkit.messages import NotAMessage, WireFailure
from testkit.wire import Era, ServerInfo, TextWire, WireEnded


class CannotStart(Exception):
    """The command is no server that can be talked to. The message says what happened, in one line or a "
    "few."""


@contextmanager
def connected(
    command: Sequence[str], era: Literal["auto", "modern", "legacy"] = "auto", *, deadline: float = 10.0
) -> Iterator[tuple[TextWire, ServerInfo]]:
    """Run the command, open a session, and stop the child afterwards.

    "auto" asks for the modern era first. When the answer is anything but a result, it starts the command
    again and uses the legacy handshake, because a server may settle its era with the first message.

    Raises:
        CannotStart: no such command, it ended, or it did not answer.
        NotAMessage: it answered with something that is no message.
    """
    eras: list[Era] = ["modern", "legacy"] if era == "auto" else [era]
    for attempt in eras:
        with _child(command, attempt, deadline) as (wire, process, stderr):
            try:
                about = wire.connect()
                if attempt == "modern" and not _speaks_modern(about):
                    raise WireFailure("server/discover lists no modern version")
            except NotAMessage:
                raise
            except WireFailure as error:
                if attempt != eras[-1]:
                    continue
                raise CannotStart(_explain(command, error, process, stderr)) from error
            yield wire, about
            return


def _speaks_modern(about: ServerInfo) -> bool:
    versions = about.result.get("supportedVersions")
    return isinstance(versions, list) and about.protocol in versions


@contextmanager
def _child(
    command: Sequence[str], era: Era, deadline: float
) -> Iterator[tuple[TextWire, subprocess.Popen[bytes], BinaryIO]]:
    with (
        tempfile.TemporaryFile() as stderr
    ):  # a file, not a pipe: nobody has to read it for the child to go on
        try:
            program = shutil.which(command[0]) or command[0]  # finds npx.cmd on Windows too
            process = subprocess.Popen(
                [program, *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            raise CannotStart(f"cannot start {command[0]!r}: {error}") from error
        wire = TextWire(cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin), era, deadline=deadline)
        try:
            yield wire, process, cast(BinaryIO, stderr)
        finally:
            wire.end_input()
            _stop(process)
            wire.close()


def _stop(process: subprocess.Popen[bytes]) -> None:
    for ask in (process.terminate, process.kill):
        try:
            process.wait(timeout=2)
            return
        except subprocess.TimeoutExpired:
            ask()
    process.wait()


def _explain(
    command: Sequence[str], error: WireFailure, process: subprocess.Popen[bytes], stderr: BinaryIO
) -> str:
    if isinstance(error, WireEnded):  # its output ends a moment before the process does
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
    status = process.poll()
    end = "" if status is None else f" (it ended with status {status})"
    stderr.seek(0)
    last = stderr.read().decode("utf-8", "replace").strip().splitlines()[-5:]
    return "\n".join(
        [f"no session with {command[0]!r}{end}: {error}", *(f"  stderr: {line}" for line in last)]
    )
