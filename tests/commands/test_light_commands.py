"""A command costs what it does: Scrapy imports every one of ours, whichever it runs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import focuscrawl.commands

WATCH = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from scrapy.cmdline import execute
execute(["scrapy", *sys.argv[1:]])
"""
HEAVY = {
    "focuscrawl.demo": "the bundled web",
    "focuscrawl.running": "the run",
    "focuscrawl.verbs": "the work of another command",
}


def imported(folder: Path, *command: str) -> set[str]:
    """Run a command in a process of its own; return the names of all it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    return tmp_path


def test_a_command_of_scrapys_own_imports_no_work_of_ours(project: Path) -> None:
    names = imported(project, "version")
    ours = {name for name in names if name.partition(".")[0] == "focuscrawl"}
    assert ours == {
        "focuscrawl",
        "focuscrawl.commands",
        "focuscrawl.commands.console",
        "focuscrawl.commands.crawl",
        "focuscrawl.commands.demo",
        "focuscrawl.commands.topic",
        "focuscrawl.settings",
    }


def test_the_files_of_commands_import_scrapys_commands_and_nothing_of_ours() -> None:
    folder = Path(focuscrawl.commands.__path__[0])
    found = set()
    for path in folder.glob("*.py"):
        for statement in ast.parse(path.read_text("utf-8")).body:
            if isinstance(statement, ast.ImportFrom):
                found.add(statement.module or "")
            elif isinstance(statement, ast.Import):
                found |= {name.name for name in statement.names}
    assert {name for name in found if name.startswith(("focuscrawl", "scrapy"))} <= {
        "scrapy.cmdline",
        "scrapy.commands",
        "scrapy.commands.crawl",
        "scrapy.exceptions",
        "scrapy.utils.conf",
    }
