"""A test that leaves a database open fails by its own name, in every Python."""

from __future__ import annotations

import subprocess
import sys

from tests.opened import PROJECT


def test_who_leaves_a_database_open_is_named_and_nobody_else() -> None:
    words = ["-n0", "-rEf", *("-p", "no:cacheprovider"), "tests/left_open.py"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    _, _, summary = run.stdout.partition("short test summary")
    said = [line.split(" - ")[0] for line in summary.splitlines() if "::" in line]
    assert sorted(said) == [
        "ERROR tests/left_open.py::test_leaves",
        "ERROR tests/left_open.py::test_owns",
        "FAILED tests/left_open.py::test_fails_before_it_closes",
    ], run.stdout + run.stderr
    assert "6 passed, 2 errors" in summary
    assert "focuscrawl/stores/state/sqlite.py:" in run.stdout, "and the lines are, too"
