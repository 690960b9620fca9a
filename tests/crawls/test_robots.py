"""A robots.txt that cannot be had: nothing of its host is asked for; what was read of it lately holds meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.crawls.days import DAY

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
ROBOTS = f"{HOME}robots.txt"
RULES = "User-agent: *\nDisallow: /secret/\n"
WAITS = {"FOCUSCRAWL_RETRY_WAITS": "1m,10m,1h", "FOCUSCRAWL_LINGER": "2s"}


def write_web(web: Web) -> set[str]:
    """Write a list of four articles, of which one may be forbidden."""
    urls = web.news(3)
    web.article(f"{HOME}secret/1.html", 50)
    web.board(HOME, *sorted(urls), "/secret/1.html")
    return urls


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"status": 503}, "robots.txt: http 503"),
        ({"status": 500}, "robots.txt: http 500"),
        ({"status": 429, "headers": {"Retry-After": "0"}}, "robots.txt: http 429"),
        ({"fault": "drop"}, "robots.txt: no answer"),
        ({"fault": "silent"}, "robots.txt: no answer"),
    ],
)
def test_nothing_is_asked_of_a_host_until_its_robots_txt_can_be_had(
    project: Project, web: Web, fault: dict[str, Any], why: str
) -> None:
    urls = write_web(web)
    web.robots("a.test", RULES)
    web.fail_first(ROBOTS, times=4, **fault)
    project.topic('[politeness]\ndelay = "0s"\n[settings]\nDOWNLOAD_TIMEOUT = 1\n')
    ended = project.crawl(**WAITS)
    assert not web.asked("a.test")
    assert web.times(ROBOTS) <= 4
    assert f"{HOME}  ({why})" in ended.said
    assert project.outcomes()[HOME] == ("error", why), "it is neither forbidden nor gone"
    for hours in (2, 4):
        ended = project.crawl(FOCUSCRAWL_SHIFT=str(hours * 3600), **WAITS)
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert project.outcomes()[f"{HOME}secret/1.html"] == ("refused", "robots")


@pytest.mark.parametrize("fault", [{"status": 503}, {"fault": "drop"}])
def test_what_was_read_of_a_robots_txt_holds_for_a_month_while_it_cannot_be_had(
    project: Project, web: Web, fault: dict[str, Any]
) -> None:
    write_web(web)
    web.robots("a.test", RULES)
    project.topic()
    assert project.crawl().status == 0
    web.article(f"{HOME}news/9.html", 9)
    web.board(HOME, "/news/9.html", "/secret/2.html")
    web.fail_first(ROBOTS, times=99, **fault)
    ended = project.crawl(FOCUSCRAWL_SHIFT=str(3 * DAY), **WAITS)
    assert ended.status == 0, ended.said
    assert f"{HOME}news/9.html" in project.articles()
    assert project.outcomes()[f"{HOME}secret/2.html"] == ("refused", "robots")
    before = len(web.asked("a.test"))
    project.crawl(FOCUSCRAWL_SHIFT=str(40 * DAY), **WAITS)
    assert len(web.asked("a.test")) == before
