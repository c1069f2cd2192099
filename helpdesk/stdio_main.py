"""The desk over stdio: one client, one user, one JSON-RPC message a line.

    python -m helpdesk.stdio_main --user alice --db desk.sqlite

Nothing but messages goes to stdout; what there is to say goes to stderr.
"""

import logging
import sys
from collections.abc import Sequence

from helpdesk.db import DatabaseUnusable
from helpdesk.errors import DeskError
from helpdesk.options import Parser, open_database
from helpdesk.service import Desk

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Serve stdin and stdout until stdin ends; the exit status, 0.

    Options that make no sense, a user that the desk does not know and a file that is no database of the
    desk end the program with one line on stderr and status 2. Ctrl-C ends it with 130.
    """
    parser = Parser(
        prog="python -m helpdesk.stdio_main",
        description="Serve the help desk over stdin and stdout. Nothing but messages goes to stdout.",
    )
    parser.add_argument("--user", default="alice", help="the user that calls are made for (default: alice)")
    parser.add_argument(
        "--db",
        metavar="FILE",
        help="keep the desk in this SQLite file, made and filled if it is new (default: in memory)",
    )
    options = parser.parse_args(argv)
    try:
        desk = Desk(open_database(options.db))
        desk.role(options.user)
    except (DatabaseUnusable, DeskError) as error:
        parser.error(str(error))
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    try:
        # Imported only here: the SDK takes two seconds, and a mistake in the options should not.
        import anyio

        from helpdesk.app import make_server
        from helpdesk.wire import serve

        server = make_server(desk, options.user)
        print(f"helpdesk ready on stdio (user {options.user})", file=sys.stderr, flush=True)
        anyio.run(serve, server)
    except KeyboardInterrupt:
        return 130
    finally:
        desk.conn.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
