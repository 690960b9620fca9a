"""How sites are treated: measured at the web's own access log."""

from __future__ import annotations

import time
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

CLOCK_ERROR = 0.01
"""Seconds by which a request may arrive earlier, seen from the web, than it was sent apart."""


class Sites(NamedTuple):
    """A crawl of sites that are treated each in its own way, and one that comes back to a site with a Crawl-delay."""

    first: Project
    second: Project
    began: float
    """When the second began, in seconds of the steady clock."""


@pytest.fixture(scope="module")
def sites(new_project: Callable[[], Project]) -> Sites:
    project = new_project()
    web = project.web
    for host in ("a.test", "b.test", "c.test", "d.test"):
        web.news(6, host)
    web.robots("d.test", "User-agent: *\nCrawl-delay: 0.4\n")
    web.pause = 0.1
    project.topic(
        '[politeness]\ndelay = "0s"\n'
        '[site."a.test".politeness]\ndelay = "250ms"\n'
        '[site."b.test".politeness]\ndelay = "100ms"\n'
        '[site."c.test".politeness]\nconcurrency = 3\n'
        '[stories]\ncopies = "off"\n',  # the same articles everywhere
        sources="http://a.test/ http://b.test/ http://c.test/ http://d.test/",
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    first = project.as_it_is()

    web.fail_first("http://d.test/robots.txt", times=99, fault="drop")
    for number in range(7, 10):
        web.article(f"http://d.test/news/{number}.html", number)
    web.board("http://d.test/", *(f"/news/{number}.html" for number in range(1, 10)))
    began = project.time.steady
    ended = project.crawl("-a", "follow.depth=1")
    assert ended.status == 0, ended.said
    return Sites(first, project.as_it_is(), began)


def test_sites_that_are_treated_each_in_its_own_way_are_read_whole(sites: Sites) -> None:
    assert len(sites.first.articles()) == 24
    assert len(sites.second.articles()) == 27


def test_a_site_has_its_delay(sites: Sites) -> None:
    """One at a time: the pause counts from the end of an answer, which takes a tenth of a second."""
    gaps = sites.first.web.gaps("a.test")
    assert min(gaps) >= 0.35 - CLOCK_ERROR
    assert median(gaps) < 0.35 + 0.3


def test_the_delay_of_a_site_is_not_always_the_same(sites: Sites) -> None:
    jittered = sites.first.web.gaps("b.test")
    assert min(jittered) >= 0.2 - CLOCK_ERROR
    assert max(jittered) - min(jittered) > 0.01
    assert median(jittered) < 0.3 + 0.3


def test_a_site_is_asked_by_so_many_requests_at_once_as_it_may(sites: Sites) -> None:
    web = sites.first.web
    assert web.most_at_once("c.test") == 3
    assert web.most_at_once("a.test") == web.most_at_once("b.test") == 1


def test_a_crawl_delay_is_kept_and_remembered(sites: Sites) -> None:
    assert min(sites.first.web.gaps("d.test")) >= 0.4 - CLOCK_ERROR
    later = [asked for asked in sites.second.web.asked("d.test") if asked.at > sites.began]
    assert later[-1].at - later[0].at >= 3 * 0.4 - CLOCK_ERROR, "robots.txt does not come"


def test_the_results_say_which_delay_a_site_has_and_from_where(sites: Sites) -> None:
    rows = {row["host"]: row for row in sites.first.rows("SELECT * FROM sites")}
    assert (rows["a.test"]["delay_s"], rows["a.test"]["delay_from"]) == (0.25, "site")
    assert (rows["d.test"]["delay_s"], rows["d.test"]["delay_from"]) == (0.4, "robots")
    assert rows["c.test"]["state"] == "source"


@pytest.mark.program
def test_a_site_is_left_alone_as_long_as_it_asks_also_after_a_kill(
    project: Project, web: Web
) -> None:
    web.news(3, "a.test")
    web.news(3, "b.test")
    web.fail_first("http://a.test/news/1.html", status=429, headers={"Retry-After": "3"})
    project.topic('[stories]\ncopies = "off"\n', sources="http://a.test/ http://b.test/")
    refused_at = 0.0

    def kill() -> bool:
        nonlocal refused_at
        if not web.times("http://a.test/news/1.html"):
            return False
        refused_at = refused_at or web.asked("a.test")[-1].at
        return len(web.asked("b.test")) == 4 and time.monotonic() > refused_at + 1.0

    assert project.crawl(kill=kill).status < 0
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert len(project.articles()) == 6
    after = [asked.at for asked in web.asked("a.test") if asked.at > refused_at]
    assert min(after) >= refused_at + 3 - CLOCK_ERROR


@pytest.mark.of_a_file
def test_sites_are_asked_only_in_their_hours(project: Project, web: Web) -> None:
    web.news(2, "a.test")
    web.news(2, "b.test")
    now = time.gmtime(project.time.wall)
    noon = 12 * 3600 - (now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec)
    project.topic(
        '[politeness]\ndelay = "0s"\nhours = "09:00-18:00"\n[site."b.test".politeness]\nhours = "20:00-22:00"\n',
        sources="http://a.test/ http://b.test/",
    )
    zone = ("-a", "topic.timezone=UTC")
    ended = project.crawl(*zone, FOCUSCRAWL_SHIFT=str(noon - 6 * 3600))
    assert ended.status == 0, ended.said
    assert project.last_run()["end_reason"] == "outside_hours"
    assert not web.asked()
    ended = project.crawl(*zone, FOCUSCRAWL_SHIFT=str(noon))
    assert ended.status == 0, ended.said
    assert len(web.asked("a.test")) == 3
    assert not web.asked("b.test")
    assert "at 18:00 or when nothing is left to do" in ended.line("topic news: data")
    ended = project.crawl(*zone, FOCUSCRAWL_SHIFT=str(noon + 9 * 3600))
    assert len(web.asked("b.test")) == 3, ended.said


def test_the_pause_a_topic_makes_itself_is_waited_for_however_long_it_is(
    project: Project, web: Web
) -> None:
    web.news(3, "a.test")
    web.news(3, "b.test")
    web.fail_first("http://b.test/news/1.html", status=500)
    project.topic(
        '[politeness]\ndelay = "300ms"\n[settings]\nRETRY_TIMES = 1\n[site."b.test".politeness]\ndelay = "700ms"\n'
        '[stories]\ncopies = "off"\n',
        sources="http://a.test/ http://b.test/",
    )
    ended = project.crawl(FOCUSCRAWL_LINGER="0s")
    assert ended.status == 0, ended.said
    assert len(project.articles()) == 6
    assert Counter(asked.host for asked in web.asked()) == {"a.test": 4, "b.test": 5}
    last = project.last_run()
    assert (last["end_reason"], last["end_detail"] or "") == ("finished", "")
    project.topic('[politeness]\ndelay = "400ms"\n')
    ended = project.crawl(FOCUSCRAWL_LINGER="100ms", FOCUSCRAWL_SHIFT=str(1.2 * 86400))
    assert ended.status == 0, ended.said
    assert {web.times(url) for url in project.articles() if "a.test" in url} == {2}


def test_what_sites_ask_for_beyond_linger_ends_a_run_which_says_so(
    project: Project, web: Web
) -> None:
    hosts = ("a.test", "slow.test", "busy.test", "night.test", "broken.test")
    for host in hosts:
        web.news(3, host)
    web.robots("slow.test", "User-agent: *\nCrawl-delay: 6\n")
    web.fail_first("http://busy.test/news/1.html", status=429, headers={"Retry-After": "60"})
    web.fail_first("http://broken.test/news/1.html", status=500)
    now = time.gmtime(project.time.wall)
    noon = 12 * 3600 - (now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec)
    project.topic(
        '[politeness]\ndelay = "1500ms"\n[settings]\nRETRY_TIMES = 0\n'
        '[site."night.test".politeness]\nhours = "20:00-22:00"\n[stories]\ncopies = "off"\n',
        sources=" ".join(f"http://{host}/" for host in hosts),
    )
    waits = {"FOCUSCRAWL_LINGER": "1s", "FOCUSCRAWL_RETRY_WAITS": "60s"}
    ended = project.crawl("-a", "topic.timezone=UTC", FOCUSCRAWL_SHIFT=str(noon), **waits)
    assert ended.status == 0, ended.said
    assert Counter(asked.host for asked in web.asked()) == {
        "a.test": 4,
        "slow.test": 1,
        "busy.test": 2,
        "broken.test": 4,
    }
    last = project.last_run()
    assert (last["end_reason"], last["end_detail"]) == (
        "finished",
        "6 URLs wait for their sites (Crawl-delay, Retry-After, hours beyond FOCUSCRAWL_LINGER)",
    )
