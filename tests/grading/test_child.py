"""What one run reports about its checks: outcomes, layers, order, messages."""

from collections.abc import Callable
from pathlib import Path

from grading.engine.child import environment
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Check, Job, Run

MakeJob = Callable[..., Job]


def checks(run: Run) -> dict[str, Check]:
    """The checks by the name of their function."""
    return {check.nodeid.rpartition("::")[2]: check for check in run.checks}


def run_one(fork: ForkRunner, job: Job) -> Run:
    return fork.run([job])[0]


def test_assertions_errors_and_skips_are_told_apart(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import asyncio, unittest
        import helpdesk, pytest

        def test_passes(): assert helpdesk.answer() == 42
        def test_assert(): assert helpdesk.answer() == 43, "the answer is 43"
        def test_fail(): pytest.fail("gives up")
        def test_did_not_raise():
            with pytest.raises(ValueError): pass
        def test_error(): raise KeyError("k")
        def test_exit(): raise SystemExit(0)
        def test_skipped(): pytest.skip("not here")
        @pytest.mark.xfail(strict=True)
        def test_unexpected_pass(): pass
        def test_group(): raise ExceptionGroup("g", [ExceptionGroup("h", [AssertionError("leaf")])])
        def test_group_with_cancelled():
            raise BaseExceptionGroup("g", [asyncio.CancelledError(), AssertionError("leaf")])
        def test_mixed_group(): raise ExceptionGroup("g", [AssertionError("leaf"), OSError("broken")])

        @pytest.fixture
        def bad(): assert False, "no ground to stand on"
        def test_setup(bad): pass

        @pytest.fixture
        def looks_after():
            yield
            assert 1 == 2, "left a mess"
        def test_teardown(looks_after): pass

        def test_subtests(subtests):
            for n in range(3):
                with subtests.test(n=n): assert n != 1, f"part {n}"
        class TestCase(unittest.TestCase):
            def test_unittest(self): self.assertEqual(1, 2)
    """
    run = run_one(fork, job(text))
    assert run.status == "finished", run.detail
    assert {name: check.outcome for name, check in checks(run).items()} == {
        "test_passes": "passed",
        "test_assert": "failed",
        "test_fail": "failed",
        "test_did_not_raise": "failed",
        "test_error": "error",
        "test_exit": "error",
        "test_skipped": "skipped",
        "test_unexpected_pass": "error",
        "test_group": "failed",
        "test_group_with_cancelled": "failed",
        "test_mixed_group": "error",
        "test_setup": "error",
        "test_teardown": "failed",
        "test_subtests": "failed",
        "test_unittest": "failed",
    }
    found = checks(run)
    assert found["test_assert"].message.startswith("the answer is 43\nassert 42 == 43")
    assert found["test_assert"].where == "suite/unit/test_it.py:6"
    assert found["test_error"].message == "KeyError: 'k'"
    assert found["test_setup"].phase == "setup"
    assert found["test_teardown"].phase == "teardown"
    assert "part 1" in found["test_subtests"].message


def test_messages_stay_short(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        class Mute(Exception):
            def __str__(self): raise RuntimeError
        def test_long(): raise AssertionError("x" * 10_000_000)
        def test_lines(): raise AssertionError("line\\n" * 1000)
        def test_mute(): raise Mute
    """
    found = checks(run_one(fork, job(text)))
    assert len(found["test_long"].message) <= 1200
    assert len(found["test_lines"].message.splitlines()) <= 13
    assert found["test_mute"].outcome == "error"


def test_layers_are_folders_and_marks_and_select(fork: ForkRunner, job: MakeJob) -> None:
    marked = (
        "import pytest\n@pytest.mark.layer('security')\ndef test_marked(): pass\ndef test_plain(): pass\n"
    )
    files = {"suite/unit/test_a.py": marked, "suite/contract/test_b.py": "def test_b(): pass\n"}
    every = run_one(fork, job(files=files))
    assert {name: check.layer for name, check in checks(every).items()} == {
        "test_marked": "security",
        "test_plain": "unit",
        "test_b": "contract",
    }
    some = run_one(fork, job(files=files, layers=("contract", "security")))
    assert set(checks(some)) == {"test_marked", "test_b"}


def test_order_can_be_reversed(fork: ForkRunner, job: MakeJob) -> None:
    text = "def test_a(): pass\ndef test_b(): pass\n"
    forward, backward = fork.run([job(text), job(text, order="reversed")])
    assert list(checks(forward)) == ["test_a", "test_b"]
    assert list(checks(backward)) == ["test_b", "test_a"]


def test_files_that_cannot_be_imported_are_errors_of_their_own(fork: ForkRunner, job: MakeJob) -> None:
    files = {
        "suite/unit/test_syntax.py": "def test_x(:\n",
        "suite/unit/test_import.py": "import nothing_of_that_name\n",
        "suite/unit/test_fine.py": "def test_fine(): pass\n",
        "suite/unit/test_empty.py": "",
    }
    run = run_one(fork, job(files=files))
    assert run.status == "finished", run.detail
    assert run.outcomes() == {
        "suite/unit/test_import.py": "error",
        "suite/unit/test_syntax.py": "error",
        "suite/unit/test_fine.py::test_fine": "passed",
    }
    found = {check.nodeid: check for check in run.checks}
    assert "nothing_of_that_name" in found["suite/unit/test_import.py"].message
    assert "SyntaxError" in found["suite/unit/test_syntax.py"].message
    assert found["suite/unit/test_import.py"].phase == "collect"


def test_a_path_without_tests_gives_no_checks_and_a_missing_one_is_said(
    fork: ForkRunner, job: MakeJob
) -> None:
    empty, missing = fork.run([job(""), job("", tests=("nowhere",))])
    assert (empty.status, empty.checks) == ("finished", ())
    assert missing.status == "crashed"
    assert "nowhere" in missing.detail


def test_a_run_sees_little_of_the_callers_environment(fork: ForkRunner, job: MakeJob) -> None:
    text = """
        import os, subprocess, sys
        from pathlib import Path
        def test_environment():
            allowed = {"PATH", "HOME", "TMPDIR", "TEMP", "TMP", "USERPROFILE", "PYTHONPATH", "TZ"}
            for name in os.environ:
                assert name in allowed or name.startswith(("PYTHON", "PYTEST", "LANG", "LC_")), name
        def test_programs_of_its_own_get_the_same_server():
            code = "import helpdesk; print(helpdesk.__file__)"
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
            import helpdesk
            assert out.strip() == helpdesk.__file__
        def test_it_starts_in_an_empty_directory_of_its_own(tmp_path):
            assert Path.cwd() == Path.home() and tmp_path.is_relative_to(Path.cwd())
    """
    assert set(run_one(fork, job(text)).outcomes().values()) == {"passed"}
    assert environment("/scratch", "/tree")["PYTHONSAFEPATH"] == "1"


def test_the_job_that_a_run_is_given_does_not_say_whom_it_faces(job: MakeJob) -> None:
    given = job("", name="leaked_field").to_json()
    assert "leaked_field" not in str(given)
    assert Job.from_json(given).to_json() == given


def test_what_a_property_tries_does_not_depend_on_the_numbers_in_the_server(
    fork: ForkRunner, job: MakeJob, server: Callable[..., Path]
) -> None:
    """Hypothesis takes constants of local modules: another server would be tried with other examples."""
    tree = server(service="RARE = 987_654_321\n\ndef answer():\n    return 42\n")
    tests = """
        from hypothesis import given, settings, strategies as st
        from helpdesk.service import RARE

        tried = []

        @settings(max_examples=500, derandomize=True, database=None)
        @given(st.integers())
        def test_any_number(number):
            tried.append(number)

        def test_the_number_of_the_server_was_not_among_them():
            assert len(tried) >= 100
            assert RARE not in tried
    """
    [run] = fork.run([job(tests, tree=tree)])
    assert [check.outcome for check in run.checks] == ["passed", "passed"]
