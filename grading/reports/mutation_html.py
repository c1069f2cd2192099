"""The mutation report as one page that needs no network: the report and its viewer in a single file.

The viewer is mutation-testing-elements (Apache-2.0), which is no part of this repository. It is taken from
an installed package that ships it, which is the extra `report`.
"""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from string import Template

from grading.environment import project
from grading.matrix import Matrix
from grading.plan import Usage
from grading.reports.mutation_json import to_mutation_report

__all__ = ["as_mutation_html", "find_viewer"]

#: The package that ships the viewer, and the viewer's file in it.
PACKAGE = "cosmic-ray-to-mutation-elements-adapter"
FILE = "mutation-testing-elements.js"

# The page may use what stands in it, and fetch nothing: the browser holds it to that.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>The Mutant Help Desk</title>
<!-- The viewer is mutation-testing-elements by the Stryker team, under the Apache License 2.0:
     https://github.com/stryker-mutator/mutation-testing-elements -->
<script>
$viewer
</script>
</head>
<body>
<mutation-test-report-app title-postfix="The Mutant Help Desk">
<noscript>This report needs JavaScript.</noscript>
</mutation-test-report-app>
<script>
const app = document.querySelector("mutation-test-report-app");
const paint = () => { document.body.style.backgroundColor = app.themeBackgroundColor; };
app.addEventListener("theme-changed", paint);
app.report = $report;
paint();
</script>
</body>
</html>
""")


def as_mutation_html(matrix: Matrix) -> str:
    """The page. Raises `Usage` when the viewer is not installed."""
    viewer = find_viewer().read_text(encoding="utf-8")
    report = _json(to_mutation_report(matrix))
    return _PAGE.substitute(policy=_POLICY, viewer=_script(viewer), report=report)


def find_viewer() -> Path:
    """The viewer's JavaScript. Raises `Usage`, with the command that installs it."""
    try:
        files = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        files = []
    found = next((Path(str(file.locate())) for file in files if file.name == FILE), None)
    if found is None or not found.is_file():
        (wanted,) = project()["optional-dependencies"]["report"]
        raise Usage(
            "the viewer of this report is not installed. Install it: "
            f'{sys.executable} -m pip install "{wanted}"; or take --format mutation-json, which needs none'
        )
    return found


def _script(text: str) -> str:
    """A script as it may stand in a page: in its strings and patterns `<\\/` means `</`."""
    return text.replace("</script", "<\\/script")


def _json(plain: object) -> str:
    """JSON as it may stand in a script: pure ASCII, and no `<` that a page could take for a tag."""
    return json.dumps(plain).replace("<", "\\u003c")
