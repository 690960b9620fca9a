"""A robots.txt that cannot be had: nothing of its host is asked for; what was read of it lately holds meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.crawls.days import DAY, run_on

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


def test_rules_that_a_server_has_confirmed_hold_for_a_month_from_then(
    project: Project, web: Web
) -> None:
    write_web(web)
    web.robots("a.test", RULES)
    web.keep_versions(ROBOTS)
    project.topic()
    for day in (0, 20):
        assert run_on(project, day).status == 0
    confirmed = web.answers[ROBOTS]
    web.fail_first(ROBOTS, times=99, status=503)
    web.board(HOME, "/news/9.html")
    web.article(f"{HOME}news/9.html", 9)
    assert run_on(project, 40, **WAITS).status == 0
    assert f"{HOME}news/9.html" in project.articles()
    before = len(web.asked("a.test"))
    run_on(project, 60, **WAITS)
    assert len(web.asked("a.test")) == before, "read forty days ago, whatever it is called"
    web.answers[ROBOTS] = confirmed
    assert run_on(project, 61, **WAITS).status == 0
    assert len(web.asked("a.test")) > before


def test_a_host_without_its_robots_txt_holds_no_crawl_open_and_is_asked_little(
    project: Project, web: Web
) -> None:
    write_web(web)
    web.news(8, "b.test")
    web.robots("b.test", RULES)
    web.fail_first("http://b.test/robots.txt", times=999, status=503)
    web.board(
        HOME, "/news/1.html", *(f"http://b.test/news/{number}.html" for number in range(1, 9))
    )
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    ended = project.crawl(**WAITS)
    assert ended.status == 0, ended.said
    assert project.articles() == {f"{HOME}news/1.html"}
    for day in (0.5, 1, 1.5, 2.2, 3, 4):
        run_on(project, day, **WAITS)
    assert not web.asked("b.test")
    assert web.times("http://b.test/robots.txt") <= 40
    outcomes = {why for url, why in project.outcomes().items() if "b.test" in url}
    assert ("error", "given up: robots.txt: http 503") in outcomes, "as a page that fails"
    assert outcomes <= {
        ("error", "given up: robots.txt: http 503"),
        ("error", "robots.txt: http 503"),
    }
    assert not project.rows("SELECT * FROM changes WHERE what = 'gone' OR kind = 'gone'")


def test_a_site_that_is_asked_too_often_by_a_robots_txt_is_left_alone_as_long_as_it_says(
    project: Project, web: Web
) -> None:
    urls = write_web(web)
    web.robots("a.test", RULES)
    web.fail_first(ROBOTS, times=1, status=429, headers={"Retry-After": "7200"})
    project.topic()
    project.crawl(**WAITS)
    asked = web.times(ROBOTS)
    project.crawl(FOCUSCRAWL_SHIFT="3600", **WAITS)
    assert web.times(ROBOTS) == asked
    assert not web.asked("a.test")
    assert project.crawl(FOCUSCRAWL_SHIFT="9000", **WAITS).status == 0
    assert project.articles() == urls


def test_what_waits_for_a_robots_txt_is_explained(project: Project, web: Web) -> None:
    write_web(web)
    web.robots("a.test", RULES)
    web.fail_first(ROBOTS, times=99, status=503)
    project.topic()
    project.crawl(**WAITS)
    said = project.run("explain", "news", HOME).said
    assert "robots.txt: http 503" in said
    assert "forbids" not in said


@pytest.mark.parametrize(
    ("form", "is_asked"),
    [
        ("_create/?slug=robots.txt", False),
        ("accounts/login/", False),
        ("files/rules.txt", True),
    ],
)
def test_a_robots_txt_that_leads_to_a_form_is_none_and_the_form_is_not_asked_for(
    project: Project, web: Web, form: str, is_asked: bool
) -> None:
    urls = write_web(web)
    web.redirect(ROBOTS, f"{ROBOTS}/", status=301)
    web.redirect(f"{ROBOTS}/", HOME + form)
    web.file(HOME + form, RULES.encode())
    project.topic()
    assert project.crawl().status == 0
    assert web.times(HOME + form) == is_asked
    assert project.articles() == urls | {f"{HOME}secret/1.html"} - (
        {f"{HOME}secret/1.html"} if is_asked else set()
    )
