"""These tests need mutmut, which the developers' lock has; without it they are left out."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("mutmut") else ["test_*.py"]
