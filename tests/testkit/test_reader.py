"""The stand-in reader, in a lending library: what it chooses by, and which hints it can follow."""

import asyncio

import pytest

from testkit.model_reader import ModelReader
from testkit.reader import MAX_CALLS, Call, StandInReader, describe, make_reader, recover, recover_async

BOOK = {"book": {"type": "integer"}}


def tool(name: str, description: str = "", required: tuple[str, ...] = (), **properties) -> dict:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS = [
    tool("books_find", "Find books by author. Use book_lend to take one home.", cursor={"type": "string"}),
    tool("book_lend", "Lend a copy to a reader.", ("book",), branch={"enum": ["north", "south"]}, **BOOK),
    tool("book_return", "Take a copy back from a reader.", ("book",), **BOOK),
    tool(
        "note_add",
        "Write to the librarians.",
        ("book", "text"),
        text={"type": "string", "maxLength": 40},
        **BOOK,
    ),
]
LEND = Call("book_lend", {"book": 3})
LENT = "Book 3 is lent. If it came back, call `book_return` with book 3. Otherwise do nothing."


@pytest.fixture
def reader() -> StandInReader:
    return StandInReader(TOOLS)


def repaired(reader: StandInReader, call: Call, error: str, goal: str = "") -> list[str]:
    return [describe(each) for each in reader.repair(call, error, goal).calls]


@pytest.mark.parametrize(
    ("goal", "chosen"),
    [
        ("who are the authors of this", "books_find"),
        ("lending this copy out", "book_lend"),
        ("it was taken back", "book_return"),
        ("write to a librarian", "note_add"),
    ],
)
def test_it_chooses_by_the_words_that_goal_and_tool_share_in_any_form(reader, goal, chosen):
    assert reader.choose(goal) == chosen


def test_a_rare_word_outweighs_common_ones():
    tools = [
        tool("one", "A copy for a reader of the house."),
        tool("two", "A copy for a reader."),
        tool("three", "An atlas, for a reader."),
    ]
    goal = "a copy for the reader, of the atlas"
    assert StandInReader(tools).choose(goal) == "three"
    assert StandInReader(tools, weigh_rare=False).choose(goal) == "one"


def test_naming_a_neighbour_does_not_make_a_tool_look_like_it(reader):
    assert dict(reader.ranking("lend"))["books_find"] == 0


def test_equal_tools_are_taken_in_the_order_of_the_list(reader):
    assert reader.choose("something else entirely") == "books_find"
    assert StandInReader(TOOLS[::-1]).choose("something else entirely") == "note_add"


def test_without_tools_there_is_nothing_to_choose():
    with pytest.raises(ValueError, match="no tools"):
        StandInReader([]).choose("anything")


@pytest.mark.parametrize(
    "error",
    [
        "Invalid arguments: arguments.branch must be one of ['north', 'south'], got 'nort'. Try again.",
        'branch must be one of ["north", "south"]',
        "There is no branch nort; it is one of: north, south.",
        "'nort' is unknown. Allowed values: `north`, `south`.",
        "The branch is either south or north.",
    ],
)
def test_of_values_that_are_listed_it_takes_the_nearest(reader, error):
    call = Call("book_lend", {"book": 3, "branch": "nort"})
    assert repaired(reader, call, error) == ["book_lend(book=3, branch='north')"]


@pytest.mark.parametrize(
    "error", ["arguments.text must be at most 12 characters, got 24.", "Shorten `text` to 12 characters."]
)
def test_a_text_that_is_too_long_is_cut_at_a_word(reader, error):
    call = Call("note_add", {"book": 3, "text": "word word word word word"})
    assert repaired(reader, call, error) == ["note_add(book=3, text='word word')"]


def test_a_number_is_kept_to_its_bound(reader):
    assert repaired(reader, Call("book_lend", {"book": 50}), "book must be at most 20, got 50.") == [
        "book_lend(book=20)"
    ]


@pytest.mark.parametrize(
    "error", ["Leave `cursor` out.", "Unknown cursor; leave out `cursor`.", "Omit `cursor`."]
)
def test_an_argument_is_left_out_when_the_words_say_so(reader, error):
    assert repaired(reader, Call("books_find", {"cursor": "zz"}), error) == ["books_find()"]


