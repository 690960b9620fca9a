"""A project of one's own: made, listed, crawled, packed into an egg, and never written over."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.console import run_script
from tests.deploy.conftest import build


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one of the programs of this environment in a folder."""
    program = Path(sys.executable).with_name(command[0])
    around = {name: value for name, value in os.environ.items() if "SCRAPY" not in name}
    return subprocess.run(
        [program, *command[1:]], cwd=folder, env={**around, **environment},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, template: str) -> Path:
    """A project as the command makes it, with one more topic."""
    folder = tmp_path_factory.mktemp("somewhere")
    done = run(folder, "focuscrawl", "start", "metronews")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "scrapy topic check example" in done.stdout
    (folder / "metronews/topics/food.toml").write_text(template, "utf-8")
    return folder / "metronews"


@pytest.mark.program
def test_its_topics_and_spiders_are_listed_and_crawled(project: Path, requested: list[str]) -> None:
    own = "import scrapy\n\n\nclass Own(scrapy.Spider):\n    name = 'own'\n"
    (project / "metronews/spiders/own.py").write_text(own)
    assert set(run(project, "scrapy", "list").stdout.split()) == {"own", "topic", "example", "food"}
    done = run(project, "scrapy", "crawl", "food", "-a", "limits.pages=5")
    assert done.returncode == 0, done.stderr
    assert requested
    with closing(sqlite3.connect(project / "crawls/food.db")) as results:
        assert results.execute("SELECT count(*) FROM articles").fetchone()[0] > 0


@pytest.mark.program
def test_its_egg_holds_its_package_alone_and_runs_without_the_folder(
    project: Path, topics: Path, tmp_path: Path
) -> None:
    egg = build(project, "bdist_egg", tmp_path / "built")
    names = zipfile.ZipFile(egg).namelist()
    packed = {name for name in names if not name.startswith("EGG-INFO/")}
    assert {name for name in packed if name.endswith(".py")} >= {
        "metronews/__init__.py",
        "metronews/settings.py",
        "metronews/spiders/__init__.py",
    }
    assert all(name.startswith("metronews/") for name in packed)
    points = zipfile.ZipFile(egg).read("EGG-INFO/entry_points.txt").decode()
    assert "[scrapy]\nsettings = metronews.settings" in points
    elsewhere = tmp_path / "server"
    elsewhere.mkdir()
    place = {"FOCUSCRAWL_TOPICS": str(topics), "FOCUSCRAWL_DATA_DIR": str(elsewhere)}
    listed = run(
        elsewhere, "scrapy", "list", PYTHONPATH=str(egg), SCRAPY_SETTINGS_MODULE="metronews.settings", **place
    )  # fmt: skip
    assert {"topic", "food"} <= set(listed.stdout.split()), listed.stderr


def test_nothing_is_written_over_and_no_package_hidden(tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    (tmp_path / "news/mine.txt").write_text("mine")
    done = run_script(tmp_path, "start", "news")
    assert done.status == 2
    assert "news is already there; nothing was written" in done.said
    assert [one.name for one in (tmp_path / "news").iterdir()] == ["mine.txt"]
    assert "the name of a package that is installed" in run_script(tmp_path, "start", "scrapy").said
    assert "a project is a package of Python" in run_script(tmp_path, "start", "My-News").said
    assert run_script(tmp_path, "start").status == 2
