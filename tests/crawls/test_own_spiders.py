"""Spiders of a user's own over our scheduler: nothing of theirs is lost at a SIGKILL."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.web import Answer

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
ITEMS = "items.jsonl"
PAGES = ("slow", "search", "order/1", "order/2", "order/3", "again", "once", "robbed", "raises")
MINE = """
from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest


class Mine(Spider):
    name = "mine"

    async def start(self):
        yield Request("http://a.test/", callback=self.read)

    def read(self, response):
        yield Request("http://a.test/slow", callback=self.answered, priority=100)
        for number in (1, 2, 1):
            yield Request(
                "http://a.test/search",
                callback=self.answered,
                method="POST",
                body="查询=%d" % number,
                headers={"X-Mine": "yes"},
                cookies={"who": "me"},
                cb_kwargs={"number": number, "parts": ("a", [b"b", None])},
                meta={"mine": {"deep": 1.5}},
            )
        for low in (1, 3, 2):
            yield Request("http://a.test/order/%d" % low, self.answered, priority=low)
        for _ in range(2):
            yield Request("http://a.test/again", self.answered, dont_filter=True)
            yield Request("http://a.test/once", self.answered)
        for name in ("broken", "dropped", "ignored", "robbed"):
            yield Request(
                "http://a.test/" + name,
                callback=self.answered,
                errback=self.failed,
                cb_kwargs={"name": name},
            )
        yield Request("http://a.test/raises", self.raises)

    def answered(self, response, number=0, parts=None, **more):
        deep = response.meta.get("mine")
        yield {"url": response.url, "number": number, "parts": repr(parts), "deep": deep}

    def failed(self, failure):
        request = failure.request
        yield {"url": request.url, "why": failure.type.__name__, "name": request.cb_kwargs["name"]}

    def raises(self, response):
        if response.meta.get("retry_times") is None and not Mine.raised:
            Mine.raised = True
            raise ValueError("of the user's own")
        yield {"url": response.url}

    raised = False


class Ignores:
    def process_request(self, request):
        if request.url.endswith("/ignored"):
            raise IgnoreRequest("not this one")
"""
HELD = """
from scrapy import Request, Spider


class Held(Spider):
    name = "held"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        words = ["kept in memory"]
        yield Request("http://a.test/stored", self.read)
        yield Request("http://a.test/lambda", lambda found: self.read(found, words))

    def read(self, response, words=()):
        yield {"url": response.url, "words": list(words)}
"""
SERIES = """
from scrapy import Request, Spider


class Series(Spider):
    name = "series"
    start_urls = ["http://a.test/0"]

    def parse(self, response, number=1):
        if number < 600:
            url = response.urljoin(str(number))
            yield Request(url, lambda found: self.parse(found, number + 1))
        else:
            yield {"url": response.url}
"""
PLAIN = """
from scrapy import Spider


class Plain(Spider):
    name = "plain"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(css="a", callback=self.parse)
"""
FREED = """
import gc
import weakref

from scrapy import Request, Spider


class Freed(Spider):
    name = "freed"
    start_urls = ["http://a.test/0"]
    requests = weakref.WeakSet()

    def parse(self, response, number=1):
        gc.disable()
        self.requests.add(response.request)
        if number < 10:
            url = response.urljoin(str(number))
            yield Request(url, self.parse, cb_kwargs={"number": number + 1})
        else:
            yield {"url": response.url, "alive": len(self.requests)}
"""
TOLD = """
from dataclasses import dataclass

from scrapy import Request, Spider
from scrapy.exceptions import DropItem


@dataclass
class Book:
    url: str


class Told(Spider):
    name = "told"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        yield {"url": response.url}
        for number in range(1, 9):
            yield response.follow(f"/{number}", self.read, errback=self.failed)
        yield response.follow("/gone", self.read)

    def read(self, response):
        yield Book(response.url)
        if response.url.endswith("/8"):
            raise ValueError("of the user's own")

    def failed(self, failure):
        pass


class Drops:
    def process_item(self, item):
        if isinstance(item, Book) and item.url.endswith("/7"):
            raise DropItem("not this one")
        return item