def test_a_tool_that_is_named_is_called_with_what_the_words_and_the_first_call_give(reader):
    assert repaired(reader, LEND, "No book 3. Call `books_find` to see all.") == ["books_find()"]
    assert repaired(reader, LEND, "It is elsewhere. Use `book_return` with book 4.") == [
        "book_return(book=4)"
    ]
    assert repaired(reader, LEND, "Not you. Leave a note with `note_add`.", "lend me 3") == [
        "note_add(book=3, text='lend me 3')"
    ]


def test_a_tool_is_not_called_when_the_words_warn_of_it_or_it_does_not_exist(reader):
    assert repaired(reader, LEND, "It is lent. Do not call `book_return` for it.") == []
    assert repaired(reader, LEND, "It is lent. Call `book_steal` instead.") == []


def test_steps_are_taken_in_order_and_the_first_call_comes_again_when_it_should(reader):
    assert repaired(reader, LEND, "First call `book_return`, then call `book_lend` again.") == [
        "book_return(book=3)",
        "book_lend(book=3)",
    ]


def test_a_condition_is_judged_by_the_goal(reader):
    assert repaired(reader, LEND, LENT, "the reader came back with book 3") == ["book_return(book=3)"]
    assert repaired(reader, LEND, LENT, "lend book 3") == []
    assert reader.repair(LEND, LENT, "lend book 3").reason == "the words say to leave it"


@pytest.mark.parametrize(
    "error",
    [
        "Forbidden",
        "Book 3 is lent.",
        "It failed (e-1). Do not retry the same call; tell the user.",
        "Call `book_lend`.",
    ],
)
def test_without_a_hint_there_is_no_repair(reader, error):
    assert repaired(reader, LEND, error) == []


def test_recovery_follows_hints_until_a_call_succeeds(reader):
    answers = {"book_lend": (True, "First call `book_return`."), "book_return": (False, "back")}
    recovery = recover(reader, LEND, lambda name, arguments: answers[name])
    assert [step.call.tool for step in recovery.steps] == ["book_lend", "book_return"]
    assert (recovery.succeeded, recovery.repairs, recovery.characters) == (True, 1, 25)


def test_recovery_gives_up_after_three_repairs(reader):
    tried = []

    def perform(name, arguments):
        tried.append(name)
        return True, f"Call `{'book_return' if name == 'book_lend' else 'book_lend'}` first."

    recovery = recover(reader, LEND, perform)
    assert tried == ["book_lend", "book_return", "book_lend", "book_return"]
    assert (recovery.succeeded, recovery.reason) == (False, "3 repairs were not enough")


def test_recovery_gives_up_after_five_calls(reader):
    def perform(name, arguments):
        return name == "book_lend", "First call `book_return`, then call `book_lend` again."

    recovery = recover(reader, LEND, perform)
    assert [step.is_error for step in recovery.steps] == [True, False, True, False, True]
    assert len(recovery.steps) == MAX_CALLS
    assert (recovery.succeeded, recovery.reason) == (False, "5 calls were not enough")


def test_a_recovery_that_is_cut_short_has_not_succeeded_even_if_its_last_call_did(reader):
    def perform(name, arguments):
        steps = "First call `book_return`, then call `book_return` with book 4, then call `book_lend` again."
        return name == "book_lend", steps

    recovery = recover(reader, LEND, perform)
    assert not recovery.steps[-1].is_error
    assert not recovery.succeeded


def test_recovery_works_with_a_perform_that_is_awaited(reader):
    async def perform(name, arguments):
        return name == "book_lend", "Call `book_return`."

    recovery = asyncio.run(recover_async(reader, LEND, perform))
    assert [step.is_error for step in recovery.steps] == [True, False]


def test_the_reader_is_picked_by_its_spec():
    assert isinstance(make_reader(None, TOOLS), StandInReader)
    assert isinstance(make_reader("stand-in", TOOLS), StandInReader)
    assert isinstance(make_reader("http://127.0.0.1:9/v1", TOOLS, model="m"), ModelReader)
    with pytest.raises(ValueError, match="no reader 'gpt'"):
        make_reader("gpt", TOOLS)
