"""House rules for what a model reads: tools (L01 to L13) and the texts of failures (E01 to E03).

The rules and their reasons are in `testkit.rules`, how each is judged in `testkit.tool_rules` and
`testkit.error_rules`. They are rules of this kit, not of the protocol: a server may break one for a good
reason, and then waives it by its id, with a comment that gives the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from testkit import error_rules, tool_rules
from testkit.error_rules import Failure
from testkit.rules import NOT_AN_ERROR, RULES, Finding, Rule, without_waived
from testkit.tools import ToolLike, as_dict

__all__ = ["NOT_AN_ERROR", "RULES", "Failure", "Finding", "Rule", "lint_errors", "lint_tools"]


def lint_tools(tools: Iterable[ToolLike], waive: Collection[str] = frozenset()) -> list[Finding]:
    """What is wrong with a list of tools, in the order of the rules and then of the tools.

    Args:
        tools: `mcp_types.Tool` objects, or the dicts of a `tools/list` result. Anything may be wrong with
            a dict; that is found, not raised.
        waive: ids of rules that are not to be applied.

    Raises:
        ValueError: no rule has a waived id.
    """
    plain = [as_dict(tool) for tool in tools]
    return without_waived(tool_rules.findings(plain), waive)


def lint_errors(failures: Iterable[Failure], waive: Collection[str] = frozenset()) -> list[Finding]:
    """What is wrong with the texts of failures that a test provoked.

    A failure that is no error is a finding of its own (`E00`, "was not an error"), which nothing waives:
    words that nobody gets to read prove nothing.

    Raises:
        ValueError: no rule has a waived id.
    """
    found = [finding for failure in failures for finding in error_rules.findings(failure)]
    return without_waived(found, waive)
