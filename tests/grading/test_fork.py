"""The fork runner: what hangs, crashes, leaves or cheats costs itself only; nothing is left behind."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from grading.engine.fork import ForkRunner
from grading.engine.jobs import Job, Limits, Run

MakeJob = Callable[..., Job]
Server = Callable[..., Path]


def outcomes(run: Run) -> dict[str, str]:
    return {nodeid.rpartition("::")[2]: outcome for nodeid, outcome in run.outcomes().items()}


def message(run: Run, name: str) -> str:
    return next(check.message for check in run.checks if check.nodeid.endswith("::" + name))


def test_what_ends_or_hangs_one_check_costs_that_check(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import os, signal, time
        import anyio, pytest
        from helpdesk.service import spin

        def test_first(): pass
        def test_leaves(): os._exit(0)
        def test_kills_itself(): os.kill(os.getpid(), signal.SIGKILL)
        def test_segfaults(): os.kill(os.getpid(), signal.SIGSEGV)
        def test_ends_pytest(): pytest.exit("enough")
        def test_interrupts(): raise KeyboardInterrupt
        def test_spins():
            spin()
        def test_waits_for_ever():
            async def inner():
                await anyio.sleep_forever()
            async def outer():
                async with anyio.create_task_group() as group:
                    group.start_soon(inner)
            anyio.run(outer)
        def test_last(): assert spin
    """
    (run,) = fork.run([job(text, check_timeout=0.8)])
    assert run.status == "finished", run.detail
    assert outcomes(run) == {
        "test_first": "passed",
        "test_leaves": "crashed",
        "test_kills_itself": "crashed",
        "test_segfaults": "crashed",
        "test_ends_pytest": "crashed",
        "test_interrupts": "crashed",
        "test_spins": "timeout",
        "test_waits_for_ever": "timeout",
        "test_last": "passed",
    }
    assert "left with exit status 0" in message(run, "test_leaves")
    assert "SIGKILL" in message(run, "test_kills_itself")
    assert "SIGSEGV in the middle of this check, at suite/unit/test_it.py:9" in message(run, "test_segfaults")
    assert "enough" in message(run, "test_ends_pytest")
    spins = message(run, "test_spins")
    assert spins.startswith(
        "no result after 0.8 s; it hangs at suite/unit/test_it.py:13 in test_spins (spin())"
    )
    assert "inside helpdesk/service.py" in spins
    assert "test_it.py:16 in inner (await anyio.sleep_forever())" in message(run, "test_waits_for_ever")


