"""Hosts that never answer take places for minutes: one that does is not starved by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
PLACES, SILENT = 8, 40
TIMEOUT = 30


def test_hosts_that_never_answer_leave_most_places_to_one_that_does(
    project: Project, web: Web
) -> None:
    urls = web.news(20)
    silent = [f"http://s{number}.test/" for number in range(SILENT)]
    for url in silent:
        web.article(url)
        web.fail_first(url, times=99, fault="silent")
    project.topic(
        f"[politeness]\ndelay = '1s'\nconcurrency = 2\n[settings]\nCONCURRENT_REQUESTS = {PLACES}\n"
        f"DOWNLOAD_TIMEOUT = {TIMEOUT}\nRETRY_TIMES = 1\n",
        sources=" ".join([HOME, *silent]),
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    asked = web.asked()
    last = max(one.at for one in asked if one.url in urls)
    assert last - asked[0].at < TIMEOUT + 20, "twenty pages, a second each, and one wait at most"
    assert {one.url for one in asked} >= {*silent}, "they have their turn"