"""
ALONE = """
SPIDER_MODULES = ["mine.spiders"]
ITEM_PIPELINES = {"mine.spiders.Drops": 300}
DOWNLOAD_DELAY = 0
LOG_LEVEL = "INFO"
"""
OF_A_TOPIC = (
    "topic",
    "article",
    "record",
    "thread",
    "source",
    "limits.",
    "follow.",
    "politeness",
    "relevan",
)
SCRAPYS = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider


class Rules(CrawlSpider):
    name = "rules"
    start_urls = ["http://a.test/"]
    rules = [
        Rule(LinkExtractor(allow="/list/"), follow=True),
        Rule(LinkExtractor(allow="/news/"), callback="read", cb_kwargs={"by": "rule"}),
    ]

    def read(self, response, by):
        yield {"url": response.url, "by": by}


class Sitemap(SitemapSpider):
    name = "sitemap"
    sitemap_urls = ["http://a.test/sitemap.xml"]
    sitemap_rules = [("/news/", "read")]

    def read(self, response):
        yield {"url": response.url, "by": "sitemap"}
"""


def items(project: Project) -> list[dict[str, Any]]:
    lines = (project.folder / ITEMS).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def crawl_killed_at(project: Project, web: Web, url: str, name: str, rows: int) -> None:
    """Crawl until an address has been asked for and so many URLs are left in the crawl file: one more while what has
    led to them has not ended.
    """
    ended = project.crawl(
        "-o", ITEMS, name=name, kill=lambda: web.times(url) > 0 and project.stored_rows(name) == rows
    )  # fmt: skip
    assert ended.status < 0, ended.said


@pytest.mark.program
def test_whole_requests_survive_a_kill(project: Project, web: Web) -> None:
    project.spider(MINE, 'DOWNLOADER_MIDDLEWARES["mine.spiders.Ignores"] = 900\n')
    web.board(HOME)
    for name in PAGES:
        web.board(HOME + name)
    web.board(HOME + "broken")
    web.fail_first(HOME + "broken", times=9, status=500)
    web.board(HOME + "dropped")
    web.fail_first(HOME + "dropped", times=9, fault="drop")
    web.robots("a.test", "User-agent: *\nDisallow: /robbed\n")
    web.fail_first(HOME + "slow", fault="silent")
    crawl_killed_at(project, web, HOME + "slow", "mine", 14)
    ended = project.crawl("-o", ITEMS, name="mine", traceback=True)
    assert ended.status == 0, ended.said
    found = items(project)
    assert Counter(item["url"].removeprefix(HOME) for item in found) == {
        "slow": 1, "search": 2, "order/1": 1, "order/2": 1, "order/3": 1, "again": 2, "once": 1,
        "broken": 1, "dropped": 1, "ignored": 1, "robbed": 1, "raises": 1,
    }  # fmt: skip
    assert web.times(HOME) == 1

    searches = [asked for asked in web.asked() if asked.url == HOME + "search"]
    assert [asked.method for asked in searches] == ["POST", "POST"]
    assert [asked.body.decode() for asked in searches] == ["查询=1", "查询=2"]
    assert all(asked.headers["x-mine"] == "yes" for asked in searches)
    assert all("who=me" in asked.headers["cookie"] for asked in searches)
    answers = [item for item in found if item.get("number")]
    assert [item["number"] for item in answers] == [1, 2]
    assert all(item["parts"] == "('a', [b'b', None])" for item in answers)
    assert all(item["deep"] == {"deep": 1.5} for item in answers)

    orders = [asked.url for asked in web.asked() if "/order/" in asked.url]
    assert orders == [HOME + "order/3", HOME + "order/2", HOME + "order/1"]
    why = {item["name"]: item["why"] for item in found if "why" in item}
    assert why["broken"] == "HttpError"
    assert why["ignored"] == why["robbed"] == "IgnoreRequest"
    assert web.times(HOME + "raises") == 2
    assert web.times(HOME + "broken") == 1
    assert project.stored_rows("mine") == 0
    outcomes = project.outcomes("mine")
    assert outcomes[HOME + "once"] == ("list", "")
    assert outcomes[HOME + "robbed"] == ("refused", "robots")


