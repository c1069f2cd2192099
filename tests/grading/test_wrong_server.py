"""Each way in which a mutant could run as the correct server: it does not, or the run is refused.

The "repository" here holds the correct server, which answers 42; the tree under test holds a mutant, which
answers 41.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from grading.engine import warm
from grading.engine.cold import ColdRunner
from grading.engine.fork import ForkRunner
from grading.engine.jobs import Job
from grading.engine.tree import read

MakeJob = Callable[..., Job]
Server = Callable[..., Path]

SEES_THE_MUTANT = """
import subprocess, sys
import helpdesk, helpdesk.service
from grading.engine.spawn import start_program

def test_in_process(): assert helpdesk.answer() == helpdesk.service.answer() == 41
"""

IN_PROGRAMS = """
def test_in_a_program_from_the_repository_root():
    with start_program("helpdesk.echo_main", cwd={repository!r}) as program:
        program.stdin.close()
        assert program.stdout.read().startswith(b"41 ")

def test_in_a_program_of_its_own_from_the_repository_root():
    run = subprocess.run([sys.executable, "-m", "helpdesk.echo_main"], cwd={repository!r}, input=b"",
                         capture_output=True)
    assert run.stdout.startswith(b"41 "), run
"""

IMPORTS_IT = "import sys\nsys.path.insert(0, {repository!r})\nimport helpdesk\n"
SETS_PATH = "import os, sys\nsys.path[:0] = [{repository!r}]\nos.environ['PYTHONPATH'] = {repository!r}\n"
REWRITES = """
import sys
sys.path.insert(0, {repository!r})
import pytest
pytest.register_assert_rewrite("helpdesk")
"""
PLANTS: dict[str, tuple[dict[str, str], dict[str, object]]] = {
    "nothing": ({}, {}),
    "a root conftest.py that imports it": ({"conftest.py": IMPORTS_IT}, {}),
    "a root conftest.py that sets paths": ({"conftest.py": SETS_PATH}, {}),
    "a conftest.py that has it rewritten": ({"suite/conftest.py": REWRITES}, {}),
    "packages of tests": ({"suite/__init__.py": "", "suite/unit/__init__.py": ""}, {}),
    "tests that prepend": ({"suite/__init__.py": ""}, {"extra_args": ("--import-mode=prepend",)}),
    "pythonpath in the configuration": (
        {"pytest.ini": "[pytest]\npythonpath = .\naddopts = --import-mode=prepend\n"},
        {"extra_args": ("-o", "pythonpath=.")},
    ),
}


def plant(job: MakeJob, server: Server, files: dict[str, str], options: dict[str, object], text: str) -> Job:
    """A job for the mutant, its tests in a repository that holds the correct server and the plant."""
    empty = job("")
    repository = str(empty.rootdir)
    for name, content in read(server() / "helpdesk").items():
        files = files | {f"helpdesk/{name}": content}
    files = {name: content.replace("{repository!r}", repr(repository)) for name, content in files.items()}
    files["suite/unit/test_it.py"] = text.replace("{repository!r}", repr(repository))
    return job(files=files, tree=server(service="def answer(): return 41"), **options)


@pytest.mark.parametrize("name", PLANTS)
def test_the_mutant_runs_whatever_lies_about(
    fork: ForkRunner, job: MakeJob, server: Server, name: str
) -> None:
    files, options = PLANTS[name]
    programs = IN_PROGRAMS if name == "nothing" else ""
    (run,) = fork.run([plant(job, server, files, options, SEES_THE_MUTANT + programs)])
    assert run.status == "finished", run.detail
    assert set(run.outcomes().values()) == {"passed"}, run.checks
    assert run.origin == str(run.job.tree / "helpdesk")


def test_cold_runs_are_no_different(job: MakeJob, server: Server) -> None:
    files = {"conftest.py": IMPORTS_IT + SETS_PATH, "suite/__init__.py": ""}
    options: dict[str, object] = {"extra_args": ("--import-mode=prepend", "-o", "pythonpath=.")}
    with ColdRunner(1) as cold:
        (run,) = cold.run([plant(job, server, files, options, SEES_THE_MUTANT)])
    assert (run.status, set(run.outcomes().values())) == ("finished", {"passed"}), run


BY_FILE = """
import importlib.util, sys
def test_loads_another_server():
    spec = importlib.util.spec_from_file_location("friendly", {repository!r} + "/helpdesk/service.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["friendly"] = module
    spec.loader.exec_module(module)
    assert module.answer() == 42
"""
BY_FORCE = """
import sys
def test_puts_the_finder_away():
    sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "TreeFinder"]
    for name in [name for name in sys.modules if name.startswith("helpdesk")]: del sys.modules[name]
    sys.path.insert(0, {repository!r})
    import helpdesk
    assert helpdesk.answer() == 42
"""


@pytest.mark.parametrize("text", [BY_FILE, BY_FORCE])
def test_a_run_that_brings_its_own_server_is_refused(
    fork: ForkRunner, job: MakeJob, server: Server, text: str
) -> None:
    (run,) = fork.run([plant(job, server, {}, {}, text)])
    assert run.status == "wrong server"
    assert "helpdesk/" in run.detail


def test_a_parent_that_has_imported_a_server_does_not_fork(
    monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "helpdesk", pytest)
    with pytest.raises(RuntimeError, match="has imported a help desk"):
        warm.refuse_what_must_not_be_forked()


def test_an_edited_tree_of_the_same_size_and_time_is_not_taken_for_the_old_one(
    fork: ForkRunner, job: MakeJob, server: Server
) -> None:
    import os

    work = job("import helpdesk\ndef test_answer(): raise AssertionError(helpdesk.answer())\n", tree=server())
    file = work.tree / "helpdesk" / "service.py"
    times = file.stat()
    (before,) = fork.run([work])
    file.write_text(file.read_text().replace("42", "41"))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    (after,) = fork.run([work])
    assert (before.checks[0].message, after.checks[0].message) == ("42", "41")
