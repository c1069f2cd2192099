"""Who may see and do what: the record rule, which stands behind the scopes of a token."""

import pytest

from helpdesk.errors import DeskError


def refusal(call, *args, **kwargs):
    with pytest.raises(DeskError) as refused:
        call(*args, **kwargs)
    return refused.value


def test_somebody_elses_ticket_reads_like_no_ticket(desk):
    for number in (3, 99):
        missing = refusal(desk.get, "carol", number)
        assert missing.code == "NOT_FOUND"
        assert str(missing) == (
            f"No ticket {number} that you can see. Call `tickets_search` to list the tickets you can see."
        )
    assert desk.get("carol", 4)["id"] == 4
    assert desk.get("bob", 3)["id"] == 3
    for staff_call in (desk.close, desk.assign):
        assert refusal(staff_call, "alice", 99, "alice").code == "NOT_FOUND"
    assert refusal(desk.reopen, "alice", 99).code == "NOT_FOUND"
    assert refusal(desk.get, "mallory", 1).code == "FORBIDDEN"


def test_a_customer_is_refused_what_only_staff_may_do(env, desk):
    before = env.rows("SELECT * FROM tickets")
    for call, args, action in (
        (desk.close, (4, "Done."), "close"),
        (desk.reopen, (5,), "reopen"),
        (desk.assign, (4, "alice"), "assign"),
        (desk.close, (3, "Not even mine."), "close"),
        (desk.close, (99, "Not there."), "close"),
    ):
        forbidden = refusal(call, "carol", *args)
        assert forbidden.code == "FORBIDDEN"
        assert str(forbidden) == (
            f"Only support staff can {action} tickets."
            " Add a comment with `ticket_comment` to ask staff to do it."
        )
    assert env.rows("SELECT * FROM tickets") == before


def test_a_customer_comments_on_her_own_tickets_only(env, desk):
    mine = desk.comment("carol", 4, "Thank you.")
    assert (mine["ticket_id"], mine["author"], mine["body"]) == (4, "carol", "Thank you.")
    assert mine["written_at"] == desk.get("carol", 4)["comments"][-1]["written_at"]
    for number in (3, 99):
        missing = refusal(desk.comment, "carol", number, "Hello?")
        assert missing.code == "NOT_FOUND"
        assert f"No ticket {number} that you can see." in missing.message
    assert desk.comment("carol", 5, "It is back.")["ticket_id"] == 5, "a closed ticket can be written on"
    assert desk.comment("bob", 3, "Looking.")["author"] == "bob"
    assert env.rows("SELECT author, ticket_id FROM comments WHERE id > 9") == [
        ("carol", 4),
        ("carol", 5),
        ("bob", 3),
    ]


def test_only_an_administrator_exports_the_desk(desk):
    for caller in ("carol", "alice"):
        forbidden = refusal(desk.export, caller)
        assert forbidden.code == "FORBIDDEN"
        assert "administrator" in forbidden.message
        assert "`tickets_search`" in forbidden.hint
    tickets = {ticket["id"]: ticket for ticket in desk.export("dave")["tickets"]}
    assert sorted(tickets) == list(range(1, 13))
    for number in (1, 7, 12):
        assert tickets[number] == desk.get("dave", number)
    written = {number: len(ticket["comments"]) for number, ticket in tickets.items() if ticket["comments"]}
    assert written == {1: 3, 3: 1, 5: 1, 7: 2, 8: 1, 10: 1}
