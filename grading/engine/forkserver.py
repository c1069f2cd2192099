"""The fork server: a process that has imported everything slow, and forks workers (POSIX only).

The runner starts it as `python -m grading.engine.forkserver FD`, FD being its end of a socket pair. When it
is warm it says so; for each socket it is then sent it forks a worker (`grading.engine.worker`). It runs
nothing of anybody else's itself. It holds no thread, no event loop, and its one socket is closed in what it
forks. When the runner goes, however it goes, it ends its workers and itself.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Sequence

from grading.engine import afterfork, packets, warm
from grading.engine.worker import Worker


def serve(sock: socket.socket) -> None:
    """Fork a worker for each socket received, until the runner closes its end."""
    workers: set[int] = set()
    while True:
        try:
            _, fds = packets.receive(sock)
        except packets.Closed:
            break
        afterfork.flush_streams()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                sock.close()
                Worker(socket.socket(fileno=fds[0])).serve()
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                afterfork.flush_streams()
                os._exit(status)
        os.close(fds[0])
        workers.add(pid)
        workers -= {done for done in workers if os.waitpid(done, os.WNOHANG)[0]}
        afterfork.end_children(spare=workers)  # what a worker that was killed left behind
        packets.send(sock, {"pid": pid})
    _leave(workers)


def _leave(workers: set[int]) -> None:
    """Give workers, who see their own sockets close, a moment to end their runs; then end them."""
    deadline = time.monotonic() + 2
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    wake, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    while workers and time.monotonic() < deadline:
        workers -= {done for done in workers if os.waitpid(done, os.WNOHANG)[0]}
        if workers and select.select([wake], [], [], max(0, deadline - time.monotonic()))[0]:
            os.read(wake, 1000)
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    afterfork.end_children()


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m grading.engine.forkserver FD`."""
    began = time.monotonic()
    sock = socket.socket(fileno=int((sys.argv[1:] if argv is None else argv)[0]))
    sock.set_inheritable(False)
    afterfork.adopt_orphans()
    warm.up()
    packets.send(sock, {"ready": time.monotonic() - began})
    serve(sock)
    return 0


if __name__ == "__main__":
    sys.exit(main())
