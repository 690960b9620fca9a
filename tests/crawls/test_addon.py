"""Any Scrapy project with ADDONS = {"focuscrawl.addon.FocusCrawl": 500}."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from focuscrawl.addon import FocusCrawl
from focuscrawl.config import ConfigError
from focuscrawl.scheduler import Scheduler
from tests.crawls.test_own_spiders import SCRAPYS

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
ADDON = 'ADDONS = {"focuscrawl.addon.FocusCrawl": 500}\n'
ITEMS = "items.jsonl"
OWN_START = """
from scrapy import Request, Spider


class Mine(Spider):
    name = "mine"

    async def start(self):
        for number in range(3):
            yield Request(f"http://a.test/{number}", self.read, cb_kwargs={"number": number})

    def read(self, response, number):
        yield {"url": response.url, "number": number}
"""
FOLLOWING = """
from scrapy import Spider


class Mine(Spider):
    name = "mine"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.read)

    def read(self, response):
        return {"read": response.url} if "1" in response.url else None
"""
POET = """
import attrs
from scrapy import Spider
from web_poet import Injectable

from focuscrawl.features.articles.article import ArticleText


@attrs.define
class Summary(Injectable):
    article: ArticleText

    @property
    def length(self):
        return len(self.article.text)


class Mine(Spider):
    name = "mine"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.read)

    def read(self, response, article: ArticleText, summary: Summary):
        yield {"title": article.title, "date": article.date, "length": summary.length}
