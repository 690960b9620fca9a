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
atexit.register(lambda: json.dump(sorted(sys.modules), open("imported.json", "w")))
from scrapy.cmdline import execute
execute(["scrapy", *sys.argv[1:]])
"""
TOPIC = """[topic]
title = "成都地铁建设"
keywords = ["地铁^3", "轨道交通|城轨"]
require = ["成都|天府新区"]
[[source]]
url = "https://a.example.cn/"
"""
HEAVY = {
    "aiohttp",
    "focuscrawl.demo",
    "focuscrawl.kernel",
    "focuscrawl.spiders.topic",
    "focuscrawl.verbs",
    "jieba",
    "numpy",
    "requests",
    "rich",
    "rjieba",
    "sqlalchemy",
    "sqlite3",
    "tldextract",
}
"""What only crawls need, or other commands."""


def imported(folder: Path, *command: str, status: int = 0) -> set[str]:
    """Run a command in a process of its own; return the names of all it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return set(json.loads((folder / "imported.json").read_text()))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    return tmp_path


@pytest.mark.program
def test_a_command_of_scrapys_own_imports_no_work_of_ours(project: Path) -> None:
    names = imported(project, "version")
    ours = {name for name in names if name.partition(".")[0] == "focuscrawl"}
    assert ours == {
        "focuscrawl",
        "focuscrawl.commands",
        "focuscrawl.commands.console",
        "focuscrawl.commands.crawl",
        "focuscrawl.commands.demo",
        "focuscrawl.commands.explain",
        "focuscrawl.commands.options",
        "focuscrawl.commands.plan",
        "focuscrawl.commands.report",
        "focuscrawl.commands.start",
        "focuscrawl.commands.run",
        "focuscrawl.commands.topic",
        "focuscrawl.locale",
        "focuscrawl.locale.messages",
        "focuscrawl.settings",
    }


@pytest.mark.program
def test_listing_topics_imports_what_reads_a_template_and_no_more(project: Path) -> None:
    (project / "topics").mkdir()
    (project / "topics/metro.toml").write_text(TOPIC, "utf-8")
    names = imported(project, "list")
    assert "focuscrawl.template.load" in names
    plain = (
        project / "plain"
    )  # packages beside Scrapy add commands of their own: scrapy-poet brings requests
    plain.mkdir()
    (plain / "scrapy.cfg").write_text("[settings]\n")
    assert not (names - imported(plain, "version")) & HEAVY
    assert not {
        name for name in names if name.startswith("focuscrawl.") and name.endswith(".feature")
    }
    assert not names & {
        f"focuscrawl.{room}" for room in ("kernel", "stores.results", "stores.state")
    }
    told = ("focuscrawl.output.summary.", "focuscrawl.output.report.")
    of_reports = {name for name in names if name.startswith(told)}
    assert of_reports <= {"focuscrawl.output.summary.logs"}, (
        "lines of the log are plain from the first on"
    )


def test_the_files_of_commands_import_scrapys_commands_and_of_ours_what_they_speak_with() -> None:
    folder = Path(focuscrawl.commands.__path__[0])
    found = set()
    for path in folder.glob("*.py"):
        for statement in ast.parse(path.read_text("utf-8")).body:
            if isinstance(statement, ast.ImportFrom):
                found.add(statement.module or "")
            elif isinstance(statement, ast.Import):
                found |= {name.name for name in statement.names}
    assert {name for name in found if name.startswith(("focuscrawl", "scrapy"))} <= {
        "focuscrawl.locale.messages",
        "scrapy.cmdline",
        "scrapy.commands",
        "scrapy.commands.crawl",
        "scrapy.exceptions",
        "scrapy.utils.conf",
    }


@pytest.mark.program
def test_a_crawl_imports_nothing_for_ports_and_terminals_it_has_not(project: Path) -> None:
    words = [
        "topic = {name = 'none', keywords = ['地铁']}",
        "source = [{url = 'http://127.0.0.1:9/'}]",
    ]
    switches = [f"-s{name}" for name in ("RETRY_TIMES=0", "FOCUSCRAWL_LINGER=0s", "LOG_ENABLED=0")]
    names = imported(
        project, "crawl", "topic", "-a", "template=" + "\n".join(words), *switches, status=4
    )
    assert {"focuscrawl.spiders.topic", "sqlalchemy"} <= names
    assert not names & {"aiohttp", "focuscrawl.demo", "jieba", "rich", "twisted.conch.manhole"}