@pytest.mark.program
def test_what_cannot_be_stored_holds_back_its_page(project: Project, web: Web) -> None:
    project.spider(HELD)
    for name in ("", "stored", "lambda"):
        web.board(HOME + name)
    web.fail_first(HOME + "lambda", times=2, status=500)
    web.fail_first(HOME + "lambda", fault="silent")
    ended = project.crawl(
        "-o", ITEMS, name="held", kill=lambda: web.times(HOME + "lambda") > 0 and project.stored_rows("held") == 1
    )  # fmt: skip
    assert ended.status < 0, ended.said
    ended = project.crawl("-o", ITEMS, name="held")
    assert ended.status == 0, ended.said
    found = {item["url"].removeprefix(HOME): item["words"] for item in items(project)}
    assert found == {"stored": [], "lambda": ["kept in memory"]}
    assert (web.times(HOME), web.times(HOME + "stored"), web.times(HOME + "lambda")) == (2, 1, 3)
    assert project.outcomes("held")[HOME + "lambda"] == ("list", "")
    assert project.stored_rows("held") == 0


@pytest.mark.program
def test_a_project_of_ones_own_takes_the_frontier_alone(
    project: Project, web: Web, pytestconfig: pytest.Config
) -> None:
    page = (pytestconfig.rootpath / "docs/own-project.md").read_text("utf-8")
    settings = page.partition("```python\n")[2].partition("```")[0]
    project.spider(PLAIN)
    own = 'SPIDER_MODULES = ["mine.spiders"]\nDOWNLOAD_DELAY = 0\n'
    project.write("mine/settings.py", own + settings)
    urls = {HOME} | {f"{HOME}{number}" for number in range(60)}
    web.board(HOME, *(f"{HOME}{number}" for number in range(0, 60, 10)))
    for number in range(60):
        web.board(
            f"{HOME}{number}", *(f"{HOME}{n}" for n in range(number + 1, min(number + 4, 60)))
        )
    web.fail_first(f"{HOME}7", times=4, status=500)  # Scrapy gives up after three
    project.run(
        "crawl", "plain", "-o", ITEMS, kill=lambda: len(web.asked()) >= 25 and (project.folder / ITEMS).exists()
    )  # fmt: skip
    ended = project.crawl("-o", ITEMS, name="plain", traceback=True)
    assert ended.status == 0, ended.said
    found = Counter(item["url"] for item in items(project))
    assert found.keys() == urls
    assert web.times(f"{HOME}7") == 5
    assert found.total() < len(urls) + 25, "only what was under way comes twice"
    before = len(web.asked())
    assert project.crawl("-o", ITEMS, name="plain").status == 0
    assert [asked.url for asked in web.asked()[before:] if "robots" not in asked.url] == [HOME]


def alone(project: Project, web: Web, more: str = "") -> None:
    """Write a project that has taken our SCHEDULER and nothing else, as docs/own-project.md says."""
    page = (project.root / "docs/own-project.md").read_text("utf-8")
    block = next(block for block in page.split("```python\n") if "SCHEDULER" in block[:9])
    ours = f"{block.splitlines()[0]}\n"
    project.spider(TOLD)
    project.write("mine/settings.py", ALONE + ours + more)
    web.board(HOME)
    for number in range(1, 9):
        web.board(f"{HOME}{number}")


def asked_since(web: Web, before: int) -> list[str]:
    return sorted(asked.url.removeprefix(HOME) for asked in web.asked()[before:])


ALL = sorted(["", "gone", *map(str, range(1, 9))])


def test_the_scheduler_alone_tells_at_its_end_what_users_of_scrapy_know(
    project: Project, web: Web
) -> None:
    alone(project, web)
    ended = project.crawl(name="told", traceback=True)
    assert ended.status == 0, ended.said
    summary = ended.said.partition("told: Finished")[2].partition("\n20")[0]
    lines = {
        words[0]: words[1] for line in summary.splitlines()[2:] if (words := line.split(None, 1))
    }
    assert lines.pop("results").endswith("crawls/told.db")
    assert lines == {
        "items": "Book 7, dict 1",
        "dropped": "Book 1",
        "callbacks": "read 8, parse 1",
        "statuses": "200 9, 404 1",
        "exceptions": "ValueError 1",
    }
    assert "10 pages from 10 requests" in summary
    assert [word for word in OF_A_TOPIC if word in summary.lower()] == []
    assert project.last_run("told")["end_reason"] == "finished"


def test_the_summary_of_a_spider_names_scrapys_settings_where_it_was_stopped(
    project: Project, web: Web
) -> None:
    alone(project, web)
    ended = project.crawl(
        "-s", "CLOSESPIDER_PAGECOUNT=3", "-s", "CONCURRENT_REQUESTS=1", name="told"
    )
    assert "told: Stopped at CLOSESPIDER_PAGECOUNT." in ended.said
    assert "waiting: the next run goes on with them" in ended.said


