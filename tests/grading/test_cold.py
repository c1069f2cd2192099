"""The cold runner: true interpreters, the same answers."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grading.engine.cold import ColdRunner
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Job, Run
from grading.engine.tree import lay, read

MakeJob = Callable[..., Job]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cold() -> Iterator[ColdRunner]:
    with ColdRunner(2) as runner:
        yield runner


def told(run: Run) -> object:
    """All that must be the same however a run was started: not the times, nor addresses in a message."""
    checks = [(c.nodeid, c.layer, c.outcome, c.phase, c.where) for c in run.checks]
    return run.status, run.origin, checks


MIXED = """
    import os, sys
    import pytest, helpdesk
    from hypothesis import given, strategies as st
    from grading.engine.spawn import start_program

    def test_passes(): assert helpdesk.answer() == 42
    def test_fails(): assert helpdesk.answer() == 43
    def test_error(): raise OSError
    def test_skipped(): pytest.skip("no")
    @given(st.integers())
    def test_property(number): assert number < 1000
    def test_program():
        with start_program("helpdesk.echo_main", ["a"]) as program:
            program.stdin.close()
            assert program.stdout.read().startswith(b"42  ['a']")
            assert program.wait(20) == 3
    def test_spins():
        while True: pass
    def test_last(): pass
"""


def test_cold_and_forked_runs_say_the_same(cold: ColdRunner, fork: ForkRunner, job: MakeJob) -> None:
    work = job(MIXED, check_timeout=6.0)
    (one,) = cold.run([work])
    (other,) = fork.run([work])
    assert told(one) == told(other)
    (spins,) = [check.message for check in one.checks if check.outcome == "timeout"]
    assert spins.startswith("no result after 6 s; it hangs at suite/unit/test_it.py:19 in test_spins")
    by_name = {check.nodeid.rpartition("::")[2]: check.outcome for check in one.checks}
    assert by_name == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_error": "error",
        "test_skipped": "skipped",
        "test_property": "failed",
        "test_program": "passed",
        "test_spins": "timeout",
        "test_last": "passed",
    }


def test_broken_trees_and_files_are_told_as_in_a_fork(
    cold: ColdRunner, fork: ForkRunner, job: MakeJob, server: Callable[..., Path]
) -> None:
    jobs = [
        job("def test_a(): pass\n", tree=server(service="1 / 0\n")),
        job("", tests=("nowhere",)),
    ]
    for one, other in zip(cold.run(jobs), fork.run(jobs), strict=True):
        assert told(one) == told(other)
        assert one.status in ("broken", "crashed")


def test_a_flood_of_output_is_cut_and_what_is_left_running_is_ended(
    cold: ColdRunner, job: MakeJob, alive: Callable[[int], bool]
) -> None:
    text = """
        import os, subprocess, sys
        def test_floods():
            child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
            print("pid", child.pid, flush=True)
            for _ in range(300): os.write(1, b"x" * 100_000)
    """
    (run,) = cold.run([job(text)])
    assert list(run.outcomes().values()) == ["passed"]
    assert len(run.output) < 70_000
    if sys.platform == "linux":
        (line,) = [line for line in run.output.splitlines() if line.startswith("pid ")]
        assert not alive(int(line.split()[1]))


def test_both_agree_on_a_real_check(cold: ColdRunner, fork: ForkRunner, tmp_path: Path) -> None:
    found = importlib.util.find_spec("helpdesk")
    if found is None or found.origin is None:
        pytest.skip("no help desk here")
    sources = read(Path(found.origin).parent)
    correct = lay(sources, tmp_path)
    mutant = lay({**sources, "service.py": sources["service.py"].replace("created", "craeted")}, tmp_path)
    unit = "suite/unit/test_writes.py"
    jobs = [
        Job(correct.root, (unit, "suite/transport"), rootdir=ROOT),
        Job(mutant.root, (unit,), rootdir=ROOT),
    ]
    forked = fork.run(jobs)
    for one, other in zip(cold.run(jobs), forked, strict=True):
        assert told(one) == told(other)
    assert set(forked[0].outcomes().values()) == {"passed"}
    assert forked[1].failed() or any(check.outcome == "error" for check in forked[1].checks)
