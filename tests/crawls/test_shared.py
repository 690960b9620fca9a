"""One crawl on several workers over a real Redis: together they find what one alone finds."""

from __future__ import annotations

import itertools
import re
import signal
import socket
import socketserver
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from sqlalchemy import create_engine, text

from focuscrawl.urls.sites import partition_of
from tests.crawls.test_partitions import HOSTS, TOPIC, found, linked
from tests.servers.redis_server import SERVICE, RedisServer, redis_behind_sentinel
from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.in_process import Ended
    from tests.programs import Running
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.B1, pytest.mark.of_a_file]

SOURCES = " ".join(f"http://{host}/" for host in HOSTS[:3])
NAMES = itertools.count(1)
WAIT = 300.0
LEASE = "3s"
MANY, FEW = 12, 9
"""Articles of each site. Of eight, as many as there are sites, their links would reach five eighths."""


class Workers:
    """Workers on one crawl."""

    def __init__(self, project: Project, server: RedisServer) -> None:
        self.name = f"shared{next(NAMES)}"
        self.project = project
        self.server = server
        self.started: list[Running] = []

    def topic(self, text: str = TOPIC, sources: str = SOURCES) -> None:
        self.project.topic(text, self.name, sources)

    def start(self, *arguments: str, **environment: str) -> Running:
        words = ("-s", f"REDIS_URL={self.server.url}", *arguments)
        running = self.project.start(
            "crawl", self.name, *words, **{"FOCUSCRAWL_LEASE": LEASE, **environment}
        )
        self.started.append(running)
        return running

    def ended(self, running: Running) -> Ended:
        from tests.in_process import Ended

        said, _ = running.communicate()
        assert "Traceback" not in said, said
        assert running.returncode is not None
        return Ended(running.returncode, said)

    def left(self) -> dict[str, int]:
        """Count what is left in Redis, in rows and inboxes."""
        client = self.server.client()
        prefix = f"{self.name}:focuscrawl:"
        return {
            "rows": sum(client.hlen(f"{prefix}rows:{p}") for p in range(64)),
            "aside": sum(client.hlen(f"{prefix}aside:{p}") for p in range(64)),
            "inbox": sum(client.llen(f"{prefix}inbox:{p}") for p in range(64)),
            "workers": client.zcard(f"{prefix}workers"),
        }

    def held(self) -> dict[str, int]:
        """Count the partitions by worker."""
        owners: Any = self.server.client().hgetall(f"{self.name}:focuscrawl:owners")
        names = [owner.decode().partition(":")[2] for owner in owners.values()]
        return {name: names.count(name) for name in names if name}

    def at_work(self) -> int:
        """Count those that have fetched a page."""
        counts: Any = self.server.client().hgetall(f"{self.name}:focuscrawl:counts")
        return sum(name.startswith(b"pages ") and value != b"0" for name, value in counts.items())

    def who_holds(self, site: str) -> str:
        """Return the worker that may ask a site."""
        owner: Any = self.server.client().hget(
            f"{self.name}:focuscrawl:owners", str(partition_of(site))
        )
        return str(owner.decode().partition(":")[2])


@pytest.fixture
def workers(project: Project, redis_of_tests: RedisServer) -> Iterator[Workers]:
    made = Workers(project, redis_of_tests)
    yield made
    for one in made.started:  # after a failure, or they would stay for ever
        one.kill()


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def two(web: Web, workers: Workers, limit: str = "", **environment: str) -> tuple[Running, Running]:
    """Start two workers, and let the web be slow until each has its half."""
    pause, web.pause = web.pause, 2.0
    before, limits = len(web.asked()), ("-a", limit) if limit else ()
    first = workers.start(*limits, **environment)
    until(lambda: len(web.asked()) > before)
    second = workers.start(*limits, **environment)
    until(lambda: sorted(workers.held().values()) == [32, 32])
    web.pause = pause
    return first, second


AWAY, BACK = "Redis does not answer", "Redis answers again"
ANEW = "Redis has been started anew"
NOTHING_LEFT = {"rows": 0, "aside": 0, "inbox": 0, "workers": 0}


