"""Hosts that never answer cost a crawl little, and nothing of what waits for them is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawls.days import HOME, article
from tests.web import Answer

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

DEAD = ("x.test", "y.test", "z.test")


def test_a_first_crawl_does_not_wait_for_each_page_of_hosts_that_never_answer(
    project: Project, web: Web
) -> None:
    web.news(3)
    links = [f"http://{host}/news/{number}.html" for host in DEAD for number in range(8)]
    for host in DEAD:
        web.anything[host] = Answer(fault="silent")
        web.answers[f"http://{host}/robots.txt"] = Answer(fault="silent")
    web.board(HOME, *map(article, (1, 2, 3)), *links)
    project.topic(
        '[politeness]\ndelay = "0s"\n[follow]\nscope = "web"\n[settings]\nRETRY_TIMES = 2\n'
    )
    began = project.time.steady
    usual = {"FOCUSCRAWL_RETRY_WAITS": "1m,10m,1h", "FOCUSCRAWL_LINGER": "2m"}
    assert project.crawl(**usual).status == 0
    assert project.articles() == {*map(article, (1, 2, 3))}
    assert project.time.steady - began < 420
    assert project.stored_rows() == len(links), "they wait for the next run"
