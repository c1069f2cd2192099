"""The list of survivors and the score: an entry without a reason is none, and what is dead is not on it."""

from pathlib import Path

import pytest

import defects
from benchmarks import survivors
from benchmarks.mutants import Mutant
from benchmarks.survivors import Reason, Status, figures, read, stale

ENTRY = """
[[survivor]]
module = "world.py"
inside = "grow"
equivalent = false
reason = "Only a desk of ten thousand tickets would show it."
changes = ["a -> b", "c -> d"]
"""


def mutant(change: str, module: str = "world.py") -> Mutant:
    return Mutant(module, "grow", "number", 7, change, f"# {change}\n")


def listed(tmp_path: Path, text: str) -> dict[tuple[str, str, str], Reason]:
    file = tmp_path / "survivors.toml"
    file.write_text(text, encoding="utf-8")
    return read(file)


def test_one_reason_may_stand_for_several_changes(tmp_path: Path):
    reason = Reason(False, "Only a desk of ten thousand tickets would show it.")
    assert listed(tmp_path, ENTRY) == {
        ("world.py", "grow", "a -> b"): reason,
        ("world.py", "grow", "c -> d"): reason,
    }
    assert listed(tmp_path, "") == {}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ('reason = "Only', 'raison = "Only'),
        ("equivalent = false", 'equivalent = "no"'),
        ('changes = ["a -> b", "c -> d"]', "changes = []"),
        ('"c -> d"', '"a -> b"'),
        ("equivalent = false", "equivalent = false\nline = 7"),
    ],
)
def test_an_entry_that_says_too_little_or_too_much_is_refused(tmp_path: Path, change: str, complaint: str):
    assert change in ENTRY
    with pytest.raises(ValueError, match="entry 1"):
        listed(tmp_path, ENTRY.replace(change, complaint))


def test_the_score_leaves_out_what_is_broken_or_equivalent_and_counts_no_error_as_a_kill():
    rest: list[Status] = ["error", "timeout", "broken", "survived", "survived"]
    statuses: list[Status] = ["killed"] * 6
    statuses += rest
    answers: list[tuple[Mutant, Status]] = [(mutant(str(n)), status) for n, status in enumerate(statuses)]
    reasons = {
        ("world.py", "grow", "9"): Reason(True, "same"),
        ("world.py", "grow", "10"): Reason(False, "x"),
    }
    now = figures(answers, reasons)
    assert (now.mutants, now.broken, now.survived, now.equivalent, now.asked) == (11, 1, 2, 1, 9)
    assert now.score == pytest.approx(100 * 6 / 9)
    assert now.noticed == pytest.approx(100 * 8 / 9)
    assert figures(answers, {}).score == pytest.approx(100 * 6 / 10)


def test_a_mutant_that_is_killed_is_not_equivalent_whatever_the_list_says():
    reasons = {("world.py", "grow", "a"): Reason(True, "so it was thought")}
    assert figures([(mutant("a"), "killed")], reasons).equivalent == 0
    assert "is killed" in stale([(mutant("a"), "killed")], reasons)[0]
    assert stale([(mutant("a"), "survived")], reasons) == []


def test_an_entry_for_a_mutant_that_is_no_more_made_is_stale_once_its_module_was_asked():
    reasons = {("world.py", "grow", "gone"): Reason(False, "x")}
    assert "no more made" in stale([], reasons, ["world.py"])[0]
    assert stale([], reasons, ["tools.py"]) == []


def test_the_committed_list_can_be_read_and_names_modules_that_exist():
    reasons = read(Path(survivors.__file__).with_name("survivors.toml"))
    assert {module for module, _, _ in reasons} <= set(defects.source_of_helpdesk())
