"""Conditional requests: a page that has not changed is not sent again, whatever servers say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Asked, Web

pytestmark = pytest.mark.conditions

HOME = "http://a.test/"
EARLIER = "Sun, 01 Nov 2026 08:00:00 GMT"
DATE = "Thu, 19 Nov 2026 08:00:00 GMT"


def conditions(asked: Asked) -> tuple[str | None, str | None]:
    return asked.headers.get("if-none-match"), asked.headers.get("if-modified-since")


def sent_to(web: Web, url: str) -> list[tuple[str | None, str | None]]:
    return [conditions(asked) for asked in web.asked() if asked.url == url]


B_HOME, GARBAGE, CHANGING, CUT, MOVED, LYING = (
    f"http://{host}.test/" for host in ("b", "garbage", "changing", "cut", "moved", "lying")
)
ARTICLE = f"{HOME}news/1.html"


class Runs(NamedTuple):
    """What four runs left, over sites that have versions of every kind."""

    first: Project
    second: Project
    said: str
    """What the second run said."""
    other_rules: Project
    last: Project


@pytest.fixture(scope="module")
def runs(new_project: Callable[[], Project]) -> Runs:
    project = new_project()
    web = project.web
    assert web.news(1) == {ARTICLE}
    for url in (B_HOME, GARBAGE, CHANGING, CUT, MOVED, f"{MOVED}new", LYING):
        web.board(url, ARTICLE)
    for url in (HOME, B_HOME, LYING):
        web.keep_versions(url, modified=DATE)
    web.name(GARBAGE, {"ETag": "*", "Last-Modified": "gestern"})
    web.name(CHANGING, {"ETag": '"1"'})
    web.name(CUT, {"ETag": '"one"'})
    web.cut(CUT)
    web.name(MOVED, {"ETag": '"one"'})
    web.fail_first(ARTICLE, status=304)
    web.robots("a.test", "User-agent: *\nDisallow: /secret/")
    web.keep_versions(f"{HOME}robots.txt")
    tables = f'[site."b.test".request]\nheaders = {{ If-Modified-Since = "{EARLIER}" }}\n'
    sources = f"{HOME} {B_HOME} {GARBAGE} {CHANGING} {CUT} {MOVED} {LYING}"
    project.topic(tables, sources=sources)
    assert project.crawl().status == 0
    first = project.as_it_is()

    web.name(CHANGING, {"ETag": '"2"'})
    web.redirect(MOVED, f"{MOVED}new", 301)
    web.board(LYING, ARTICLE, "/more.html")
    web.keep_versions(LYING)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    second = project.as_it_is()

    project.topic(tables + "[follow]\ndepth = 4\n", sources=sources)
    web.board(HOME, ARTICLE, "/news/2.html", "/secret/1.html")
    web.article(f"{HOME}news/2.html", 2)
    web.keep_versions(HOME, '"two"')
    web.answers[GARBAGE] = web.say("", 304)
    project.crawl()
    other_rules = project.as_it_is()
    project.crawl()
    return Runs(first, second, ended.said, other_rules, project.as_it_is())


def home_of(project: Project) -> sqlite3.Row:
    return project.rows(f"SELECT * FROM pages WHERE url = '{HOME}'")[0]


def test_a_304_that_was_not_asked_for_is_asked_about_again(runs: Runs) -> None:
    assert runs.first.articles() == {ARTICLE}
    asked = runs.first.web.asked()
    assert [one.headers.get("cache-control") for one in asked if one.url == ARTICLE] == [
        None,
        "no-cache",
    ]


def test_a_page_is_asked_for_by_the_version_it_came_with(runs: Runs) -> None:
    assert sent_to(runs.second.web, HOME) == [(None, None), ('"one"', DATE)]
    assert sent_to(runs.second.web, CHANGING) == [(None, None), ('"1"', None)]
    assert sent_to(runs.second.web, MOVED) == [(None, None), ('"one"', None)]


def test_a_condition_of_the_users_own_wins(runs: Runs) -> None:
    assert sent_to(runs.second.web, B_HOME) == [(None, EARLIER)] * 2


def test_neither_what_is_no_version_nor_that_of_a_page_that_came_short_is_sent_back(
    runs: Runs,
) -> None:
    assert sent_to(runs.second.web, GARBAGE) == [(None, None)] * 2
    assert set(sent_to(runs.second.web, CUT)) == {(None, None)}


def test_the_page_that_another_leads_to_is_not_asked_for_by_its_version(runs: Runs) -> None:
    assert sent_to(runs.second.web, f"{MOVED}new") == [(None, None)]


def test_a_304_is_no_error(runs: Runs) -> None:
    assert "Ignoring" not in runs.said
    assert runs.second.last_run()["errors"] == 0


def test_a_304_ends_a_visit_as_unchanged_and_is_counted(runs: Runs) -> None:
    outcomes = runs.second.outcomes()
    assert outcomes[HOME] == ("unchanged", "")
    assert outcomes[CHANGING] == ("list", "")
    counters = json.loads(runs.second.last_run()["counters"])
    assert counters["not_modified"] == counters["outcome/unchanged"] == 2


def test_a_304_leaves_what_was_read_of_its_page(runs: Runs) -> None:
    before, after = home_of(runs.first), home_of(runs.second)
    assert (after["status"], after["visits"]) == (304, 2)
    assert after["bytes"] == before["bytes"] > 0


def test_a_page_that_was_read_by_other_rules_is_read_whole(runs: Runs) -> None:
    """Links may have been left."""
    assert sent_to(runs.other_rules.web, HOME)[2] == (None, None)
    assert len(runs.other_rules.articles()) == 2
    assert sent_to(runs.last.web, HOME)[3] == ('"two"', None)


def test_a_server_that_answers_304_to_anything_is_in_error(runs: Runs) -> None:
    outcome, reason = runs.other_rules.outcomes()[GARBAGE]
    assert outcome == "error"
    assert reason.endswith("http 304")


def test_a_server_that_calls_the_same_what_has_changed_is_asked_for_the_whole(runs: Runs) -> None:
    assert sent_to(runs.last.web, LYING) == [
        (None, None),
        ('"one"', DATE),
        (None, None),
        (None, None),
    ]


def test_robots_txt_is_asked_for_by_its_version_and_still_holds(runs: Runs) -> None:
    robots = [conditions(one)[0] for one in runs.last.web.log if one.url == f"{HOME}robots.txt"]
    assert robots == [None, '"one"', '"one"', '"one"']
    assert runs.last.outcomes()[f"{HOME}secret/1.html"] == ("refused", "robots")


def test_scrapys_cache_answers_first_visits_only(project: Project, web: Web) -> None:
    web.news(1)
    web.keep_versions(HOME)
    project.topic()
    for policy in ("DummyPolicy", "DummyPolicy", "RFC2616Policy"):
        name = f"scrapy.extensions.httpcache.{policy}"
        cached = ("-s", "HTTPCACHE_ENABLED=True", "-s", f"HTTPCACHE_POLICY={name}")
        assert project.crawl(*cached).status == 0
    assert sent_to(web, HOME) == [(None, None), ('"one"', None), ('"one"', None)]
    assert project.outcomes()[HOME] == ("unchanged", "")


def test_a_spider_of_ones_own_sees_the_304_it_asked_for_and_no_other(
    project: Project, web: Web
) -> None:
    for path in ("taken", "left"):
        web.article(HOME + path)
        web.keep_versions(HOME + path)
    project.spider(
        """
import scrapy


class Mine(scrapy.Spider):
    name = "mine"

    async def start(self):
        header = {"If-None-Match": '"one"'}
        taken = {"handle_httpstatus_list": [304]}
        yield scrapy.Request("http://a.test/taken", headers=header, meta=taken, errback=self.failed)
        yield scrapy.Request("http://a.test/left", headers=header, errback=self.failed)

    def parse(self, response):
        self.logger.info("parsed %s %s", response.url, response.status)

    def failed(self, failure):
        self.logger.info("failed %r", failure)
"""
    )
    ended = project.run("crawl", "mine")
    assert "parsed http://a.test/taken 304" in ended.said
    assert "failed" not in ended.said
    assert "http://a.test/left 304" not in ended.said
    assert {outcome for outcome, _ in project.outcomes("mine").values()} == {"unchanged"}
