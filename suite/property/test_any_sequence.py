"""Does any sequence of calls break a rule? The desk beside a plain model, driven as three users."""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from grading.fixtures.generated import examples
from helpdesk import db, world
from helpdesk.errors import DeskError
from helpdesk.service import Desk

ROLES = dict(world.USERS)
STAFF = sorted(name for name, role in ROLES.items() if role != "customer")
FIELDS = ("id", "title", "body", "status", "priority", "customer", "assignee", "resolution")

callers = st.sampled_from(["alice", "carol", "alice", "erin"])
names = st.sampled_from([*ROLES, "zoe"])
numbers = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 13, 14, 99])
words = st.sampled_from(["", "  ", "Printer", "the 100% case", "it's", "a_b", "Größe"])
priorities = st.sampled_from(["low", "normal", "high", "urgent"])


class Refused(Exception):
    """The model refuses; the text is the code that the desk must give."""


def first_world() -> dict[int, dict[str, Any]]:
    tickets = {}
    for number, title, body, priority, customer, assignee, resolution in world.TICKETS:
        state = "closed" if resolution else "open"
        values = (number, title, body, state, priority, customer, assignee, resolution)
        tickets[number] = dict(zip(FIELDS, values, strict=True)) | {"comments": []}
    for number, author, body in world.COMMENTS:
        tickets[number]["comments"].append((author, body))
    return tickets


class DeskBesideModel(RuleBasedStateMachine):
    """Each rule does the same to both; what they answer must agree, and at every step what they hold."""

    def __init__(self) -> None:
        super().__init__()
        self.conn = db.connect()
        world.fill(self.conn)
        self.desk = Desk(self.conn)
        self.tickets = first_world()
        self.keys: dict[tuple[str, str], int] = {}

    def teardown(self) -> None:
        self.conn.close()

    # What the model knows

    def seen(self, caller: str) -> list[int]:
        staff = ROLES[caller] != "customer"
        return [n for n in sorted(self.tickets)[::-1] if staff or self.tickets[n]["customer"] == caller]

    def ticket(self, caller: str, number: int) -> dict[str, Any]:
        if number not in self.seen(caller):
            raise Refused("NOT_FOUND")
        return self.tickets[number]

    def staff_only(self, caller: str) -> None:
        if ROLES[caller] == "customer":
            raise Refused("FORBIDDEN")

    def filled(self, text: str) -> None:
        if not text.strip():
            raise Refused("INVALID")

    def both(self, model: Any, call: Any, *args: Any, **kwargs: Any) -> Any:
        """What the desk answers, once both agree on whether it does."""
        try:
            model()
        except Refused as expected:
            code = str(expected)
        else:
            return call(*args, **kwargs)
        with pytest.raises(DeskError) as refused:
            call(*args, **kwargs)
        assert refused.value.code == code
        assert refused.value.message
        assert refused.value.hint
        return None

    # What users do

    @rule(caller=callers, customer=st.none() | names, title=words, body=words, priority=priorities,
          key=st.none() | st.sampled_from(["k1", "k2"]))  # fmt: skip
    def create(self, caller, customer, title, body, priority, key):
        owner = caller if ROLES[caller] == "customer" else customer

        def model():
            if ROLES[caller] == "customer" and customer not in (None, caller):
                raise Refused("FORBIDDEN")
            if ROLES.get(owner) != "customer":
                raise Refused("INVALID")
            self.filled(title)
            self.filled(body)

        answer = self.both(
            model, self.desk.create, caller, title, body, priority, customer=customer, idempotency_key=key
        )
        if answer is None:
            return
        number = answer["ticket"]["id"]
        known = self.keys.get((caller, key))
        assert answer["created"] == (known is None)
        if known is None:
            assert number not in self.tickets, "a new ticket took the number of another"
            values = (number, title, body, "open", priority, owner, None, None)
            self.tickets[number] = dict(zip(FIELDS, values, strict=True)) | {"comments": []}
            if key is not None:
                self.keys[caller, key] = number
        else:
            assert number == known

    @rule(caller=callers, number=numbers, body=words)
    def comment(self, caller, number, body):
        def model():
            self.ticket(caller, number)
            self.filled(body)

        if self.both(model, self.desk.comment, caller, number, body):
            self.tickets[number]["comments"].append((caller, body))

    @rule(caller=callers, number=numbers, resolution=words)
    def close(self, caller, number, resolution):
        def model():
            self.staff_only(caller)
            ticket = self.ticket(caller, number)
            self.filled(resolution)
            if ticket["status"] == "closed":
                raise Refused("BAD_STATE")

        if self.both(model, self.desk.close, caller, number, resolution):
            self.tickets[number] |= {"status": "closed", "resolution": resolution}

    @rule(caller=callers, number=numbers)
    def reopen(self, caller, number):
        def model():
            self.staff_only(caller)
            if self.ticket(caller, number)["status"] == "open":
                raise Refused("BAD_STATE")

        if self.both(model, self.desk.reopen, caller, number):
            self.tickets[number] |= {"status": "open", "resolution": None}

    @rule(caller=callers, number=numbers, assignee=names)
    def assign(self, caller, number, assignee):
        def model():
            self.staff_only(caller)
            self.ticket(caller, number)
            if assignee not in STAFF:
                raise Refused("INVALID")

        if self.both(model, self.desk.assign, caller, number, assignee):
            self.tickets[number]["assignee"] = assignee

    @rule(
        caller=callers,
        text=st.none() | words.filter(bool),
        status=st.sampled_from([None, "open", "closed"]),
        priority=st.none() | priorities,
        customer=st.none() | names,
        unassigned=st.sampled_from([None, True, False]),
        limit=st.integers(1, 20),
    )
    def search(self, caller, text, status, priority, customer, unassigned, limit):
        def matches(ticket):
            return (
                (text is None or text.lower() in (ticket["title"] + "\n" + ticket["body"]).lower())
                and status in (None, ticket["status"])
                and priority in (None, ticket["priority"])
                and customer in (None, ticket["customer"])
                and unassigned in (None, ticket["assignee"] is None)
            )

        expected = [n for n in self.seen(caller) if matches(self.tickets[n])]
        found, cursor = [], None
        while len(found) <= len(expected):
            page = self.desk.search(caller, text, status, priority, customer, None, unassigned, limit, cursor)
            assert page["total"] == len(expected)
            found += [ticket["id"] for ticket in page["tickets"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert cursor is None, "paging does not end"
        assert sorted(found, reverse=True) == expected

    # What must hold after every step

    @invariant()
    def the_desk_holds_what_the_model_holds(self):
        held = {ticket["id"]: ticket for ticket in self.desk.export("dave")["tickets"]}
        assert sorted(held) == sorted(self.tickets)
        for number, ticket in self.tickets.items():
            assert {field: held[number][field] for field in FIELDS} == {f: ticket[f] for f in FIELDS}
            comments = [(comment["author"], comment["body"]) for comment in held[number]["comments"]]
            assert comments == ticket["comments"]

    @rule(caller=callers, number=numbers)
    def get(self, caller, number):
        answer = self.both(lambda: self.ticket(caller, number), self.desk.get, caller, number)
        if answer:
            assert {field: answer[field] for field in FIELDS} == {f: self.tickets[number][f] for f in FIELDS}


def test_no_sequence_of_calls_by_three_users_breaks_a_rule():
    run_state_machine_as_test(DeskBesideModel, settings=examples(8, steps=20))
