"""Sources that give nothing are told with their reasons, as long as it is so, and what stands in front of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.usefixtures("all_is_news")]

GOOD = HOME
FILES, EMPTY, CLOSED, WALLED, DEAD, MISSING, UNREAD = (
    f"http://{name}.test/" for name in ("files", "empty", "closed", "walled", "dead", "missing", "unread")
)  # fmt: skip
ALL = (GOOD, FILES, EMPTY, CLOSED, WALLED, DEAD, MISSING, UNREAD)
SCRIPTED = (
    '<html><head><title>食安云</title><script src="/app.js"></script></head><body><div id="app"></div>'
    "<noscript>本站需要启用 JavaScript 才能运行。</noscript></body></html>"
)
LOG_IN = (
    "<html><head><title>登录</title></head><body><h1>请登录</h1><p>请先登录后查看</p></body></html>"
)


def told(said: str) -> str:
    """Return what the summary says first."""
    return said.partition("  what needs you:\n")[2].partition("\n  articles ")[0]


def forty_sites(web: Web) -> None:
    """One source that is well, and seven that give nothing, each in its way."""
    web.news(3)
    web.board(FILES, *(f"{FILES}{number}.pdf" for number in range(5)))
    web.answers[EMPTY] = web.page("<html><head><title>通告</title></head><body><p>暂无。</p></body></html>")  # fmt: skip
    web.robots("closed.test", "User-agent: *\nDisallow: /\n")
    web.answers[WALLED] = web.page(LOG_IN)
    web.refuses.add("dead.test")
    web.board(UNREAD, f"{UNREAD}a/", f"{UNREAD}b/")
    for name in ("a", "b"):
        web.board(f"{UNREAD}{name}/")


def test_each_source_that_gives_nothing_is_told_with_its_reason(project: Project, web: Web) -> None:
    forty_sites(web)
    project.topic("[politeness]\nrobots = true\n", sources=" ".join(ALL))
    said = told(project.crawl().said)
    reasons = {
        FILES: "1 source gave nothing: the links lead to files",
        EMPTY: "1 source gave nothing: no link is on the page",
        CLOSED: "1 source gave nothing: robots.txt forbids that",
        UNREAD: "1 source gave nothing: no page behind the links has a text",
        WALLED: "walled.test (log-in): something stands in front of 1 page",
        DEAD: "1 source could not be fetched (",
        MISSING: "1 source answered 404",
    }
    for url, why in reasons.items():
        assert f"    - {why}" in said, why
        assert said.partition(why)[2].partition("    - ")[0].count(url), url
    assert GOOD not in said


def test_a_source_is_told_each_morning_until_it_gives_something(project: Project, web: Web) -> None:
    web.news(3)
    web.board(FILES, *(f"{FILES}{number}.pdf" for number in range(5)))
    project.topic(sources=f"{GOOD} {FILES}")
    project.crawl()
    assert "links lead to files" in told(run_on(project, 1).said)
    web.article(f"{FILES}6.html", 6)
    web.board(FILES, f"{FILES}6.html", *(f"{FILES}{number}.pdf" for number in range(5)))
    assert told(run_on(project, 2).said) == ""
    assert told(run_on(project, 3).said) == ""


def test_lists_of_one_site_that_lead_to_the_same_pages_are_not_silent(
    project: Project, web: Web
) -> None:
    web.news(3)
    web.board(f"{HOME}more/", *(f"{HOME}news/{number}.html" for number in range(1, 4)))
    project.topic(sources=f"{HOME} {HOME}more/")
    assert told(project.crawl().said) == ""


def test_pages_that_still_wait_say_nothing_of_their_source(project: Project, web: Web) -> None:
    web.news(3)
    web.board(UNREAD, f"{UNREAD}a/", f"{UNREAD}b/")
    project.topic("[limits]\npages = 2\n", sources=f"{UNREAD} {HOME}")
    assert "gave nothing" not in project.crawl().said


def test_a_source_that_leads_elsewhere_is_told_by_the_address_that_the_topic_names(
    project: Project, web: Web
) -> None:
    led = "http://led.test/"
    web.news(3)
    web.redirect(led, "http://elsewhere.test/", 301)
    web.board("http://elsewhere.test/", "http://elsewhere.test/1.html")
    project.topic(sources=f"{GOOD} {led}")
    for day in range(2):
        said = told(run_on(project, day).said)
        assert led in said
        assert "http://elsewhere.test/" not in said


def test_a_source_that_needs_javascript_is_told_once_and_in_the_report_with_what_helps(
    project: Project, web: Web
) -> None:
    project.reports = True
    web.news(3)
    web.answers[EMPTY] = web.page(SCRIPTED)
    project.topic(sources=f"{GOOD} {EMPTY}")
    assert told(project.crawl().said).count(EMPTY) == 1
    page = (project.data / "news.report.html").read_text("utf-8")
    assert "name its feed, sitemap or mobile pages as a source" in page
    assert "Finished, but something needs you" in page


def test_the_report_begins_with_what_needs_its_reader(project: Project, web: Web) -> None:
    project.reports = True
    forty_sites(web)
    project.topic("[politeness]\nrobots = true\n", sources=" ".join(ALL))
    project.crawl()
    page = (project.data / "news.report.html").read_text("utf-8")
    assert 0 < page.index("<h3>What needs you") < page.index('id="p1-articles"')
    assert page.count("its links lead to files") == 1


def test_an_error_says_when_its_page_last_answered_and_why_it_did_not(
    project: Project, web: Web
) -> None:
    web.news(3)
    web.refuses.add("dead.test")
    project.topic(sources=f"{GOOD} {DEAD}")
    project.crawl()
    listed = project.run("report", "news", "--list", "errors", LANGUAGE="zh_CN").said
    head, row = (line.split("\t") for line in listed.strip().splitlines()[-2:])
    assert head == ["最近应答", "状态码", "原因", "网页"]
    assert (row[0], row[-1]) == ("", DEAD)
