"""The teaching world: twelve tickets and six users, the same every time."""

import sqlite3

__all__ = ["fill", "grow"]

USERS = [
    ("alice", "staff"),
    ("bob", "staff"),
    ("carol", "customer"),
    ("dave", "admin"),
    ("erin", "customer"),
    ("frank", "customer"),
]

# number, title, body, priority, customer, assignee, resolution (None: the ticket is open)
TICKETS = [
    (
        1,
        "Cannot sign in since this morning",
        "The page says that my password has expired, but offers no way to change it.",
        "normal",
        "carol",
        "alice",
        None,
    ),
    (
        2,
        "Where are the old invoices?",
        "I need the invoices of last year for my records.",
        "low",
        "erin",
        "alice",
        "They are under Billing > Archive.",
    ),
    (3, "Invoice shows the wrong total", "The total counts the discount twice.", "high", "erin", "bob", None),
    (
        4,
        "Need a second monitor",
        "My desk has room for one, and the spreadsheets are wide.",
        "normal",
        "carol",
        None,
        None,
    ),
    (
        5,
        "How do I add a seat?",
        "Our team grows by one person next week.",
        "normal",
        "carol",
        "alice",
        "Pointed to Settings > Seats.",
    ),
    (
        6,
        "Dark mode for the report page",
        "The page is very bright in the evening.",
        "low",
        "frank",
        None,
        None,
    ),
    (
        7,
        "Printer on the third floor jams",
        "It takes two sheets at once and stops.",
        "high",
        "frank",
        "bob",
        None,
    ),
    (
        8,
        "Site is down",
        "No page loads, for any of us.",
        "urgent",
        "erin",
        "alice",
        "A certificate had run out; it was renewed.",
    ),
    (9, "Typo on the welcome page", "It says 'Welcom'.", "low", "carol", None, None),
    (10, "Export stops at half", "The file ends after about 5 000 rows.", "urgent", "erin", "alice", None),
    (
        11,
        "Nobody can place an order",
        "The checkout answers every order with an error.",
        "urgent",
        "frank",
        None,
        None,
    ),
    (12, "Change our billing address", "We move at the end of the month.", "normal", "erin", None, None),
]

# ticket, author, body: in the order in which they were written
COMMENTS = [
    (1, "alice", "Which browser do you use?"),
    (1, "carol", "Firefox, the newest one."),
    (1, "alice", "Thank you. We can see the problem and are on it."),
    (3, "bob", "I can reproduce it with any discount."),
    (5, "alice", "Settings > Seats has a button for it."),
    (7, "frank", "It happened again today."),
    (7, "bob", "A new roller is ordered."),
    (8, "erin", "It works again, thank you."),
    (10, "alice", "The limit is in the proxy; operations will lift it."),
]

INSERT_TICKET = (
    "INSERT INTO tickets"
    " (id, title, body, status, priority, customer, assignee, resolution, opened_at, opened_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_COMMENT = "INSERT INTO comments (ticket_id, author, body, written_at) VALUES (?, ?, ?, ?)"


def fill(conn: sqlite3.Connection) -> None:
    """Make the teaching world in an empty desk."""
    with conn:
        conn.executemany("INSERT INTO users VALUES (?, ?)", USERS)
        conn.executemany(
            INSERT_TICKET,
            (
                (
                    number,
                    title,
                    body,
                    "closed" if resolution else "open",
                    priority,
                    customer,
                    assignee,
                    resolution,
                    f"2026-03-{number:02}T09:00:00Z",
                    customer,
                )
                for number, title, body, priority, customer, assignee, resolution in TICKETS
            ),
        )
        conn.executemany(
            INSERT_COMMENT,
            (
                (ticket, author, body, f"2026-03-{ticket:02}T1{minute}:00:00Z")
                for minute, (ticket, author, body) in enumerate(COMMENTS)
            ),
        )


def grow(conn: sqlite3.Connection, n: int) -> None:
    """Add tickets to the teaching world until the desk has `n`, the same ones every time.

    The new tickets are open, go round the customers, the priorities and the staff (every fourth has no
    owner), and each second one has a comment.

    Raises:
        ValueError: the desk has more than `n` tickets already.
    """
    have = conn.execute("SELECT count(*) FROM tickets").fetchone()[0]
    if have > n:
        raise ValueError(f"the desk has {have} tickets already, more than {n}")
    numbers = range(have + 1, n + 1)
    with conn:
        conn.executemany(INSERT_TICKET, (grown(number) for number in numbers))
        conn.executemany(
            INSERT_COMMENT,
            (
                (number, "alice", f"Looked at it; part {number} is on order.", "2026-04-02T09:00:00Z")
                for number in numbers
                if number % 2 == 0
            ),
        )


def grown(number: int) -> tuple[object, ...]:
    """The row of one ticket that `grow` adds."""
    customer = ("carol", "erin", "frank")[number % 3]
    return (
        number,
        f"Request {number}: replace part {number % 97}",
        f"The part in room {number % 211} is worn. It is number {number} on our list and can wait a week.",
        "open",
        ("low", "normal", "high")[number % 3],
        customer,
        ("alice", "bob", "dave", None)[number % 4],
        None,
        f"2026-04-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z",
        customer,
    )
