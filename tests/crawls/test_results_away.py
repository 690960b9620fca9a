"""The results database goes away in the midst of a crawl: it is waited for, and nothing is lost."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from tests.crawls.test_shared import Workers, asked_pages, slow, two, until

if TYPE_CHECKING:
    from tests.programs import Running
    from tests.project import Project
    from tests.servers.postgresql_server import PostgreSQLServer
    from tests.servers.redis_server import RedisServer
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.of_a_file]

AWAY = "The results database does not answer"
BACK = "The results database answers again"
STILL = 1.5
"""Seconds that a server is away: several beats of a crawl."""


def urls_of(server: PostgreSQLServer, table: str, topic: str) -> list[str]:
    engine = create_engine(server.url)
    with engine.connect() as connection:
        query = text(f"SELECT url FROM {table} WHERE topic = :topic")
        found = [*connection.scalars(query, {"topic": topic})]
    engine.dispose()
    return found


def go_away(server: PostgreSQLServer, web: Web) -> None:
    """Let the server crash, and come back when no page has been asked for in a while."""
    server.stop(kill=True)

    def is_still() -> bool:
        asked = len(asked_pages(web))
        time.sleep(STILL)
        return len(asked_pages(web)) == asked

    until(
        is_still
    )  # on a busy machine it takes its time until a crawl sees that the server is away
    server.start()


def news(project: Project, web: Web, count: int) -> list[str]:
    urls = sorted(web.news(count))
    web.board("http://a.test/", *urls)
    web.pause = 0.05
    project.topic('[politeness]\ndelay = "40ms"\n')
    return urls


def begun(project: Project, web: Web, server: PostgreSQLServer) -> Running:
    """Start a crawl, and wait until it has stored something and has asked for more."""
    running = project.start("crawl", "news", FOCUSCRAWL_RESULTS=server.url)
    until(lambda: len(web.asked()) > 30)
    return running


def test_a_crawl_waits_for_results_that_are_away_and_loses_nothing(
    project: Project, web: Web, own_postgresql: PostgreSQLServer
) -> None:
    urls = news(project, web, 90)
    running = begun(project, web, own_postgresql)
    go_away(own_postgresql, web)
    said, _ = running.communicate()
    assert running.returncode == 0, said
    assert "Traceback" not in said, said
    assert (said.count(AWAY), said.count(BACK)) == (1, 1), said
    assert sorted(urls_of(own_postgresql, "articles", "news")) == sorted(urls)
    assert sorted(asked_pages(web)) == sorted([*urls, "http://a.test/"]), "each page once"
    assert project.stored_rows() == 0


def test_a_crawl_that_is_stopped_while_results_are_away_ends_soon_and_is_gone_on_with(
    project: Project, web: Web, own_postgresql: PostgreSQLServer
) -> None:
    urls = news(project, web, 90)
    running = begun(project, web, own_postgresql)
    own_postgresql.stop(kill=True)
    time.sleep(STILL)
    running.send_signal(signal.SIGINT)
    since = time.monotonic()
    said, _ = running.communicate(timeout=60)
    took = time.monotonic() - since
    assert took < 20, said
    assert running.returncode == 1, said
    assert "the run is to stop: what was not written is fetched again" in said
    assert "Traceback" not in said, said
    own_postgresql.start()
    ended = project.crawl(FOCUSCRAWL_RESULTS=own_postgresql.url)
    assert ended.status == 0, ended.said
    assert sorted(urls_of(own_postgresql, "articles", "news")) == sorted(urls)


def test_a_crawl_that_has_nothing_left_waits_for_its_last_window(
    project: Project, web: Web, own_postgresql: PostgreSQLServer
) -> None:
    urls = sorted(web.news(5))
    web.board("http://a.test/", *urls)
    web.pause = 2.0
    project.topic('[politeness]\ndelay = "10ms"\nconcurrency = 5\n')
    running = project.start("crawl", "news", FOCUSCRAWL_RESULTS=own_postgresql.url)
    until(lambda: len(asked_pages(web)) == 6)
    own_postgresql.stop(kill=True)
    time.sleep(6.0)  # the pages have come, and nothing is left to do
    assert running.poll() is None
    own_postgresql.start()
    said, _ = running.communicate()
    assert running.returncode == 0, said
    assert "Traceback" not in said, said
    assert sorted(urls_of(own_postgresql, "articles", "news")) == urls
    assert sorted(asked_pages(web)) == sorted([*urls, "http://a.test/"]), "each page once"
    assert project.stored_rows() == 0


def test_a_table_that_is_gone_is_not_waited_for(
    project: Project, web: Web, own_postgresql: PostgreSQLServer
) -> None:
    news(project, web, 90)
    running = begun(project, web, own_postgresql)
    engine = create_engine(own_postgresql.url)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE pages CASCADE"))
    engine.dispose()
    said, _ = running.communicate()
    assert running.returncode == 1, said
    assert AWAY not in said
    assert 'relation "pages" does not exist' in said


@pytest.mark.B1
def test_workers_wait_for_results_that_are_away_and_lose_nothing(
    project: Project, web: Web, redis_of_tests: RedisServer, own_postgresql: PostgreSQLServer
) -> None:
    workers = Workers(project, redis_of_tests)
    urls = slow(web, workers)
    started = two(web, workers, FOCUSCRAWL_RESULTS=own_postgresql.url)
    until(lambda: len(asked_pages(web)) > 30)  # robots.txt of all sites are read
    go_away(own_postgresql, web)
    for one in started:
        ended = workers.ended(one)
        assert ended.status == 0, ended.said
        assert (ended.said.count(AWAY), ended.said.count(BACK)) == (1, 1), ended.said
    for table in ("pages", "articles"):
        found = urls_of(own_postgresql, table, workers.name)
        assert len(found) == len({*found})
    assert {*urls_of(own_postgresql, "pages", workers.name)} == urls
    assert {*asked_pages(web)} ^ urls == set()
    assert sum(workers.left().values()) == 0


@pytest.mark.B1
def test_a_worker_that_is_stopped_while_results_are_away_leaves_its_pages_to_others(
    project: Project, web: Web, redis_of_tests: RedisServer, own_postgresql: PostgreSQLServer
) -> None:
    workers = Workers(project, redis_of_tests)
    urls = slow(web, workers)
    first, second = two(web, workers, FOCUSCRAWL_RESULTS=own_postgresql.url)
    until(lambda: len(asked_pages(web)) > 30)
    own_postgresql.stop(kill=True)
    time.sleep(STILL)
    first.send_signal(signal.SIGTERM)
    since = time.monotonic()
    stopped = workers.ended(first)
    assert time.monotonic() - since < 20
    assert stopped.status == 1, stopped.said
    assert "the run is to stop: what was not written is fetched again" in stopped.said
    own_postgresql.start()
    ended = workers.ended(second)
    assert ended.status == 0, ended.said
    assert {*urls_of(own_postgresql, "pages", workers.name)} == urls
    assert sum(workers.left().values()) == 0
