"""A verdict on a submission as a page, and for other programs.

Each format is a module with a function for a verdict and one for a failure of the grader; `output` has the
table of them.
"""
