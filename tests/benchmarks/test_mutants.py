"""Generic mutants: what is changed, what is left alone, and by which name each is known."""

import defects
from benchmarks.mutants import mutants_of, mutants_of_all

SOURCE = '''"""A module."""

__all__ = ["search"]

MOST = 20  # a page


class Desk:
    def search(self, limit: int | None = None, text: str = "words") -> list[str]:
        if limit is not None and limit < MOST:
            return self.rows("SELECT", first=limit, label="all")
        return []

    def count(self, limit):
        if limit is not None and limit < MOST:
            return limit
        return MOST
'''


def changes(source: str) -> set[str]:
    return {mutant.change for mutant in mutants_of("desk.py", source)}


def test_conditions_boundaries_numbers_and_options_are_changed():
    assert {
        "MOST = 20  # a page -> MOST = 21  # a page",
        "MOST = 20  # a page -> MOST = None  # a page",
        "if limit is not None and limit < MOST: -> if limit is None and limit < MOST:",
        "if limit is not None and limit < MOST: -> if limit is not None or limit < MOST:",
        "if limit is not None and limit < MOST: -> if limit is not None and limit <= MOST:",
        'return self.rows("SELECT", first=limit, label="all") -> return self.rows("SELECT", label="all")',
    } == changes(SOURCE)


def test_words_annotations_and_the_list_of_exports_are_left_alone():
    for mutant in mutants_of("desk.py", SOURCE):
        assert '__all__ = ["search"]' in mutant.source
        assert 'text: str = "words") -> list[str]:' in mutant.source
        assert '"SELECT"' in mutant.source and 'label="all"' in mutant.source
        assert mutant.source.startswith('"""A module."""\n')


def test_a_mutant_is_known_by_its_function_and_its_line_wherever_that_stands():
    names = [mutant.name for mutant in mutants_of("desk.py", SOURCE)]
    moved = [mutant.name for mutant in mutants_of("desk.py", SOURCE.replace("\n\nclass", "\n\n\n\nclass"))]
    assert names == moved
    assert {inside for _, inside, _ in names} == {"", "Desk.search", "Desk.count"}
    assert mutants_of("desk.py", SOURCE)[-1].where == "desk.py:15 Desk.count"


def test_equal_changes_in_one_function_are_told_apart():
    twice = "def pages(a, b):\n    if a > 0:\n        return 1\n    if a > 0:\n        return 2\n"
    names = [mutant.name for mutant in mutants_of("pages.py", twice)]
    assert len(names) == len(set(names))
    assert "if a > 0: -> if a >= 0: (2)" in changes(twice)


def test_a_change_of_several_lines_is_told_in_one_and_cut_short():
    long = "ROWS = [\n" + "".join(f'    "number {number}",\n' for number in range(40)) + "]\n"
    [only] = changes(long)
    assert only.startswith('ROWS = [ "number 0", "number 1",')
    assert only.endswith("… -> ROWS = None")
    assert len(only) < 150


def test_every_mutant_of_the_server_is_python_and_differs_from_it_in_one_place():
    sources = defects.source_of_helpdesk()
    sources = {name: sources[name] for name in ("cursors.py", "errors.py", "options.py", "words.py")}
    mutants = mutants_of_all(sources)
    assert {mutant.module for mutant in mutants} == set(sources)
    assert len({mutant.name for mutant in mutants}) == len(mutants) > 50
    for mutant in mutants:
        compile(mutant.source, mutant.module, "exec")
        old, new = sources[mutant.module].splitlines(), mutant.source.splitlines()
        assert old[: mutant.line - 1] == new[: mutant.line - 1]
        assert old != new