"""


def own(project: Project, spiders: str, more: str = "", addon: str = ADDON) -> None:
    """Make a project that has nothing of ours but the add-on."""
    project.spider(spiders)
    plain = 'SPIDER_MODULES = ["mine.spiders"]\nRETRY_TIMES = 0\nDOWNLOAD_DELAY = 0\n'
    project.write("mine/settings.py", plain + addon + more)


def items(project: Project) -> list[dict[str, Any]]:
    lines = (project.folder / ITEMS).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", ["rules", "sitemap"])
def test_spiders_of_scrapy_crawl_by_the_frontier(name: str, project: Project, web: Web) -> None:
    own(project, SCRAPYS)
    urls = web.news(6)
    web.board(HOME, "/list/1.html")
    web.board(f"{HOME}list/1.html", *sorted(urls))
    lines = "".join(f"<url><loc>{url}</loc></url>" for url in sorted(urls))
    web.xml(f"{HOME}sitemap.xml", f"<urlset>{lines}</urlset>")
    ended = project.crawl("-o", ITEMS, name=name)
    assert ended.status == 0, ended.said
    assert Counter(item["url"] for item in items(project)) == dict.fromkeys(urls, 1)
    assert f"{name}: Finished" in ended.said
    assert {state for state, _ in project.outcomes(name).values()} <= {"list", "stored", "other"}


def test_a_start_of_its_own_and_values_for_callbacks_are_kept(project: Project, web: Web) -> None:
    own(project, OWN_START)
    for number in range(3):
        web.board(f"{HOME}{number}")
    ended = project.crawl("-o", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    assert sorted(item["number"] for item in items(project)) == [0, 1, 2]


def test_what_has_failed_comes_back(project: Project, web: Web) -> None:
    own(project, OWN_START)
    for number in range(3):
        web.board(f"{HOME}{number}")
    web.fail_first(f"{HOME}1", status=503)
    ended = project.crawl("-o", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    assert Counter(item["number"] for item in items(project)) == {0: 1, 1: 1, 2: 1}
    assert web.times(f"{HOME}1") == 2


def test_each_article_gives_an_item_beside_what_its_callback_gives(
    project: Project, web: Web
) -> None:
    own(project, FOLLOWING, "FOCUSCRAWL_ARTICLES = True\n")
    urls = web.news(3)
    web.board(HOME, *sorted(urls))
    project.crawl("-o", ITEMS, name="mine")
    read = [item for item in items(project) if "read" in item]
    assert len(read) == 1
    found = [item for item in items(project) if "read" not in item]
    assert {item["url"] for item in found} == set(urls)
    assert all(len(item["text"]) > 100 and item["title"] and item["date"] for item in found)


def test_copies_are_left_out_by_the_setting_alone(project: Project, web: Web) -> None:
    fields = 'FOCUSCRAWL_NEAR_DUPLICATE_FIELDS = {"key": "url", "text": "text", "title": "title"}\n'
    own(
        project,
        FOLLOWING,
        f'FOCUSCRAWL_ARTICLES = True\nFOCUSCRAWL_NEAR_DUPLICATES = "drop"\n{fields}',
    )
    urls = sorted(web.news(3))
    web.answers[f"{HOME}copy/9.html"] = web.answers[urls[0]]
    web.board(HOME, *urls, f"{HOME}copy/9.html")
    project.crawl("-o", ITEMS, name="mine")
    assert sum("read" not in item for item in items(project)) == 3


@pytest.mark.parametrize("setting", ["", "FOCUSCRAWL_ARTICLES = False\n"])
def test_callbacks_and_page_objects_of_scrapy_poet_get_articles(
    setting: str, project: Project, web: Web
) -> None:
    both = 'ADDONS = {"scrapy_poet.Addon": 300, "focuscrawl.addon.FocusCrawl": 500}\n'
    own(project, POET, setting, both)
    urls = web.news(3)
    web.board(HOME, *sorted(urls))
    ended = project.crawl("-o", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    found = items(project)
    assert len(found) == 3
    assert all(item["title"] and item["date"] and item["length"] > 100 for item in found)


@pytest.mark.program
def test_a_crawl_of_a_project_with_the_add_on_goes_on_after_a_kill(
    project: Project, web: Web
) -> None:
    own(project, SCRAPYS, "CONCURRENT_REQUESTS_PER_DOMAIN = 1\n")
    urls = web.news(6)
    web.board(HOME, "/list/1.html")
    web.board(f"{HOME}list/1.html", *sorted(urls))
    web.fail_first(f"{HOME}news/1.html", fault="silent")
    killed = project.crawl(
        *("-o", ITEMS),
        name="rules",
        kill=lambda: web.times(f"{HOME}news/1.html") > 0 and project.stored_rows("rules") == 6,
    )
    assert killed.status < 0, killed.said
    ended = project.crawl("-o", ITEMS, name="rules")
    assert ended.status == 0, ended.said
    assert Counter(item["url"] for item in items(project)) == dict.fromkeys(urls, 1)


@pytest.mark.parametrize(("left", "is_said"), [("[0]", True), ("[]", False), ("not json", True)])
def test_requests_that_scrapy_has_left_in_a_jobdir_are_told(
    left: str, is_said: bool, project: Project, web: Web
) -> None:
    own(project, OWN_START, 'JOBDIR = "job"\n')
    project.write("job/requests.queue/active.json", left)
    for number in range(3):
        web.board(f"{HOME}{number}")
    ended = project.crawl("-o", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    assert ("waits in JOBDIR" in ended.said) is is_said
    assert len(items(project)) == 3


def taken(**given: object) -> Settings:
    settings = Settings(given)
    FocusCrawl().update_settings(settings)
    return settings


def test_what_a_project_says_itself_stays() -> None:
    mine = {"focuscrawl.middlewares.OutcomeMiddleware": None}
    settings = taken(DOWNLOADER_MIDDLEWARES=mine, FEED_EXPORTERS={"csv": "mine.Exporter"})
    assert settings.getdict("DOWNLOADER_MIDDLEWARES").items() >= mine.items()
    assert settings.getdict("FEED_EXPORTERS")["csv"] == "mine.Exporter"
    assert settings["SCHEDULER"] is Scheduler
    assert "ArticleItems" not in str(settings.getdict("SPIDER_MIDDLEWARES"))
    assert "NearDuplicate" not in str(settings.getdict("ITEM_PIPELINES"))


def test_a_scheduler_that_the_project_names_stays_and_what_that_costs_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = taken(SCHEDULER="scrapy.core.scheduler.Scheduler")
    assert settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert "a kill may lose some" in caplog.text
    caplog.clear()
    taken(SCHEDULER="focuscrawl.scheduler.Scheduler")
    assert caplog.text == ""


def test_with_another_scheduler_the_rest_of_the_add_on_works(project: Project, web: Web) -> None:
    more = 'SCHEDULER = "scrapy.core.scheduler.Scheduler"\nFOCUSCRAWL_ARTICLES = True\n'
    own(project, FOLLOWING, more)
    web.news(3)
    ended = project.crawl("-o", ITEMS, name="mine")
    found = items(project)
    assert [item["read"] for item in found if "read" in item] == [f"{HOME}news/1.html"], ended.said
    assert sum("title" in item for item in found) == 3
    assert not (project.data / "mine.crawl.db").exists()


@pytest.mark.parametrize("value", ["Mars/Base", "yes please", 3])
def test_a_time_zone_that_there_is_not_is_refused_with_what_to_write(value: object) -> None:
    with pytest.raises(ConfigError, match="Europe/Berlin"):
        taken(FOCUSCRAWL_ARTICLES=value)


@pytest.mark.program
def test_two_crawls_of_one_process_keep_to_themselves(
    project: Project, web: Web, pytestconfig: pytest.Config
) -> None:
    both = FOLLOWING + FOLLOWING.replace("Mine", "Other").replace('"mine"', '"other"')
    own(project, both, "CONCURRENT_REQUESTS_PER_DOMAIN = 1\n")
    web.news(3)
    project.write(
        "both.py",
        """
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings

settings = get_project_settings()
settings.set("FEEDS", {"%(name)s.jsonl": {"format": "jsonl"}}, priority="cmdline")
process = AsyncCrawlerProcess(settings)
process.crawl("mine")
process.crawl("other")
process.start()
""",
    )
    assert project.programs
    proxy = project.programs.proxy_of(web)
    environment = {**os.environ, "http_proxy": proxy, "PYTHONPATH": str(pytestconfig.rootpath)}
    ended = subprocess.run(
        [sys.executable, "both.py"],
        cwd=project.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said = ended.stderr
    for name in ("mine", "other"):
        lines = (project.folder / f"{name}.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line)["read"] for line in lines] == [f"{HOME}news/1.html"], said
        assert f"{name}: Finished" in said
        assert (project.data / f"{name}.crawl.db").exists()
    assert web.most_at_once("a.test") == 1, "one site, whichever crawl asks it"
