"""Judging an environment: which will do, which is finished, and what is written into it."""

import json
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from grading import environment


@pytest.mark.parametrize(
    "version", ["1.9", "2", "2.0", "2.2.9", "2.3", "2.3.0", "2.10.1", "3", "3.0.0", "3.1", "10.0"]
)
@pytest.mark.parametrize(
    "requirement", ["thing", "thing>=2", "thing>=2.3,<3", "thing>=2.3.0,<3.0", "thing<10"]
)
def test_versions_are_judged_as_packaging_judges_them(version: str, requirement: str) -> None:
    assert environment.meets(version, requirement) == Requirement(requirement).specifier.contains(version)


def test_every_requirement_of_the_project_is_one_that_grade_py_can_judge() -> None:
    for line in environment.project()["dependencies"]:
        requirement = Requirement(line)
        assert {spec.operator for spec in requirement.specifier} <= {">=", "<"}, line
        assert not requirement.marker and not requirement.extras, line


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["pytest>=2", "no-such-thing-anywhere>=1", "packaging<1"]
    monkeypatch.setattr(environment, "project", lambda: {"dependencies": wanted})
    assert environment.lacking() == wanted[1:]


def ours(place: Path, state: str) -> Path:
    """An environment that grade.py made, with this in its state file."""
    python = environment.python_of(place)
    python.parent.mkdir(parents=True)
    python.touch()
    (place / environment.STATE).write_text(state)
    return place


def test_a_finished_environment_is_known_by_the_hash_of_the_lock(tmp_path: Path) -> None:
    place = ours(tmp_path / "env", json.dumps(environment.expected_state()))
    assert environment.is_finished(place)


@pytest.mark.parametrize("state", ["", "{", '{"lock": "of another time", "python": "3.11"}'])
def test_an_interrupted_or_outdated_set_up_is_not_finished(state: str, tmp_path: Path) -> None:
    assert not environment.is_finished(ours(tmp_path / "env", state))


def test_an_environment_whose_python_is_gone_is_not_finished(tmp_path: Path) -> None:
    place = ours(tmp_path / "env", json.dumps(environment.expected_state()))
    environment.python_of(place).unlink()
    assert not environment.is_finished(place)


def test_an_environment_made_by_another_python_is_not_used(tmp_path: Path) -> None:
    state = {**environment.expected_state(), "python": "3.9"}
    assert not environment.is_usable(ours(tmp_path / "env", json.dumps(state)), inside=True)


def test_a_named_place_goes_before_an_environment_that_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "lacking", list)
    monkeypatch.delenv("HELPDESK_VENV", raising=False)
    assert environment.is_usable(tmp_path / "env", inside=False)
    monkeypatch.setenv("HELPDESK_VENV", str(tmp_path / "env"))
    assert not environment.is_usable(tmp_path / "env", inside=False)


def test_the_users_own_environment_is_told_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "lacking", lambda: ["mcp>=2.3,<3"])
    with pytest.raises(environment.NoEnvironment, match=r"not made by grade\.py, and lacks mcp>=2\.3,<3"):
        environment.is_usable(tmp_path, inside=True)


def test_a_checkout_that_moved_is_linked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment.link(tmp_path)
    record = next(tmp_path.glob("mutant_helpdesk-*.dist-info/RECORD")).read_text()
    assert {line.split(",")[0] for line in record.splitlines()} == {
        file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()
    }
    pyproject = (environment.ROOT / "pyproject.toml").read_text("utf-8")
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    monkeypatch.setattr(environment, "ROOT", moved)
    environment.link(tmp_path)
    assert (tmp_path / "mutant_helpdesk.pth").read_text() == f"{moved}\n"
