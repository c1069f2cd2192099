"""House rules for what a model reads: descriptions, schemas and error texts (`testkit.lint` lists them)."""

from grading.fixtures.client import text_of
from testkit.lint import Failure, lint_errors, lint_tools

# name, user, tool, arguments: twelve failures that a caller can provoke and must be able to mend.
FAILURES = [
    ("a closed ticket is closed again", "alice", "ticket_close", {"ticket_id": 5, "resolution": "Again."}),
    ("a ticket that does not exist", "alice", "ticket_get", {"ticket_id": 99}),
    ("somebody else's ticket", "carol", "ticket_comment", {"ticket_id": 3, "body": "Hello?"}),
    ("a customer closes", "carol", "ticket_close", {"ticket_id": 4, "resolution": "Done."}),
    ("a misspelled priority", "carol", "ticket_create", {"title": "t", "body": "b", "priority": "urgentt"}),
    ("a missing customer", "alice", "ticket_create", {"title": "t", "body": "b", "customer": "zoe"}),
    ("a bad cursor", "alice", "tickets_search", {"cursor": "page 2"}),
    ("an oversized comment", "carol", "ticket_comment", {"ticket_id": 4, "body": "c" * 2001}),
    ("an assignee who is not staff", "alice", "ticket_assign", {"ticket_id": 4, "assignee": "carol"}),
    ("a forbidden export", "alice", "desk_export", {}),
    ("a missing argument", "alice", "ticket_comment", {"ticket_id": 4}),
    ("an open ticket is reopened", "alice", "ticket_reopen", {"ticket_id": 4}),
]


def test_the_tools_keep_the_house_rules_for_what_a_model_reads(client):
    """House rules L01 to L13."""
    findings = lint_tools(client.tools())
    assert not findings, "\n".join(str(finding) for finding in findings)


def test_twelve_provoked_failures_say_what_to_do_next(client):
    """House rules E01 to E03. Each failure is first shown to be one."""
    failures = []
    for name, user, tool, arguments in FAILURES:
        result = client.as_user(user).call(tool, **arguments)
        assert result.is_error, f"{name}: {tool} did not say that it failed: {text_of(result)}"
        failures.append(Failure(name, tool, result.is_error, text_of(result)))
    assert len({failure.name for failure in failures}) == 12
    findings = lint_errors(failures)
    assert not findings, "\n".join(str(finding) for finding in findings)
