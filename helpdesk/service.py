"""Every rule of the desk: who may see and do what, when a ticket is open or closed, what a retry does.

Nothing here knows of MCP. Each method of `Desk` takes the caller's user name first and returns plain
dicts and lists, ready for JSON; a refusal is a `DeskError`.
"""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from helpdesk.cursors import decode_cursor, encode_cursor
from helpdesk.errors import DeskError

__all__ = ["BODY_MOST", "COMMENT_MOST", "KEY_MOST", "PAGE_MOST", "RESOLUTION_MOST", "TITLE_MOST", "Desk"]

TITLE_MOST = 120  # characters, as are the next four
BODY_MOST = 4000
COMMENT_MOST = 2000
RESOLUTION_MOST = 300
KEY_MOST = 100
PAGE_MOST = 20  # tickets in one answer of a search

TICKET = "id, title, body, status, priority, customer, assignee, resolution, opened_at"
SUMMARY = "id, title, status, priority, customer, assignee"
COMMENT = "ticket_id, author, body, written_at"


def utc_now() -> str:
    """The time as tickets and comments carry it: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_text(what: str, text: str, most: int, tool: str) -> None:
    """Refuse text that is blank or longer than `most` characters."""
    if not text.strip():
        raise DeskError("INVALID", f"The {what} is empty.", f"Write a {what} and call `{tool}` again.")
    if len(text) > most:
        raise DeskError(
            "INVALID",
            f"The {what} must be at most {most} characters, and this one has {len(text)}.",
            f"Shorten it and call `{tool}` again.",
        )


def like(text: str) -> str:
    """A LIKE pattern that finds `text` as it stands: the three characters that LIKE reads are escaped."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


