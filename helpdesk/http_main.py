"""The desk over Streamable HTTP, with bearer tokens: the program.

    python -m helpdesk.http_main --port 8000 --db desk.sqlite

The app that it serves is in `http_app`; how to get a token, in `auth`.
"""

import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from helpdesk.auth import DEVELOPMENT_KEY, KEY_HELP, key_from
from helpdesk.db import DatabaseUnusable
from helpdesk.options import Parser, open_database
from helpdesk.service import Desk

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["main", "make_app"]


def make_app(desk: Desk, *, key: str, url: str = "http://127.0.0.1:8000/mcp") -> "Starlette":
    """`http_app.make_app`. The SDK takes two seconds to import, and a mistake in the options should not."""
    from helpdesk import http_app

    return http_app.make_app(desk, key=key, url=url)


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to host and port; port 0 takes a free one.

    Raises:
        OSError: the host has no such address, or the port is taken.
        ValueError: the host stands for every address of the machine.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError("this is no host name") from None
    family, kind, _, _, address = found[0]
    if ipaddress.ip_address(address[0]).is_unspecified:
        raise ValueError("tokens are for one address, so name one that clients can call")
    # Without the protocol in its own words asyncio leaves Nagle's algorithm on: 44 ms a request.
    sock = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let two servers share the port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
    except OSError:
        sock.close()
        raise
    return sock


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; the exit status, 0.

    Options that make no sense, a host or a port that cannot be had, a file that is no database of the
    desk and a key that will not do end the program with one line on stderr and status 2.
    """
    parser = Parser(
        prog="python -m helpdesk.http_main",
        description="Serve the help desk over Streamable HTTP, at /mcp. Callers need a bearer token: sign"
        " in with an MCP client, or make one with `python -m helpdesk.auth mint`.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes a free one")
    parser.add_argument(
        "--db",
        metavar="FILE",
        help="keep the desk in this SQLite file, made and filled if it is new (default: in memory)",
    )
    parser.add_argument("--key", help=KEY_HELP)
    options = parser.parse_args(argv)
    local = options.host in ("127.0.0.1", "localhost", "::1")
    if not 0 <= options.port <= 65535:
        parser.error(f"--port must be 0 to 65535, not {options.port}")
    try:
        key = key_from(options.key)
        if key == DEVELOPMENT_KEY and not local:
            parser.error(
                f"the development key is public: set HELPDESK_KEY or --key to listen on {options.host}"
            )
        desk = Desk(open_database(options.db))
        sock = listen(options.host, options.port)
    except OSError as error:
        parser.error(f"cannot listen on {options.host} port {options.port}: {error.strerror or error}")
    except (DatabaseUnusable, ValueError) as error:
        parser.error(str(error))
    if key == DEVELOPMENT_KEY:
        print("helpdesk: tokens are signed with the development key, which is public", file=sys.stderr)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    with sock:
        serve(desk, key, options.host, sock)
    desk.conn.close()
    return 0


def serve(desk: Desk, key: str, host: str, sock: socket.socket) -> None:
    """Serve on a bound socket until a signal ends it; the ready line comes when it listens."""
    import uvicorn

    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{sock.getsockname()[1]}/mcp"

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print(f"helpdesk ready on {url}", file=sys.stderr, flush=True)

    config = uvicorn.Config(
        make_app(desk, key=key, url=url), log_config=None, access_log=False, ws="none", lifespan="on"
    )
    # Seconds for open streams to end. It goes to asyncio.wait_for, which takes fractions.
    config.timeout_graceful_shutdown = 0.5  # pyright: ignore[reportAttributeAccessIssue]
    # Uvicorn raises the signal again when it is done. Then, as before, it means: end, all is well.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    Announced(config).run([sock])


if __name__ == "__main__":
    sys.exit(main())
