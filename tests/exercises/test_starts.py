"""Every exercise comes with its starting files, and keeps them as they came."""

import shutil
import subprocess

import pytest

from grading.exercises.exercise_file import START
from grading.exercises.exercise_paths import ROOT, known


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="what was committed is asked of git"
)
@pytest.mark.parametrize("name", known())
def test_the_files_that_were_committed_are_those_that_are_kept(name):
    """Of git, for a student's own copy of the course may hold her work."""
    folder = known()[name].relative_to(ROOT).as_posix()
    listed = subprocess.run(
        ["git", "ls-files", "--stage", folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    blobs = {}
    for line in listed.stdout.splitlines():
        about, path = line.split("\t")
        blobs[path.removeprefix(f"{folder}/")] = about.split()[1]
    kept = {path.removeprefix(f"{START}/"): blob for path, blob in blobs.items() if path.startswith(START)}
    assert kept
    assert kept == {path: blobs.get(path) for path in kept}
