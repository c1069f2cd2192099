"""The tables of the desk, in SQLite: a file, or memory.

The constraints are a second line of defence. `service.Desk` refuses first and in words; what slips past
it (another program, a bug, a race) meets the CHECK constraints and the unique index here.
"""

import sqlite3
from pathlib import Path

__all__ = ["DatabaseUnusable", "connect"]

APPLICATION_ID = 0x6D68646B  # "mhdk": tells a file of the desk from any other SQLite file

SCHEMA = """
CREATE TABLE users (
    name TEXT PRIMARY KEY CHECK (name != ''),
    role TEXT NOT NULL CHECK (role IN ('customer', 'staff', 'admin'))
);
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL CHECK (title != ''),
    body TEXT NOT NULL CHECK (body != ''),
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    priority TEXT NOT NULL DEFAULT 'normal' CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
    customer TEXT NOT NULL REFERENCES users (name),
    assignee TEXT REFERENCES users (name),
    resolution TEXT,
    opened_at TEXT NOT NULL,
    opened_by TEXT NOT NULL REFERENCES users (name),
    idempotency_key TEXT,
    CHECK ((status = 'closed') = (resolution IS NOT NULL AND resolution != ''))
);
CREATE UNIQUE INDEX tickets_idempotency ON tickets (opened_by, idempotency_key);
CREATE INDEX tickets_customer ON tickets (customer);
CREATE INDEX tickets_status ON tickets (status, priority);
CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_id INTEGER NOT NULL REFERENCES tickets (id),
    author TEXT NOT NULL REFERENCES users (name),
    body TEXT NOT NULL CHECK (body != ''),
    written_at TEXT NOT NULL
);
CREATE INDEX comments_ticket ON comments (ticket_id);
"""


class DatabaseUnusable(Exception):
    """The file cannot serve as the desk's database; the text is one line that says why."""


def connect(path: str | Path = ":memory:") -> sqlite3.Connection:
    """Open the desk's database, and make its tables when the file is new or empty.

    The connection may be handed from thread to thread, and waits up to two seconds for another writer.

    Raises:
        DatabaseUnusable: the file cannot be opened, is no database, or is a database of something else.
    """
    try:
        conn = sqlite3.connect(path, timeout=2.0, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise DatabaseUnusable(f"cannot open {path}: {error}") from error
    conn.row_factory = sqlite3.Row
    try:
        conn.execute("PRAGMA foreign_keys = ON")
        create_tables(conn, path)
    except (sqlite3.Error, DatabaseUnusable) as error:
        conn.close()
        if isinstance(error, DatabaseUnusable):
            raise
        raise DatabaseUnusable(f"cannot use {path}: {error}") from error
    return conn


def create_tables(conn: sqlite3.Connection, path: str | Path) -> None:
    """Make the tables in an empty database; leave one that has them alone; refuse any other."""
    # One writer at a time: of two programs that start on one new file, the second finds the tables made.
    conn.execute("BEGIN IMMEDIATE")
    with conn:
        if conn.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
            # Fails on a file that cannot be written to, and on one whose tables were taken away.
            conn.execute("UPDATE users SET name = name WHERE 0")
            conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            conn.execute("SELECT 1 FROM tickets, comments LIMIT 0")
            return
        if conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise DatabaseUnusable(f"{path} is a database, but not one of the help desk")
        for statement in SCHEMA.split(";"):
            conn.execute(statement)
        conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
