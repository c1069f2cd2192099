"""The command `python -m defects`."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import defects
from defects.__main__ import main
from defects.check import check
from defects.new import toml_text
from defects.run import environment

ROOT = Path(defects.__file__).parent.parent


def test_list_shows_an_entry_a_line_without_cuts_in_a_pipe(shelf, capsys):
    shelf.write("adds", title='"A title that is rather long but not longer than seventy characters"')
    shelf.write("one_half", folder="halves", layers="[]", replace='"return a / b"')

    assert main(["list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    line = next(line for line in lines if line.startswith("adds "))
    assert line.split()[1:4] == ["3", "state", "unit"]
    assert "rather long but not longer than seventy characters" in line
    assert any(line.startswith("one_half ") for line in lines)


def test_show_prints_what_a_contributor_wrote(shelf, capsys):
    shelf.write("adds")

    assert main(["show", "adds"]) == 0

    out = capsys.readouterr().out
    assert "adds: Adds what it should subtract" in out
    assert "Nobody notices for weeks." in out
    assert "Hint 2: Ask for a difference" in out
    assert "helpdesk/service.py" in out


def test_diff_is_unified_and_without_colour_in_a_pipe(shelf, capsys):
    shelf.write("adds")

    assert main(["diff", "adds"]) == 0

    out = capsys.readouterr().out
    assert "--- a/helpdesk/service.py\n+++ b/helpdesk/service.py\n" in out
    assert "-    return a - b\n+    return a + b\n" in out
    assert "\x1b" not in out


def test_other_local_names_are_told_in_a_line_and_not_as_a_diff_of_the_whole_server(shelf, tmp_path, capsys):
    shelf.write(
        "names",
        """\
        title = "Other names for what is local"
        differs = "The names of variables inside functions."
        local_names = 7
        """,
        folder="variants",
    )
    shelf.write("adds")

    assert main(["show", "names"]) == 0
    assert "with the local names of seed 7" in capsys.readouterr().out
    assert main(["diff", "names"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "# every module is written anew, to be read with: python -m defects tree names DIR"
    ]
    assert main(["diff", "adds", "names"]) == 0
    out = capsys.readouterr().out
    assert "+    return a + b\n" in out
    assert out.endswith("# every module is written anew, to be read with: python -m defects tree names DIR\n")

    assert main(["tree", "names", "adds", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "helpdesk" / "service.py").read_text(encoding="utf-8")
    assert "raise ValueError('a is negative')" in text, "written anew"
    assert "a - b" not in text, "after the edits of all"


def test_an_unknown_id_names_the_nearest_and_is_a_usage_error(shelf, capsys):
    shelf.write("adds_too_much")

    for command in (
        ["show", "adds_to_much"],
        ["diff", "adds_to_much"],
        ["run", "adds_to_much", "--", "-c", ""],
    ):
        assert main(command) == 2
        assert "the nearest: adds_too_much" in capsys.readouterr().err


def test_an_edit_that_does_not_match_is_a_usage_error_in_one_line(shelf, capsys):
    shelf.write("adds", find='"return a // b"')

    assert main(["diff", "adds"]) == 2

    assert capsys.readouterr().err.count("\n") == 1


def test_tree_lays_the_server_and_refuses_to_lay_it_twice(shelf, tmp_path, capsys):
    shelf.write("adds")

    assert main(["tree", "adds", str(tmp_path / "out")]) == 0
    assert "a - b" not in (tmp_path / "out" / "helpdesk" / "service.py").read_text(encoding="utf-8")
    assert main(["tree", "adds", str(tmp_path / "out")]) == 2


def test_run_without_a_program_says_how(shelf, capsys):
    shelf.write("adds")

    assert main(["run", "adds"]) == 2
    assert "-- -m helpdesk.stdio_main" in capsys.readouterr().err


def run_defects(*words: str, **options) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": ""}
    command = [sys.executable, "-m", "defects", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment, cwd=ROOT, **options
    )


def test_run_starts_the_mutant_and_not_the_server_in_the_working_directory():
    where = "import helpdesk, sys; print(helpdesk.__file__); print(sys.stdin.read()); sys.exit(7)"

    done = run_defects("run", "sql_pasting", "--", "-c", where, input="from the host")

    file, said = done.stdout.splitlines()
    assert not Path(file).is_relative_to(ROOT)
    assert not Path(file).exists(), "the tree is gone when the program has ended"
    assert said == "from the host"
    assert done.returncode == 7


def test_the_tree_comes_first_on_the_path_and_the_working_directory_not_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")

    env = environment(tmp_path)

    assert env["PYTHONPATH"] == f"{tmp_path}{os.pathsep}elsewhere"
    assert env["PYTHONSAFEPATH"] == "1"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
def test_a_host_that_ends_run_ends_the_program_too():
    program = "import os; print(os.getpid(), flush=True); import signal; signal.pause()"
    command = [sys.executable, "-m", "defects", "run", "sql_pasting", "--", "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as runner:
        assert runner.stdout is not None
        child = int(runner.stdout.readline())
        runner.send_signal(signal.SIGTERM)

        assert runner.wait(timeout=30) == 128 + signal.SIGTERM

    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_new_starts_a_file_whose_edit_matches_and_the_check_says_what_is_left(shelf, capsys):
    assert main(["new", "loses_the_sign", "--file", "service.py", "--lines", "5-7"]) == 0

    path = shelf.root / "catalogue" / "loses_the_sign.toml"
    edit = tomllib.loads(path.read_text(encoding="utf-8"))["edit"][0]
    assert (shelf.root / "helpdesk" / "service.py").read_text(encoding="utf-8").count(edit["find"]) == 1
    said = " ".join(problem.message for problem in check([path]))
    for word in ("title", "chapter", "family", "layers", "story", "hint 1", "leaves service.py unchanged"):
        assert word in said


def test_new_grows_a_selection_upwards_until_it_occurs_once(shelf):
    assert main(["new", "loses_the_sign", "--file", "service.py", "--lines", "11-12"]) == 0

    text = (shelf.root / "catalogue" / "loses_the_sign.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["edit"][0]["find"].startswith("def sub(a, b):\n    if a < 0:\n")


def test_new_finds_the_line_by_a_text_that_stands_in_it(shelf):
    assert main(["new", "loses_the_sign", "--find", "a - b"]) == 0

    text = (shelf.root / "catalogue" / "loses_the_sign.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["edit"][0] == {
        "file": "service.py",
        "find": "    return a - b\n",
        "replace": "    return a - b\n",
    }


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--find", "raise"], "2 lines hold 'raise' (service.py:6, service.py:12): use --lines"),
        (["--find", "nowhere"], "no line holds 'nowhere'"),
        (["--lines", "3-4"], "needs --file"),
        (["--file", "service.py", "--lines", "four"], "such as 40-48"),
        (["--file", "service.py", "--lines", "3-99"], "has lines 1 to 13, not 3 to 99"),
        (["--file", "servic.py", "--lines", "3"], "it has __init__.py, __main__.py, service.py"),
    ],
)
def test_new_refuses_a_selection_that_is_none(shelf, capsys, words, complaint):
    assert main(["new", "loses_the_sign", *words]) == 2
    assert complaint in capsys.readouterr().err


def test_new_never_overwrites(shelf, capsys):
    path = shelf.write("adds")
    before = path.read_text(encoding="utf-8")

    assert main(["new", "adds", "--find", "a - b"]) == 2
    assert path.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    "text", ["plain\n", "it's 'quoted'", "'''three'''\n", "back\\slash \"\"\" and '''", "'"]
)
def test_any_text_can_stand_in_a_file(text):
    assert tomllib.loads(f"find = {toml_text(text)}")["find"] == text
