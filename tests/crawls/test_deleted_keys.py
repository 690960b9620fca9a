"""Keys of a crawl on a Redis that somebody deletes while it runs: no page is lost without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focuscrawl.stores.redis.keys import BY_PARTITION, ONE_FOR_ALL
from focuscrawl.stores.state.protocol import PARTITIONS
from tests.crawls.days import HOME, article
from tests.web import Answer

if TYPE_CHECKING:
    from tests.project import Project
    from tests.servers.redis_server import RedisServer
    from tests.web import Asked, Web

pytestmark = [pytest.mark.B1, pytest.mark.of_a_file]

FAILS, DELETES = article(1), "http://b.test/news/5.html"
EVERYTHING = ""
FORGET = ("forget", "news", "--before", "2020-01-01", "--yes")
SOURCES = f"{HOME} http://b.test/"


@pytest.mark.parametrize("kind", [EVERYTHING, *BY_PARTITION, *ONE_FOR_ALL])
def test_no_page_is_lost_when_keys_are_deleted_in_the_middle_of_a_crawl(
    project: Project, web: Web, redis_of_tests: RedisServer, kind: str
) -> None:
    """One page has failed by then: its row waits aside, and nothing is written where it is. No list leads to the
    pages any more, so they are not found once again."""
    project.server, client = redis_of_tests, redis_of_tests.client()
    client.flushall()
    urls = web.news(1) | web.news(9, "b.test")
    for number, url in enumerate(sorted(urls)):
        web.article(url, 10 + number)
    web.fail_first(FAILS, status=503)
    web.pause = 1.0  # longer than from one commit to the next
    whole = web.answers[DELETES]

    def answer(asked: Asked) -> Answer:
        for key in client.keys(f"news:focuscrawl:{kind}*"):
            client.delete(key)
        web.answers[DELETES] = whole
        for home in SOURCES.split():
            web.board(home)
        assert isinstance(whole, Answer)
        return whole

    web.answers[DELETES] = answer
    project.topic("[settings]\nCONCURRENT_REQUESTS = 1\n", sources=SOURCES)
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="1h")
    assert ended.status == 0, ended.said
    again = project.crawl(FOCUSCRAWL_SHIFT="7200")
    assert again.status == 0, again.said
    assert project.articles() == urls


def test_a_loss_is_noticed_though_a_command_has_written_to_the_crawl_meanwhile(
    project: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    project.server, client = redis_of_tests, redis_of_tests.client()
    client.flushall()
    urls = web.news(6)
    project.topic("[explore]\nenabled = true\n")
    assert project.crawl("-a", "limits.pages=3").status == 0
    for partition in range(PARTITIONS):
        client.delete(f"news:focuscrawl:rows:{partition}")
    for command in (("ban", "news", "a.test"), ("unban", "news", "a.test"), FORGET):
        done = project.run("topic", *command)
        assert done.status == 0, done.said
    refused = project.run(
        "topic", "move", "news", "--to", "file", "-s", f"REDIS_URL={redis_of_tests.url}"
    )
    assert refused.status == 2, refused.said
    assert "values of this crawl: run scrapy crawl news there once more" in refused.said
    ended = project.crawl()
    assert ended.status == 1, ended.said
    assert "Redis has lost" in ended.line("Redis has lost")
    assert project.articles() == urls
