"""Reports as crawls and the command write them, and a browser to look at them (``make test-browser``)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.settings import Settings
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from focuscrawl.config import read_config
from focuscrawl.demo.days import days_tour
from focuscrawl.demo.tour import tour
from focuscrawl.demo.web import DemoWeb
from focuscrawl.output.report.forms.page import page_text
from focuscrawl.output.report.forms.words import Vocabulary
from tests.clock import NOON
from tests.crawls.hostile_pages import write_hostile_pages
from tests.output.report.conftest import Stored
from tests.project import made_project
from tests.web import Web

MANY_TOPICS = 60
INSTALL = "apt-get install chromium chromium-driver fonts-noto-cjk"


def program(*names: str) -> str:
    """Return where a program is, or fail with what to install."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.exit(f"make test-browser needs {names[0]}; on Debian and Ubuntu: {INSTALL}", 1)
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Chrome]:
    """Start Debian's Chromium without a window; it downloads nothing."""
    options = Options()
    options.binary_location = program("chromium", "chromium-browser", "google-chrome")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(program("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def demo_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report that the demo ends with."""
    folder = tmp_path_factory.mktemp("demo")
    assert tour(folder, DemoWeb(1, "small"), lambda pages, doing: None, size="small").good
    return folder / "demo.report.html"


@pytest.fixture(scope="session")
def days_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two weeks of the demo, whose last run has written it; all that was new in them."""
    folder = tmp_path_factory.mktemp("days")
    web = DemoWeb(1, "small")
    days_tour(folder, web, lambda pages, doing: None, size="small", runs_a_day=1)
    (written,) = folder.glob("*.report.html")
    assert written.stat().st_size > 10_000
    return written


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The report of a crawl of hostile pages."""
    web = Web()
    write_hostile_pages(web)
    project = made_project(tmp_path_factory.mktemp("hostile"), web, pytestconfig.rootpath)
    project.reports = True
    project.topic()
    assert project.crawl(LANG="zh_CN.UTF-8").status == 0
    return project.data / "news.report.html"


@pytest.fixture(scope="session")
def stored_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a topic with hostile texts in every column of its results, long and short."""
    stored = stored_in(tmp_path_factory.mktemp("stored"))
    document = stored.report(stored.topic(hostile=True, pages=300, articles=600))
    path = stored.folder / "stored.html"
    path.write_text(page_text(document, Vocabulary("en", "UTC", NOON)), "utf-8")
    return path


@pytest.fixture(scope="session")
def many_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of many topics."""
    stored = stored_in(tmp_path_factory.mktemp("many"))
    templates = [
        stored.topic(f"topic-{number}", articles=20 + number, pages=20)
        for number in range(MANY_TOPICS)
    ]
    path = stored.folder / "many.html"
    path.write_text(
        page_text(stored.report(*templates), Vocabulary("zh", "Asia/Shanghai", NOON)), "utf-8"
    )
    return path


def stored_in(folder: Path) -> Stored:
    """Return topics that are stored in a folder."""
    return Stored(read_config(Settings({"FOCUSCRAWL_DATA_DIR": str(folder)}), {}, folder))