def test_a_worker_that_starts_while_redis_is_away_waits_for_it_and_says_so_once(
    project: Project, web: Web, workers: Workers, tmp_path: Path
) -> None:
    workers.server = RedisServer(tmp_path / "own")
    urls = slow(web, workers, articles=3)
    started = workers.start()
    until(lambda: AWAY in started.said())
    workers.server.start()
    try:
        ended = workers.ended(started)
        assert workers.left() == NOTHING_LEFT
    finally:
        workers.server.stop()
    assert ended.status == 0, ended.said
    assert {*asked_pages(web)} == urls
    assert [ended.said.count(words) for words in (AWAY, BACK)] == [1, 1]


@pytest.mark.server
def test_a_crawl_behind_sentinel_goes_on_with_the_redis_that_takes_over(
    project: Project, web: Web, workers: Workers, tmp_path: Path
) -> None:
    urls = slow(web, workers)
    with redis_behind_sentinel(tmp_path) as (master, port):
        url = f"redis+sentinel://127.0.0.1:{port}/{SERVICE}/0"
        started = workers.start("-s", f"REDIS_URL={url}")
        until(lambda: len(asked_pages(web)) > len(urls) // 3)
        master.stop(kill=True)
        ended = workers.ended(started)
    assert ended.status == 0, ended.said
    assert {*asked_pages(web)} == urls
    # Sentinel closes the connections of a replica that it makes the master: one may have been asked before.
    away, anew, back = (ended.said.count(words) for words in (AWAY, ANEW, BACK))
    assert anew == 1
    assert away == back >= 1


@pytest.mark.parametrize("loop", ["", "-s TWISTED_REACTOR_ENABLED=False"])
def test_a_worker_that_waits_for_redis_before_it_has_begun_stops_when_it_is_asked_to(
    project: Project, web: Web, workers: Workers, tmp_path: Path, loop: str
) -> None:
    workers.server = RedisServer(tmp_path / "own")
    slow(web, workers)
    started = workers.start(*loop.split())
    until(lambda: AWAY in started.said())
    started.send_signal(signal.SIGTERM)
    ended = workers.ended(started)
    assert ended.status == 0, ended.said
    assert not web.asked()


class Relay(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Stands between workers and a Redis; once it ``drips`` a byte comes through every tenth of a second."""

    daemon_threads = True

    def __init__(self, path: Path, redis: RedisServer) -> None:
        self.drips, self.is_over = threading.Event(), threading.Event()
        self.url = f"unix://{path}"
        relay = self

        class Line(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with socket.socket(socket.AF_UNIX) as server, suppress(OSError):
                    server.connect(str(redis.socket))
                    threading.Thread(target=self.ask, args=(server,), daemon=True).start()
                    while answer := server.recv(1 if relay.drips.is_set() else 1 << 16):
                        if relay.drips.is_set():
                            relay.is_over.wait(0.1)
                        self.request.sendall(answer)

            def ask(self, server: socket.socket) -> None:
                with suppress(OSError):
                    while asked := self.request.recv(1 << 16):
                        server.sendall(asked)
                    server.shutdown(socket.SHUT_RDWR)

        super().__init__(str(path), Line)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.is_over.set()
        self.shutdown()
        self.server_close()


def test_a_worker_whose_redis_drips_waits_for_it_and_ends_when_it_is_asked_to(
    project: Project, web: Web, workers: Workers, tmp_path: Path
) -> None:
    urls = slow(web, workers)
    with Relay(tmp_path / "relay.sock", workers.server) as relay:
        settings = (f"REDIS_URL={relay.url}", 'REDIS_PARAMS={"socket_timeout": 2}')
        started = workers.start(*(word for one in settings for word in ("-s", one)))
        until(lambda: len(asked_pages(web)) > len(urls) // 3)
        relay.drips.set()
        until(lambda: AWAY in started.said())
        before = time.monotonic()
        started.send_signal(signal.SIGTERM)
        ended = workers.ended(started)
        assert time.monotonic() - before < WAIT
    assert "the store does not answer: what was done since it did is done again" in ended.said
    assert workers.ended(workers.start()).status == 0
    assert {*asked_pages(web)} == urls


def test_one_worker_over_redis_finds_what_an_embedded_crawl_finds(
    project: Project, web: Web, workers: Workers
) -> None:
    linked(web)
    project.topic(TOPIC, sources=SOURCES)
    assert project.crawl().status == 0
    alone = found(project)
    before = len(web.asked())
    workers.topic()
    ended = workers.ended(workers.start())
    assert ended.status == 0, ended.said
    asked = [one.url for one in web.asked()[before:]]
    assert len(asked) == len({*asked}), "no page was asked for twice"
    assert found(project, workers.name) == alone
    assert workers.left() == NOTHING_LEFT


def test_two_workers_find_what_one_finds_and_each_holds_its_half(
    project: Project, web: Web, workers: Workers
) -> None:
    linked(web)
    project.topic(TOPIC, sources=SOURCES)
    assert project.crawl().status == 0
    alone = found(project)
    web.pause = 0.5
    before = len(web.asked())
    workers.topic()
    first, second = two(web, workers, FOCUSCRAWL_LEASE="60s")  # which a busy machine keeps, too
    ended = [workers.ended(one) for one in (first, second)]
    assert [one.status for one in ended] == [0, 0], ended
    asked = [one.url for one in web.asked()[before:] if not one.url.endswith("robots.txt")]
    assert found(project, workers.name) == alone
    assert workers.left() == NOTHING_LEFT
    assert len(asked) == len({*asked}), "no page was asked for twice"
    pages = [int(re.findall(r"(\d+) pages from", one.said)[0]) for one in ended]
    assert min(pages) > 20, pages


def slow(web: Web, workers: Workers, delay: str = "0s", articles: int = FEW) -> set[str]:
    """Make a web that takes its time; returns the addresses of all its pages."""
    linked(web, articles)
    web.pause = 0.45
    workers.topic(TOPIC + f'[politeness]\ndelay = "{delay}"\n[settings]\nRETRY_TIMES = 0\n')
    return {*web.answers} - {f"http://{host}/" for host in HOSTS[3:]}  # nothing leads there


def asked_pages(web: Web) -> list[str]:
    return [one.url for one in web.asked() if not one.url.endswith("robots.txt")]


def gaps(web: Web) -> float:
    """Return the shortest time between two requests for pages of one site, whoever asked."""
    times: dict[str, list[float]] = {}
    for one in web.asked():
        if not one.url.endswith("robots.txt"):
            times.setdefault(one.host, []).append(one.at)
    return min(
        (later - sooner for found in times.values() for sooner, later in itertools.pairwise(found)),
    )


def test_what_a_killed_worker_held_is_taken_over_and_its_sites_are_left_in_peace(
    project: Project, web: Web, workers: Workers
) -> None:
    urls = slow(web, workers, "400ms", MANY)
    first, second = two(web, workers)
    first.kill()
    ended = workers.ended(second)
    assert ended.status == 0, ended.said
    gone = rf":{first.pid} \(32 partitions\) is gone or stands still: took 32 partitions, holds 64,"
    assert len(re.findall(gone, ended.said)) == 1, ended.said
    assert {*asked_pages(web)} ^ urls == set()
    assert len(found(project, workers.name)[1]) == len(urls)
    assert workers.left() | {"workers": 0} == NOTHING_LEFT
    runs = project.rows("SELECT end_reason, worker FROM crawl_runs", workers.name)
    assert {row["worker"].rpartition(":")[2]: row["end_reason"] for row in runs} == {
        str(first.pid): "crashed",
        str(second.pid): "finished",
    }
    assert gaps(web) > 0.35


def test_a_worker_that_was_killed_here_keeps_nobody_here_waiting_for_its_lease(
    project: Project, web: Web, workers: Workers
) -> None:
    urls = slow(web, workers)
    environment = {"FOCUSCRAWL_LEASE": "100s"}
    first = workers.start(**environment)
    until(lambda: len(asked_pages(web)) > 5)
    first.kill()
    first.communicate()
    begun = time.monotonic()
    ended = workers.ended(workers.start(**environment))
    assert ended.status == 0, ended.said
    assert time.monotonic() - begun < 60
    assert {*asked_pages(web)} == urls
    assert workers.left() == NOTHING_LEFT


def test_a_worker_that_stood_still_writes_nothing_more_and_goes_on(
    project: Project, web: Web, workers: Workers
) -> None:
    urls = slow(web, workers)
    first, second = two(web, workers, FOCUSCRAWL_LEASE="5s")
    first.send_signal(signal.SIGSTOP)
    until(lambda: [*workers.held().values()] == [64])
    first.send_signal(signal.SIGCONT)
    ended = [workers.ended(one) for one in (first, second)]
    assert [one.status for one in ended] == [0, 0], ended
    assert "32 partitions have gone to other workers" in ended[0].said
    assert {*asked_pages(web)} ^ urls == set()
    assert len(found(project, workers.name)[1]) == len(urls)
    assert workers.left() == NOTHING_LEFT


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_redis_that_is_started_again_has_lost_nothing(
    project: Project, web: Web, tmp_path: Path, is_cut: bool
) -> None:
    server = RedisServer(tmp_path / "redis", appendonly="yes", appendfsync="everysec").start()
    workers = Workers(project, server)
    urls = slow(web, workers)
    first, second = two(web, workers)
    until(lambda: len(web.asked()) > 20)
    before = server.written()
    time.sleep(1.0)
    server.stop(kill=True)
    if is_cut:
        server.cut(before)
    time.sleep(1.0)
    server.start()
    ended = [workers.ended(one) for one in (first, second)]
    left = workers.left()
    server.stop()
    assert [one.status for one in ended] == [0, 0], ended
    assert "Redis has been started anew" in ended[0].said
    assert {*asked_pages(web)} ^ urls == set()
    assert len(found(project, workers.name)[1]) == len(urls)
    assert left == NOTHING_LEFT


def test_all_workers_together_fetch_no_page_too_many(
    project: Project, web: Web, workers: Workers
) -> None:
    linked(web)
    web.pause = 1.0
    workers.topic(TOPIC + "[limits]\npages = 60\n")
    first, second = two(web, workers)
    ended = [workers.ended(one) for one in (first, second)]
    assert [one.status for one in ended] == [0, 0], ended
    assert len(asked_pages(web)) == 60
    assert any("all workers together: 60 pages" in one.said for one in ended), ended
    for running, one in zip((first, second), ended, strict=True):
        ours = [line for line in one.said.splitlines() if "[focuscrawl" in line]
        assert ours
        assert all(f":{running.pid}: " in line for line in ours), ours
    assert {
        row["end_reason"] for row in project.rows("SELECT * FROM crawl_runs", workers.name)
    } == {"limit_pages"}


def test_all_workers_together_store_as_many_new_articles_as_they_may(
    project: Project, web: Web, workers: Workers
) -> None:
    """What there is no room for waits: a crawl with a higher limit finds the rest."""
    linked(web)
    web.pause = 1.0
    workers.topic(TOPIC)
    first, second = two(web, workers, limit="limits.articles=45")
    # Who is late on a busy machine would find all tickets gone.
    until(lambda: workers.at_work() == 2)
    web.pause = 0.2
    ended = [workers.ended(one) for one in (first, second)]
    assert [one.status for one in ended] == [0, 0], ended
    assert any(" 45 articles new" in one.said for one in ended), ended
    assert len(project.articles(workers.name)) == 45
    runs = project.rows("SELECT articles_new, end_reason FROM crawl_runs", workers.name)
    assert {row["end_reason"] for row in runs} == {"limit_articles"}
    assert all(row["articles_new"] for row in runs), "each had its part"
    web.pause = 0.0
    ended = [workers.ended(workers.start())]
    assert ended[0].status == 0, ended
    pages = {url for url in asked_pages(web) if "/news/" in url and "_2" not in url}
    assert project.articles(workers.name) == pages
    assert len(pages) > 90
    assert workers.left() == NOTHING_LEFT


STOPS = """
import asyncio
import os
import signal
from pathlib import Path

from focuscrawl.values import Article


class Stops:
    \"\"\"Lets the process that has the third article first stand still, when more of them are on their way.\"\"\"

    articles = 0

    async def process_item(self, item):
        self.articles += isinstance(item, Article)
        if self.articles == 3 and not Path("stopped").exists():
            Path("stopped").touch()
            await asyncio.sleep(0.3)
            Path("stopped").write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)
        return item
"""


def test_who_stood_still_stores_no_article_beyond_what_all_may(
    project: Project, web: Web, workers: Workers
) -> None:
    """What it had in its pipelines came on top, once others had the tickets of one that is gone."""
    linked(web)
    web.pause = 0.5
    project.spider(STOPS, "ITEM_PIPELINES.update({'mine.spiders.Stops': 895})\n")
    workers.topic(TOPIC)
    running = two(web, workers, "limits.articles=20", FOCUSCRAWL_LEASE="1.5s")
    stopped = project.folder / "stopped"
    until(lambda: stopped.exists() and bool(stopped.read_text()))
    # Else the other finds the same articles there, and none is too many.
    for url in asked_pages(web):
        del web.answers[url]
    (first,) = [one for one in running if str(one.pid) == stopped.read_text()]
    (second,) = [one for one in running if one is not first]
    ended = workers.ended(second)
    assert ended.status == 0, ended.said
    assert len(project.articles(workers.name)) == 20
    first.send_signal(signal.SIGCONT)
    late = workers.ended(first)
    assert late.status == 0, late.said
    assert "taken this worker for one that is gone" in late.said
    assert len(project.articles(workers.name)) == 20


def test_what_a_worker_that_is_killed_had_room_for_is_the_others(
    project: Project, web: Web, workers: Workers
) -> None:
    linked(web)
    web.pause = 0.3
    workers.topic(TOPIC)
    first, second = two(web, workers, limit="limits.articles=60", FOCUSCRAWL_LEASE="5s")
    until(lambda: len(asked_pages(web)) > 25)
    first.kill()
    first.communicate()
    ended = workers.ended(second)
    assert ended.status == 0, ended.said
    assert len(project.articles(workers.name)) == 60
    assert " 60 articles new" in ended.said


def told_together(members: Iterable[Any]) -> set[frozenset[str]]:
    """Return the stories by the articles they have."""
    by_story: defaultdict[str, set[str]] = defaultdict(set)
    for row in members:
        by_story[row["story_id"]].add(row["url_key"])
    return {frozenset(keys) for keys in by_story.values()}


@pytest.mark.parametrize("is_server", [False, True], ids=["file", "server"])
def test_a_text_that_two_workers_find_at_once_is_told_once(
    project: Project, web: Web, workers: Workers, request: pytest.FixtureRequest, is_server: bool
) -> None:
    for host in HOSTS:
        urls = [f"http://{host}/news/{number}.html" for number in range(6)]
        web.board(f"http://{host}/", *urls)
        for number, url in enumerate(urls):
            web.article(url, 7 if number < 5 else 8)
    sources = " ".join(f"http://{host}/" for host in HOSTS)
    project.topic("", sources=sources)
    assert project.crawl().status == 0
    members = "SELECT url_key, story_id FROM story_members"
    alone = told_together(project.rows(members))
    web.pause = 0.5
    workers.topic("", sources)
    environment, engine = {}, None
    if is_server:
        folder = request.getfixturevalue("postgresql_socket")
        server = f"postgresql+psycopg://crawl@/postgres?host={folder}"
        environment, engine = {"FOCUSCRAWL_RESULTS": server}, create_engine(server)
    first, second = two(web, workers, **environment)
    assert [workers.ended(one).status for one in (first, second)] == [0, 0]
    if engine is None:
        stories = project.rows("SELECT articles, copies FROM stories", workers.name)
        told = told_together(project.rows(members, workers.name))
    else:
        of_topic, words = " WHERE topic = :topic", {"topic": workers.name}
        with engine.connect() as connection:
            query = text(f"SELECT articles, copies FROM stories{of_topic}")
            stories = [*connection.execute(query, words).mappings()]
            told = told_together(connection.execute(text(members + of_topic), words).mappings())
        engine.dispose()
    assert sum(row["articles"] for row in stories) == 48
    assert sum(row["articles"] - row["copies"] for row in stories) == 2
    assert told == alone
    assert sum(map(len, told)) == 48


def test_addresses_that_are_pushed_are_crawled_and_taken_out(
    project: Project, web: Web, workers: Workers
) -> None:
    web.board("http://a.test/")
    web.article("http://b.test/pushed.html", 3)
    workers.topic("", "http://a.test/")
    key = f"{workers.name}:start_urls"
    client = workers.server.client()
    refused = ["no address at all", "http://b.test:99999/", '{"url": ' + "[" * 100_000]
    client.lpush(key, "http://b.test/pushed.html", *refused)
    ended = workers.ended(workers.start())
    assert ended.status == 0, ended.said
    assert project.articles(workers.name) == {"http://b.test/pushed.html"}
    assert client.llen(key) == 0
    assert client.llen(f"{key}:refused") == len(refused)
    assert "set aside, since 'no address at all' is no address" in ended.said


def test_workers_wait_for_more_as_long_as_they_are_told_to(
    project: Project, web: Web, workers: Workers
) -> None:
    web.board("http://a.test/")
    for number in range(4):
        web.article(f"http://b{number}.test/pushed.html", number)
    workers.topic("", "http://a.test/")
    client, key = workers.server.client(), f"{workers.name}:pushed"
    words = ("-s", f"REDIS_START_URLS_KEY={key}", "-s", "REDIS_START_URLS_AS_SET=1")
    board = web.answers["http://a.test/"]
    assert isinstance(board, Answer)
    web.answers["http://a.test/"] = replace(board, fault="wait")
    running = [workers.start("-s", "MAX_IDLE_TIME_BEFORE_CLOSE=4", *words) for _ in range(2)]
    until(lambda: sorted(workers.held().values()) == [32, 32])
    web.is_holding = False  # sooner one might have waited long enough before the other begins
    until(lambda: client.hget(f"{workers.name}:focuscrawl:run", "finished") == b"1")
    urls = {f"http://b{number}.test/pushed.html" for number in range(4)}
    client.sadd(key, *urls)
    ended = [workers.ended(one) for one in running]
    assert [one.status for one in ended] == [0, 0], ended
    assert project.articles(workers.name) == urls
    assert workers.left() == NOTHING_LEFT


def test_a_crawl_that_is_not_to_persist_is_gone_with_its_last_worker_and_one_is_flushed_at_its_start(
    project: Project, web: Web, workers: Workers
) -> None:
    web.board("http://a.test/", "http://a.test/1.html")
    web.article("http://a.test/1.html", 1)
    workers.topic('[revisit]\npolicy = "off"\n', "http://a.test/")

    def asked(*words: str) -> int:
        before = web.times("http://a.test/1.html")
        ended = workers.ended(workers.start(*words))
        assert ended.status == 0, ended.said
        return web.times("http://a.test/1.html") - before

    assert [asked(), asked()] == [1, 0], "what is known persists"
    assert asked("-s", "SCHEDULER_FLUSH_ON_START=1") == 1
    assert asked("-s", "SCHEDULER_PERSIST=0") == 0
    assert not [*workers.server.client().scan_iter(f"{workers.name}:focuscrawl:*")]
    assert asked() == 1


def test_urls_that_wait_in_a_file_are_not_left_behind_unseen(
    project: Project, web: Web, workers: Workers
) -> None:
    slow(web, workers)
    project.crawl_killed(8, name=workers.name)
    running = workers.start()
    said, _ = running.communicate()
    assert running.returncode == 1, said
    assert re.search(r"\d+ URLs wait and .* in .*crawl\.db, and the settings name a Redis", said)
    assert "Traceback" not in said


def test_a_worker_that_is_told_to_stop_gives_back_what_it_has(
    project: Project, web: Web, workers: Workers
) -> None:
    urls = slow(web, workers, "300ms", MANY)
    first, second = two(web, workers, FOCUSCRAWL_LEASE="60s")
    said = project.run(
        "topic", "workers", workers.name, "-s", f"REDIS_URL={workers.server.url}"
    ).said
    assert (
        len(
            re.findall(
                r": 32 partitions, \d+ pages in .* a minute lately\), last sign of life \d\.\d s ago, ",
                said,
            )
        )
        == 2
    ), said
    assert re.search(r"[1-9]\d* URLs wait or are in flight", said)
    first.terminate()
    stopped = workers.ended(first)
    until(lambda: [*workers.held().values()] == [64])
    ended = workers.ended(second)
    assert [stopped.status, ended.status] == [0, 0], stopped.said
    assert "all workers together" not in stopped.said
    assert "all workers together" in ended.said
    assert sorted(asked_pages(web)) == sorted(urls), "each once"
    assert gaps(web) > 0.25
    assert workers.left() == NOTHING_LEFT


def test_workers_share_results_on_a_server(
    project: Project, web: Web, workers: Workers, postgresql_socket: Path
) -> None:
    urls = slow(web, workers)
    results = f"postgresql+psycopg://crawl@/postgres?host={postgresql_socket}"
    started = two(web, workers, FOCUSCRAWL_RESULTS=results)
    pause, web.pause = web.pause, 2.0  # or a busy machine starts the other when these have ended
    refused = workers.start().communicate()[0]
    web.pause = pause
    assert re.search("2 workers crawl this topic with another FOCUSCRAWL_RESULTS", refused)
    assert [workers.ended(one).status for one in started] == [0, 0]
    engine = create_engine(results)
    with engine.connect() as connection:
        query = text("SELECT url FROM pages WHERE topic = :topic")
        found_there = {*connection.scalars(query, {"topic": workers.name})}
        runs = connection.scalars(
            text("SELECT end_reason FROM crawl_runs WHERE topic = :topic"), {"topic": workers.name}
        ).all()
    engine.dispose()
    assert found_there == urls
    assert runs == ["finished", "finished"]


def test_what_one_worker_alone_can_do_refuses_a_second(
    project: Project, web: Web, workers: Workers
) -> None:
    slow(web, workers)
    strict = TOPIC.replace("steps = 5", "steps = 5\nstrict = true")
    workers.topic(strict + '[politeness]\ndelay = "200ms"\n')
    first = workers.start()
    until(lambda: len(web.asked()) > 3)
    web.pause = 2.0
    refused = workers.start().communicate()[0]
    assert "1 workers crawl this topic already, and [explore] strict keeps one order" in refused
    first.terminate()
    workers.ended(first)


def test_a_feed_that_all_workers_would_write_is_refused_before_the_start(
    project: Project, web: Web, workers: Workers
) -> None:
    web.board("http://a.test/")
    workers.topic("", "http://a.test/")
    said, _ = workers.start("-o", "items.csv").communicate()
    assert "feed items.csv: all workers would write this file; put %(worker)s into its name" in said
    assert not web.asked()
    ended = workers.ended(workers.start("-o", "items-%(worker)s.csv"))
    assert "all workers would write" not in ended.said


def test_pages_of_a_worker_that_was_killed_are_visited_again_by_who_is_left(
    project: Project, web: Web, workers: Workers
) -> None:
    pages = [f"http://a.test/news/{number}.html" for number in range(3)]
    web.board("http://a.test/", *pages)
    for number, url in enumerate(pages):
        web.article(url, number)
    times = 'first = "4s"\nmin = "4s"\nmax = "4s"\n'
    again = f'[revisit]\ncontinuous = true\npolicy = "fixed"\n[revisit.article]\n{times}'
    workers.topic(again, "http://a.test/")
    running = two(web, workers)
    until(lambda: {*pages} <= {*asked_pages(web)})
    until(lambda: workers.left()["rows"] == 0)
    has_it = workers.who_holds("a.test")
    first, second = sorted(running, key=lambda one: f":{one.pid}" not in has_it)
    first.kill()
    until(lambda: [*workers.held().values()] == [64])
    before = len(web.asked())
    until(lambda: {*pages} <= {one.url for one in web.asked()[before:]})
    second.terminate()
    ended = workers.ended(second)
    assert ended.status == 0, ended.said


def test_what_waits_and_is_deleted_between_two_runs_is_said_and_found_again(
    project: Project, web: Web, workers: Workers
) -> None:
    urls = slow(web, workers, articles=6)
    first = workers.start()
    until(lambda: len(asked_pages(web)) > len(urls) // 2)
    first.terminate()
    assert workers.ended(first).status == 0
    client, prefix = workers.server.client(), f"{workers.name}:focuscrawl:"
    gone = workers.left()["rows"]
    assert gone > 3
    for partition in range(64):
        client.delete(f"{prefix}rows:{partition}")
    ended = workers.ended(workers.start())
    assert {*asked_pages(web)} == urls, ended.said
    assert ended.status == 1, ended.said
    assert f"has lost {gone} values of this crawl" in ended.said
    assert (
        f"Redis has lost {gone} values of this crawl: this run or the next fetches the pages that it knows again"
        in ended.said
    )
    assert workers.ended(workers.start()).status == 0, "it is said once"
