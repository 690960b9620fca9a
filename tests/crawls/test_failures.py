"""Fetches that fail come back; some are given up; 404, 410 and robots.txt are outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
DAY = 86400
FAILS = """
class Fails:
    seen = 0

    def process_item(self, item):
        Fails.seen += item.url.endswith("/1.html")
        if item.url.endswith("/2.html") or (item.url.endswith("/1.html") and Fails.seen == 1):
            raise ValueError("of the user's own")
        return item
"""


@pytest.fixture(scope="module")
def failed(new_project: Callable[[], Project]) -> tuple[Project, Ended]:
    """A run over articles of which four fail at first, and addresses that are gone or refused."""
    project = new_project()
    web = project.web
    urls = web.news(6)
    web.fail_first(f"{HOME}news/1.html", times=2, status=500)
    web.fail_first(f"{HOME}news/2.html", times=2, fault="drop")
    web.fail_first(f"{HOME}news/3.html", times=1, fault="silent")
    web.fail_first(f"{HOME}news/4.html", times=2, status=429, headers={"Retry-After": "0"})
    web.article(f"{HOME}gone.html")
    web.fail_first(f"{HOME}gone.html", times=99, status=410)
    web.board(HOME, *sorted(urls), "/missing.html", "/gone.html", "/private/1.html")
    web.robots("a.test", "User-agent: *\nDisallow: /private/\n")
    project.topic('[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 1\nDOWNLOAD_TIMEOUT = 1\n')
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="1s")
    assert ended.status == 0, ended.said
    return project.as_it_is(), ended


def test_failed_fetches_come_back_within_the_run(failed: tuple[Project, Ended]) -> None:
    project, _ = failed
    urls = {f"{HOME}news/{number}.html" for number in range(1, 7)}
    assert project.articles() == urls
    assert project.web.times(f"{HOME}news/1.html") == 3
    visits = project.rows("SELECT url, visits FROM pages WHERE url LIKE '%/news/%'")
    assert {row["url"] for row in visits} == urls


def test_pages_that_are_not_there_are_gone_at_the_first_try(failed: tuple[Project, Ended]) -> None:
    project, _ = failed
    outcomes = project.outcomes()
    assert outcomes[f"{HOME}missing.html"] == ("gone", "http 404")
    assert outcomes[f"{HOME}gone.html"] == ("gone", "http 410")
    for ending in ("missing.html", "gone.html"):
        assert project.web.times(HOME + ending) == 1


def test_what_robots_forbid_is_refused_and_not_asked_for(failed: tuple[Project, Ended]) -> None:
    project, _ = failed
    assert project.outcomes()[f"{HOME}private/1.html"] == ("refused", "robots")
    assert not project.web.times(f"{HOME}private/1.html")


def test_an_answer_that_is_an_error_has_no_line_of_its_own(failed: tuple[Project, Ended]) -> None:
    """Each has one only where it is asked for."""
    assert "Ignoring response" not in failed[1].said


def test_when_all_failures_have_come_back_nothing_is_left_to_do(
    failed: tuple[Project, Ended],
) -> None:
    assert failed[0].stored_rows() == 0


def test_a_host_that_answers_with_an_error_is_tried_as_often_as_any_other(
    project: Project, web: Web
) -> None:
    """It is there: only one that does not answer at all is tried less."""
    (url,) = web.news(1)
    web.fail_first(url, times=2, status=500)
    project.topic('[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 2\n', sources=url)
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="1h")
    assert ended.status == 0, ended.said
    assert (project.articles(), web.times(url)) == ({url}, 3)


def test_a_run_lingers_only_so_long_and_the_next_goes_on(
    project: Project, web: Web, elapsed: Callable[[], float]
) -> None:
    urls = web.news(2)
    web.fail_first(f"{HOME}news/2.html", status=500)
    project.topic()
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="30s", FOCUSCRAWL_LINGER="10s")
    assert ended.status == 0, ended.said
    assert "1 failed, to be tried again: the next run goes on with them" in ended.said
    assert f"{HOME}news/2.html  (http 500)" in ended.said
    assert elapsed() < 25
    assert web.times(f"{HOME}news/2.html") == 1
    assert project.outcomes()[f"{HOME}news/2.html"] == ("error", "http 500")
    ended = project.crawl(
        FOCUSCRAWL_RETRY_WAITS="30s", FOCUSCRAWL_LINGER="60s", FOCUSCRAWL_SHIFT="31"
    )
    assert ended.status == 0, ended.said
    assert project.articles() == urls


def test_a_fetch_that_fails_for_days_is_given_up(project: Project, web: Web) -> None:
    web.news(1)
    web.fail_first(f"{HOME}news/1.html", times=99, status=502)
    web.board(HOME, "/news/1.html", "/other.html")
    web.article(f"{HOME}other.html")
    project.topic()
    waits = ",".join(["10ms"] * 5)
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS=waits)
    assert ended.status == 0, ended.said
    assert web.times(f"{HOME}news/1.html") == 6, "six tries, but not over two days"
    assert project.stored_rows() == 1
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS=waits, FOCUSCRAWL_SHIFT=str(2 * DAY))
    assert ended.status == 0, ended.said
    assert project.outcomes()[f"{HOME}news/1.html"] == ("error", "given up: http 502")
    assert web.times(f"{HOME}news/1.html") == 7
    assert project.stored_rows() == 0


def test_a_page_whose_item_a_pipeline_fails_comes_back(project: Project, web: Web) -> None:
    urls = web.news(3)
    project.spider(FAILS, "ITEM_PIPELINES['mine.spiders.Fails'] = 500\n")
    project.topic()
    ended = project.crawl(traceback=True, FOCUSCRAWL_RETRY_WAITS="100ms,100ms")
    assert ended.status == 0, ended.said
    assert project.articles() == urls - {f"{HOME}news/2.html"}
    assert project.outcomes()[f"{HOME}news/1.html"] == ("stored", "")
    assert project.outcomes()[f"{HOME}news/2.html"] == ("error", "pipeline: ValueError")
    assert (web.times(f"{HOME}news/1.html"), web.times(f"{HOME}news/2.html")) == (2, 3)
    assert project.stored_rows() == 1, "the next run tries again"


def test_hosts_that_never_answer_are_asked_little_and_hold_up_nothing(
    project: Project, web: Web
) -> None:
    urls = web.news(6)
    silent = [f"http://{host}/news/{n}.html" for host in ("x.test", "y.test") for n in range(5)]
    for url in (*silent, "http://x.test/robots.txt", "http://y.test/robots.txt"):
        web.article(url, 40)
        web.fail_first(url, times=99, fault="silent")
    web.board(HOME, *sorted(urls), *silent)
    project.topic('[follow]\nscope = "web"\n')
    usual = {"FOCUSCRAWL_RETRY_WAITS": "1m,10m,1h", "FOCUSCRAWL_LINGER": "2m"}
    begun = project.time.steady
    ended = project.crawl(**usual)
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert project.time.steady - begun < 240, "ten URLs of four tries each were twenty minutes"
    assert len({one.url for one in web.asked("x.test")} & {*silent}) <= 2
    assert "(no answer beyond FOCUSCRAWL_LINGER)" in ended.line("URLs wait for their sites")
    for number, url in enumerate(silent):
        web.article(url, 50 + number)
    web.answers["http://x.test/robots.txt"] = web.answers["http://y.test/robots.txt"] = web.say("")
    ended = project.crawl(FOCUSCRAWL_SHIFT="4000", **usual)
    assert ended.status == 0, ended.said
    assert {*silent} <= project.articles(), "nothing was given up unasked"


def test_a_redirect_that_leads_to_no_address_is_an_error_of_its_page_alone(
    project: Project, web: Web
) -> None:
    urls = web.news(2)
    odd = [f"{HOME}odd/{number}.html" for number in range(3)]
    for url, place in zip(odd, ("http://[::bad/", "http://a.test:99999/", "//a.test:x"), strict=True):  # fmt: skip
        web.redirect(url, place, 302)
    web.board(HOME, *sorted(urls), *odd)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert {project.outcomes()[url] for url in odd} == {("error", "http 302")}
    assert {web.times(url) for url in odd} == {1}
