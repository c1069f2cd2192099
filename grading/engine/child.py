"""What happens inside one run: one process, one server tree, one pytest session.

Called in a forked process by the fork server, or as `python -m grading.engine.child` with the order as JSON
on standard input. An order is `{"job": Job.to_json(), "nonce": …, "skip": [node ids], "scratch": directory}`.
Messages, by kind: `origin` (after the server was imported), `broken`, `wrong` (some other server),
`importing`, `collected`, `start`, `passed`, `check`, `stuck`, `quit`, `left` (pytest's exit code), `end`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grading.engine import finder, limits, outcome, reached, slow
from grading.engine.jobs import Job
from grading.engine.messages import Reporter
from grading.engine.tree import PACKAGE

INI = Path(__file__).with_name("run.ini")
# What a run may see of its caller's environment. The rest (tokens, keys, PYTHON*) is not its business.
KEPT = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "COMSPEC",
    "PATHEXT",
)


def environment(scratch: str, tree: str | None) -> dict[str, str]:
    """The environment of a run and of the programs it starts: `helpdesk` from the tree, nothing from `.`.

    `PYTHONHASHSEED` is fixed so that a matrix is the same twice.
    """
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {
        **kept,
        **dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), scratch),
        **({"PYTHONPATH": tree} if tree is not None else {}),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def pytest_args(job: Job, scratch: str) -> list[str]:
    """The command line of the session; also of the dummy session that warms a fork server."""
    args = ["-c", str(job.ini or INI), f"--rootdir={job.rootdir}"]
    args += [f"--confcutdir={job.rootdir}", f"--basetemp={scratch}/tmp"]
    # -s: the runner holds both streams anyway; cacheprovider writes beside the tests; `stuck` owns
    # faulthandler; tb=native is the quickest; anyio and hypothesis are there as in plain pytest
    args += ["-s", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    args += ["-q", "--tb=native", "--no-header", "--disable-warnings"]
    args += ["--continue-on-collection-errors", "-p", "anyio.pytest_plugin", "-p", "_hypothesis_pytestplugin"]
    for plugin in job.plugins:
        args += ["-p", plugin]
    return [*args, *job.extra_args]


def run(order: Mapping[str, Any], verdicts: int) -> None:
    """Run a session and report over the file descriptor `verdicts`. Returns when the session is over."""
    job = Job.from_json(order["job"])
    reporter = Reporter(verdicts, order["nonce"])
    try:
        _settle(job, order["scratch"])
        _session(job, order, reporter)
    except finder.WrongServer as wrong:
        reporter.send("wrong", text=str(wrong))
    except BaseException as error:
        reporter.send("quit", text=outcome.brief(error))
    reporter.send("end")


def _settle(job: Job, scratch: str) -> None:
    """Make this process the run's own: environment, directory, byte code, limits, server."""
    tree = str(job.tree)
    os.environ.clear()
    os.environ.update(environment(scratch, tree))
    os.chdir(scratch)
    tempfile.tempdir = None
    sys.dont_write_bytecode = True
    sys.pycache_prefix = os.path.join(scratch, "pycache")  # pytest would read what lies beside the tests
    if job.trace:
        reached.watch()
    finder.install(job.tree, job.trace)
    quiet_hypothesis()
    limits.apply(job.limits, job.timeout)


def quiet_hypothesis() -> None:
    """The same examples each time, and no database: a run leaves nothing for the next one to find.

    Hypothesis also tries constants that it finds in the source of whatever was imported so far. So the
    examples of a check would depend on the server's source, and on which checks ran before it: no constants
    here. The function that is replaced is private; where it is missing, examples are as ever.
    """
    from hypothesis import settings
    from hypothesis.internal.conjecture import providers

    settings.load_profile("ci")
    none: Any = getattr(providers, "Constants", None)
    if none is not None and hasattr(providers, "_get_local_constants"):
        nothing = none()
        providers._get_local_constants = lambda: nothing


def _session(job: Job, order: Mapping[str, Any], reporter: Reporter) -> None:
    import pytest

    from grading.engine.session import Session
    from grading.engine.stuck import Alarm

    alarm = Alarm(reporter)
    alarm.arm(job.collect_timeout)
    broken = import_server(job.tree)
    if broken:
        reporter.send("broken", text=broken)
        return
    reporter.send("origin", path=str(Path(str(sys.modules[PACKAGE].__file__)).parent))
    session = Session(job, frozenset(order["skip"]), order["scratch"], reporter, alarm)
    tests = [str(job.rootdir / test) for test in job.tests]
    code = int(pytest.main([*pytest_args(job, order["scratch"]), *tests], plugins=[session]))
    alarm.disarm()
    reporter.send("left", code=code)
    others = finder.foreign(job.tree)
    if others:
        raise finder.WrongServer("ran the wrong server: " + "; ".join(others[:3]))


def import_server(tree: Path) -> str:
    """Import every module of the tree. Returns "" or what the first one that fails raised."""
    for name in finder.modules_of(tree):
        try:
            importlib.import_module(name)
        except BaseException as error:
            return f"{name} cannot be imported: {outcome.brief(error)}"
    return ""


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m grading.engine.child`: order on stdin, messages on what was stdout, prints to stderr."""
    order = json.loads(sys.stdin.buffer.read())
    slow.imports()  # before any time limit: slow, and nobody's fault
    verdicts = os.dup(1)  # not inherited by what the tests start
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    run(order, verdicts)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
