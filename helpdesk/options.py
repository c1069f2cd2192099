"""What the desk's programs share: complaints in one line, and the desk that `--db` names."""

import argparse
import sqlite3
from typing import NoReturn

from helpdesk.db import DatabaseUnusable, connect
from helpdesk.world import fill

__all__ = ["Parser", "open_database"]


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` that says what is wrong in one line on stderr, and ends the program with 2."""

    def error(self, message: str) -> NoReturn:
        """Write the one line and leave."""
        self.exit(2, f"{self.prog}: {message}\n")


def open_database(path: str | None) -> sqlite3.Connection:
    """The database in the file at `path`, or one in memory. One without users gets the teaching world.

    Raises:
        DatabaseUnusable: the file cannot serve as the desk's database.
    """
    conn = connect(":memory:" if path is None else path)
    try:
        conn.execute("BEGIN IMMEDIATE")  # two programs that start on one new file must not both fill it
        if conn.execute("SELECT count(*) FROM users").fetchone()[0]:
            conn.rollback()
        else:
            fill(conn)
    except sqlite3.Error as error:
        conn.close()
        raise DatabaseUnusable(f"cannot use {path}: {error}") from error
    return conn
