"""`grade.py EXERCISE --format NAME -o FILE`: the file is whole, or the one before, whatever happens."""

import argparse
import json
import os
import threading
from pathlib import Path

import jsonschema
import pytest

from grading.exercises import exercise
from grading.exercises.exercise_file import ExerciseError
from grading.exercises.exercise_paths import known
from grading.exercises.formats import as_json, output
from grading.exercises.formats.output import FORMATS, write_whole
from tests.grading.junit_reader import read
from tests.grading.made_up_verdicts import PARTIAL, PASSED

RACE = "04_writes_that_may_be_retried/medium_race"
EVERY = ["terminal", *FORMATS]


def options(*words):
    parser = argparse.ArgumentParser()
    exercise.add_options(parser)
    return parser.parse_args(words)


def stumble(error):
    def grade(*args, **kw):
        raise error

    return grade


def check(form, text):
    """Hold a document to its format, as far as one program can tell."""
    if form == "junit":
        read(text)
    elif form in ("json", "gradescope", "prairielearn"):
        name = "exercise" if form == "json" else form
        schema = Path(as_json.__file__).with_name(f"{name}.schema.json")
        jsonschema.validate(json.loads(text), json.loads(schema.read_text(encoding="utf-8")))
    else:
        assert text.strip()


@pytest.mark.parametrize("form", EVERY)
def test_a_verdict_goes_to_the_file_and_its_headline_to_the_terminal(monkeypatch, capsys, tmp_path, form):
    monkeypatch.setattr(exercise, "grade", lambda *args, **kw: PARTIAL)
    file = tmp_path / "verdict"
    assert exercise.main(RACE, options("--format", form, "-o", str(file))) == 1
    check(form, file.read_text(encoding="utf-8"))
    assert capsys.readouterr().out == PARTIAL.headline + "\n"
    assert [path.name for path in tmp_path.iterdir()] == ["verdict"]


@pytest.mark.parametrize("form", EVERY)
def test_without_a_file_the_verdict_stands_alone_on_standard_output(monkeypatch, capsys, form):
    monkeypatch.setattr(exercise, "grade", lambda *args, **kw: PASSED)
    assert exercise.main(RACE, options("--format", form)) == 0
    said = capsys.readouterr()
    check(form, said.out)
    assert said.err == ""


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize(
    "error",
    [exercise.verdicts.EngineError("no fork server"), OSError("disk full"), KeyError("a mistake of ours")],
    ids=["engine", "system", "mistake"],
)
def test_a_grader_that_fails_writes_that_it_says_nothing_about_the_work(
    monkeypatch, capsys, tmp_path, form, error
):
    monkeypatch.setattr(exercise, "grade", stumble(error))
    file = tmp_path / "verdict"
    assert exercise.main(RACE, options("--format", form, "-o", str(file))) == 3
    text = file.read_text(encoding="utf-8")
    check(form, text)
    assert form == "json" or "says nothing about your work" in text
    assert str(error.args[0]) in capsys.readouterr().err


@pytest.mark.parametrize("form", EVERY)
def test_an_exercise_that_is_broken_is_a_failure_of_the_grader(monkeypatch, tmp_path, form):
    def load(folder):
        raise ExerciseError(folder, ["points must be a number", "hints are missing"])

    monkeypatch.setattr(exercise, "load", load)
    file = tmp_path / "verdict"
    assert exercise.main(RACE, options("--format", form, "-o", str(file))) == 3
    check(form, file.read_text(encoding="utf-8"))


def test_a_format_that_cannot_be_written_is_a_failure_too(monkeypatch, tmp_path):
    monkeypatch.setattr(exercise, "grade", lambda *args, **kw: PASSED)
    monkeypatch.setitem(FORMATS, "gradescope", (stumble(KeyError("points")), FORMATS["gradescope"][1]))
    file = tmp_path / "verdict"
    assert exercise.main(RACE, options("--format", "gradescope", "-o", str(file))) == 3
    check("gradescope", file.read_text(encoding="utf-8"))


def test_a_grader_that_is_stopped_leaves_a_file_that_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(exercise, "grade", stumble(KeyboardInterrupt()))
    file = tmp_path / "verdict"
    with pytest.raises(KeyboardInterrupt):
        exercise.main(RACE, options("--format", "prairielearn", "-o", str(file)))
    value = json.loads(file.read_text(encoding="utf-8"))
    assert value["gradable"] is False
    assert "stopped" in value["error"]


def test_a_file_that_cannot_be_written_is_said_before_anything_runs(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(exercise, "grade", stumble(AssertionError("it ran")))
    for place in (tmp_path, tmp_path / "nowhere" / "verdict"):
        assert exercise.main(RACE, options("-o", str(place))) == 2
        assert f"cannot write {place}" in capsys.readouterr().err


def test_a_write_that_fails_in_the_middle_costs_nothing_that_was_there(monkeypatch, tmp_path):
    file = tmp_path / "verdict"
    file.write_text("before", encoding="utf-8")

    def fill_up(self, data):
        os.close(os.open(self, os.O_CREAT | os.O_WRONLY))
        raise OSError("no space left")

    monkeypatch.setattr(output.Path, "write_bytes", fill_up)
    with pytest.raises(OSError, match="no space"):
        write_whole(file, "after")
    assert file.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_followed_and_a_surrogate_written_as_a_question_mark(tmp_path):
    file, link = tmp_path / "verdict", tmp_path / "link"
    file.write_text("before", encoding="utf-8")
    try:
        link.symlink_to(file)
    except OSError:
        pytest.skip("no links here")
    write_whole(link, "after \ud800")
    assert link.is_symlink()
    assert file.read_bytes() == b"after ?"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    write_whole(pipe, "verdict")
    reader.join(10)
    assert got == ["verdict"]
    assert pipe.is_fifo()


def test_what_is_handed_in_cannot_say_which_exercise_it_is(monkeypatch, tmp_path):
    (tmp_path / "exercise.toml").write_text('id = "01_first/easy_one"\n', encoding="utf-8")
    asked = []
    monkeypatch.setattr(exercise, "grade", lambda *args, **kw: asked.append(args[:3]) or PASSED)
    assert exercise.main(RACE, options("--submission", str(tmp_path))) == 0
    [(graded, folder, place)] = asked
    assert graded.folder == known()[RACE]
    assert (folder, place) == (tmp_path, f"exercises/{RACE}")


def test_a_submission_that_is_not_there_is_a_usage_error(capsys, tmp_path):
    assert exercise.main(RACE, options("--submission", str(tmp_path / "nothing"))) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_an_unknown_format_is_refused_with_the_known_ones(capsys):
    assert exercise.main(RACE, argparse.Namespace(format="yaml")) == 2
    assert "terminal, html, json, junit, gradescope, prairielearn, github" in capsys.readouterr().err
