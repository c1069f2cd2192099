"""The README's matrix was run: every bug of the catalogue is in it, killed where its file says."""

from pathlib import Path

import defects

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")


def grid() -> dict[str, dict[str, str]]:
    """Bug -> layer -> cell, from the first table between the two marks."""
    block = README.split("<!-- matrix -->")[1].split("<!-- /matrix -->")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in block.splitlines()
        if line.startswith("|")
    ]
    head = rows[0]
    found: dict[str, dict[str, str]] = {}
    for row in rows[2:]:
        if row[0] == "by layer":
            break
        found[row[0].strip("`*")] = dict(zip(head[1:], row[1:], strict=True))
    return found


def test_the_readme_shows_every_bug_of_the_catalogue_and_no_other():
    assert set(grid()) == set(defects.catalogue())


def test_the_readme_shows_each_bug_killed_in_every_layer_that_its_file_names():
    for id, cells in grid().items():
        for layer in defects.catalogue()[id].layers:
            assert cells[layer].isdigit(), f"{id}: the README says {cells[layer]!r} for {layer}"
