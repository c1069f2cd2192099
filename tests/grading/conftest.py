"""Small servers and small tests for the engine, and one warm fork runner for all of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from grading.engine.fork import AVAILABLE, ForkRunner
from grading.engine.jobs import Job
from grading.engine.tree import lay

SERVER = {
    "__init__.py": "from helpdesk.service import answer\n",
    "service.py": "def answer():\n    return 42\n\ndef spin():\n    while True:\n        pass\n",
    "echo_main.py": dedent(
        """
        import os, sys
        from helpdesk.service import answer
        if __name__ == "__main__":
            print("ready", file=sys.stderr)
            line = sys.stdin.readline().strip()
            print(answer(), line, sys.argv[1:], os.getcwd(), os.environ.get("SHADE"), flush=True)
            sys.exit(3)
        """
    ),
}


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., Path]:
    """`server(service="…")` lays a tiny help desk with that file instead; returns its tree."""

    def make(**files: str) -> Path:
        sources = SERVER | {f"{name}.py": dedent(text) for name, text in files.items()}
        return lay(sources, tmp_path / "trees").root

    return make


@pytest.fixture
def job(tmp_path: Path, server: Callable[..., Path]) -> Callable[..., Job]:
    """`job("def test_…", tree=…, check_timeout=…)`: one test file, or several with `files={path: text}`."""

    def make(text: str = "", *, files: dict[str, str] | None = None, **options: object) -> Job:
        root = tmp_path / "tests"
        for name, content in (files or {"suite/unit/test_it.py": text}).items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(content), encoding="utf-8")
        given = {"tree": server(), "tests": ("suite",), "rootdir": root, "plugins": ()} | options
        return Job(**given)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def fork() -> Iterator[ForkRunner]:
    if not AVAILABLE:
        pytest.skip("this system cannot fork")
    with ForkRunner(2) as runner:
        yield runner


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process runs. One that has ended and waits to be reaped does not."""

    def ask(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    return ask
