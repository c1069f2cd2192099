"""Making an environment: what the user is told when it cannot be done, and what is never left half done."""

import sys
from importlib import util
from pathlib import Path

import pytest

from grading import environment, installing

FAILS = "import sys; print(sys.argv[1]); sys.exit(1)"


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_or_ensurepip_is_told_what_to_install(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == module else object())
    with pytest.raises(environment.NoEnvironment) as told:
        installing.prepare(tmp_path / "env", inside=False)
    assert f"came without `{module}`" in str(told.value)
    assert f"sudo apt install python3.{sys.version_info[1]}-venv" in str(told.value)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("/x/bin/python: No module named pip", "came without `pip`"),
        (
            "The virtual environment was not created because ensurepip is not available.",
            "without `ensurepip`",
        ),
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError'",
            "no package index could be reached",
        ),
        ("socket.gaierror: Temporary failure in name resolution", "no package index could be reached"),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "not the one the lock names",
        ),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("SSLError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'): NewConnectionError", "PIP_CERT"),
        ("ERROR: No matching distribution found for mcp==2.3.0", "CPython 3.11 to 3.14"),
        ("something\nERROR: quite new", "the set-up failed: ERROR: quite new"),
        ("", "it said nothing"),
    ],
)
def test_a_step_that_fails_says_why_and_where_its_output_is(output: str, words: str, tmp_path: Path) -> None:
    with (
        installing.alone(tmp_path) as state,
        pytest.raises(environment.NoEnvironment) as told,
    ):
        installing.run_step("[1/1] a step", [sys.executable, "-c", FAILS, output], tmp_path, state)
    assert words in str(told.value)
    assert str(told.value).endswith(str(tmp_path / installing.LOG))
    assert output in (tmp_path / installing.LOG).read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="there a child cannot share the hold")
def test_a_step_holds_the_place_so_that_a_killed_parent_is_waited_for(tmp_path: Path) -> None:
    with installing.alone(tmp_path) as state:
        ask = (
            "import os, sys; assert os.path.sameopenfile(int(sys.argv[1]), os.open(sys.argv[2], os.O_RDONLY))"
        )
        command = [sys.executable, "-c", ask, str(state.fileno()), str(tmp_path / environment.STATE)]
        installing.run_step("[1/1] a step", command, tmp_path, state)


def test_a_place_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    with (
        installing.alone(tmp_path),
        open(tmp_path / environment.STATE, "a") as second,
    ):
        assert not installing.hold(second, wait=False)
    with open(tmp_path / environment.STATE, "a") as third:
        assert installing.hold(third, wait=False)


def test_an_interrupted_set_up_is_emptied_and_done_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "env"
    (place / "lib" / "half").mkdir(parents=True)
    (place / "pyvenv.cfg").touch()
    (place / environment.STATE).touch()
    seen: list[list[str]] = []

    def step(title: str, command: list[str], *_: object) -> None:
        seen.append(sorted(entry.name for entry in place.iterdir()))
        if "venv" not in command:
            raise KeyboardInterrupt

    monkeypatch.setattr(installing, "run_step", step)
    with pytest.raises(KeyboardInterrupt):
        installing.prepare(place, inside=False)
    assert seen[0] == [environment.STATE]
    assert environment.is_ours(place)
    assert environment.read_state(place) == {}
    monkeypatch.setattr(installing, "run_step", lambda *_: None)
    assert installing.prepare(place, inside=False)
    assert environment.read_state(place) == environment.expected_state()


def test_a_place_that_cannot_be_written_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(environment.NoEnvironment, match="HELPDESK_VENV names another place"):
        installing.prepare(tmp_path / "file" / "env", inside=False)


def test_pip_takes_only_what_the_lock_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(installing, "run_step", lambda title, command, *_: commands.append(command))
    installing.prepare(tmp_path / "env", inside=False)
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(commands[1])
    assert commands[1][-2:] == ["-r", str(environment.LOCK)]
