"""Serve one client over stdio, and leave nothing that it sent without an answer.

The SDK (2.3.0) drops a line that is no message without a word, and at the end of its input cancels what
is in flight. So this module stands between the bytes and the SDK: it reads the lines, answers those that
the SDK would drop, counts the requests that it hands on and the answers that come back, and tells the
SDK that the input has ended only when nothing is outstanding.
"""

import errno
import math
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

import anyio
import anyio.from_thread
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from helpdesk.lines import NotAMessage, judge, split

__all__ = ["GRACE", "serve"]

GRACE = 10.0
"""Seconds, at most, from the end of the input to the last answer."""

CHUNK = 64 * 1024  # bytes asked of the system in one read; the size of a Linux pipe


class Tally:
    """How many requests the SDK was handed and has not settled yet."""

    def __init__(self) -> None:
        self.outstanding = 0
        self.settled = anyio.Event()

    def asked(self) -> None:
        """One more request."""
        if self.outstanding == 0:
            self.settled = anyio.Event()
        self.outstanding += 1

    def answered(self) -> None:
        """One request less: its answer is on the wire, or the client has cancelled it."""
        self.outstanding -= 1
        if self.outstanding == 0:
            self.settled.set()

    async def unanswered(self) -> None:
        """The SDK's hook `on_request_unanswered`: a cancelled request gets no answer."""
        self.answered()

    async def wait(self) -> None:
        """Return when nothing is outstanding."""
        if self.outstanding:
            await self.settled.wait()


class Wrapped:
    """What both wrapped streams share: to close one is to close the stream inside."""

    def __init__(self, stream: Any, tally: Tally) -> None:
        self.stream = stream
        self.tally = tally

    async def aclose(self) -> None:
        await self.stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


class Incoming(Wrapped):
    """The SDK's read stream, whose requests report to the tally when they end without an answer."""

    async def receive(self) -> SessionMessage | Exception:
        item = await self.stream.receive()
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
            item.metadata = ServerMessageMetadata(on_request_unanswered=self.tally.unanswered)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Outgoing(Wrapped):
    """The SDK's write stream, which reports each answer to the tally."""

    async def send(self, item: SessionMessage, /) -> None:
        await self.stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self.tally.answered()


class Input:
    """What the SDK takes for its stdin: an iterator of lines that are messages, each request counted."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.opened = anyio.Event()
        self.slots = threading.Semaphore(0)
        self.send, self.batches = anyio.create_memory_object_stream[list[bytes | None]](math.inf)

    def open(self, descriptor: int, answer: Callable[[SessionMessage], Awaitable[None]]) -> None:
        """Begin to read; a line that is no message is answered at once, through `answer`."""
        self.answer = answer
        # No thread of anyio's: the program would wait for it at its end, blocked in a read as it may be.
        arguments = (descriptor, self.send, self.slots, anyio.lowlevel.current_token())
        threading.Thread(target=pump, args=arguments, daemon=True, name="helpdesk input").start()
        self.opened.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        await self.opened.wait()
        with self.batches:
            async for batch in self.batches:
                for line in batch:
                    if (text := await self.accept(line)) is not None:
                        yield text
                self.slots.release()
        with anyio.move_on_after(GRACE):
            await self.tally.wait()

    async def accept(self, line: bytes | None) -> str | None:
        """The text of a line that the SDK is to read; None when there is none, or it was answered here."""
        if line is not None and not line.strip():
            return None
        try:
            text, message = judge(line)
        except NotAMessage as refused:
            # Suppressed: the stream is closed, since the client has gone or the server has ended.
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await self.answer(SessionMessage(refused.reply))
            return None
        if isinstance(message, JSONRPCRequest):
            self.tally.asked()
        return text


def pump(
    descriptor: int,
    send: MemoryObjectSendStream[list[bytes | None]],
    slots: threading.Semaphore,
    token: anyio.lowlevel.EventLoopToken,
) -> None:
    """Carry lines from a descriptor to the event loop, in a thread of its own. Closes the descriptor.

    It waits for a slot after each read, so that a client cannot fill the memory faster than it is served.
    """
    try:
        for batch in split(partial(os.read, descriptor, CHUNK)):
            anyio.from_thread.run_sync(send.send_nowait, batch, token=token)
            slots.acquire()
        anyio.from_thread.run_sync(send.close, token=token)
    except (anyio.BrokenResourceError, RuntimeError):
        pass  # nobody listens any more: the server, or its event loop, has ended
    finally:
        os.close(descriptor)


class Output:
    """A binary file as the SDK wants its stdout: text written to it is out when `write` returns.

    It writes in the event loop itself, so the reader must be another thread or program; two changes of
    thread for each answer would cost more than the answer.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.descriptor = file.fileno()

    async def write(self, text: str) -> None:
        left = memoryview(text.encode())
        while left:
            left = left[os.write(self.descriptor, left) :]

    async def flush(self) -> None:
        pass


@contextmanager
def diverted(descriptor: int) -> Iterator[None]:
    """Point a descriptor at the null device, for a while: who reads it finds the end."""
    kept = os.dup(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    try:
        yield
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)


async def serve(server: Server[Any], stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
    """Serve one client until its input ends and everything that was read is answered.

    None means the process's own stream. While that is served, a `print` in a tool goes to stderr (the
    SDK sees to it) and `input` in a tool finds the end. A given file needs a descriptor, such as one end
    of `os.pipe()`; it stays open, and stays the caller's.

    Returns at the end of the input, at most `GRACE` seconds after it, or when the client has stopped
    listening. A request that the client has cancelled is not waited for.
    """
    tally = Tally()
    lines = Input(tally)
    source = sys.stdin if stdin is None else stdin
    with ExitStack() as stack:
        # sys.stdin is None in a process that was started with its stdin closed.
        descriptor = os.open(os.devnull, os.O_RDONLY) if source is None else os.dup(source.fileno())
        if stdin is None and source is not None:
            stack.enter_context(diverted(source.fileno()))
        try:
            async with stdio_server(
                cast("anyio.AsyncFile[str]", lines),
                None if stdout is None else cast("anyio.AsyncFile[str]", Output(stdout)),
            ) as (read, write):
                lines.open(descriptor, write.send)
                options = server.create_initialization_options()
                await server.run(Incoming(read, tally), Outgoing(write, tally), options)
        except* OSError as failures:
            _, others = failures.split(client_left)
            if others is not None:
                raise others from None


def client_left(failure: BaseException) -> bool:
    """Whether a failed write means that nobody reads any more; Windows says EINVAL of a closed pipe."""
    gone = {errno.EPIPE, errno.ECONNRESET} | ({errno.EINVAL} if sys.platform == "win32" else set())
    return isinstance(failure, OSError) and failure.errno in gone
