"""Exercises made up for tests: small, quick, and with all that a definition needs."""

from collections.abc import Mapping
from pathlib import Path

from grading.exercises.exercise_file import CHECKS, START, Exercise, load

__all__ = ["THREE_CHECKS", "make_exercise"]

_DEFINITION = """
id = "{id}"
kind = "{kind}"
chapter = 3
title = "Made for a test"
points = 12
submit = [{submit}]
layers = ["unit"]
missing = "All of it."
hints = ["Look.", "Look closer."]
{more}
[time]
check = 5
total = 60
"""

#: Three checks of a file test_it.py, the last one hidden.
THREE_CHECKS = """
[[check]]
tests = ["test_it.py::test_first"]
title = "The first is so"
story = "Carol waits."
hint = ["Look at the first.", "Look closer at the first."]
[[check]]
tests = ["test_it.py::test_second"]
title = "The second is so"
story = "Erin waits."
hint = ["Look at the second."]
[[check]]
tests = ["test_it.py::test_third"]
title = "The third is so"
story = "Dave waits."
hint = ["Look at the third."]
hidden = true
family = "third things"
"""


def make_exercise(
    course: Path,
    kind: str,
    start: Mapping[str, str],
    more: str,
    checks: str = "",
    solution: Mapping[str, str] | None = None,
    id: str = "03_data/easy_thing",
) -> Exercise:
    """Write an exercise below `course` and read it. `more` has the keys of its kind, `checks` test_it.py."""
    folder = course / "exercises" / id
    (folder / START).mkdir(parents=True)
    submit = ", ".join(f'"{name}"' for name in start)
    definition = _DEFINITION.format(id=id, kind=kind, submit=submit, more=more)
    (folder / "exercise.toml").write_text(definition, encoding="utf-8")
    readme = f"For 12 points: python3 grade.py exercises/{id}\n"
    (folder / "README.md").write_text(readme, encoding="utf-8")
    for name, text in start.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / START / name).write_text(text, encoding="utf-8")
    if checks:
        (folder / CHECKS).mkdir()
        (folder / CHECKS / "test_it.py").write_text(checks, encoding="utf-8")
    if solution is not None:
        home = course / "solutions" / id
        home.mkdir(parents=True)
        for name, text in solution.items():
            (home / name).write_text(text, encoding="utf-8")
        explained = "# Why this works\n\n# What else would do\n\n# What is still unguarded\n"
        (home / "EXPLANATION.md").write_text(explained, encoding="utf-8")
    return load(folder)
