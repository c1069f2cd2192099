"""Holds JUnit XML to the schema that Jenkins' xUnit plugin publishes, as far as a report of ours goes.

The rules are those of `src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd` in
https://github.com/jenkinsci/xunit-plugin, written down anew: which elements stand in which, which attributes
they take, and which of these are required.
"""

import re
from xml.etree import ElementTree

RESULT = (set(), {"type", "message"}, set())
RULES: dict[str, tuple[set[str], set[str], set[str]]] = {  # children, attributes, required attributes
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}, set()),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname"}
        | {"id", "package", "file", "log", "url"},
        {"name", "tests", "failures", "errors"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, {"name", "value"}),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name", "time", "classname", "group"},
        {"name"},
    ),
    "error": RESULT,
    "failure": RESULT,
    "skipped": RESULT,
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}
TEXT = {"error", "failure", "skipped", "system-out", "system-err"}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def read(text: str) -> ElementTree.Element:
    """The root of a report, after every rule was held. The parser refuses what XML 1.0 does not allow."""
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert root.tag == "testsuites"
    for element in root.iter():
        children, attributes, required = RULES[element.tag]
        assert {child.tag for child in element} <= children, element.tag
        assert required <= set(element.attrib) <= attributes, (element.tag, element.attrib)
        assert TIME.fullmatch(element.get("time", ""))
        if element.tag not in TEXT:
            assert not (element.text or "").strip(), element.tag
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["errors"]) == len(suite.findall("testcase/error"))
        names = [(case.get("classname"), case.get("name")) for case in cases]
        assert len(set(names)) == len(names), "readers take two cases of one name for one"
    return root
