"""The one command, run as a user runs it, in a small checkout with a lock that needs no network."""

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import grade
from grading import environment, installing

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = """\
[project]
name = "mutant-helpdesk"
version = "0.1.0"
dependencies = ["{requirement}"]
[project.entry-points.pytest11]
"grading.fixtures" = "grading.fixtures"
"""
GRADER = """\
import json, os, sys
print(json.dumps({"arguments": sys.argv[1:], "cwd": os.getcwd(), "prefix": sys.prefix, "file": __file__}))
sys.exit(7)
"""


def lay_checkout(root: Path, requirement: str) -> Path:
    """A checkout of the bootstrap alone, with a grader that says where it runs and exits 7."""
    (root / "grading").mkdir(parents=True)
    for name in ("grade.py", "grading/__init__.py", "grading/environment.py", "grading/installing.py"):
        shutil.copy(ROOT / name, root / name)
    (root / "grading/__main__.py").write_text(GRADER)
    (root / "pyproject.toml").write_text(PYPROJECT.format(requirement=requirement))
    wheel = root / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (root / "requirements.lock").write_text(f"tiny @ {wheel.as_uri()} --hash=sha256:{digest}\n")
    return root


def start(checkout: Path, cwd: Path, arguments: Sequence[str] = (), **env: str) -> subprocess.Popen[str]:
    """Start the checkout's grade.py with the Python that runs this test, and no way to any index."""
    ours = ("HELPDESK_VENV", grade.ARRIVED, "PYTHONPATH")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.Popen(
        [sys.executable, str(checkout / "grade.py"), *arguments],
        cwd=cwd,
        env={**clean, "PIP_NO_INDEX": "1", **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(checkout: Path, cwd: Path, arguments: Sequence[str] = (), **env: str) -> tuple[int, str, str]:
    """Run it to its end: exit status, standard output, standard error."""
    with start(checkout, cwd, arguments, **env) as process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to stand in that holds a module and a package nobody should import by accident."""
    folder = tmp_path_factory.mktemp("where the user stands")
    (folder / "json.py").write_text("raise SystemExit('the folder of the user was imported from')")
    (folder / "grading").mkdir()
    (folder / "grading/__init__.py").write_text("raise SystemExit('the wrong grading')")
    return folder


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, elsewhere: Path) -> tuple[Path, tuple[int, str, str]]:
    """A checkout that needs something this Python lacks, and what its very first run gave."""
    checkout = lay_checkout(tmp_path_factory.mktemp("a checkout") / "with a space", "tiny>=1")
    return checkout, run(checkout, elsewhere, ["matrix", "--jobs", "a b"])


def test_the_first_run_makes_the_environment_and_hands_over(
    first: tuple[Path, tuple[int, str, str]], elsewhere: Path
) -> None:
    checkout, (status, out, err) = first
    assert status == 7, err
    told = json.loads(out)
    assert told["arguments"] == ["matrix", "--jobs", "a b"]
    assert Path(told["cwd"]).samefile(elsewhere)
    assert Path(told["prefix"]).samefile(checkout / ".venv")
    assert Path(told["file"]).samefile(checkout / "grading/__main__.py")
    assert [line.split(" ")[0] for line in err.splitlines()] == ["Setting", "[1/2]", "[2/2]"]


def test_the_second_run_uses_what_the_first_made_and_says_nothing(
    first: tuple[Path, tuple[int, str, str]], elsewhere: Path
) -> None:
    checkout, _ = first
    before = (checkout / ".venv" / installing.LOG).stat().st_mtime_ns
    status, out, err = run(checkout, elsewhere)
    assert (status, err) == (7, "")
    assert Path(json.loads(out)["prefix"]).samefile(checkout / ".venv")
    assert (checkout / ".venv" / installing.LOG).stat().st_mtime_ns == before


def test_in_that_environment_the_project_counts_as_installed(
    first: tuple[Path, tuple[int, str, str]], elsewhere: Path
) -> None:
    checkout, _ = first
    ask = (
        "import sys; sys.path.pop(0); import grading, importlib.metadata as m;"
        "print(grading.__file__, m.version('mutant-helpdesk'), *m.entry_points(group='pytest11').names)"
    )
    python = environment.python_of(checkout / ".venv")
    told = subprocess.run(
        [python, "-c", ask], cwd=elsewhere, capture_output=True, text=True, check=True
    ).stdout
    assert told == f"{checkout / 'grading' / '__init__.py'} 0.1.0 grading.fixtures\n"


def test_a_second_grade_py_waits_for_the_one_at_work(
    first: tuple[Path, tuple[int, str, str]], elsewhere: Path, tmp_path: Path
) -> None:
    checkout, _ = first
    state = (checkout / ".venv" / environment.STATE).read_text()
    shared = tmp_path / "environment"
    shutil.copytree(checkout / ".venv", shared, symlinks=True)
    with installing.alone(shared) as held:  # as one that has begun, and not finished
        held.truncate(0)
        with start(checkout, elsewhere, HELPDESK_VENV=str(shared)) as waiting:
            assert waiting.stderr and "waiting for it" in waiting.stderr.readline()
            held.write(state)
            held.flush()
            held.close()
            out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, err) == (7, "")
    assert Path(json.loads(out)["prefix"]).samefile(shared)


def test_an_environment_that_has_what_it_takes_is_used_as_it_is(tmp_path: Path) -> None:
    checkout = lay_checkout(tmp_path / "checkout", "pytest>=2")
    status, out, err = run(checkout, tmp_path, ["check"])
    assert (status, err) == (7, "")
    assert json.loads(out)["prefix"] == sys.prefix
    assert not (checkout / ".venv").exists()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    checkout = lay_checkout(tmp_path / "checkout", "tiny>=1")
    precious = tmp_path / "home" / "letters.txt"
    precious.parent.mkdir()
    precious.write_text("dear")
    status, out, err = run(checkout, tmp_path, HELPDESK_VENV=str(precious.parent))
    assert (status, out) == (grade.NO_ENVIRONMENT, "")
    assert "holds something else" in err
    assert list(precious.parent.iterdir()) == [precious]


@pytest.mark.parametrize("found", [(2, 7, 18), (3, 8, 18), (3, 10, 13)])
def test_an_old_python_is_told_what_to_do(
    found: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "python3.12" else None)
    words = f"needs Python 3.11 or newer, found {'.'.join(map(str, found))}. "
    assert grade.too_old(found) == words + "Run it with one that is here: python3.12 grade.py"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert grade.too_old(found).startswith(words + "Install a newer one")


@pytest.mark.parametrize("found", [(3, 11, 0), (3, 14, 1), (4, 0, 0)])
def test_a_python_of_the_right_age_is_not_refused(found: tuple[int, int, int]) -> None:
    assert grade.too_old(found) == ""


def test_an_old_python_can_read_grade_py_as_far_as_the_refusal() -> None:
    tree = ast.parse((ROOT / "grade.py").read_text("utf-8"), feature_version=(3, 7))
    top = {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    top |= {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert top == {"contextlib", "os", "pathlib", "runpy", "shutil", "subprocess", "sys", "typing"}
