"""The rules of the house: who may import whom, and what no file of the repository holds."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = {"helpdesk", "testkit", "suite", "defects", "grading", "modules", "exercises", "solutions", "tests"}
MAY_IMPORT = {
    "helpdesk": set(),
    "testkit": set(),
    "defects": set(),
    "grading": {"defects", "testkit"},
}
ONLY_THESE_OF_OTHERS = {"mcp", "mcp_types", "jsonschema", "starlette", "uvicorn", "jwt", "anyio", "pydantic"}
LONGEST = 300
LISTING = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]


def files() -> list[Path]:
    """Every file of the repository, tracked or about to be; without git, all that is there."""
    listed = subprocess.run(LISTING, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        hidden = re.compile(r"(^|/)(\.|__pycache__)")
        found = [path for path in ROOT.rglob("*") if not hidden.search(path.relative_to(ROOT).as_posix())]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def imports(file: Path) -> Iterator[str]:
    """The full names of the modules a file imports, also by import_module("name")."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case ast.Call(
                func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=str(module)), *_]
            ):
                if name in ("import_module", "__import__", "importorskip"):
                    yield module


def sources(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, f"{package} is empty"
    return found


def test_every_way_to_import_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "all_ways.py"
    file.write_text(
        "import a.b, c as d\nfrom e.f import g\nfrom . import near\n"
        "def later():\n    import h\n    importlib.import_module('i.j')\n    __import__('k')\n"
    )
    assert sorted(imports(file)) == ["a.b", "c", "e.f", "h", "i.j", "k"]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_the_house_allows(package: str) -> None:
    for file in sources(package):
        allowed = MAY_IMPORT[package] | {package}
        if (ROOT / "grading/fixtures") in file.parents or file == ROOT / "grading/fixtures.py":
            allowed |= {"helpdesk"}
        for module in imports(file):
            assert module.partition(".")[0] not in OURS - allowed, (
                f"{file.relative_to(ROOT)} imports {module}"
            )


@pytest.mark.parametrize("package", ["suite", "tests"])
def test_nothing_imports_the_suite_the_exercises_or_the_solutions(package: str) -> None:
    for file in sources(package):
        for module in imports(file):
            top = module.partition(".")[0]
            assert top not in {"suite", "exercises", "solutions"}, (
                f"{file.relative_to(ROOT)} imports {module}"
            )


@pytest.mark.parametrize(
    "name", ["grade.py", *(f"grading/{part}.py" for part in ("__init__", "environment", "installing"))]
)
def test_what_makes_the_environment_needs_nothing_from_it(name: str) -> None:
    bare = sys.stdlib_module_names | {"grading"}
    assert {module.partition(".")[0] for module in imports(ROOT / name)} <= bare


def test_the_server_leans_on_few_others() -> None:
    others = {module.partition(".")[0] for file in sources("helpdesk") for module in imports(file)}
    assert others - sys.stdlib_module_names - {"helpdesk"} <= ONLY_THESE_OF_OTHERS


def test_the_server_does_not_know_that_it_will_be_broken() -> None:
    for file in sources("helpdesk"):
        found = re.search(r"(?i)\b(defects?|mutants?|grading|grader)\b", file.read_text("utf-8"))
        assert not found, f"{file.relative_to(ROOT)} says {found and found[0]!r}"


def test_nothing_lies_about_that_makes_a_mutant_run_as_the_correct_server() -> None:
    assert not (ROOT / "conftest.py").exists()
    assert not list((ROOT / "tests").rglob("__init__.py")) + list((ROOT / "suite").rglob("__init__.py"))
    assert not re.search(r"(?m)^pythonpath", (ROOT / "pyproject.toml").read_text("utf-8"))


def test_no_file_names_a_machine_or_a_package_host() -> None:
    hosts = [
        ("py", "pi", ".org"),
        ("python", "hosted", ".org"),
        ("npm", "js", ".org"),
        ("registry", ".", "npm"),
    ]
    places = [
        ("/work", "/main"),
        ("/work", "/shared"),
        ("/tmp", "/lab"),
        ("/", "root/"),
        (".py", "env/versions"),
    ]
    forbidden = re.compile("|".join(re.escape("".join(parts)) for parts in hosts + places).encode())
    for path in files():
        found = forbidden.search(path.read_bytes())
        assert not found, f"{path.relative_to(ROOT)} holds {found and found[0].decode()!r}"


def test_a_file_is_one_idea_and_not_too_long() -> None:
    for path in files():
        top = path.relative_to(ROOT).parts[0]
        if path.suffix == ".py" and top not in {"exercises", "solutions", "modules"}:
            lines = len(path.read_text("utf-8").splitlines())
            assert lines <= LONGEST, f"{path.relative_to(ROOT)} has {lines} lines"
