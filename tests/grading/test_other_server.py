"""`pytest --defect` and `pytest --server`: which server the tests of a session meet."""

import os
import subprocess
import sys

import pytest

import defects
from grading.plan import ROOT

TEST = """
import helpdesk.cursors
def test_which():
    assert getattr(helpdesk.cursors, "MINE", "") == "{}"
"""


@pytest.fixture
def run(tmp_path):
    """Run a test that is content when `MINE` of the server's cursors is this; returns status and words."""

    def run(mine, *options):
        (tmp_path / "test_which.py").write_text(TEST.format(mine))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "grading.fixtures", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, *options, "test_which.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_single_modules_are_laid_over_the_courses_server(run, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    source = defects.source_of_helpdesk()["cursors.py"]
    (folder / "cursors.py").write_text(f"{source}\nMINE = 'over'\n")
    (folder / "test_of_mine.py").write_text("")
    status, said = run("over", "--server", str(folder))
    assert status == 0, said


def test_a_whole_package_stands_alone(run, tmp_path):
    package = tmp_path / "work" / "helpdesk"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "cursors.py").write_text("MINE = 'alone'\n")
    status, said = run("alone", "--server", str(tmp_path / "work"))
    assert status == 0, said


def test_without_the_option_it_is_the_courses_own(run):
    status, said = run("")
    assert status == 0, said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--server", "nowhere"], "holds neither a folder helpdesk nor a module of it"),
        (["--server", ".", "--defect", "sql_pasting"], "give one of them"),
        (["--defect", "sql_paste"], "sql_pasting"),
    ],
)
def test_a_server_that_is_not_there_is_refused(run, options, said):
    status, words = run("", *options)
    assert status == 4
    assert said in words
