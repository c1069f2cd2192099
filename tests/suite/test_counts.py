"""The reference suite is what its pages say: 59 checks in seven layers, each with a question of its own."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]

COUNTS = {
    "unit": 18,
    "contract": 2,
    "snapshot": 1,
    "conformance": 26,
    "end_to_end": 3,
    "transport": 3,
    "security": 6,
}


def collected(*args: str) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "suite",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        *args,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_the_reference_suite_has_59_checks_in_seven_layers():
    layers = Counter(line.split("/")[1] for line in collected())
    layers.pop("property", None)  # beyond the 59
    assert layers == COUNTS
    assert sum(layers.values()) == 59


def test_a_layer_can_be_selected_by_its_name():
    chosen = collected("--layer", "unit", "--layer", "snapshot")
    assert len(chosen) == COUNTS["unit"] + COUNTS["snapshot"]
    assert {line.split("/")[1] for line in chosen} == {"unit", "snapshot"}
