"""How to test any MCP server: lint, snapshot, a raw wire client, a stand-in reader.

Nothing in here knows which server it tests. Importing this package imports nothing else: take what
you need from its modules (`testkit.lint`, `testkit.snapshot`, `testkit.wire`, `testkit.reader`), or
use the command line, `python -m testkit --help`, on any server that speaks over stdio.
"""