def test_a_check_that_holds_off_the_alarm_is_aborted_and_located(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import signal
        def test_deaf():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            while True: pass
        def test_next(): pass
    """
    (run,) = fork.run([job(text, check_timeout=0.3)])
    assert outcomes(run) == {"test_deaf": "timeout", "test_next": "passed"}
    assert "suite/unit/test_it.py:5 in test_deaf" in message(run, "test_deaf")


def test_the_time_for_the_whole_run_holds_and_what_never_ran_is_listed(
    fork: ForkRunner, job: MakeJob
) -> None:
    text = "def test_a(): pass\ndef test_b():\n    while True: pass\ndef test_c(): pass\n"
    (run,) = fork.run([job(text, timeout=1.5)])
    assert run.status == "timeout"
    assert outcomes(run) == {"test_a": "passed", "test_b": "timeout", "test_c": "timeout"}
    assert message(run, "test_c").startswith("not run")
    assert run.seconds < 8


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        (
            "import sys; sys.exit(3)",
            "crashed",
            "SystemExit: 3, while suite/unit/test_it.py was being imported",
        ),
        ("import os; os._exit(3)", "crashed", "exit status 3 while suite/unit/test_it.py was being imported"),
        (
            "while True: pass",
            "timeout",
            "while suite/unit/test_it.py was being imported (at suite/unit/test_it",
        ),
    ],
)
def test_a_test_file_that_ends_the_run_is_named(
    fork: ForkRunner, job: MakeJob, text: str, status: str, words: str
) -> None:
    (run,) = fork.run([job(text, collect_timeout=1.0)])
    assert run.status == status
    assert words in run.detail
    assert run.checks == ()


@pytest.mark.parametrize(
    ("service", "words"),
    [
        ("def answer(:\n", "SyntaxError"),
        ("import sys\nsys.exit('no licence')\n", "SystemExit: no licence"),
        ("raise ImportError('half of it is missing')\n", "half of it is missing"),
    ],
)
def test_a_server_that_cannot_be_imported_is_broken_and_gives_no_checks(
    fork: ForkRunner, job: MakeJob, server: Server, service: str, words: str
) -> None:
    (run,) = fork.run([job("def test_a(): assert 1 == 2\n", tree=server(service=service))])
    assert (run.status, run.checks) == ("broken", ())
    assert "helpdesk cannot be imported" in run.detail
    assert words in run.detail


def test_a_hundred_megabytes_of_output_are_cut_and_cost_no_verdict(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import os, sys
        def test_prints():
            print("the beginning")
            for _ in range(50): print("x" * 1_000_000)
        def test_writes():
            for _ in range(500): os.write(2, b"y" * 100_000)
    """
    (run,) = fork.run([job(text, limits=Limits(output=10_000))])
    assert outcomes(run) == {"test_prints": "passed", "test_writes": "passed"}
    assert "the beginning" in run.output
    assert len(run.output) < 10_100
    assert "bytes more" in run.output


def test_memory_and_file_size_are_limited(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        def test_memory(): assert len(bytearray(400 << 20))
        def test_file(tmp_path):
            with open(tmp_path / "big", "wb", buffering=0) as file:
                for _ in range(40): assert file.write(bytes(1 << 20)) == 1 << 20
    """
    (run,) = fork.run([job(text, limits=Limits(memory=300 << 20, file_size=20 << 20))])
    assert "failed" not in outcomes(run).values()
    assert "passed" not in outcomes(run).values()
    assert "MemoryError" in message(run, "test_memory")


def test_nothing_that_a_run_starts_outlives_it(
    fork: ForkRunner, job: MakeJob, alive: Callable[[int], bool]
) -> None:
    text = """
        import subprocess, sys
        def test_starts():
            code = "import signal; signal.pause()"
            for own_session in (False, True):
                child = subprocess.Popen([sys.executable, "-c", code], start_new_session=own_session)
                print("pid", child.pid)
            twice = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', '{code}'], "
            twice += "start_new_session=True); print('pid', p.pid, flush=True)"
            sys.stdout.flush()
            subprocess.run([sys.executable, "-c", twice])
    """
    (run,) = fork.run([job(text)])
    pids = [int(line.split()[1]) for line in run.output.splitlines() if line.startswith("pid ")]
    assert outcomes(run) == {"test_starts": "passed"}
    assert len(pids) == 3
    assert not any(alive(pid) for pid in pids)


def test_a_forked_copy_of_a_test_has_no_say(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import os
        def test_forks():
            pid = os.fork()
            if pid: os.waitpid(pid, 0)
            else: assert False, "the copy fails, and goes on with the session"
        def test_after(): pass
    """
    (run,) = fork.run([job(text)])
    assert [check.outcome for check in run.checks] == ["passed", "passed"]


def test_the_verdict_pipe_is_not_inherited(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import subprocess, sys
        def test_descriptors():
            code = "import os; print(sorted(int(fd) for fd in os.listdir('/proc/self/fd')))"
            command = [sys.executable, "-c", code]
            run = subprocess.run(command, close_fds=False, capture_output=True, text=True)
            assert run.stdout.strip() == "[0, 1, 2, 3]"
    """
    (run,) = fork.run([job(text)])
    assert outcomes(run) == {"test_descriptors": "passed"}


def test_a_run_that_kills_its_worker_is_crashed_and_the_next_one_runs(fork: ForkRunner, job: MakeJob) -> None:
    killer = "import os, signal\ndef test_kills(): os.kill(os.getppid(), signal.SIGKILL)\n"
    bad, good = fork.run([job(killer), job("def test_fine(): pass\n", tests=("suite/unit/test_it.py",))])
    assert set(outcomes(bad).values()) <= {"crashed", "passed"}
    assert good.status == "finished"


def test_no_file_is_left_beside_tests_or_server(fork: ForkRunner, job: MakeJob, server: Server) -> None:
    tree = server()
    work = job("import helpdesk\ndef test_a(tmp_path): assert 1 == 1\n", tree=tree)
    before = sorted([*tree.rglob("*"), *work.rootdir.rglob("*")])
    fork.run([work, work])
    assert sorted([*tree.rglob("*"), *work.rootdir.rglob("*")]) == before


def test_results_come_in_the_jobs_order_and_are_told_as_they_come(fork: ForkRunner, job: MakeJob) -> None:
    jobs = [job("def test_a(): pass\n", name=str(number)) for number in range(5)]
    told: list[str] = []
    runs = fork.run(jobs, lambda run: told.append(run.job.name))
    assert [run.job.name for run in runs] == ["0", "1", "2", "3", "4"]
    assert sorted(told) == ["0", "1", "2", "3", "4"]
    assert {run.job.name for run in fork.stream(jobs)} == {"0", "1", "2", "3", "4"}


def test_hypothesis_gives_the_same_examples_in_each_run(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        from hypothesis import given, strategies as st
        seen = []
        @given(st.integers())
        def test_numbers(number): seen.append(number)
        def test_show(): raise AssertionError(str(hash(tuple(seen))))
    """
    one, two = fork.run([job(text), job(text)])
    assert message(one, "test_show") == message(two, "test_show")


def test_an_interrupt_leaves_no_process(job: MakeJob, alive: Callable[[int], bool]) -> None:
    text = """
        import os, sys
        def test_hangs():
            print("pid", os.getpid(), os.getppid(), flush=True)
            with open(PIDS, "w") as file: file.write(f"{os.getpid()} {os.getppid()}")
            while True: pass
    """
    work = job("")
    pids = work.rootdir / "pids"
    (work.rootdir / "suite/unit/test_it.py").write_text(f"PIDS = {str(pids)!r}\n" + dedent(text))
    script = f"""
import os, signal, threading
from pathlib import Path
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Job

def interrupt():
    pids = Path({str(pids)!r})
    while not pids.exists() or not pids.read_text(): threading.Event().wait(0.01)
    os.kill(os.getpid(), signal.SIGINT)

if __name__ == "__main__":
    threading.Thread(target=interrupt, daemon=True).start()
    job = Job(Path({str(work.tree)!r}), ("suite",), rootdir=Path({str(work.rootdir)!r}), plugins=())
    with ForkRunner(1) as runner:
        runner.run([job])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in done.stderr
    assert done.returncode in (1, 130, -signal.SIGINT)
    assert not any(alive(int(pid)) for pid in pids.read_text().split())


def test_leaving_while_the_server_is_still_warming_up_is_quick_and_leaves_nothing(job: MakeJob) -> None:
    with ForkRunner(1) as runner:
        waiting = runner.submit(job("def test_a(): pass\n"))
        server = runner._server
    assert waiting.cancelled() or waiting.exception() is not None
    assert server is not None
    assert server.returncode is not None
    assert not runner._scratch.exists()