class Desk:
    """The help desk over one database connection."""

    def __init__(self, conn: sqlite3.Connection, now: Callable[[], str] = utc_now) -> None:
        self.conn = conn
        self.now = now

    def role(self, caller: str) -> str:
        """`customer`, `staff` or `admin`.

        Raises:
            DeskError: `FORBIDDEN`, when the desk has no such user.
        """
        row = self.conn.execute("SELECT role FROM users WHERE name = ?", (caller,)).fetchone()
        if row is None:
            raise DeskError(
                "FORBIDDEN", f"The desk knows no user {caller!r}.", "Ask an administrator for an account."
            )
        return row["role"]

    def search(
        self,
        caller: str,
        text: str | None = None,
        status: str | None = None,
        priority: str | None = None,
        customer: str | None = None,
        assignee: str | None = None,
        unassigned: bool | None = None,
        limit: int = PAGE_MOST,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """Tickets that the caller can see and that match every filter, newest first.

        Returns `tickets` (short rows), `total` (all that match, on every page) and `next_cursor` (None on
        the last page). Pages go down by ticket number, so tickets opened meanwhile move nothing.
        """
        where, values = ["1"], []

        def only(clause: str, *value: object) -> None:
            where.append(clause)
            values.extend(value)

        if self.role(caller) == "customer":
            only("customer = ?", caller)
        if text is not None:
            only("(title LIKE ? ESCAPE '\\' OR body LIKE ? ESCAPE '\\')", like(text), like(text))
        if status is not None:
            only("status = ?", status)
        if priority is not None:
            only("priority = ?", priority)
        if customer is not None:
            only("customer = ?", customer)
        if assignee is not None:
            only("assignee = ?", assignee)
        if unassigned is not None:
            only("(assignee IS NULL) = ?", unassigned)
        counted = f"SELECT count(*) FROM tickets WHERE {' AND '.join(where)}"
        total = self.conn.execute(counted, values).fetchone()[0]
        if cursor is not None:
            only("id < ?", decode_cursor(cursor))
        limit = max(1, min(limit, PAGE_MOST))
        paged = f"SELECT {SUMMARY} FROM tickets WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT ?"
        rows = self.conn.execute(paged, [*values, limit + 1]).fetchall()
        more = len(rows) > limit
        return {
            "tickets": [dict(row) for row in rows[:limit]],
            "total": total,
            "next_cursor": encode_cursor(rows[limit - 1]["id"]) if more else None,
        }

    def get(self, caller: str, ticket_id: int) -> dict[str, Any]:
        """One ticket, with `comments` in the order in which they were written."""
        ticket = self.visible(caller, ticket_id)
        comments = self.conn.execute(
            f"SELECT {COMMENT} FROM comments WHERE ticket_id = ? ORDER BY id", (ticket_id,)
        ).fetchall()
        return {**ticket, "comments": [dict(comment) for comment in comments]}

    def create(
        self,
        caller: str,
        title: str,
        body: str,
        priority: str = "normal",
        customer: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Open a ticket: `ticket`, and `created`, which is False when the caller used the key before.

        The database decides who was first, in one statement, so callers that race with one key make one
        ticket. A key belongs to its caller: another user's key is another key.
        """
        owner = self.customer_for(caller, customer)
        check_text("title", title, TITLE_MOST, "ticket_create")
        check_text("body", body, BODY_MOST, "ticket_create")
        with self.conn:
            inserted = self.conn.execute(
                "INSERT INTO tickets (title, body, priority, customer, opened_at, opened_by, idempotency_key)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (opened_by, idempotency_key) DO NOTHING",
                (title, body, priority, owner, self.now(), caller, idempotency_key),
            )
        created = inserted.rowcount == 1
        if created:
            row = self.conn.execute(f"SELECT {TICKET} FROM tickets WHERE id = ?", (inserted.lastrowid,))
        else:
            row = self.conn.execute(
                f"SELECT {TICKET} FROM tickets WHERE opened_by = ? AND idempotency_key = ?",
                (caller, idempotency_key),
            )
        return {"ticket": dict(row.fetchone()), "created": created}

    def comment(self, caller: str, ticket_id: int, body: str) -> dict[str, Any]:
        """Add a comment to a ticket, open or closed, that the caller can see; returns the comment."""
        self.visible(caller, ticket_id)
        check_text("comment", body, COMMENT_MOST, "ticket_comment")
        written = (ticket_id, caller, body, self.now())
        with self.conn:
            self.conn.execute(f"INSERT INTO comments ({COMMENT}) VALUES (?, ?, ?, ?)", written)
        return dict(zip(COMMENT.split(", "), written, strict=True))

    def close(self, caller: str, ticket_id: int, resolution: str) -> dict[str, Any]:
        """Close an open ticket with a resolution. Staff only; returns the ticket."""
        self.staff_only(caller, "close")
        self.visible(caller, ticket_id)
        check_text("resolution", resolution, RESOLUTION_MOST, "ticket_close")
        with self.conn:
            closed = self.conn.execute(
                "UPDATE tickets SET status = 'closed', resolution = ? WHERE id = ? AND status = 'open'",
                (resolution, ticket_id),
            )
        ticket = self.visible(caller, ticket_id)
        if closed.rowcount == 0:
            raise DeskError(
                "BAD_STATE",
                f"Ticket {ticket_id} is already closed (resolution: '{ticket['resolution']}').",
                f"If it needs more work, call `ticket_reopen` with ticket_id {ticket_id}."
                " Otherwise do nothing.",
            )
        return ticket

    def reopen(self, caller: str, ticket_id: int) -> dict[str, Any]:
        """Open a closed ticket again; its resolution is cleared. Staff only; returns the ticket."""
        self.staff_only(caller, "reopen")
        self.visible(caller, ticket_id)
        with self.conn:
            reopened = self.conn.execute(
                "UPDATE tickets SET status = 'open', resolution = NULL WHERE id = ? AND status = 'closed'",
                (ticket_id,),
            )
        if reopened.rowcount == 0:
            raise DeskError(
                "BAD_STATE",
                f"Ticket {ticket_id} is already open.",
                "Do nothing, or add what is new with `ticket_comment`.",
            )
        return self.visible(caller, ticket_id)

    def assign(self, caller: str, ticket_id: int, assignee: str) -> dict[str, Any]:
        """Make a member of staff the owner of a ticket. Staff only; returns the ticket."""
        self.staff_only(caller, "assign")
        self.visible(caller, ticket_id)
        staff = self.staff()
        if assignee not in staff:
            raise DeskError(
                "INVALID",
                f"{assignee!r} is not a member of support staff.",
                f"Set `assignee` to one of {staff} and call `ticket_assign` again.",
            )
        with self.conn:
            self.conn.execute("UPDATE tickets SET assignee = ? WHERE id = ?", (assignee, ticket_id))
        return self.visible(caller, ticket_id)

    def export(self, caller: str) -> dict[str, Any]:
        """Every ticket with its comments, without bound. Administrators only."""
        if self.role(caller) != "admin":
            raise DeskError(
                "FORBIDDEN",
                "Only an administrator can export the desk.",
                "Call `tickets_search` to list the tickets you can see.",
            )
        tickets = {
            row["id"]: {**dict(row), "comments": []}
            for row in self.conn.execute(f"SELECT {TICKET} FROM tickets ORDER BY id")
        }
        for comment in self.conn.execute(f"SELECT {COMMENT} FROM comments ORDER BY id"):
            tickets[comment["ticket_id"]]["comments"].append(dict(comment))
        return {"tickets": list(tickets.values())}

    def visible(self, caller: str, ticket_id: int) -> dict[str, Any]:
        """The ticket, if the caller may see it.

        Raises:
            DeskError: `NOT_FOUND`, in the same words whether the ticket is somebody else's or does not
                exist: a different answer would tell a customer which tickets others have.
        """
        row = self.conn.execute(f"SELECT {TICKET} FROM tickets WHERE id = ?", (ticket_id,)).fetchone()
        if row is None or (self.role(caller) == "customer" and row["customer"] != caller):
            raise DeskError(
                "NOT_FOUND",
                f"No ticket {ticket_id} that you can see.",
                "Call `tickets_search` to list the tickets you can see.",
            )
        return dict(row)

    def customer_for(self, caller: str, customer: str | None) -> str:
        """Whose ticket a new one is: a customer's own; staff name the customer."""
        if self.role(caller) == "customer":
            if customer not in (None, caller):
                raise DeskError(
                    "FORBIDDEN",
                    "You can open a ticket for yourself only.",
                    "Leave `customer` out and call `ticket_create` again.",
                )
            return caller
        if customer is None:
            raise DeskError(
                "INVALID",
                "Staff must say for which customer the ticket is.",
                "Set `customer` to the customer's user name and call `ticket_create` again.",
            )
        found = self.conn.execute("SELECT 1 FROM users WHERE name = ? AND role = 'customer'", (customer,))
        if found.fetchone() is None:
            raise DeskError(
                "INVALID",
                f"There is no customer {customer!r}.",
                "Call `tickets_search` to see customers' names, then call `ticket_create` again.",
            )
        return customer

    def staff(self) -> list[str]:
        """The names of everybody who can own a ticket, administrators among them."""
        rows = self.conn.execute("SELECT name FROM users WHERE role IN ('staff', 'admin') ORDER BY name")
        return [row["name"] for row in rows]

    def staff_only(self, caller: str, action: str) -> None:
        """Refuse a customer what only staff may do."""
        if self.role(caller) == "customer":
            raise DeskError(
                "FORBIDDEN",
                f"Only support staff can {action} tickets.",
                "Add a comment with `ticket_comment` to ask staff to do it.",
            )
