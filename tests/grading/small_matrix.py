"""A help desk of one function, five bugs in it, and a suite of two layers: a whole matrix in a second."""

from copy import deepcopy
from pathlib import Path
from textwrap import dedent
from typing import Any, get_args

from defects import Defect, Edit, Variant
from grading.engine.jobs import Check, Run, Status
from grading.matrix import Matrix, run_matrix
from grading.plan import Suite, make_plan
from grading.stamp import Stamp

SOURCES = {
    "__init__.py": "",
    "service.py": "def answer():\n    return 42\n\n\ndef name():\n    return 'desk'\n",
}

TESTS = {
    "unit/test_answer.py": """
        from helpdesk.service import answer, name

        def test_the_answer():
            assert answer() == 42

        def test_the_answer_is_even():
            assert answer() % 2 == 0, "an odd answer"

        def test_the_name():
            assert name().upper() == "DESK"
        """,
    "contract/test_group.py": """
        import anyio
        import pytest
        from helpdesk.service import answer

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        async def test_the_answer_in_a_task_group():
            async with anyio.create_task_group():
                assert answer() == 42, "wrong in a group"
        """,
}

STAMP = Stamp("0" * 12, "1" * 12, "2" * 12, "3.11.0", "2.3.0", "Linux", 2, "fork", "process group")


def defect(id, find, replace, layers=("unit",), file="service.py"):
    edits = (Edit(file, find, replace),)
    return Defect(id, f"Title of {id}", 3, "answer", tuple(layers), "", "It is wrong.", ("hint",), edits)


DEFECTS = {
    entry.id: entry
    for entry in (
        defect("one_less", "return 42", "return 41", ("unit", "contract")),
        defect("two_more", "return 42", "return 44", ("unit",)),
        defect("quiet", "return 42", "return 40 + 2", ("contract",)),
        defect("no_name", "return 'desk'", "return None", ("unit",)),
        defect("no_import", "def answer", "import no_such_thing\n\n\ndef answer", ("unit",)),
        defect(
            "first_time_only",
            "    return 42",
            "    from pathlib import Path\n\n    seen = Path(__file__).with_name('seen')\n"
            "    first = not seen.exists()\n    seen.touch()\n    return 41 if first else 42",
            ("unit",),
        ),
    )
}

VARIANTS = {"sums": Variant("sums", "A sum", "How it is computed.", (Edit("service.py", "42", "41 + 1"),))}


def suite(folder: Path, tests=TESTS, layers=()) -> Suite:
    """Write a suite to `folder/suite`."""
    for name, text in tests.items():
        path = folder / "suite" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return Suite(folder / "suite", tuple(layers))


class Watch:
    """Remembers what it was told."""

    def __init__(self):
        self.servers = 0
        self.judged = []

    def begin(self, servers):
        self.servers = servers

    def now(self, name):
        pass

    def done(self, name):
        self.judged.append(name)


ONE, TWO, NAME, GROUP = (
    "suite/unit/test_answer.py::test_the_answer",
    "suite/unit/test_answer.py::test_the_answer_is_even",
    "suite/unit/test_answer.py::test_the_name",
    "suite/contract/test_group.py::test_the_answer_in_a_task_group",
)
#: What the checks give on a whole made-up matrix: a kill in two layers, one, an error, none, and more.
OUTCOMES = {
    "one_less": {ONE: "failed", TWO: "failed"},
    "two_more": {ONE: "failed", NAME: "error", GROUP: "timeout"},
    "no_name": {NAME: "failed", GROUP: "failed"},
    "no_import": "broken",
    "first_time_only": {ONE: ["failed", "passed"]},
}
LAYER_OF = {ONE: "unit", TWO: "unit", NAME: "unit", GROUP: "contract"}


class MadeUpRunner:
    """Gives the outcomes it was told, by server and check, and remembers the jobs.

    A list of outcomes is used up one run after another.
    """

    jobs = 2

    def __init__(self, outcomes=None):
        self.outcomes = outcomes or {}
        self.asked = []

    def submit(self, job):
        from concurrent.futures import Future

        self.asked.append(job)
        future = Future()
        future.set_result(self._run(job))
        return future

    def _run(self, job):
        told: Any = self.outcomes.get(job.name, {})
        if told in get_args(Status):
            return Run(job, "", (), told, f"it was {told}")
        wanted = [node for node in LAYER_OF if node in job.tests or job.tests == ("suite",)]
        checks = []
        for node in wanted if job.order == "as written" else wanted[::-1]:
            outcome = told.get(node, "passed")
            if isinstance(outcome, list):
                outcome = outcome.pop(0)
            words = "" if outcome == "passed" else f"{outcome}: said this"
            checks.append(Check(node, LAYER_OF[node], outcome, words, 0.25, where="test_answer.py:5"))
        return Run(job, str(job.tree / "helpdesk"), tuple(checks), "finished", seconds=1.0)


def made_up(folder: Path, outcomes=OUTCOMES, chosen=DEFECTS, stamp=STAMP) -> Matrix:
    """A matrix of these defects whose checks gave these outcomes; nothing is run."""
    plan = make_plan(suite(folder), chosen, VARIANTS, folder / "t", SOURCES)
    return run_matrix(plan, MadeUpRunner(deepcopy(outcomes)), Watch(), stamp)