def test_a_spider_whose_settings_name_the_clock_is_told_of_once(project: Project, web: Web) -> None:
    alone(project, web, 'EXTENSIONS = {"focuscrawl.extensions.RunClock": 100}\n')
    ended = project.crawl(name="told", traceback=True)
    assert ended.said.count("callbacks  read 8") == 1


@pytest.mark.both_stores
def test_a_finished_crawl_begins_anew_when_it_is_to_and_only_then(
    project: Project, web: Web
) -> None:
    alone(project, web)
    project.crawl(name="told", traceback=True)
    for fresh, expected in (("false", [""]), ("true", ALL), ("true", ALL), ("false", [""])):
        before = len(web.asked())
        ended = project.crawl(name="told", traceback=True, FOCUSCRAWL_FRESH=fresh)
        assert ended.status == 0, ended.said
        assert asked_since(web, before) == expected, fresh
        assert ("begins anew" in ended.said) == (fresh == "true")
    ended = project.crawl(name="told", FOCUSCRAWL_FRESH="perhaps", traceback=True)
    assert "FOCUSCRAWL_FRESH = 'perhaps': write true or false" in ended.said


@pytest.mark.program
@pytest.mark.both_stores
def test_a_crawl_that_was_killed_goes_on_however_fresh_it_is_to_be(
    project: Project, web: Web
) -> None:
    alone(project, web)
    fresh = {"FOCUSCRAWL_FRESH": "true"}
    project.crawl(name="told", traceback=True, **fresh)
    web.fail_first(f"{HOME}4", times=web.times(f"{HOME}4") + 1, fault="silent")
    before = len(web.asked())
    ended = project.crawl(
        name="told", traceback=True, **fresh,
        kill=lambda: asked_since(web, before) == ALL and project.stored_rows("told") == 1,
    )  # fmt: skip
    assert ended.status < 0, ended.said
    ended = project.crawl(name="told", traceback=True, **fresh)
    assert ended.status == 0, ended.said
    assert "begins anew" not in ended.said
    asked = Counter(asked_since(web, before))
    assert asked.keys() == set(ALL)
    assert asked["1"] == asked["2"] == 1, "what was done before a kill is done"
    before = len(web.asked())
    assert "begins anew" in project.crawl(name="told", traceback=True, **fresh).said
    assert asked_since(web, before) == ALL


def test_a_long_series_that_cannot_be_stored_ends_as_a_whole(project: Project, web: Web) -> None:
    project.spider(SERIES)
    for number in range(600):
        web.board(f"{HOME}{number}")
    ended = project.crawl("-o", ITEMS, name="series")
    assert ended.status == 0, ended.said
    assert "ERROR" not in ended.said
    assert [item["url"] for item in items(project)] == [f"{HOME}599"]
    assert project.stored_rows("series") == 0
    assert set(project.outcomes("series").values()) == {("list", "")}


def test_a_request_that_has_ended_is_freed_without_a_search_for_garbage(
    project: Project, web: Web
) -> None:
    project.spider(FREED)
    for number in range(10):
        web.board(f"{HOME}{number}")
    last = web.answers[f"{HOME}9"]
    assert isinstance(last, Answer)
    # Pages are settled with their window, for which a Redis may take a while on a busy machine.
    web.answers[f"{HOME}9"] = replace(last, delay=5.0)
    ended = project.crawl("-o", ITEMS, name="freed")
    assert ended.status == 0, ended.said
    (item,) = items(project)
    assert item["alive"] <= 2  # this one, and the one before while it is being settled


@pytest.mark.program
def test_a_crawl_spider_goes_on_after_a_kill(project: Project, web: Web) -> None:
    project.spider(SCRAPYS)
    urls = web.news(6)
    web.board(HOME, "/list/1.html")
    web.board(f"{HOME}list/1.html", *sorted(urls))
    web.fail_first(f"{HOME}news/1.html", fault="silent")
    crawl_killed_at(project, web, f"{HOME}news/1.html", "rules", 6)
    ended = project.crawl("-o", ITEMS, name="rules")
    assert ended.status == 0, ended.said
    assert Counter(item["url"] for item in items(project)) == dict.fromkeys(urls, 1)
    assert {item["by"] for item in items(project)} == {"rule"}
    assert web.times(f"{HOME}list/1.html") == 1


