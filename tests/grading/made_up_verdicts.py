"""Verdicts that are made up: passed, in part, a broken submission, vicious words, words without end."""

from dataclasses import replace

from grading.exercises.feedback import Feedback, Item
from grading.exercises.words import Problem
from grading.stamp import Stamp

EXERCISE = "04_writes/medium_race"
STAMP = Stamp("1" * 12, "2" * 12, "3" * 12, "3.13.0", "2.3.0", "Linux x86_64", 2, "fork", "process group")

#: Everything that could mean something to a terminal, a browser, or a reader of Markdown, XML or JSON.
HOSTILE = (
    "</pre></code><script>alert(1)</script><img src=x onerror=alert(2)>\n"
    "]]> &amp; &lt; <!-- --> <![CDATA[ <?x?>\n"
    "\x1b[31mred\x1b]0;title\x07 \x9b31m \x00\x08\x0b\x0c\x7f \ufffe\uffff \ud800 \udfff \u202eback\n"
    "```\n````\n# heading\n\n- item\n\n1. one\n\n> quote\n\n    code\n\n***\n\ntitle\n=====\n"
    "| a | b |\n|---|---|\n"
    "[link](javascript:alert(3)) ![image](http://127.0.0.1/x.png) [^1] <http://127.0.0.1> http://127.0.0.1 "
    "www.example.org **bold** _it_ ~~gone~~ `code` $x$ \\ \\\\ {{mustache}} {{{raw}}} :smile: @somebody #1\n"
    "::error::no [red]rich[/red] %0A"
)

FOUND = (
    Item("first_bug", "Look first, then insert", False, found_by=("test_six", "TestKeys::test_b[one-two]")),
    Item("second_bug", "A key that is forgotten", False, found_by=("test_six",)),
)
MISSED = (
    Item(
        "third_bug",
        "A retry is told that it created a ticket",
        False,
        "Carol is told of two tickets & sees one.",
        (),
        ("test_six runs the code that this bug changes, and is content with what it does.",),
        "What does the answer to a retry say?",
        "python3 grade.py test --defect third_bug HERE",
    ),
    Item("", "A hidden bug of the family “keys”: whom a key belongs to", True),
    Item("", "A hidden bug of the family “keys”: whom a key belongs to", True),
)
PROBLEM = Problem(
    "test_b asks for more than was promised: it fails on another correct server.",
    "test_race.py:12",
    'assert first["id"] < second["id"]\nassert 8 < 7',
    ("What differs there: numbers are handed out anew.", "Not promised here: which number a ticket gets."),
)

PARTIAL = Feedback(
    exercise=EXERCISE,
    title="The test that six racing callers cannot fool",
    kind="suite",
    passed=False,
    headline="Not passed yet: something is wrong with a test itself. Mend that first.",
    problems_title="What is wrong with the tests",
    problems=(PROBLEM,),
    found_title="Bugs found",
    found=FOUND,
    missed_title="Bugs that got through",
    missed=MISSED,
    counts="3 public and 2 hidden bugs: found 2 of 3 public and 0 of 2 hidden",
    points=4.67,
    out_of=14,
    shares="2.33 for each bug found, 2.33 for tests that accept all correct servers",
    notes=("conftest.py was not taken: put fixtures into the test file itself.",),
    then="Run your tests on the correct server and watch them there",
    pointer="python3 grade.py test exercises/04_writes/medium_race",
    seconds=3.25,
)
PASSED = replace(
    PARTIAL,
    passed=True,
    headline="Passed: your tests accept every correct server and find every bug.",
    problems=(),
    found=(*FOUND, *(replace(item, story="", remarks=(), hint="", found_by=("test_c",)) for item in MISSED)),
    missed=(),
    counts="3 public and 2 hidden bugs: found 3 of 3 public and 2 of 2 hidden",
    points=14.0,
    notes=(),
    then="Now read why it works, and what it leaves open",
    pointer="solutions/04_writes/medium_race/EXPLANATION.md",
)
BROKEN = replace(
    PARTIAL,
    headline="Not passed yet: there is no test that can be judged, so no bug could be looked for.",
    problems=(
        Problem(
            "test_race.py is not valid Python, so no test of it could run.",
            "test_race.py:3",
            "assert (2 ==\nSyntaxError: '(' was never closed",
            ("The mistake is on this line or just before it: a bracket, a quote or a colon, most often.",),
        ),
    ),
    found=(),
    missed=(),
    counts="3 public and 2 hidden bugs: found 0 of 3 public and 0 of 2 hidden",
    points=0,
    notes=(),
)
#: A submission decides what stands in these places, or in part of them.
VICIOUS = replace(
    PARTIAL,
    problems=(Problem(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,)),),
    found=(replace(FOUND[0], found_by=(HOSTILE,)),),
    missed=(replace(MISSED[0], remarks=(HOSTILE,)), *MISSED[1:]),
    notes=(HOSTILE,),
    pointer=HOSTILE,
)
#: What ten thousand tests can say about six bugs.
ENDLESS = replace(
    PARTIAL,
    problems=tuple(replace(PROBLEM, said="é" * 300_000) for _ in range(6)),
    found=(replace(FOUND[0], found_by=("test_" + "x" * 15,) * 10_000),),
    missed=tuple(replace(item, remarks=("é" * 1000,) * 100) for item in (*MISSED, *MISSED)),
    notes=("n" * 100,) * 10_000,
)
VERDICTS = {"passed": PASSED, "partial": PARTIAL, "broken": BROKEN, "vicious": VICIOUS, "endless": ENDLESS}
