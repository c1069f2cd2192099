"""The finder: `helpdesk` is the tree's, or there is none."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grading.engine import finder

ENGINE = Path(finder.__file__).parents[2]


def python(code: str, *paths: Path) -> str:
    """Run `code` in a new interpreter that could import this repository's own help desk."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*paths, ENGINE))), "PYTHONSAFEPATH": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_tree_wins_over_everything_on_the_path(server: Callable[..., Path]) -> None:
    mutant, correct = server(service="def answer(): return 41"), server()
    code = f"""
import sys
from grading.engine import finder
finder.install(__import__("pathlib").Path({str(mutant)!r}))
sys.path.insert(0, {str(correct)!r})
import helpdesk, helpdesk.service
print(helpdesk.answer(), finder.foreign(finder.current_tree()))
"""
    assert python(code, correct) == "41 []"


def test_what_the_tree_lacks_is_missing_though_another_server_has_it(server: Callable[..., Path]) -> None:
    code = f"""
from grading.engine import finder
finder.install(__import__("pathlib").Path({str(server())!r}))
try:
    import helpdesk.stdio_main
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert python(code) == "helpdesk.stdio_main"


def test_a_process_that_has_imported_a_server_is_refused(server: Callable[..., Path]) -> None:
    code = f"""
import helpdesk
from grading.engine import finder
try:
    finder.install(__import__("pathlib").Path({str(server())!r}))
except finder.WrongServer as error:
    print(error)
"""
    other = server(service="def answer(): return 40")
    assert f"helpdesk was imported from {other}" in python(code, other)


def test_another_server_is_found_under_any_name(server: Callable[..., Path]) -> None:
    mutant, correct = server(service="def answer(): return 41"), server()
    code = f"""
import sys, importlib.util
from pathlib import Path
from grading.engine import finder
mutant = Path({str(mutant)!r})
finder.install(mutant)
file = Path({str(correct)!r}) / "helpdesk" / "service.py"
spec = importlib.util.spec_from_file_location("harmless", file)
module = importlib.util.module_from_spec(spec)
sys.modules["harmless"] = module
spec.loader.exec_module(module)
print(finder.foreign(mutant))
"""
    assert python(code) == f"['harmless from {correct}/helpdesk/service.py']"


def test_byte_code_is_neither_read_nor_written(server: Callable[..., Path]) -> None:
    tree = server()
    code = f"""
import os, sys, py_compile
from pathlib import Path
from grading.engine import finder
file = Path({str(tree)!r}) / "helpdesk" / "service.py"
before = file.stat()
file.write_text(file.read_text().replace("42", "13"))
os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
planted = Path(py_compile.compile(str(file)))
file.write_text(file.read_text().replace("13", "42"))
os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
finder.install(Path({str(tree)!r}))
import helpdesk
print(helpdesk.answer(), [p.name for p in planted.parent.iterdir()] == [planted.name])
"""
    assert python(code) == "42 True"


def test_code_that_was_compiled_ahead_carries_the_path_it_runs_from(server: Callable[..., Path]) -> None:
    one = server()
    other = server(extra="x = 1")
    code = f"""
from pathlib import Path
from grading.engine import finder
finder.compile_ahead(Path({str(one)!r}))
finder.install(Path({str(other)!r}))
import helpdesk.service
print(helpdesk.service.answer.__code__.co_filename)
"""
    assert python(code) == str(other / "helpdesk" / "service.py")


def test_without_a_laid_tree_the_current_one_is_where_python_finds_the_server() -> None:
    found = importlib.util.find_spec("helpdesk")
    if found is None or found.origin is None:
        pytest.skip("no help desk here")
    assert finder.current_tree() == Path(found.origin).resolve().parent.parent
