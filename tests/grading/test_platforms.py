"""The files for platforms, run as they are in folders laid out as the platforms lay them out."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from grading.exercises.exercise_file import load
from grading.exercises.exercise_paths import ROOT, known
from grading.exercises.formats import as_json, gradescope, prairielearn

PLATFORMS = ROOT / "grading/platforms"
RACE = "04_writes_that_may_be_retried/medium_race"
SOLUTION = ROOT / "solutions" / RACE / "test_race.py"
SCRIPTS = ["gradescope/setup.sh", "gradescope/run_autograder", "prairielearn/grade.sh"]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bash") is None, reason="platforms run these on Linux, under bash"
)


def run(script, *words, **env):
    """Run a script with this interpreter's `python3` first on the path; what it says, and its exit status."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [str(script), *words]
    whole = os.environ | {"PATH": path} | {name: str(value) for name, value in env.items()}
    return subprocess.run(command, env=whole, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture
def autograder(tmp_path):
    """Gradescope's folder: the course unpacked in `source`, a submission yet to be put into `submission`."""
    home = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (home / name).mkdir(parents=True)
    for path in ROOT.iterdir():
        if not path.name.startswith("."):
            (home / "source" / path.name).symlink_to(path)
    (home / "source/exercise.txt").write_text(RACE + "\n", encoding="utf-8")
    shutil.copy(PLATFORMS / "gradescope/run_autograder", home)
    return home


@pytest.fixture
def grade(tmp_path):
    """PrairieLearn's folder. It makes no `results`."""
    home = tmp_path / "grade"
    for name in ("data", "serverFilesCourse", "student", "tests"):
        (home / name).mkdir(parents=True)
    return home


def result(name, file):
    value = json.loads(file.read_text(encoding="utf-8"))
    schema = Path(as_json.__file__).with_name(f"{name}.schema.json")
    jsonschema.validate(value, json.loads(schema.read_text(encoding="utf-8")))
    return value


def on_gradescope(home, **env):
    done = run(home / "run_autograder", AUTOGRADER=home, **env)
    assert done.returncode == 0, done.stderr
    return result("gradescope", home / "results/results.json")


def on_prairielearn(home, exercise=RACE, **env):
    done = run(PLATFORMS / "prairielearn/grade.sh", exercise, GRADE=home, HELPDESK=ROOT, **env)
    assert done.returncode == 0, done.stderr
    return result("prairielearn", home / "results/results.json")


def test_gradescope_gets_full_points_for_a_pass(autograder):
    shutil.copy(SOLUTION, autograder / "submission")
    value = on_gradescope(autograder)
    assert value["score"] == load(known()[RACE]).points
    assert {test["status"] for test in value["tests"]} == {"passed"}


def test_gradescope_gets_the_line_of_a_syntax_error_and_no_points(autograder):
    (autograder / "submission/test_race.py").write_text("def test_a(\n", encoding="utf-8")
    (autograder / "submission/exercise.toml").write_text('id = "01_other/easy_one"\n', encoding="utf-8")
    value = on_gradescope(autograder)
    assert value["score"] == 0
    [test] = value["tests"]
    assert "not valid Python" in test["name"]
    assert "test_race.py:1" in test["output"]


@pytest.mark.parametrize("trouble", ["no such exercise", "no python"])
def test_gradescope_gets_a_result_when_the_grader_cannot_begin(autograder, tmp_path, trouble):
    (autograder / "results/results.json").write_text('{"score": 14}', encoding="utf-8")
    env = {}
    if trouble == "no python":
        env["HELPDESK_VENV"] = SOLUTION  # a file: no environment can be there
    else:
        (autograder / "source/exercise.txt").write_text("99_none/easy_none\n", encoding="utf-8")
    value = on_gradescope(autograder, **env)
    words = json.loads(gradescope.failure(RACE, ""))
    assert (value["score"], value["output"]) == (0, words["output"])


def test_gradescope_gets_a_result_when_the_time_is_up(autograder):
    shutil.copy(SOLUTION, autograder / "submission")
    script = autograder / "run_autograder"
    text = script.read_text(encoding="utf-8")
    assert "seconds=540" in text
    script.write_text(text.replace("seconds=540", "seconds=0.3"), encoding="utf-8")
    value = on_gradescope(autograder)
    assert value["score"] == 0
    assert "says nothing about your work" in value["output"]


def test_prairielearn_gets_a_score_of_one_for_a_pass(grade):
    shutil.copy(SOLUTION, grade / "student")
    value = on_prairielearn(grade)
    assert (value["gradable"], value["score"]) == (True, 1)


def test_prairielearn_is_told_that_a_syntax_error_cannot_be_graded(grade):
    (grade / "student/test_race.py").write_text("def test_a(\n", encoding="utf-8")
    value = on_prairielearn(grade)
    assert value["gradable"] is False
    assert "not valid Python" in value["format_errors"][0]


def test_prairielearn_gets_a_result_when_the_grader_cannot_begin(grade):
    value = on_prairielearn(grade, exercise="99_none/easy_none")
    words = json.loads(prairielearn.failure(RACE, ""))
    assert {key: value[key] for key in ("gradable", "format_errors", "message")} == {
        key: words[key] for key in ("gradable", "format_errors", "message")
    }


def test_the_set_up_of_gradescope_asks_for_packages_and_readies_the_course(autograder, tmp_path):
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "apt-get").write_text('#!/bin/sh\necho "apt-get $*"\n', encoding="utf-8")
    (bin / "apt-get").chmod(0o755)
    path = os.pathsep.join((str(bin), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = run(PLATFORMS / "gradescope/setup.sh", AUTOGRADER=autograder, PATH=path)
    assert done.returncode == 0, done.stderr
    assert "install --yes --no-install-recommends python3 python3-venv bubblewrap" in done.stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_bash_and_can_be_executed(script):
    path = PLATFORMS / script
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n#")
    assert os.access(path, os.X_OK)
    checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="there is no shellcheck")
@pytest.mark.parametrize("script", SCRIPTS)
def test_shellcheck_has_nothing_to_say(script):
    checked = subprocess.run(["shellcheck", PLATFORMS / script], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_every_exercise_and_path_that_the_files_name_is_there():
    for path in PLATFORMS.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r"\b\d\d_[a-z_]+/(?:easy|medium|hard)_[a-z_]+", text):
                assert name in known(), path
            for name in re.findall(r"grading/platforms/[\w/.]*\w", text):
                assert (ROOT / name).exists(), (path, name)


def test_the_question_for_prairielearn_hands_in_what_the_exercise_asks_for_within_its_time():
    info = json.loads((PLATFORMS / "prairielearn/info.json").read_text(encoding="utf-8"))
    assert (info["type"], info["gradingMethod"]) == ("v3", "External")
    options = info["externalGradingOptions"]
    script, exercise = options["entrypoint"]
    assert (ROOT / script.removeprefix("/helpdesk/")).is_file()
    own = re.search(r"SECONDS_AT_MOST:-(\d+)", (ROOT / script.removeprefix("/helpdesk/")).read_text("utf-8"))
    assert own
    assert load(known()[exercise]).total_seconds < int(own[1]) < options["timeout"] <= 600
    assert "enableNetworking" not in options
    [asked] = load(known()[exercise]).submit
    assert f'file-names="{asked}"' in (PLATFORMS / "prairielearn/question.html").read_text(encoding="utf-8")
