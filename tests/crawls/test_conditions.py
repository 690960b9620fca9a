"""Conditional requests: a page that has not changed is not sent again, whatever servers say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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


def test_what_has_a_version_is_asked_for_by_it_and_a_304_ends_its_visit(
    project: Project, web: Web
) -> None:
    (article,) = web.news(1)
    b_home, garbage, changing, cut, moved, lying = (
        f"http://{host}.test/" for host in ("b", "garbage", "changing", "cut", "moved", "lying")
    )
    for url in (b_home, garbage, changing, cut, moved, f"{moved}new", lying):
        web.board(url, article)
    for url in (HOME, b_home, lying):
        web.keep_versions(url, modified=DATE)
    web.name(garbage, {"ETag": "*", "Last-Modified": "gestern"})
    web.name(changing, {"ETag": '"1"'})
    web.name(cut, {"ETag": '"one"'})
    web.cut(cut)
    web.name(moved, {"ETag": '"one"'})
    web.fail_first(article, status=304)
    web.robots("a.test", "User-agent: *\nDisallow: /secret/")
    web.keep_versions(f"{HOME}robots.txt")
    tables = f'[site."b.test".request]\nheaders = {{ If-Modified-Since = "{EARLIER}" }}\n'
    sources = f"{HOME} {b_home} {garbage} {changing} {cut} {moved} {lying}"
    project.topic(tables, sources=sources)
    assert project.crawl().status == 0
    assert project.articles() == {article}
    asked = [one.headers.get("cache-control") for one in web.asked() if one.url == article]
    assert asked == [None, "no-cache"], "a 304 that nobody asked for"
    before = project.rows(f"SELECT * FROM pages WHERE url = '{HOME}'")[0]

    web.name(changing, {"ETag": '"2"'})
    web.redirect(moved, f"{moved}new", 301)
    web.board(lying, article, "/more.html")
    web.keep_versions(lying)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "Ignoring" not in ended.said, "no 304 is an error"
    assert sent_to(web, HOME) == [(None, None), ('"one"', DATE)]
    assert sent_to(web, b_home) == [(None, EARLIER)] * 2, "the user's own condition wins"
    assert sent_to(web, garbage) == [(None, None)] * 2
    assert sent_to(web, changing) == [(None, None), ('"1"', None)]
    assert sent_to(web, moved) == [(None, None), ('"one"', None)]
    assert sent_to(web, f"{moved}new") == [(None, None)], "the version is that of another page"
    assert set(sent_to(web, cut)) == {(None, None)}, "what came short is not held"
    outcomes = project.outcomes()
    assert outcomes[HOME] == ("unchanged", "")
    assert outcomes[changing] == ("list", "")
    after = project.rows(f"SELECT * FROM pages WHERE url = '{HOME}'")[0]
    assert (after["status"], after["visits"]) == (304, 2)
    assert after["bytes"] == before["bytes"] > 0, "what was read of it holds"
    counters = json.loads(project.last_run()["counters"])
    assert counters["not_modified"] == counters["outcome/unchanged"] == 2
    assert project.last_run()["errors"] == 0

    project.topic(tables + "[follow]\ndepth = 4\n", sources=sources)
    web.board(HOME, article, "/news/2.html", "/secret/1.html")
    web.article(f"{HOME}news/2.html", 2)
    web.keep_versions(HOME, '"two"')
    web.answers[garbage] = web.say("", 304)
    project.crawl()
    assert sent_to(web, HOME)[2] == (None, None), "read by other rules, links may have been left"
    assert len(project.articles()) == 2
    assert project.outcomes()[garbage][0] == "error", "a server that answers 304 to anything"
    assert project.outcomes()[garbage][1].endswith("http 304")
    project.crawl()
    assert sent_to(web, HOME)[3] == ('"two"', None)
    assert sent_to(web, lying) == [(None, None), ('"one"', DATE), (None, None), (None, None)], (
        "what it calls the same has changed"
    )
    robots = [conditions(one)[0] for one in web.log if one.url == f"{HOME}robots.txt"]
    assert robots == [None, '"one"', '"one"', '"one"']
    assert project.outcomes()[f"{HOME}secret/1.html"] == ("refused", "robots"), "it still holds"


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
