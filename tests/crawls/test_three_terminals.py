"""Three terminals on one crawl: one is killed, Redis restarts, PostgreSQL restarts, and nothing is lost.

The moments are those at which the crawl says or shows that it is there, and no time is waited for.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from tests.crawls.test_shared import NOTHING_LEFT, Workers, asked_pages, until
from tests.servers.redis_server import RedisServer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.programs import Running
    from tests.project import Project
    from tests.servers.postgresql_server import PostgreSQLServer
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.B1, pytest.mark.of_a_file]

SITES, ARTICLES = 12, 25
POLITE = '[politeness]\ndelay = "200ms"\n[settings]\nRETRY_TIMES = 0\n'
SLOWLY, QUICKLY = 3.0, 0.05
"""Seconds until an answer: slowly while something is waited for, however long a busy machine takes for it, so
that each worker still has pages when the next server goes away, and says so."""

REDIS_AWAY = "Redis does not answer"
REDIS_ANEW = "Redis has been started anew"
REDIS_BACK = "Redis answers again"
RESULTS_AWAY = "The results database does not answer"
RESULTS_BACK = "The results database answers again"


def sites(web: Web) -> tuple[str, set[str]]:
    """Put a list and its articles on each site; returns the sources, and all addresses."""
    homes = []
    for site in range(SITES):
        home = f"http://site{site}.test/"
        urls = [f"{home}news/{number}.html" for number in range(ARTICLES)]
        web.board(home, *urls)
        for number, url in enumerate(urls):
            web.article(url, 100 * site + number)
        homes.append(home)
    return " ".join(homes), {*web.answers}


def all_say(running: list[Running], words: str) -> None:
    """Wait until each terminal shows some words."""
    until(lambda: all(words in one.said() for one in running))


def go_on(web: Web) -> None:
    """Wait until some more pages have been asked for."""
    before = len(asked_pages(web))
    web.pause = QUICKLY
    until(lambda: len(asked_pages(web)) >= before + 10)
    web.pause = SLOWLY


def rows(postgresql: PostgreSQLServer, query: str, topic: str) -> list[tuple[str, ...]]:
    engine = create_engine(postgresql.url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query), {"topic": topic})]
    engine.dispose()
    return found


def test_one_is_killed_redis_and_postgresql_restart_and_each_terminal_says_so_in_one_line(
    project: Project, web: Web, tmp_path: Path, own_postgresql: PostgreSQLServer
) -> None:
    redis = RedisServer(tmp_path / "redis", appendonly="yes", appendfsync="everysec").start()
    workers = Workers(project, redis)
    sources, urls = sites(web)
    workers.topic(POLITE, sources)
    web.pause = SLOWLY
    started = [workers.start(FOCUSCRAWL_RESULTS=own_postgresql.url) for _ in range(3)]
    until(lambda: sorted(workers.held().values()) == [21, 21, 22])
    killed, *left = started
    until(lambda: all(f":{one.pid}" in " ".join(workers.held()) for one in started))
    go_on(web)

    killed.kill()
    until(lambda: sorted(workers.held().values()) == [32, 32])
    go_on(web)

    redis.stop(kill=True)
    all_say(left, REDIS_AWAY)
    redis.start()
    all_say(left, REDIS_BACK)
    go_on(web)

    own_postgresql.stop(kill=True)
    all_say(left, RESULTS_AWAY)
    own_postgresql.start()
    all_say(left, RESULTS_BACK)
    web.pause = QUICKLY

    ended = [workers.ended(one) for one in left]
    nothing = workers.left()
    redis.stop()
    assert [one.status for one in ended] == [0, 0], ended
    for one in ended:
        for words in (REDIS_AWAY, REDIS_ANEW, REDIS_BACK, RESULTS_AWAY, RESULTS_BACK):
            lines = [line for line in one.said.splitlines() if words in line]
            assert len(lines) == 1, (words, one.said)
    taken = [
        re.findall(
            rf":{killed.pid} \((\d+) partitions\) is gone or stands still: took \1 .* holds 32",
            one.said,
        )
        for one in ended
    ]
    assert sum(int(count) for counts in taken for count in counts) in (21, 22), ended
    assert [len(counts) for counts in taken] == [1, 1], ended
    assert {*asked_pages(web)} == urls
    pages = Counter(
        rows(own_postgresql, "SELECT url FROM pages WHERE topic = :topic", workers.name)
    )
    assert pages == Counter((url,) for url in urls)
    articles = rows(own_postgresql, "SELECT url FROM articles WHERE topic = :topic", workers.name)
    assert len(articles) == len({*articles}) == SITES * ARTICLES
    runs = rows(
        own_postgresql,
        "SELECT worker, end_reason FROM crawl_runs WHERE topic = :topic",
        workers.name,
    )
    assert {int(re.findall(r"\d+$", worker)[0]): reason for worker, reason in runs} == {
        killed.pid: "crashed",
        **dict.fromkeys((one.pid for one in left), "finished"),
    }
    assert nothing | {"workers": 0} == NOTHING_LEFT
