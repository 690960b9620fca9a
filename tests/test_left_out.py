"""What a machine lacks is named at the end of the tests, never left out in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.program

PROJECT = Path(__file__).parent.parent

RUN = """
import sys
import tests.servers.mariadb_server as mariadb
if {lacks}:
    mariadb.program_named = lambda name: None
else:
    mariadb.program_named = lambda name: name
import pytest
sys.exit(pytest.main(["-n0", "-q", "-p", "no:cacheprovider", *{words!r}]))
"""


def said(*words: str, lacks: bool) -> str:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(lacks=lacks, words=words)],
        cwd=PROJECT,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("lacks", [True, False])
def test_where_there_is_no_mariadb_the_last_lines_say_what_did_not_run(lacks: bool) -> None:
    some = ("tests/stores/results/test_errors.py", "-k", "becomes_advice")
    last = said(*some, lacks=lacks).splitlines()[-4:]
    assert any("not run, for there is no mariadbd" in line for line in last) == lacks
    assert "tests/stores/results/test_mariadb.py" in " ".join(last) or not lacks


def test_every_rule_of_the_results_is_asked_of_mariadb_where_it_is() -> None:
    collected = {
        lacks: said("tests/stores/results", "--collect-only", lacks=lacks)
        for lacks in (True, False)
    }
    stories = {
        lacks: [line for line in lines.splitlines() if "test_stories.py" in line]
        for lacks, lines in collected.items()
    }
    assert "test_mariadb.py" in collected[False]
    assert "test_mariadb.py" not in collected[True]
    assert any("[mariadb]" in line for line in stories[False])
    assert stories[True]
    assert not any("[mariadb]" in line for line in stories[True])
