"""Six callers send one new ticket with one key at one moment: a solution."""

import pytest

pytestmark = pytest.mark.layer("unit")

TITLE = "My screen stays black"


def test_six_callers_with_one_key_open_one_ticket(env, gate):
    answers = gate.race(6, lambda desk: desk.create("carol", TITLE, "Since noon.", idempotency_key="k-1"))
    numbers = {answer["ticket"]["id"] for answer in answers}
    assert len(numbers) == 1, f"one key, and the callers were told of tickets {sorted(numbers)}"
    assert [answer["created"] for answer in answers].count(True) == 1, "exactly one caller created it"
    on_the_desk = env.desk_on_file().search("carol", text=TITLE)["tickets"]
    assert {ticket["id"] for ticket in on_the_desk} == numbers, "the desk has what the callers were told"
    assert len(on_the_desk) == 1


def test_six_callers_without_a_key_open_six_tickets(gate):
    answers = gate.race(6, lambda desk: desk.create("carol", TITLE, "Since noon."))
    assert len({answer["ticket"]["id"] for answer in answers}) == 6
    assert all(answer["created"] for answer in answers)


def test_a_key_belongs_to_the_user_who_sent_it(desk):
    carols = desk.create("carol", TITLE, "Since noon.", idempotency_key="k-1")
    erins = desk.create("erin", "No sound", "In every call.", idempotency_key="k-1")
    assert erins["created"] is True
    assert erins["ticket"]["id"] != carols["ticket"]["id"]
    assert erins["ticket"]["customer"] == "erin"
