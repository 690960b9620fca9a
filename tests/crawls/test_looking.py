"""Commands that only look at pages leave every file of a crawl as it was."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
FEEDS = '[output.feeds."crawls/all.json"]\noptions = { overwrite = true }\n[output.feeds."crawls/more.csv"]\n'
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("shell", HOME, "-c", "response.status"),
    ("shell", "--spider=news", HOME, "-c", "fetch('http://a.test/news/1.html')"),
    ("fetch", "--spider=news", f"{HOME}news/2.html"),
    ("parse", "--spider=news", f"{HOME}news/3.html"),
    ("view", HOME),
    ("check", "news"),
)
SELDOM = """
import focuscrawl.extensions

focuscrawl.extensions.MINUTE = 3600.0
"""


@pytest.mark.program
@pytest.mark.of_a_file
def test_looking_at_pages_touches_no_file_beside_a_running_crawl(
    project: Project, web: Web
) -> None:
    urls = web.news(9)
    project.spider("", SELDOM)
    project.topic(FEEDS)
    project.crawl("-a", "limits.pages=4")
    before = project.files()
    assert {"all.json", "more.csv", "news.db", "news.crawl.db"} <= before.keys()
    for command in COMMANDS[2:4]:
        ended = project.run(*command)
        assert ended.status == 0, ended.said
        assert "食品安全抽检结果" in ended.said
    assert project.files() == before

    waits = f"{HOME}news/9.html"
    web.fail_first(waits, fault="hold")
    running = project.start("crawl", "news", "-s", "DOWNLOAD_TIMEOUT=600")
    while not web.times(waits):
        time.sleep(0.05)
    time.sleep(1.0)
    before = project.files()
    looking = [project.start(*command, BROWSER="true") for command in COMMANDS]
    for command, process in zip(COMMANDS, looking, strict=True):
        said, _ = process.communicate(timeout=120)
        assert process.returncode == 0, (command, said)
        assert "Traceback" not in said, (command, said)
    assert project.files() == before
    running.terminate()
    time.sleep(0.2)
    web.is_holding = False
    said, _ = running.communicate(timeout=180)
    assert running.returncode == 0, said
    assert "Stopped by a signal or Ctrl-C; what was in flight is fetched again." in said
    ended = project.crawl(FOCUSCRAWL_SHIFT="60")
    assert ended.status == 0, ended.said
    assert project.articles() == urls


def test_looking_makes_no_data_folder(project: Project, web: Web) -> None:
    web.news(1)
    project.topic()
    ended = project.run("parse", "--spider=news", f"{HOME}news/1.html")
    assert ended.status == 0, ended.said
    assert not project.data.exists()
