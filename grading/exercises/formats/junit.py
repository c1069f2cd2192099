"""A verdict as JUnit XML, which Jenkins, GitLab and most other servers of that kind show.

There is no standard but what its readers take: here the elements and attributes of `junit-10.xsd`, the
schema of Jenkins' xUnit plugin, to which pytest holds its own reports too. A problem of the submission is an
error, a bug found or a check passed is a test that passed, and what was missed is one that failed.
"""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

from grading.exercises.feedback import Feedback
from grading.exercises.formats.parts import Entry, Section, plain, plain_entry, sections
from grading.exercises.formats.texts import FAILED, fit, legal
from grading.stamp import Stamp

__all__ = ["failure", "verdict"]

Element = ElementTree.Element
_RESULT = {"problem": "error", "missed": "failure"}


def verdict(feedback: Feedback, stamped: Stamp) -> str:
    """One test suite with a test case for each problem, bug or check."""
    feedback = fit(feedback)
    parts = list(sections(feedback))
    counts = Counter({section.kind: len(section.entries) for section in parts})
    suite = _suite(feedback.exercise, counts.total(), counts["missed"], counts["problem"], feedback.seconds)
    properties = ElementTree.SubElement(suite, "properties")
    points = {"points": f"{feedback.points:g}", "out_of": f"{feedback.out_of}"}
    for name, value in {**points, **stamped.to_json()}.items():
        ElementTree.SubElement(properties, "property", name=name, value=f"{value}")
    names: Counter[str] = Counter()
    for section in parts:
        for entry in section.entries:
            names[entry.title] += 1
            _case(suite, section, entry, names[entry.title])
    ElementTree.SubElement(suite, "system-out").text = plain(feedback, stamped)
    return _dump(suite)


def _case(suite: Element, section: Section, entry: Entry, occurrence: int) -> None:
    # Readers take test cases with one name for one test: two hidden bugs of a family would be one.
    name = entry.title if occurrence == 1 else f"{entry.title} ({occurrence})"
    case = ElementTree.SubElement(suite, "testcase", classname=_class(suite.attrib["name"]), name=name)
    result = _RESULT.get(section.kind)
    if result is None:
        ElementTree.SubElement(case, "system-out").text = plain_entry(entry)
    else:
        below = ElementTree.SubElement(case, result, type=section.kind, message=entry.title)
        below.text = plain_entry(entry)


def failure(exercise: str, error: str) -> str:
    """One test case that stumbled: the grader."""
    suite = _suite(legal(exercise), tests=1, failures=0, errors=1, seconds=0)
    case = ElementTree.SubElement(
        suite, "testcase", classname=_class(suite.attrib["name"]), name="the grader"
    )
    ElementTree.SubElement(case, "error", type="grader", message=FAILED).text = legal(error)
    return _dump(suite)


def _suite(exercise: str, tests: int, failures: int, errors: int, seconds: float) -> Element:
    counts = {"tests": f"{tests}", "failures": f"{failures}", "errors": f"{errors}", "skipped": "0"}
    return Element("testsuite", {"name": exercise, **counts, "time": f"{seconds:.2f}"})


def _class(exercise: str) -> str:
    """`04_slug.medium_name`: readers show what stands before the last dot as a package."""
    return exercise.replace("/", ".")


def _dump(suite: Element) -> str:
    root = Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
