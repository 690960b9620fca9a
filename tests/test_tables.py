"""A table is one test, and says as much as many tests did."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tables import each_row

TABLES = Path(__file__).parent / "tables.py"

CASES = """
import pytest
from tables import each_row

@each_row(("number", "doubled"), [(1, 2), (2, 5), (3, 6), (4, 9)])
def test_doubled(number: int, doubled: int) -> None:
    assert number * 2 == doubled

@each_row("word", ["a", "b"], ids=str.upper)
@each_row("times", [1, 2, 3])
def test_repeated(word: str, times: int, tmp_path) -> None:
    assert tmp_path.is_dir() and word * times != "bb"

@each_row("why", ["skipped", "failed", "raised", "none"])
def test_ended(why: str) -> None:
    if why == "skipped":
        pytest.skip("not here")
    if why == "failed":
        pytest.fail("it says so")
    if why == "raised":
        raise ValueError("no number")

@pytest.mark.parametrize("host", ["x", "y"])
@each_row("path", ["/", "/a"])
def test_joined(host: str, path: str) -> None:
    assert host + path

def test_alone() -> None:
    assert True
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run of some tables over a worker prints."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "test_some.py").write_text(CASES, "utf-8")
    shutil.copy(TABLES, folder)
    words = ["-n1", "-p", "xdist.plugin", "-p", "tables", "-p", "no:cacheprovider", "test_some.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.program
def test_all_rows_that_fail_are_told_by_name_with_what_was_got(told: str) -> None:
    assert "2 of 4 rows fail" in told
    assert "[number=2, doubled=5]\ntest_some.py:7: in test_doubled" in told
    assert "E   assert (2 * 2) == 5" in told
    assert "[number=4, doubled=9]\ntest_some.py:7: in test_doubled" in told
    assert "E   assert (4 * 2) == 9" in told
    assert "[number=1" not in told
    assert "[number=3" not in told


@pytest.mark.program
def test_two_tables_are_each_row_of_one_with_each_of_the_other(told: str) -> None:
    assert "1 of 6 rows fail" in told
    assert "[B; times=2]\n" in told


@pytest.mark.program
def test_whatever_ends_a_row_otherwise_than_by_its_end_is_a_failure(told: str) -> None:
    assert "3 of 4 rows fail" in told
    assert all(word in told for word in ("not here", "it says so", "ValueError: no number"))


@pytest.mark.program
def test_the_last_lines_say_how_many_cases_were_checked(told: str) -> None:
    assert "19 cases were checked, 18 of them as rows of 5 tables" in told
    assert "3 failed, 3 passed" in told


def test_a_table_that_checks_nothing_is_none() -> None:
    with pytest.raises(ValueError, match="without rows"):
        each_row("word", [])
    with pytest.raises(ValueError, match="zip"):
        each_row("word, times", [("a", 1), ("b",)])
    with pytest.raises(TypeError, match="takes no times"):
        each_row("word, times", [("a", 1)])(lambda word: None)
