"""Grades a submission of an exercise: its definition, its runs, and the words about them."""
