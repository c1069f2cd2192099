"""A `Matrix` as text: for a terminal, for a page, for a spreadsheet, for a program."""

from collections.abc import Callable

from grading.matrix import Matrix
from grading.reports.as_csv import as_csv
from grading.reports.as_json import as_json
from grading.reports.html import as_html
from grading.reports.markdown import as_markdown
from grading.reports.mutation_html import as_mutation_html
from grading.reports.mutation_json import as_mutation_json

__all__ = ["WRITERS"]

#: The formats that are plain text, each with its writer. The terminal's is `grading.reports.terminal`.
WRITERS: dict[str, Callable[[Matrix], str]] = {
    "json": as_json,
    "csv": as_csv,
    "markdown": as_markdown,
    "html": as_html,
    "mutation-json": as_mutation_json,
    "mutation-html": as_mutation_html,
}
