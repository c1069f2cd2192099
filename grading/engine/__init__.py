"""Runs tests against a server tree, safely and fast: forked or cold, each run in a process of its own."""
