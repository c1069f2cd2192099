"""Grades a submission of an exercise: its definition, its runs, and the words about them."""

#: The folder, beside the checks of an exercise, in which they find what was handed in.
SUBMISSION = "submission"
