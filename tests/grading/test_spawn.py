"""Programs: real processes with real pipes, of the tree that the run tests."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grading.engine import finder, spawn
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Job

MakeJob = Callable[..., Job]

CHECKS = """
    import os, signal, sys, time
    from pathlib import Path
    import pytest
    from grading.engine.spawn import start_program

    def test_speaks_over_pipes_and_tells_its_exit_status(tmp_path):
        shade = {"SHADE": "green"}
        with start_program("helpdesk.echo_main", ["--a", "b"], env=shade, cwd=tmp_path) as program:
            assert program.stderr.readline() == b"ready\\n"
            assert program.poll() is None
            program.stdin.write(b"hello\\n")
            program.stdin.close()
            assert program.stdout.read().decode().strip() == f"42 hello ['--a', 'b'] {tmp_path} green"
            assert program.wait(20) == 3
            assert program.poll() == 3

    def test_two_run_at_once_and_are_killed():
        with start_program("helpdesk.echo_main") as one, start_program("helpdesk.echo_main") as two:
            assert len({one.pid, two.pid, os.getpid()}) == 3
            with pytest.raises(TimeoutError): two.wait(0)
            one.kill()
            assert one.wait(20) == -signal.SIGKILL
            assert two.poll() is None
            two.stdin.close()
            assert two.wait(20) == 3
        two.kill()

    def test_leaving_the_block_ends_it():
        with start_program("helpdesk.echo_main") as program: pass
        assert program.poll() == -signal.SIGKILL
        assert program.stdin.closed and program.stdout.closed and program.stderr.closed

    def test_it_ends_as_an_interpreter_would():
        with start_program("helpdesk.ends", ["words"]) as program:
            assert program.wait(20) == 1
            assert program.stderr.read() == b"no such ticket\\n"
            assert program.stdout.read() == b"not flushed by anybody\\nat exit\\n"
        with start_program("helpdesk.ends", ["trace"]) as program:
            assert program.wait(20) == 1
            assert b"ZeroDivisionError" in program.stderr.read()
        with start_program("helpdesk.ends") as program:
            assert program.wait(20) == 0

    def test_a_module_that_is_missing_is_said():
        with start_program("helpdesk.nowhere") as program:
            assert program.wait(20) == 1
            assert b"helpdesk.nowhere" in program.stderr.read()

    def test_it_sees_nothing_of_the_run_but_its_pipes():
        with start_program("helpdesk.ends", ["look"]) as program:
            said = program.stdout.read().decode().splitlines()
            assert program.wait(20) == 0
        assert said[0] == "__main__"
        assert said[1] == str(Path(os.environ["PYTHONPATH"], "helpdesk", "ends.py"))
        assert said[2] == "0 1 2"
        assert said[3] == "False"
"""

ENDS = """
import atexit, os, sys
print("not flushed by anybody" if sys.argv[1:] != ["look"] else __name__)
match sys.argv[1:]:
    case ["words"]:
        atexit.register(print, "at exit")
        if __name__ == "__main__": sys.exit("no such ticket")
    case ["trace"]: 1 / 0
    case ["look"]:
        print(__file__)
        print(*sorted(fd for fd in range(64) if os.path.exists(f"/proc/self/fd/{fd}")))
        print(os.getcwd() in sys.path or "" in sys.path)
"""


def test_programs_are_forked_within_a_run(
    fork: ForkRunner, job: MakeJob, server: Callable[..., Path]
) -> None:
    (run,) = fork.run([job(CHECKS, tree=server(ends=ENDS))])
    assert [(check.nodeid, check.message) for check in run.checks if check.outcome != "passed"] == []
    assert len(run.checks) == 6


def test_a_forked_program_ends_with_its_run(
    fork: ForkRunner, job: MakeJob, alive: Callable[[int], bool]
) -> None:
    text = """
        from grading.engine.spawn import start_program
        def test_leaves_it_running():
            program = start_program("helpdesk.echo_main")
            assert program.stderr.readline()
            print("pid", program.pid, flush=True)
    """
    (run,) = fork.run([job(text)])
    assert run.outcomes() == {"suite/unit/test_it.py::test_leaves_it_running": "passed"}
    (line,) = [line for line in run.output.splitlines() if line.startswith("pid ")]
    assert not alive(int(line.split()[1]))


def test_in_plain_pytest_an_interpreter_starts(
    monkeypatch: pytest.MonkeyPatch, server: Callable[..., Path], tmp_path: Path
) -> None:
    """From a directory that holds another server, as `python -m` from a repository would."""
    mutant = server(service="def answer(): return 41")
    monkeypatch.setattr(finder, "current_tree", lambda: mutant)
    monkeypatch.setenv("PYTHONPATH", str(server()))
    monkeypatch.setenv("HELPDESK_KEY", "somebody's own")
    monkeypatch.chdir(server())
    with spawn.start_program("helpdesk.echo_main", ["x"]) as program:
        program.stdin.write(b"hello\n")
        program.stdin.close()
        assert program.stdout.read().decode().split(" ", 2)[:2] == ["41", "hello"]
        assert program.wait(20) == 3
    with spawn.start_program("helpdesk.echo_main") as program, pytest.raises(TimeoutError):
        program.wait(0.01)
    assert program.poll() == (-signal.SIGKILL if sys.platform != "win32" else 1)
