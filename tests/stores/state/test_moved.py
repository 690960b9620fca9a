"""All of a crawl goes from its file into a Redis and back, and is what it was."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from focuscrawl.stores.redis.keys import STATE_VERSION
from focuscrawl.stores.redis.moved import (
    copy_to_file,
    copy_to_server,
    delete,
    hold_still,
    is_there,
    let_go,
    put_aside,
    size_in,
    size_of,
    unread_in,
)
from focuscrawl.stores.redis.rows import link_number, link_to_bytes, page_from
from focuscrawl.stores.redis.server import Server
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING, Changes, Row, SentLink
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting
from tests.stores.opened_stores import leave, redis_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.B1

NOW = 1_795_000_000.0
SITES = ["a.example", "食品.example", "b.example", "c.example"]
ODD = ["", "a", "\0", "食" * 40, "\ud800"]


def link(number: int, site: str) -> Waiting:
    return Waiting(
        url=f"http://{site}/{number}",
        key=number.to_bytes(16, "big"),
        site=site,
        level=number % 5 + 1,
        passed_level=1,
        page_class=PageClass.ARTICLE,
        priority=number % 3,
    )


def page(number: int, site: str) -> PageState:
    return PageState(
        key=number.to_bytes(16, "big"),
        url=f"http://{site}/{number}",
        site=site,
        page_class=PageClass.ARTICLE,
        level=3,
        first_fetched=NOW,
        last_fetched=NOW,
        visits=number,
        next_visit=NOW + number,
    )


numbers = st.integers(1, 500)
sites = st.sampled_from(SITES)


@st.composite
def crawls(draw: st.DrawFn) -> list[dict[int, Changes]]:
    """Windows of a crawl: each URL once, in any state."""
    changes: dict[int, Changes] = {}

    def of(site: str) -> Changes:
        return changes.setdefault(partition_of(site), Changes())

    for number, site in draw(st.dictionaries(numbers, sites, max_size=30)).items():
        state = draw(st.sampled_from([WAITING, WAITING, FAILED, PARKED]))
        date = NOW + number if state == FAILED else None
        of(site).added.append(Row(number, link(number, site), state, number % 4, NOW, date, "why"))
        of(site).seen.append(key_number(number.to_bytes(16, "big"), partition_of(site)))
    for number, site in draw(st.dictionaries(numbers, sites, max_size=10)).items():
        of(site).pages.append(page(number, site))
    for site in draw(st.sets(sites)):
        of(site).sites[site] = {"politeness": {"delay": 2.5}, "食": [1, None]}
    for key, site in draw(st.dictionaries(st.sampled_from(ODD), sites)).items():
        if key != "\ud800":  # a crawl file takes none of these
            of(site).facts["kind", key] = {"x": [key, 1.5, None]}
    for number, site in draw(st.dictionaries(numbers, sites, max_size=5)).items():
        one = link(number, site)
        of(site).sent.append(SentLink(one, link_number(one)))
    for part in changes.values():
        part.added.sort()
    return [changes]


def tables(path: Path) -> dict[str, list[Any]]:
    """Return all that a crawl file has, in an order of its own."""
    with closing(sqlite3.connect(path)) as database:

        def ask(query: str) -> list[Any]:
            return database.execute(query).fetchall()

        known = b"".join(one for (one,) in ask("SELECT numbers FROM seen"))
        seen = sorted(known[at : at + 8] for at in range(0, len(known), 8))
        inbox: dict[int, list[Any]] = {}
        for partition, links in ask("SELECT partition, links FROM inbox ORDER BY position"):
            inbox.setdefault(partition, []).extend(msgspec.msgpack.decode(links))
        return {
            "urls": ask(
                "SELECT sequence, name, level, state, next_try, priority, body, lane FROM urls JOIN sites"
                " ON number = site ORDER BY sequence"
            ),
            "pages": [
                (*columns, page_from(body))
                for *columns, body in ask(
                    "SELECT key, next_visit, unseen, partition, body FROM pages ORDER BY key"
                )
            ],
            "facts": ask("SELECT * FROM facts ORDER BY kind, key"),
            "sites": sorted(
                (name, sorted(msgspec.msgpack.decode(parts).items(), key=str))
                for name, parts in ask("SELECT name, parts FROM sites WHERE parts IS NOT NULL")
            ),
            "seen": seen,
            "inbox": sorted(inbox.items()),
            "used": ask(
                "SELECT max((SELECT sequence FROM used), coalesce(max(sequence), 0)) FROM urls"
            ),
        }


def written(path: Path, windows: list[dict[int, Changes]], used: int = 0) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    store = SQLiteStore(path)
    store.own()
    for changes in windows:
        store.commit(changes)
    if used:
        store.commit({0: Changes(removed=[used])})
    store.release()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(crawls(), st.sampled_from([0, 900]))
def test_what_goes_into_a_redis_and_back_is_what_it_was(
    redis_of_tests: RedisServer, tmp_path: Path, windows: list[dict[int, Changes]], used: int
) -> None:
    path, back = tmp_path / "topic.crawl.db", tmp_path / "back.db"
    written(path, windows, used)
    server = Server(redis_of_tests.client().connection_pool, f"{tmp_path}:")
    delete(server)
    with closing(sqlite3.connect(path)) as database:
        copy_to_server(database, server)
        assert size_in(server) == size_of(database)
    written(back, [])
    store = SQLiteStore(back)
    store.own()
    copy_to_file(server, store)
    store.release()
    assert tables(back) == tables(path)


def test_a_worker_goes_on_with_what_was_moved_and_draws_no_number_twice(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    path, prefix = tmp_path / "topic.crawl.db", f"{tmp_path}:"
    rows = [Row(number, link(number, "a.example")) for number in range(1, 40)]
    written(path, [{partition_of("a.example"): Changes(added=rows)}], 901)
    server = Server(redis_of_tests.client().connection_pool, prefix)
    assert hold_still(server, "here", NOW) == ""
    with closing(sqlite3.connect(path)) as database:
        copy_to_server(database, server)
    worker = redis_store(redis_of_tests, prefix)
    with pytest.raises(Exception, match=r"is being moved \(here\)"):
        worker.own()
    worker.release()
    assert is_there(server)
    let_go(server)
    worker = redis_store(redis_of_tests, prefix)
    assert len(worker.own()) == 64
    asyncio.run(worker.load(range(64)))
    assert [row.sequence for row in worker.rows(WAITING)] == list(range(1, 40))
    drawn = [*iter(worker.draw, range(0))]
    assert drawn[0].start > 901
    assert worker.top() == drawn[-1].stop
    with pytest.raises(Exception, match="1 workers crawl this topic"):
        hold_still(server, "here", NOW)
    leave(worker)
    begin = put_aside(server)
    assert not is_there(server)
    assert redis_of_tests.client().keys(f"{begin}rows:*")


def test_a_link_that_cannot_be_read_stays_behind_and_holds_up_no_move(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    path, client = tmp_path / "topic.crawl.db", redis_of_tests.client()
    server = Server(client.connection_pool, f"{tmp_path}:")
    client.hset(f"{tmp_path}:run", "version", STATE_VERSION)
    one = link(1, "a.example")
    home = partition_of(one.site)
    readable = link_to_bytes(SentLink(one, link_number(one)))
    client.rpush(f"{tmp_path}:inbox:{home}", b"no link", readable)
    client.sadd(f"{tmp_path}:unread:{home}", b"an older one")
    written(path, [])
    store = SQLiteStore(path)
    store.own()
    assert copy_to_file(server, store) == 1
    store.release()
    with closing(sqlite3.connect(path)) as database:
        assert size_of(database).links == 1
    assert unread_in(server) == 2
    begin = put_aside(server)
    assert client.smembers(f"{begin}unread:{home}") == {b"no link", b"an older one"}
    client.sadd(f"{tmp_path}:unread:{home}", b"of the next")
    delete(server)
    assert unread_in(server) == 0
