"""Limits and rules: what ends a run, what is refused, and that the next run goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"


class Limited(NamedTuple):
    """Five runs over fourteen articles, of which two fail once: each limit ends one, and the last one none."""

    urls: set[str]
    by_pages: Seen
    by_articles: Seen
    by_time: Seen
    by_errors: Seen
    by_none: Seen


class Seen(NamedTuple):
    """A run that has ended, and what it left."""

    ended: Ended
    project: Project

    @property
    def reason(self) -> str:
        return str(self.project.last_run()["end_reason"])


@pytest.fixture(scope="module")
def limited(new_project: Callable[[], Project]) -> Limited:
    project = new_project()
    web = project.web
    urls = web.news(14)
    web.fail_first(f"{HOME}news/13.html", status=500)
    web.fail_first(f"{HOME}news/14.html", status=500)
    project.topic()
    by_pages = Seen(project.crawl("-a", "limits.pages=3"), project.as_it_is())
    web.pause = 0.4
    by_articles = Seen(project.crawl("-a", "limits.articles=2"), project.as_it_is())
    by_time = Seen(project.crawl("-a", "limits.time=1s"), project.as_it_is())
    ended = project.crawl("-a", "limits.errors=2", FOCUSCRAWL_RETRY_WAITS="8s")
    by_errors = Seen(ended, project.as_it_is())
    web.pause = 0.0
    by_none = Seen(project.crawl(), project.as_it_is())
    return Limited(urls, by_pages, by_articles, by_time, by_errors, by_none)


def test_a_run_ends_at_its_limit_of_pages(limited: Limited) -> None:
    ended, project = limited.by_pages
    assert (ended.status, len(project.web.asked())) == (0, 3)
    assert limited.by_pages.reason == "limit_pages"


def test_a_run_with_a_limit_says_where_it_ends_and_what_the_next_one_does(limited: Limited) -> None:
    said = limited.by_pages.ended.said
    assert "Stopped at limits.pages." in said
    assert "ends at page 3 or when nothing is left to do" in said
    assert "12 waiting: the next run goes on with them" in said


def test_a_run_ends_at_its_limit_of_articles(limited: Limited) -> None:
    assert limited.by_articles.ended.status == 0
    assert limited.by_articles.reason == "limit_articles"
    assert len(limited.by_articles.project.articles()) == 4


def test_a_run_ends_at_its_limit_of_time(limited: Limited) -> None:
    assert limited.by_time.ended.status == 0
    assert limited.by_time.reason == "limit_time"
    assert 4 < len(limited.by_time.project.articles()) < 14


def test_a_run_ends_at_its_limit_of_errors(limited: Limited) -> None:
    assert limited.by_errors.ended.status == 0
    assert limited.by_errors.reason == "limit_errors"
    assert "http 500 2" in limited.by_errors.ended.line("failures")


def test_the_run_after_one_that_was_limited_goes_on_and_finishes(limited: Limited) -> None:
    assert limited.by_none.ended.status == 0
    assert limited.by_none.project.articles() == limited.urls
    assert limited.by_none.reason == "finished"


def test_limited_runs_fetch_no_page_twice_but_for_failures_and_what_had_no_room(
    limited: Limited,
) -> None:
    asked = [one.url for one in limited.by_articles.project.web.asked()]
    again = sum(url in limited.urls for url in asked) - 4
    assert 0 <= again < 10, "no page was asked for once it was known that there was no room"
    served = [one.url for one in limited.by_none.project.web.asked() if one.url in limited.urls]
    assert len(served) == 14 + 2 + again


def test_a_run_stores_as_many_new_articles_as_it_may_and_loses_no_page(
    project: Project, web: Web
) -> None:
    """Copies and articles that are known are none; one of several pages comes as a whole or not at all."""
    urls = [f"{HOME}news/{number}.html" for number in range(24)]
    for number, url in enumerate(urls):
        web.article(url, number % 18)
    parts = f"{HOME}news/parts.html"
    web.article(parts, 40, more=f'<a href="{HOME}news/parts_2.html">下一页</a>')
    web.article(f"{HOME}news/parts_2.html", 41)
    web.board(HOME, *urls[:3], parts, *urls[3:])
    project.topic('[output.feeds."out/news.jsonl"]\n')
    web.pause = 0.05
    for whole in (5, 10, 15):
        ended = project.crawl("-a", "limits.articles=5")
        assert (ended.status, len(project.articles())) == (0, whole), ended.said
        assert project.last_run()["end_reason"] == "limit_articles"
        assert project.last_run()["articles_new"] == 5
    ended = project.crawl("-a", "limits.articles=5")
    assert (ended.status, len(project.articles())) == (0, 19), ended.said
    assert project.last_run()["end_reason"] == "finished"
    ended = project.crawl("-a", "limits.articles=1")
    assert ended.status == 0, ended.said
    assert project.last_run()["articles_new"] == 0
    lines = (project.folder / "out/news.jsonl").read_text("utf-8").splitlines()
    exported = [json.loads(line)["url"] for line in lines]
    assert sorted(exported) == sorted(project.articles()), "each once"
    outcomes = project.outcomes()
    assert {outcomes[url][0] for url in urls} == {"stored", "copy"}
    assert len(outcomes) == len(urls) + 3


def test_an_article_of_several_pages_that_has_no_room_is_put_back_and_stored_whole_by_the_next_run(
    project: Project, web: Web
) -> None:
    """It is complete while the article that takes the last room is not yet in the results."""
    parts, other = f"{HOME}news/parts.html", f"{HOME}news/other.html"
    web.article(parts, 40, more=f'<a href="{HOME}news/parts_2.html">下一页</a>')
    web.article(f"{HOME}news/parts_2.html", 41)
    web.article(other, 1)
    for url, seconds in ((parts, 0.1), (f"{HOME}news/parts_2.html", 0.3), (other, 0.25)):
        answer = web.answers[url]
        assert isinstance(answer, Answer)
        web.answers[url] = replace(answer, delay=seconds)
    web.board(HOME, parts, other)
    project.topic('[site."a.test".politeness]\nconcurrency = 4\n')
    ended = project.crawl("-a", "limits.articles=1")
    assert ended.status == 0, ended.said
    assert project.last_run()["end_reason"] == "limit_articles"
    assert project.articles() == {other}
    ended = project.crawl()
    assert ended.status == 0, ended.said
    (row,) = project.rows(f"SELECT page_count, complete FROM articles WHERE url = '{parts}'")
    assert tuple(row) == (2, 1)
    assert project.articles() == {parts, other}


def test_a_site_gives_so_many_pages_and_no_more(project: Project, web: Web) -> None:
    web.news(8, "a.test")
    web.news(8, "b.test")
    project.topic(
        '[limits]\nper_site = 4\n[site."b.test"]\nquota = 6\n[site."b.test".politeness]\nconcurrency = 3\n',
        sources="http://a.test/ http://b.test/",
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert (len(web.asked("a.test")), len(web.asked("b.test"))) == (4, 6)
    assert list(project.outcomes().values()).count(("parked", "quota")) == 5 + 3
    before = {asked.url for asked in web.asked()}
    assert project.crawl().status == 0
    assert {asked.url for asked in web.asked()} == before, "no new page; known ones are visited"


@pytest.mark.A1
def test_refused_links_are_counted_by_rule(project: Project, web: Web) -> None:
    web.news(2)
    web.article(f"{HOME}deep.html", 5, more='<a href="/deeper.html">更深</a>')
    web.board(
        HOME,
        "/news/1.html",
        "/news/2.html",
        "/deep.html",
        "http://b.test/elsewhere.html",
        "/english/1.html",
        "/about.txt.html",
        "/picture.jpg",
        "mailto:me@a.test",
        f"/news/{'x' * 300}.html",
        "/a/b/a/b/a/b/a/b/a/b/page.html",
        "http://c.test/skipped.html",
    )
    project.topic(
        '[follow]\ndepth = 1\nallow = ["/news/", "/deep", "/english/", "/a/b/", "skipped"]\n'
        'deny = ["/english/"]\nsites = ["c.test"]\n'
        '[site."c.test"]\nskip = true\n[settings]\nURLLENGTH_LIMIT = 200\n'
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert len(web.asked()) == 4
    counters = json.loads(project.last_run()["counters"])
    refused = {
        name.partition("/")[2]: count for name, count in counters.items() if "refused/" in name
    }
    for rule in ("allow", "deny", "depth", "length", "scope", "skip"):
        assert refused[rule] == 1, (rule, refused)
    assert any(name.startswith("trap:") for name in refused), refused
    assert "deny 1" in ended.line("  refused")


@pytest.mark.A5
@pytest.mark.parametrize("in_flight", [False, True])
def test_in_flight_lets_a_level_wait_whose_requests_are_on_their_way(
    project: Project, web: Web, *, in_flight: bool
) -> None:
    """A5: of 12 and 8 links one level apart (weights 12 and 4) the first four requests are all of
    the upper level, or not."""
    web.news(12, "a.test")
    web.news(8, "b.test")
    project.write(
        "topics/news.toml",
        '[topic]\nkeywords = ["食品"]\n'
        '[[source]]\nurl = "http://a.test/"\nlevel = 4\n'
        '[[source]]\nurl = "http://b.test/"\nlevel = 3\n'
        f"[queues]\nstrict = true\nin_flight = {str(in_flight).lower()}\n"
        '[politeness]\ndelay = "0s"\nconcurrency = 8\n[settings]\nCONCURRENT_REQUESTS = 4\n',
    )
    assert project.crawl("-a", "limits.pages=2").status == 0
    before = len(web.asked())
    web.pause = 0.5
    assert project.crawl().status == 0
    first = [asked.host for asked in web.asked()[before:] if "/news/" in asked.url][:4]
    assert ("b.test" in first) is in_flight, first
