"""The rules of a search: what it finds, for whom, and page by page."""

import sqlite3

import pytest

from helpdesk.errors import DeskError

ALL = list(range(12, 0, -1))


def ids(answer):
    return [ticket["id"] for ticket in answer["tickets"]]


def grow(env, size):
    """A desk that does not grow has failed, and not the check."""
    try:
        env.grow(size)
    except Exception as crash:
        pytest.fail(f"the desk does not grow to {size} tickets: {crash!r}")


def test_search_text_is_data_and_never_sql(desk):
    assert desk.search("alice", text="zzz') OR 1=1 OR (title LIKE '")["total"] == 0
    assert ids(desk.search("carol", text="' OR customer != 'carol' OR title = '")) == []
    assert desk.search("alice", text="%")["total"] == 0, "a per cent sign is a character to look for"
    assert desk.search("alice", text="_")["total"] == 0, "an underscore is a character to look for"
    assert desk.search("alice", text="\\")["total"] == 0
    desk.create("carol", "100% of the_disk is full", "See C:\\temp")
    for text in ("100%", "the_disk", "C:\\temp"):
        assert ids(desk.search("alice", text=text)) == [13], text
    assert desk.search("alice", text="the disk")["total"] == 0


def test_a_customer_finds_exactly_her_own_tickets(desk):
    assert ids(desk.search("carol")) == [9, 5, 4, 1]
    assert desk.search("carol")["total"] == 4
    assert ids(desk.search("carol", customer="erin")) == [], "a filter must not widen what she sees"
    assert ids(desk.search("carol", customer="carol")) == [9, 5, 4, 1]
    assert ids(desk.search("alice")) == ids(desk.search("dave")) == ALL
    with pytest.raises(DeskError) as refused:
        desk.search("mallory")
    assert refused.value.code == "FORBIDDEN"
    assert "mallory" in refused.value.message


def test_a_search_answers_with_twenty_tickets_at_most(env, desk):
    grow(env, 12)
    assert desk.search("alice")["total"] == 12, "it has them already"
    grow(env, 60)
    first = desk.search("alice")
    assert ids(first) == list(range(60, 40, -1))
    assert first["total"] == 60
    assert first["next_cursor"]
    assert desk.get("alice", 60) == {
        "id": 60,
        "title": "Request 60: replace part 60",
        "body": "The part in room 60 is worn. It is number 60 on our list and can wait a week.",
        "status": "open",
        "priority": "low",
        "customer": "carol",
        "assignee": "alice",
        "resolution": None,
        "opened_at": "2026-04-01T00:01:00Z",
        "comments": [
            {
                "ticket_id": 60,
                "author": "alice",
                "body": "Looked at it; part 60 is on order.",
                "written_at": "2026-04-02T09:00:00Z",
            }
        ],
    }, "a grown desk is the same each time"
    assert (desk.get("alice", 59)["assignee"], desk.get("alice", 59)["comments"]) == (None, [])
    assert len(desk.get("alice", 58)["comments"]) == 1
    assert [desk.get("alice", number)["assignee"] for number in (57, 58)] == ["bob", "dave"]
    assert [desk.get("alice", number)["priority"] for number in (58, 59)] == ["normal", "high"]
    assert len(desk.search("alice", limit=1000)["tickets"]) == 20
    assert len(desk.search("alice", limit=0)["tickets"]) == 1
    assert ids(desk.search("alice", limit=3)) == [60, 59, 58]
    assert set(first["tickets"][0]) == {"id", "title", "status", "priority", "customer", "assignee"}
    exactly = desk.search("alice", limit=12, customer="carol")
    assert exactly["total"] == desk.search("alice", customer="carol")["total"]
    assert desk.search("carol", limit=4, status="closed")["next_cursor"] is None