@pytest.mark.program
def test_a_sitemap_spider_goes_on_after_a_kill(project: Project, web: Web) -> None:
    project.spider(SCRAPYS)
    urls = web.news(6)
    lines = "".join(f"<url><loc>{url}</loc></url>" for url in sorted(urls))
    web.xml(f"{HOME}sitemap.xml", f"<urlset>{lines}</urlset>")
    web.fail_first(f"{HOME}news/1.html", fault="silent")
    crawl_killed_at(project, web, f"{HOME}news/1.html", "sitemap", 6)
    ended = project.crawl("-o", ITEMS, name="sitemap")
    assert ended.status == 0, ended.said
    assert Counter(item["url"] for item in items(project)) == dict.fromkeys(urls, 1)
    assert web.times(f"{HOME}sitemap.xml") == 1


KEPT = """
from scrapy import Request, Spider
from focuscrawl.values import Record


class Kept(Spider):
    name = "kept"

    async def start(self):
        yield Request("http://a.test/", self.read)

    def read(self, response):
        yield Record("shop", "a" * 32, "a.test", "b" * 32, response.url, {"name": "甲"})
"""


def test_a_record_of_a_spider_without_a_topic_is_stored_and_told(
    project: Project, web: Web
) -> None:
    project.spider(KEPT)
    web.board(HOME)
    ended = project.crawl(name="kept")
    assert ended.status == 0, ended.said
    assert [tuple(row) for row in project.rows("SELECT kind, what FROM changes", "kept")] == [
        ("new", "record")
    ]


def test_a_start_that_fails_is_a_crash_and_not_done(project: Project, web: Web) -> None:
    failing = """
from scrapy import Spider


class Mine(Spider):
    name = "mine"

    async def start(self):
        raise RuntimeError("no start")
        yield
"""
    project.spider(failing)
    ended = project.crawl(name="mine", traceback=True)
    assert ended.status == 1, ended.said
    assert "no start" in ended.said


DAILY = """
from scrapy import Request, Spider


class Daily(Spider):
    name = "daily"

    async def start(self):
        for _ in range(2):
            yield Request("http://a.test/", self.read)

    def read(self, response):
        yield {"url": response.url}
        yield from response.follow_all(response.css("a"), self.read)
"""


def test_a_start_of_its_own_is_asked_again_with_the_next_run_and_once_in_each(
    project: Project, web: Web
) -> None:
    project.spider(DAILY)
    web.news(2)
    project.crawl(name="daily")
    assert web.times(HOME) == 1
    web.news(3)
    ended = project.crawl(name="daily")
    assert "Nothing was due" not in ended.said
    assert [web.times(url) for url in (HOME, f"{HOME}news/2.html", f"{HOME}news/3.html")] == [2, 1, 1]  # fmt: skip


def test_a_project_without_topics_has_no_figures_of_what_it_does_not_have(
    project: Project, web: Web
) -> None:
    project.spider(DAILY)
    web.news(2)
    said = project.crawl(name="daily").said
    assert "'focuscrawl/pages': " in said
    for name in ("articles", "records", "threads", "visits", "counters"):
        assert f"focuscrawl/{name}" not in said


def test_what_scrapy_lists_as_it_starts_stands_at_debug(project: Project, web: Web) -> None:
    project.topic()
    web.news(1)
    said, told = project.crawl().said, project.crawl("-s", "LOG_LEVEL=DEBUG").said
    for begun in ("Overridden settings:", "Enabled extensions:", "Enabled item pipelines:"):
        assert begun not in said
        assert f"DEBUG: {begun}" in told


AGAIN = """
from scrapy import Request, Spider


class Mine(Spider):
    name = "mine"

    async def start(self):
        yield Request("http://a.test/new.html", self.read)
        yield Request("http://a.test/old.html", self.read, dont_filter=WANTED, priority=-1)

    def read(self, response):
        yield {"url": response.url}
"""


@pytest.mark.parametrize(("wanted", "times"), [("False", 1), ("True", 2)])
def test_a_redirect_to_a_known_page_is_followed_where_it_is_not_to_be_filtered(
    wanted: str, times: int, project: Project, web: Web
) -> None:
    project.spider(AGAIN.replace("WANTED", wanted))
    web.article("http://a.test/new.html")
    web.redirect("http://a.test/old.html", "http://a.test/new.html")
    assert project.crawl(name="mine").status == 0
    assert web.times("http://a.test/new.html") == times
