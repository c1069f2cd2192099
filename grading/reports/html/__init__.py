"""The matrix as one page of HTML that needs nothing else, for a projector, a phone, or paper."""

from grading.reports.html.page import as_html

__all__ = ["as_html"]
