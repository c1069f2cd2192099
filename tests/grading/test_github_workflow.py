"""The workflow for a student's repository: it parses, asks for little, and its commands do their work."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grading.exercises.exercise_paths import ROOT, known

yaml = pytest.importorskip("yaml", reason="reading a workflow needs a YAML parser")

FILE = ROOT / "grading/platforms/github/grade.yml"


@pytest.fixture(scope="module")
def workflow() -> Any:
    # The safe loader follows YAML 1.1, in which the key `on` is true.
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def commands(workflow) -> dict[str, str]:
    return {step["name"]: step["run"] for step in workflow["jobs"]["grade"]["steps"] if "run" in step}


def test_it_runs_on_a_push_with_the_right_to_read_alone_and_leaves_no_token_behind(workflow):
    assert "push" in workflow[True]
    assert workflow["permissions"] == {"contents": "read"}
    checkouts = [step for step in workflow["jobs"]["grade"]["steps"] if "uses" in step]
    assert [step["with"]["path"] for step in checkouts] == ["work", "course"]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_exercises_it_asks_for_are_there(workflow):
    assert set(workflow["jobs"]["grade"]["strategy"]["matrix"]["exercise"]) <= set(known())


def test_no_command_takes_text_from_github_but_through_the_environment(commands):
    assert not [command for command in commands.values() if "${{" in command]


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bash") is None, reason="the commands are for bash on Linux"
)
@pytest.mark.parametrize("exercise", ["04_writes_that_may_be_retried/medium_race", "99_none/easy_none"])
def test_its_commands_leave_a_verdict_on_the_summary_page(commands, tmp_path, exercise):
    (tmp_path / "course").symlink_to(ROOT)
    (tmp_path / "work").mkdir()
    page = tmp_path / "page.md"
    page.write_text("before\n", encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "EXERCISE": exercise, "GITHUB_STEP_SUMMARY": str(page)}
    status = {}
    for name, command in commands.items():
        bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", command]
        done = subprocess.run(bash, cwd=tmp_path, env=env, capture_output=True, check=False, timeout=600)
        status[name] = done.returncode
    expected = 1 if exercise in known() else 2
    assert status == {"Set up": 0, "Grade": expected, "The verdict": 0}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    words = r"There is no test\_race\.py" if exercise in known() else "says nothing about your work"
    assert words in text
