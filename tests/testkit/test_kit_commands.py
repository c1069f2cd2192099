"""`python -m testkit` on servers that run as real programs."""

import subprocess
import sys

import pytest

from testkit.__main__ import main
from testkit.process import CannotStart, connected


def test_lint_passes_a_good_server_and_says_how_many_tools_it_saw(plain, capsys):
    assert main(["lint", "--", *plain()]) == 0
    assert capsys.readouterr().out == "1 tool, 0 findings\n"


def test_lint_lists_its_findings_and_fails(plain, good, capsys):
    del good["annotations"]
    assert main(["lint", "--", *plain([good])]) == 1
    out = capsys.readouterr().out
    assert out.startswith("L12 book_lend: readOnlyHint is missing; set it to true")
    assert out.endswith("1 tool, 1 finding\n")
    assert main(["lint", "--waive", "L12", "--", *plain([good])]) == 0
    assert capsys.readouterr().out == "1 tool, 0 findings, L12 waived\n"


@pytest.mark.parametrize(("asked", "spoken"), [("auto", "modern"), ("legacy", "legacy")])
def test_a_server_on_the_sdk_can_be_listed_and_called_in_both_eras(library, asked, spoken):
    with connected(library, asked, deadline=30) as (wire, about):
        assert (about.name, about.version, wire.era) == ("library", "3", spoken)
        assert [tool["name"] for tool in wire.list_tools()] == ["books_search", "book_lend"]  # two pages
        assert wire.call("book_lend", {"book": 3})["content"][0]["text"] == "called book_lend"
        assert wire.request("books/burn")["error"]["code"] == -32601


def test_auto_falls_back_to_the_legacy_era(plain):
    with connected(plain()) as (wire, about):
        assert (wire.era, about.name, about.protocol) == ("legacy", "plain", "2025-11-25")


def test_a_snapshot_is_approved_then_checked_then_found_changed(plain, good, tmp_path, capsys):
    file = str(tmp_path / "approved.json")
    assert main(["snapshot", "check", file, "--", *plain()]) == 2
    assert "there is no approved file yet" in capsys.readouterr().err
    assert main(["snapshot", "approve", file, "--", *plain()]) == 0
    assert main(["snapshot", "check", file, "--", *plain()]) == 0
    capsys.readouterr()
    good["description"] = "Lend a book, and tell the reader by e-mail."
    assert main(["snapshot", "check", file, "--", *plain([good])]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "CHANGED book_lend.description"
    assert "  + Lend a book, and tell the reader by e-mail." in out
    assert main(["snapshot", "approve", file, "--", *plain([good])]) == 0
    assert main(["snapshot", "check", file, "--", *plain([good])]) == 0


def test_a_server_that_cannot_be_started_is_one_line_and_status_2(capsys):
    assert main(["lint", "--", "no-such-program-anywhere"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("testkit: cannot start 'no-such-program-anywhere'")
    assert err.count("\n") == 1


def test_a_server_that_dies_is_told_with_its_status_and_last_words(plain, capsys):
    assert main(["lint", "--", *plain(how="dies")]) == 2
    err = capsys.readouterr().err
    assert "it ended with status 1" in err
    assert "  stderr: plain server: no licence found" in err


def test_a_banner_on_stdout_is_quoted(plain, capsys):
    assert main(["lint", "--", *plain(how="banner")]) == 2
    assert "not a JSON-RPC message: 'plain server v1.0 starting up...'" in capsys.readouterr().err


def test_a_silent_server_is_given_up_at_the_deadline(plain):
    with (
        pytest.raises(CannotStart, match=r"no reply within 0.3 s to: .*initialize"),
        connected(plain(how="silent"), "legacy", deadline=0.3),
    ):
        pass


@pytest.mark.parametrize(
    ("how", "words"), [("endless", "did not end within 20 pages"), ("toolless", "offers no tools")]
)
def test_a_server_without_a_readable_list_of_tools_is_told(plain, how, words, capsys):
    assert main(["lint", "--era", "legacy", "--", *plain(how=how)]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["frobnicate"],
        ["snapshot"],
        ["snapshot", "check"],
        ["lint", "--waive", "L99"],
        ["lint", "--deadline", "soon"],
    ],
)
def test_wrong_usage_is_status_2(wrong, capsys):
    with pytest.raises(SystemExit) as exit:
        main([*wrong, "--", "true"])
    assert exit.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_missing_server_command_is_status_2(capsys):
    assert main(["lint"]) == 2
    assert "give its command after --" in capsys.readouterr().err


def test_the_rules_can_be_listed_with_their_reasons(capsys):
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 32
    assert (
        "L09 a parameter whose description lists its values has an enum\n    A list in prose is a plea" in out
    )


def test_importing_the_kit_is_cheap():
    modules = "testkit.lint, testkit.snapshot, testkit.wire, testkit.reader, testkit.process"
    slow = "{'mcp', 'mcp_types', 'pydantic', 'httpx2', 'asyncio'}"
    code = f"import sys, {modules}; print({slow} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "set()"
