"""The console script chooses the settings Scrapy would choose, and ours where there are none."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.values import SystemClock
from tests.console import run_script, without_settings
from tests.output.report.conftest import TEMPLATE
from tests.programs import NO_READER, Launcher
from tests.stored_topic import store_queue, store_topic

Ended = Callable[[str, str], tuple[int, str]]


def output(folder: Path, *arguments: str, **environment: str) -> str:
    """Run the script in a folder; what it printed."""
    done = run_script(folder, *arguments, **environment)
    assert done.status == 0, done.said
    return done.said.strip()


def other_project(folder: Path) -> Path:
    """Make a Scrapy project that is not ours."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = other_settings\n")
    (folder / "other_settings.py").write_text('BOT_NAME = "other"\n')
    return folder


def test_outside_a_project_our_settings_are_used(tmp_path: Path) -> None:
    assert output(tmp_path, "settings", "--get", "BOT_NAME") == "focuscrawl"
    assert list(tmp_path.iterdir()) == []


def test_inside_another_project_its_own_settings_win(tmp_path: Path) -> None:
    deeper = other_project(tmp_path) / "deeper"
    deeper.mkdir()
    assert output(deeper, "settings", "--get", "BOT_NAME") == "other"


def test_the_settings_module_of_the_environment_wins_over_the_project(tmp_path: Path) -> None:
    folder = other_project(tmp_path)
    (folder / "third_settings.py").write_text('BOT_NAME = "third"\n')
    chosen = output(
        folder, "settings", "--get", "BOT_NAME", SCRAPY_SETTINGS_MODULE="third_settings"
    )
    assert chosen == "third"


def test_a_scrapy_cfg_that_names_no_settings_leaves_ours(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("")
    assert output(tmp_path, "settings", "--get", "BOT_NAME") == "focuscrawl"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the topic one, whose articles fill more than what is written at once."""
    folder = tmp_path_factory.mktemp("crawled")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    (folder / "topics").mkdir()
    (folder / "crawls").mkdir()
    (folder / "topics" / "one.toml").write_text(TEMPLATE.format("one"), "utf-8")
    now = SystemClock().wall()
    store_topic(folder / "crawls" / "one.db", "one", pages=20, articles=300, now=now)
    store_queue(folder / "crawls" / "one.crawl.db", 20, now)
    return folder


PRINTING = (
    "topic schema",
    "topic --help",
    "topic status",
    "topic export one -o - --form csv",
    "topic export one -o - --form jsonl",
    "report one --text",
    "report one --list articles",
    "report one --output -",
    "plan one",
    "explain one site4.example",
    "start new_project",
)


@pytest.fixture
def ended(launcher: Launcher, crawled: Path) -> Ended:
    """Run a command to its end, with a stdout of its own; returns its status and its stderr."""

    def run(words: str, stdout: str) -> tuple[int, str]:
        command = launcher.start(words.split(), crawled, without_settings(), stdout=stdout)
        said, _ = command.communicate()
        return command.returncode or 0, said

    return run


@pytest.mark.program
@pytest.mark.parametrize("words", PRINTING)
def test_a_reader_that_has_gone_is_no_mistake(ended: Ended, words: str) -> None:
    """As in ``scrapy report one --text | true``."""
    assert ended(words, NO_READER) == (0, "")


@pytest.mark.program
@pytest.mark.parametrize("words", PRINTING)
def test_a_full_disk_behind_stdout_is_said_in_a_line(ended: Ended, words: str) -> None:
    status, said = ended(words.replace("new_project", "newer"), "/dev/full")
    (line,) = said.splitlines()
    assert line.endswith("cannot be written: No space left on device")
    assert status == 2


@pytest.mark.program
@pytest.mark.parametrize("words", ["plan one", "topic status"])
def test_a_program_without_stdout_says_nothing(crawled: Path, words: str) -> None:
    """Python itself finds that out when it begins: what is prepared for the others has begun before."""
    scrapy = Path(sys.executable).with_name("scrapy")
    closed = ["/bin/sh", "-c", f"exec {scrapy} {words} >&-"]
    done = subprocess.run(closed, cwd=crawled, stderr=subprocess.PIPE, timeout=120, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")


def test_an_empty_results_file_is_a_topic_that_was_never_crawled(
    crawled: Path, tmp_path: Path
) -> None:
    """As a ``touch`` or a copy that was cut off leaves it."""
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    (tmp_path / "topics" / "two.toml").write_text(TEMPLATE.format("two"), "utf-8")
    (tmp_path / "crawls" / "two.db").touch()
    told = {}
    for words in ("report two --text", "explain two www.site.cn", "topic status two"):
        told[words] = run_script(tmp_path, *words.split()).said
    assert "another program" not in str(told)
    assert "never" in told["report two --text"]
    assert "was never crawled" in told["explain two www.site.cn"]


def test_results_of_an_earlier_version_are_judged_anew(crawled: Path, tmp_path: Path) -> None:
    """Whoever asks first: no crawl has brought them up to date."""
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    with closing(sqlite3.connect(tmp_path / "crawls" / "one.db")) as results, results:
        for (view,) in results.execute("SELECT name FROM sqlite_master WHERE type = 'view'"):
            results.execute(f"DROP VIEW {view}")
        results.execute("ALTER TABLE articles DROP COLUMN medium")
        results.execute("UPDATE pages SET page_class = 'of_a_plugin', outcome = 'refused', reason = 'scope' WHERE rowid = 1")  # fmt: skip
    words = ["topic", "check", "one", "--against-stored"]
    done = run_script(tmp_path, *words)
    assert done.status == 0, done.said
    assert done.said.startswith("one, judged by its file as it is now: 300 articles stored")
