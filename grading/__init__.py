"""The grader: runs tests against server trees, safely and fast, and says what each check said.

Layers inside this package, from the ground up: what is run (`tree`, `jobs`), what happens inside
one run (`finder`, `child`), who starts runs (`fork`, `cold`), and, on top, verdicts and reports.
Importing `grading` imports nothing slow and never imports `helpdesk`.
"""
