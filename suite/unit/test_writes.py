"""The rules of a write: new tickets and retries, comments, who owns a ticket, open and closed."""

import re

import pytest

from helpdesk.errors import DeskError


def refusal(call, *args, **kwargs):
    with pytest.raises(DeskError) as refused:
        call(*args, **kwargs)
    assert str(refused.value) == f"{refused.value.message} {refused.value.hint}"
    return refused.value


def test_one_key_twice_makes_one_ticket(env, desk):
    first = desk.create("carol", "Mouse is dead", "It does not blink.", "high", idempotency_key="k-1")
    again = desk.create("carol", "Mouse is dead", "It does not blink.", "high", idempotency_key="k-1")
    assert (first["created"], again["created"]) == (True, False)
    assert first["ticket"] == again["ticket"]
    stamp = first["ticket"].pop("opened_at")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp)
    assert first["ticket"] == {
        "id": 13,
        "title": "Mouse is dead",
        "body": "It does not blink.",
        "status": "open",
        "priority": "high",
        "customer": "carol",
        "assignee": None,
        "resolution": None,
    }
    assert desk.create("carol", "No key", "None.")["created"] is True
    assert desk.create("carol", "No key", "None.")["created"] is True, (
        "without a key each call is a new ticket"
    )
    other = desk.create("erin", "Another's", "Hers.", idempotency_key="k-1")
    assert other["created"] is True, "a key belongs to its caller"
    assert other["ticket"]["customer"] == "erin"
    rows = env.rows("SELECT opened_by, idempotency_key FROM tickets WHERE id > 12 ORDER BY id")
    assert rows == [("carol", "k-1"), ("carol", None), ("carol", None), ("erin", "k-1")]


def test_six_callers_race_with_one_key_and_get_one_ticket(env, gate):
    answers = gate.race(6, lambda desk: desk.create("carol", "Race", "Six at once.", idempotency_key="k-2"))
    rows = env.desk_on_file().search("alice", text="Six at once")
    assert rows["total"] == 1, f"six callers with one key made {rows['total']} tickets"
    assert len({answer["ticket"]["id"] for answer in answers}) == 1
    assert sorted(answer["created"] for answer in answers) == [False] * 5 + [True]


def test_an_unknown_customer_is_refused(env, desk):
    opened = desk.create("alice", "Phone call", "She has no sound.", customer="carol")["ticket"]
    assert (opened["customer"], opened["priority"]) == ("carol", "normal")
    assert desk.create("carol", "Mine", "For me.", customer="carol")["ticket"]["customer"] == "carol"
    for name in ("zoe", "bob", "dave"):
        unknown = refusal(desk.create, "alice", "Phone call", "No sound.", customer=name)
        assert unknown.code == "INVALID"
        assert name in unknown.message, "an unknown customer is named"
        assert "`ticket_create`" in unknown.hint
    missing = refusal(desk.create, "alice", "Phone call", "No sound.")
    assert missing.code == "INVALID"
    assert "`customer`" in missing.hint
    others = refusal(desk.create, "carol", "For erin", "Not mine.", customer="erin")
    assert others.code == "FORBIDDEN"
    assert "`customer`" in others.hint
    for title, body, what in (
        ("", "b", "title"),
        ("t", " \n", "body"),
        ("t" * 121, "b", "120"),
        ("t", "b" * 4001, "4000"),
    ):
        wrong = refusal(desk.create, "carol", title, body)
        assert wrong.code == "INVALID"
        assert what in wrong.message
        assert "`ticket_create`" in wrong.hint
    assert desk.create("carol", "t" * 120, "b" * 4000)["created"]
    assert env.rows("SELECT count(*) FROM tickets") == [(15,)]


def test_closing_and_reopening_follow_the_states_of_a_ticket(desk):
    closed = desk.close("alice", 1, "The password page works again.")
    assert (closed["id"], closed["status"]) == (1, "closed")
    assert closed["resolution"] == "The password page works again."
    again = refusal(desk.close, "bob", 1, "Twice.")
    assert again.code == "BAD_STATE"
    assert again.message == "Ticket 1 is already closed (resolution: 'The password page works again.')."
    assert again.hint == (
        "If it needs more work, call `ticket_reopen` with ticket_id 1. Otherwise do nothing."
    )
    assert desk.get("alice", 1)["resolution"] == "The password page works again.", "a refusal changes nothing"
    opened = desk.reopen("bob", 1)
    assert (opened["id"], opened["status"], opened["resolution"]) == (1, "open", None)
    assert desk.get("carol", 1)["status"] == "open"
    twice = refusal(desk.reopen, "alice", 1)
    assert twice.code == "BAD_STATE"
    assert "already open" in twice.message
    assert "`ticket_comment`" in twice.hint
    for resolution, most in (("", ""), ("  \t", ""), ("r" * 301, "300")):
        empty = refusal(desk.close, "alice", 1, resolution)
        assert empty.code == "INVALID"
        assert "resolution" in empty.message
        assert most in empty.message
        assert "`ticket_close`" in empty.hint
    assert desk.get("alice", 1)["status"] == "open"
    assert desk.close("dave", 1, "r" * 300)["status"] == "closed"
    assert desk.get("alice", 5)["resolution"] == "Pointed to Settings > Seats.", (
        "other tickets stay as they are"
    )
    assert desk.search("alice", status="closed")["total"] == 4


def test_a_ticket_shows_its_comments_in_the_order_in_which_they_were_written(desk):
    desk.comment("carol", 1, "Any news?")
    desk.comment("bob", 3, "On another ticket.")
    desk.comment("alice", 1, "Soon.")
    ticket = desk.get("carol", 1)
    assert [(comment["author"], comment["body"]) for comment in ticket["comments"]] == [
        ("alice", "Which browser do you use?"),
        ("carol", "Firefox, the newest one."),
        ("alice", "Thank you. We can see the problem and are on it."),
        ("carol", "Any news?"),
        ("alice", "Soon."),
    ]
    assert {comment["ticket_id"] for comment in ticket["comments"]} == {1}
    del ticket["comments"]
    assert ticket == {
        "id": 1,
        "title": "Cannot sign in since this morning",
        "body": "The page says that my password has expired, but offers no way to change it.",
        "status": "open",
        "priority": "normal",
        "customer": "carol",
        "assignee": "alice",
        "resolution": None,
        "opened_at": "2026-03-01T09:00:00Z",
    }
    assert desk.get("alice", 12)["comments"] == []


def test_a_comment_has_a_length(desk):
    assert desk.comment("carol", 4, "c" * 2000)["body"] == "c" * 2000
    for body, what in (("c" * 2001, "2000"), ("", "empty"), (" \n ", "empty")):
        wrong = refusal(desk.comment, "carol", 4, body)
        assert wrong.code == "INVALID"
        assert what in wrong.message
        assert "comment" in wrong.message
        assert "`ticket_comment`" in wrong.hint
    assert len(desk.get("carol", 4)["comments"]) == 1


def test_an_assignee_is_a_member_of_staff(desk):
    for name in ("bob", "dave", "alice"):
        assert desk.assign("alice", 4, name)["assignee"] == name
    assert desk.get("carol", 4)["assignee"] == "alice"
    assert desk.get("alice", 6)["assignee"] is None, "other tickets stay as they are"
    for name in ("carol", "zoe", ""):
        wrong = refusal(desk.assign, "alice", 4, name)
        assert wrong.code == "INVALID"
        assert repr(name) in wrong.message
        assert "['alice', 'bob', 'dave']" in wrong.hint
        assert "`ticket_assign`" in wrong.hint
    assert desk.get("carol", 4)["assignee"] == "alice"