def test_pages_cover_every_ticket_once_also_while_tickets_are_added(env, desk):
    grow(env, 45)
    for limit in (1, 7, 20):
        seen, cursor, pages = [], None, 0
        before = desk.search("alice")["total"]
        while True:
            page = desk.search("alice", limit=limit, cursor=cursor)
            assert page["total"] >= before, "the total is that of all pages"
            seen += ids(page)
            pages += 1
            assert pages <= before + 1, "paging does not end"
            if pages == 2:
                desk.create("carol", "Opened between two pages", "It must move nothing.")
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == list(range(before, 0, -1))
    whole = desk.search("carol", limit=3, text="Opened between")
    assert (len(whole["tickets"]), whole["total"]) == (3, 3)
    assert whole["next_cursor"] is None, "a last page that is just full has no next one"


def test_filters_keep_only_what_matches_all_of_them(desk):
    def found(**filters):
        answer = desk.search("alice", **filters)
        assert answer["total"] == len(answer["tickets"])
        return ids(answer)

    assert found(status="closed") == [8, 5, 2]
    assert found(status="open") == [12, 11, 10, 9, 7, 6, 4, 3, 1]
    assert found(priority="urgent") == [11, 10, 8]
    assert found(customer="frank") == [11, 7, 6]
    assert found(assignee="bob") == [7, 3]
    assert found(unassigned=True) == [12, 11, 9, 6, 4]
    assert found(unassigned=False) == [10, 8, 7, 5, 3, 2, 1]
    assert found(text="PRINTER") == [7], "case does not matter"
    assert found(text="rollers") == []
    assert found(text="sheets at once") == [7], "the body is searched too"
    assert found(status="open", priority="urgent", unassigned=True) == [11]
    assert found(customer="erin", status="closed", assignee="alice", text="invoices") == [2]
    assert found(assignee="nobody") == []


def test_a_cursor_that_no_search_gave_is_refused_with_the_way_out(env, desk):
    grow(env, 240)
    last = desk.get("alice", 240)
    assert (last["title"], last["body"][:19]) == ("Request 240: replace part 46", "The part in room 29")
    real = desk.search("alice", limit=5)["next_cursor"]
    assert ids(desk.search("alice", limit=1, cursor=real)) == [235]
    assert ids(desk.search("carol", limit=1, cursor=real)) == [234], "a cursor shows nobody more than her own"
    for cursor in ("", "-", "no-such-page", "A" * 64, f"{real}-{real}"):
        with pytest.raises(DeskError) as refused:
            desk.search("alice", cursor=cursor)
        assert refused.value.code == "INVALID"
        assert "`cursor`" in refused.value.hint
        assert "`tickets_search`" in refused.value.hint


def test_constraints_hold_under_raw_sql(env, desk):
    def broken(sql, *values):
        with pytest.raises(sqlite3.IntegrityError):
            env.conn.execute(sql, values)
        env.conn.rollback()

    insert = "INSERT INTO tickets (title, body, customer, opened_at, opened_by, idempotency_key, {}) VALUES "
    row = "('t', 'b', 'carol', '2026', 'carol', {}, {})"
    broken(insert.format("status") + row.format("NULL", "'waiting'"))
    broken(insert.format("priority") + row.format("NULL", "'urgentt'"))
    broken("UPDATE tickets SET status = 'closed' WHERE id = 1")
    broken("UPDATE tickets SET status = 'closed', resolution = '' WHERE id = 1")
    broken("UPDATE tickets SET resolution = 'done' WHERE id = 1")
    broken("UPDATE tickets SET status = 'open' WHERE id = 5")
    broken("UPDATE tickets SET title = '' WHERE id = 1")
    broken("UPDATE tickets SET body = '' WHERE id = 1")
    broken("UPDATE tickets SET customer = 'mallory' WHERE id = 1")
    broken("UPDATE tickets SET assignee = 'mallory' WHERE id = 1")
    broken("UPDATE users SET role = 'root' WHERE name = 'carol'")
    broken("INSERT INTO comments (ticket_id, author, body, written_at) VALUES (99, 'carol', 'b', '2026')")
    broken("INSERT INTO comments (ticket_id, author, body, written_at) VALUES (1, 'carol', '', '2026')")
    desk.create("carol", "One", "First", idempotency_key="k")
    broken(insert.format("priority") + row.format("'k'", "'low'"))
    assert env.rows("SELECT count(*) FROM tickets") == [(13,)]
