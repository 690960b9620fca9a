"""What others push for a crawl to begin with, as for scrapy-redis."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from focuscrawl.stores.redis.start_urls import RefusedStart, StartKey, start_from
from focuscrawl.stores.state.protocol import Fate, StartUrl, WorkerState
from tests.stores.opened_stores import handed_over, leave, redis_store
from tests.tables import each_row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.redis_server import RedisServer


def test_an_address_or_json_is_read() -> None:
    assert start_from(b" http://a.cn/ \n") == StartUrl(b" http://a.cn/ \n", "http://a.cn/")
    entry = json.dumps(
        {"url": "https://a.cn/", "method": "post", "meta": {"job": 1}, "name": 2}
    ).encode()
    assert start_from(entry) == StartUrl(entry, "https://a.cn/", "POST", {"name": "2"}, {"job": 1})


@each_row(
    "entry",
    [
        *(b"", b"a.cn", b"ftp://a.cn/", b"http://", b"http://[", b"\xff", b"{broken"),
        *(b'{"url": 5}', b'{"meta": {}}', b'{"url": "http://a.cn/", "meta": 3}'),
        *(b"http://a.cn:99999/", b"http://a.cn:x/", b'{"url": "http://a.cn/\\ud800"}'),
        b'{"url": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_address_is_refused_with_a_reason(entry: bytes) -> None:
    found = start_from(entry)
    assert isinstance(found, RefusedStart)
    assert found.why


@pytest.mark.parametrize("kind", ["list", "set", "zset"])
def test_entries_stay_until_their_rows_are_stored_and_come_once(
    redis_of_tests: RedisServer, tmp_path: Path, kind: str
) -> None:
    client, name = redis_of_tests.client(), f"{tmp_path}:start_urls"
    entries = ["http://a.cn/", "no address", "http://b.cn/"]
    for entry in entries:
        if kind == "list":
            client.rpush(name, entry)
        elif kind == "set":
            client.sadd(name, entry)
        else:
            client.zadd(name, {entry: 1.0})
    size = {"list": client.llen, "set": client.scard, "zset": client.zcard}[kind]
    store = redis_store(redis_of_tests, f"{tmp_path}:", starts=StartKey(name, kind))
    store.own()

    async def windows() -> list[Fate]:
        first = await handed_over(store, {})
        assert size(name) == 2, "something was taken out but what is no address"
        store.tell(WorkerState(started=first.starts))
        second = await handed_over(store, {})
        assert size(name) == 0
        return [first, second, await handed_over(store, {})]

    fates = asyncio.run(windows())
    assert sorted(one.url for fate in fates for one in fate.starts) == [
        "http://a.cn/",
        "http://b.cn/",
    ]
    (refused,) = client.lrange(f"{name}:refused", 0, -1)
    assert json.loads(refused)["entry"] == "no address"
    leave(store)


def test_what_no_request_can_be_made_of_is_set_aside_by_who_was_to_ask(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    client, name = redis_of_tests.client(), f"{tmp_path}:start_urls"
    client.rpush(name, "http://a.cn/", "http://b.cn/")
    store = redis_store(redis_of_tests, f"{tmp_path}:", starts=StartKey(name))
    store.own()

    async def windows() -> None:
        first, second = (await handed_over(store, {})).starts
        store.tell(WorkerState(started=[first._replace(refused="it is no request"), second]))
        await handed_over(store, {})

    asyncio.run(windows())
    assert client.llen(name) == 0
    (refused,) = client.lrange(f"{name}:refused", 0, -1)
    assert json.loads(refused) == {"entry": "http://a.cn/", "why": "it is no request"}
    leave(store)


@pytest.mark.program  # a lease ends
def test_who_gives_the_whole_topic_back_and_has_it_again_reads_what_is_pushed_meanwhile(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    client, name = redis_of_tests.client(), f"{tmp_path}:start_urls"
    client.rpush(name, "http://a.cn/")
    store = redis_store(redis_of_tests, f"{tmp_path}:", lease=1.5, starts=StartKey(name))
    store.own()

    async def windows() -> list[str]:
        first = (await handed_over(store, {})).starts
        await store.give_back([0], {})
        again: list[StartUrl] = []
        while not again:
            store.tell(WorkerState())
            again = [*(await handed_over(store, {})).starts]
            await asyncio.sleep(0.1)
        return [one.url for one in (*first, *again)]

    assert asyncio.run(windows()) == ["http://a.cn/", "http://a.cn/"]
    leave(store)


def test_the_key_is_named_as_scrapy_redis_names_it() -> None:
    assert StartKey.of(Settings(), "news") == StartKey("news:start_urls", "list")
    settings = Settings({"REDIS_START_URLS_KEY": "go:%(name)s", "REDIS_START_URLS_AS_ZSET": True})
    assert StartKey.of(settings, "news") == StartKey("go:news", "zset")
