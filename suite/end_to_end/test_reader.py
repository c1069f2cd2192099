"""Can a reader of nothing but names, descriptions and error texts use the desk? (`testkit.reader`)

The reader is a script that follows words. What it manages shows that the words are there; it does not show
that a model would follow them.
"""

import tomllib
from pathlib import Path

from grading.fixtures.client import text_of
from testkit.reader import Call, StandInReader, recover

HERE = Path(__file__).parent
GOALS = tomllib.loads((HERE / "goals.toml").read_text("utf-8"))["goal"]
MISTAKES = tomllib.loads((HERE / "mistakes.toml").read_text("utf-8"))["mistake"]


def test_a_reader_chooses_the_right_tool_for_eight_goals(client):
    reader = StandInReader(client.tools())
    wrong = [
        f"{goal['text']!r}: chose {chosen}, not {goal['tool']}"
        for goal in GOALS
        if (chosen := reader.choose(goal["text"])) != goal["tool"]
    ]
    assert not wrong, "\n".join(wrong)
    assert len(GOALS) == 8


def test_a_reader_recovers_from_eight_mistakes(client, env):
    reader = StandInReader(client.tools())
    lost = []
    for mistake in MISTAKES:
        world = env.conn.serialize()
        reason = unrecovered(reader, mistake, client.as_user(mistake["user"]), env)
        if reason:
            lost.append(f"{mistake['name']}: {reason}")
        env.conn.deserialize(world)
    assert not lost, "\n".join(lost)
    assert len(MISTAKES) == 8


def unrecovered(reader, mistake, client, env):
    """Why the reader did not recover, or None."""
    results = []

    def perform(tool, arguments):
        results.append(client.call(tool, **arguments))
        return bool(results[-1].is_error), text_of(results[-1])

    arguments = dict(mistake["arguments"])
    if "repeat" in mistake:
        arguments["body"] *= mistake["repeat"]
    before = env.rows("SELECT count(*) FROM tickets UNION ALL SELECT count(*) FROM comments")
    recovery = recover(reader, Call(mistake["tool"], arguments), perform, mistake["goal"])
    if not recovery.steps[0].is_error:
        return "the first call was no mistake"
    if "want" in mistake:
        done = env.rows(mistake["want"]) == [(1,)]
    else:
        found = results[-1].structured_content or {}
        written = env.rows("SELECT count(*) FROM tickets UNION ALL SELECT count(*) FROM comments")
        done = (
            recovery.succeeded and written == before and [(found.get("total"),)] == env.rows(mistake["total"])
        )
    return None if done else f"{recovery.reason}, after {recovery.steps[-1].text!r}"


def test_triage_finds_the_urgent_ticket_that_nobody_owns(client, env):
    found = client.ok("tickets_search", status="open", priority="urgent", unassigned=True)
    assert [ticket["id"] for ticket in found["tickets"]] == [11]
    number = found["tickets"][0]["id"]
    assert client.ok("ticket_assign", ticket_id=number, assignee="alice")["assignee"] == "alice"
    client.ok("ticket_comment", ticket_id=number, body="I am on it.")
    ticket = client.ok("ticket_get", ticket_id=number)
    assert ticket["assignee"] == "alice"
    assert [(comment["author"], comment["body"]) for comment in ticket["comments"]] == [
        ("alice", "I am on it.")
    ]
    assert client.ok("tickets_search", status="open", priority="urgent", unassigned=True)["total"] == 0
    client.as_user("frank").ok("ticket_get", ticket_id=number)
    assert env.errors == []
