"""Each rule for the text of a failure, with texts that it must reject and texts that it must accept."""

import pytest

from testkit.lint import RULES, Failure, lint_errors

REJECT_TEXTS = {
    "E01": ["Forbidden", "", "Error: not found", "Call `book_get`."],
    "E02": [
        "Traceback (most recent call last): call `book_get` instead.",
        'File "/srv/app/desk.py", line 3, in get. Call `book_get` instead.',
        "The call failed at line 12, so call `book_get` instead.",
        "KeyError: 'book' was raised, so call `book_get` instead.",
        "sqlite3 said: no such table: books. Call `book_get` instead.",
        "UNIQUE constraint failed: books.number. Call `book_get` instead.",
        "SELECT title FROM books WHERE number = 3 is empty. Call `book_get`.",
        "Cannot open /home/library/books.db. Call `book_get` instead.",
        "Cannot open C:\\library\\books. Call `book_get` instead.",
        "<Desk object at 0x7f3a2b1c9d00> refused. Call `book_get` instead.",
        "'NoneType' has no attribute of that name. Call `book_get` instead.",
        "[Errno 13] Permission denied, so call `book_get` instead.",
    ],
    "E03": [
        "Book 3 is already lent to somebody else.",
        "You are not allowed to lend any books here.",
        "Call failed because of the state of the server.",
        "Use of this tool is forbidden for young readers.",
        "Search failed, the library is closed today.",
    ],
}
ACCEPT_TEXTS = {
    "E01": ["Book 3 is lent. Call `book_get` for more."],
    "E02": [
        "Book 3 is lent. Select another from the list, and/or ask at the desk, line by line.",
        "See https://library.example/help/lending.html and call again.",
        "Priority must be one of ['low', 'high'], got '3'. Fix the arguments and call `book_lend` again.",
    ],
    "E03": [
        "No book 3 that you can see. Call `books_search` to list the books.",
        "Only librarians can do that, with `book_lend`.",
        "The text has 300 characters. Shorten it to 200.",
        "Book 3 is already lent. If you need it soon, reserve it; otherwise do nothing.",
        "The tool failed (reference e-1). Do not retry the same call; tell the user.",
    ],
}


def cases(table: dict[str, list]) -> list:
    return [
        pytest.param(rule, case, id=f"{rule}-{n}")
        for rule, given in table.items()
        for n, case in enumerate(given)
    ]


def test_every_rule_has_a_text_to_reject_and_one_to_accept():
    error_rules = {id for id in RULES if id.startswith("E")}
    assert REJECT_TEXTS.keys() == ACCEPT_TEXTS.keys() == error_rules
    for table in (REJECT_TEXTS, ACCEPT_TEXTS):
        assert all(table.values())


@pytest.mark.parametrize(("rule", "text"), cases(REJECT_TEXTS))
def test_a_poor_error_is_found_by_its_rule(rule, text):
    assert rule in [each.rule for each in lint_errors([Failure("a case", "book_lend", True, text)])]


@pytest.mark.parametrize(("rule", "text"), cases(ACCEPT_TEXTS))
def test_a_helpful_error_is_left_alone(rule, text):
    assert lint_errors([Failure("a case", "book_lend", True, text)]) == []
