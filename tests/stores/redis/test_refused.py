"""A Redis that cannot hold a crawl is refused in words that say what to do; no fakes but for old versions."""

from __future__ import annotations

import asyncio
import re
import socketserver
import tempfile
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy.settings import Settings

from focuscrawl.stores.redis.connection import (
    ServerFacts,
    address_of,
    check_server,
    foreign_keys,
    pool_of,
)
from focuscrawl.stores.redis.keys import STATE_VERSION
from focuscrawl.stores.redis.moved import hold_still
from focuscrawl.stores.redis.server import Server, ServerAway, ServerChanged
from focuscrawl.stores.redis.start_urls import StartKey
from focuscrawl.stores.redis.workers import crawl_seen
from focuscrawl.stores.state.protocol import StoreError
from tests.servers.redis_server import RedisServer
from tests.stores.opened_stores import leave, redis_store, write
from tests.tables import each_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def looked_at(**settings: Any) -> None:
    pool = pool_of(Settings(settings))
    server = Server(pool, "topic:", address_of(pool))
    with closing(server):
        check_server(server, address_of(pool), 0.0)


@pytest.mark.program
def test_where_nothing_answers_it_is_said_where(tmp_path: Path) -> None:
    nowhere = tmp_path / "none.sock"
    with pytest.raises(ServerAway, match=r"none\.sock"):
        looked_at(REDIS_URL=f"unix://{nowhere}")
    store = redis_store(RedisServer(tmp_path), "topic:")
    with pytest.raises(StoreError, match=r"does not answer .*: start it, or look at REDIS_URL"):
        store.own()
    store.release()


class BusyServer(socketserver.BaseRequestHandler):
    """Refuses as a Redis does that reads its data or runs another's script; after three refusals it is gone."""

    refusals: ClassVar[list[bytes]] = []

    def handle(self) -> None:
        while self.refusals and self.request.recv(65_536):
            self.request.sendall(self.refusals.pop(0))


@pytest.mark.program
@pytest.mark.parametrize(
    "refusal",
    [
        b"-LOADING Redis is loading the dataset in memory\r\n",
        b"-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n",
        b"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
        b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
    ],
)
def test_who_joins_waits_for_a_server_that_is_busy_or_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, refusal: bytes
) -> None:
    server = RedisServer(tmp_path)
    BusyServer.refusals = [refusal] * 3
    with socketserver.UnixStreamServer(str(server.socket), BusyServer) as busy:
        threading.Thread(target=busy.serve_forever, args=(0.01,), daemon=True).start()
        store = redis_store(server, "topic:")

        async def join() -> None:
            joining = asyncio.ensure_future(store.reach())
            while BusyServer.refusals and not joining.done():
                await asyncio.sleep(0.01)
            busy.shutdown()
            server.socket.unlink()
            assert not joining.done(), joining.exception()
            await asyncio.to_thread(server.start)
            await joining

        asyncio.run(join())
    assert [*store.own()] == [*range(64)]
    store.release()
    server.stop()
    said = [one.getMessage() for one in caplog.records]
    assert len([one for one in said if "Redis does not answer" in one]) == 1
    assert len([one for one in said if "Redis answers again" in one]) == 1


@pytest.mark.program
def test_a_wrong_password_is_told_from_a_server_that_is_away(started: Any) -> None:
    server = started(requirepass="secret")
    for params in ({}, {"password": "wrong"}):
        where = r"^Redis at .*redis\.sock refuses the user or the password .*: look at REDIS_URL"
        with pytest.raises(StoreError, match=where):
            looked_at(REDIS_URL=server.url, REDIS_PARAMS=params)
    looked_at(REDIS_URL=server.url, REDIS_PARAMS={"password": "secret"})


class WebServer(socketserver.StreamRequestHandler):
    """Answers as a web server does whom somebody asks for what it does not understand."""

    def handle(self) -> None:
        self.rfile.readline()
        self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def test_what_is_no_redis_is_told() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), WebServer) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        port = web.server_address[1]
        where = (
            rf"^Redis at 127\.0\.0\.1:{port}: what answers there is no Redis .*: look at REDIS_URL"
        )
        with pytest.raises(StoreError, match=where):
            looked_at(REDIS_HOST="127.0.0.1", REDIS_PORT=port)
        web.shutdown()


@pytest.mark.program
def test_a_replica_is_refused_with_the_name_of_its_master(started: Any) -> None:
    server = started(replicaof="127.0.0.1 1")
    with pytest.raises(StoreError, match=r"replica of 127\.0\.0\.1, which takes no writes"):
        looked_at(REDIS_URL=server.url)


@pytest.mark.program
def test_a_server_that_deletes_keys_is_refused(started: Any) -> None:
    server = started(**{"maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"})
    with pytest.raises(StoreError, match=r"maxmemory-policy allkeys-lru.*noeviction"):
        looked_at(REDIS_URL=server.url)


@pytest.mark.program
def test_a_server_that_is_full_is_told_from_one_that_is_away(started: Any) -> None:
    server = started(maxmemory="1")
    store = redis_store(server, "topic:")
    with pytest.raises(StoreError, match=r"is full \(.*used memory.*: raise its maxmemory"):
        store.own()
    store.release()


@pytest.mark.parametrize(("ahead", "said"), [(3600, "ahead of"), (-3600, "behind that of")])
def test_a_clock_that_is_an_hour_off_is_said_and_leases_are_none_the_worse(
    redis_of_tests: RedisServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    ahead: int,
    said: str,
) -> None:
    first = redis_store(redis_of_tests, f"{tmp_path}:")
    first.own()
    caplog.clear()
    with monkeypatch.context() as patched:
        now = time.time
        patched.setattr(time, "time", lambda: now() + ahead)
        second = redis_store(redis_of_tests, f"{tmp_path}:")
        assert second.own() == [], "who is there holds them all still"
        assert 0 < second.seconds_held() <= 30
        left = crawl_seen(Server(redis_of_tests.client().connection_pool, f"{tmp_path}:"), 64)
    assert re.search(rf"the clock of this machine is (3599|3600|3601) s {said}", caplog.text)
    assert "set it right" in caplog.text
    assert [one.left > 0 for one in left.workers] == [True, True]
    leave(second)
    leave(first)


@pytest.mark.program
def test_a_server_without_a_log_is_used_and_said(
    started: Any, caplog: pytest.LogCaptureFixture
) -> None:
    looked_at(REDIS_URL=started().url)
    assert "set appendonly yes" in caplog.text
    assert "the clock of this machine is" in caplog.text, "it is said to be 1970 here"
    caplog.clear()
    looked_at(REDIS_URL=started("logged", appendonly="yes").url)
    assert "appendonly" not in caplog.text


@each_row(
    ("info", "why"),
    [
        ("redis_version:6.0.16\r\nrole:master", "version 6.0.16: use Redis 6.2 or later"),
        ("redis_version:7.0.0\r\nrole:master\r\ncluster_enabled:1", "it is a cluster"),
        ("something:else", "version unknown"),
        ("redis_version:6.2.14\r\nrole:master\r\nmaxmemory:0", ""),
        ("redis_version:7.2.4\r\nvalkey_version:8.0.1\r\nrole:master", ""),
    ],
)
def test_what_a_server_says_of_itself_decides(info: str, why: str) -> None:
    said = ServerFacts.of(info.encode()).why_not()
    assert why in said
    assert bool(why) == bool(said)


@pytest.mark.parametrize(
    "settings",
    [
        {"REDIS_PARAMS": {"decode_responses": True}},
        {"REDIS_DECODE_RESPONSES": True},
        {"REDIS_URL": "what is this"},
        {"REDIS_URL": "redis+sentinel://localhost:5001"},
    ],
)
def test_settings_that_cannot_be_used_are_told(settings: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="REDIS"):
        pool_of(Settings({"REDIS_HOST": "localhost"} | settings))


def test_sentinels_are_named_by_the_address_of_the_redis() -> None:
    url = "rediss+sentinel://me:s3cr%2Fet@one.cn:5001,two.cn/crawls/3"
    pool = pool_of(Settings({"REDIS_URL": url, "REDIS_PARAMS": {"socket_timeout": 7}}))
    known = pool.connection_kwargs
    assert (known["username"], known["password"], known["db"]) == ("me", "s3cr/et", 3)
    assert known["socket_timeout"] == 7
    assert address_of(pool) == "Redis crawls behind Sentinel at one.cn:5001, two.cn:26379"


def test_passwords_are_in_no_address() -> None:
    pool = pool_of(Settings({"REDIS_URL": "redis://user:secret@db.example:7000/3"}))
    assert address_of(pool) == "Redis at db.example:7000"


def test_keys_of_another_program_stay_as_they_are(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    client, prefix = redis_of_tests.client(), f"{tmp_path}:"
    client.set(f"{prefix}run", "somebody's")
    store = redis_store(redis_of_tests, prefix)
    with pytest.raises(StoreError, match=r"a key .*run of another program"):
        store.own()
    store.release()
    assert client.get(f"{prefix}run") == b"somebody's"


@pytest.mark.parametrize(
    ("key", "kind"),
    [("workers", "zset"), ("owners", "hash"), ("seen:7", "list"), ("unread:63", "set")],
)
def test_a_key_of_another_kind_is_named_before_anything_is_written(
    redis_of_tests: RedisServer, tmp_path: Path, key: str, kind: str
) -> None:
    client, prefix = redis_of_tests.client(), f"{tmp_path}:"
    client.set(f"{prefix}{key}", "somebody's")
    server = Server(client.connection_pool, prefix)
    for refused in (redis_store(redis_of_tests, prefix).own, lambda: hold_still(server, "", 0.0)):
        with pytest.raises(
            StoreError, match=rf"a key .*{key} of another .*a string, where .* {kind}"
        ):
            refused()
    assert client.keys(f"{prefix}*") == [f"{prefix}{key}".encode()]


def test_a_move_that_was_cut_off_at_its_beginning_is_no_other_program(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    prefix = f"{tmp_path}:"
    server = Server(redis_of_tests.client().connection_pool, prefix)
    assert [hold_still(server, "from here", time.time()) for _ in range(2)] == ["", "from here"]
    store = redis_store(redis_of_tests, prefix)
    with pytest.raises(StoreError, match=r"is being moved \(from here\)"):
        store.own()
    store.release()


@pytest.mark.parametrize("version", ["", "one", "-1"])
def test_a_version_that_is_no_number_is_another_programs(
    redis_of_tests: RedisServer, tmp_path: Path, version: str
) -> None:
    client, prefix = redis_of_tests.client(), f"{tmp_path}:"
    client.hset(f"{prefix}run", "version", version)
    store = redis_store(redis_of_tests, prefix)
    with pytest.raises(StoreError, match=f"another program .its version is '{version}'"):
        store.own()
    store.release()


@pytest.mark.parametrize(
    ("there", "settings", "advice"),
    [
        ("set", {}, "REDIS_START_URLS_AS_SET = True"),
        ("zset", {}, "REDIS_START_URLS_AS_ZSET = True"),
        ("list", {"REDIS_START_URLS_AS_SET": True}, "take REDIS_START_URLS_AS_SET and"),
        ("string", {}, "another key in REDIS_START_URLS_KEY"),
    ],
)
def test_a_start_key_of_another_kind_is_named_with_its_setting(
    redis_of_tests: RedisServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    there: str,
    settings: dict[str, Any],
    advice: str,
) -> None:
    client, starts = redis_of_tests.client(), StartKey.of(Settings(settings), str(tmp_path))
    make: dict[str, Callable[[], object]] = {
        "set": lambda: client.sadd(starts.name, "http://a.cn/"),
        "zset": lambda: client.zadd(starts.name, {"http://a.cn/": 1.0}),
        "list": lambda: client.lpush(starts.name, "http://a.cn/"),
        "string": lambda: client.set(starts.name, "http://a.cn/"),
    }
    make[there]()
    said = rf"{starts.name} is a {there}, and is read as a {starts.kind}: .*{advice}"
    store = redis_store(redis_of_tests, f"{tmp_path}:", starts=starts)
    with pytest.raises(StoreError, match=said):
        store.own()
    store.release()
    client.delete(starts.name)
    store = redis_store(redis_of_tests, f"{tmp_path}:", starts=starts)
    store.own()
    make[there]()  # while the crawl runs
    assert not write(store, {}).starts
    assert re.search(said, caplog.text)
    client.delete(starts.name)
    leave(store)


def test_keys_that_scrapy_redis_left_are_told_of(
    redis_of_tests: RedisServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client, foreign = redis_of_tests.client(), foreign_keys(Settings(), str(tmp_path))
    assert foreign == (f"{tmp_path}:requests", f"{tmp_path}:dupefilter")
    client.lpush(foreign[0], "pickled")
    store = redis_store(redis_of_tests, f"{tmp_path}:focuscrawl:", foreign=foreign)
    store.own()
    assert f"has {foreign[0]} of scrapy-redis, which is not read" in caplog.text
    assert foreign[1] not in caplog.text
    leave(store)
    assert client.llen(foreign[0]) == 1
    own = {"SCHEDULER_QUEUE_KEY": "q:%(spider)s", "SCHEDULER_DUPEFILTER_KEY": "d:%(spider)s"}
    assert foreign_keys(Settings(own), "news") == ("q:news", "d:news")


def test_a_move_leaves_a_crawl_of_a_newer_version_as_it_is(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    client, prefix = redis_of_tests.client(), f"{tmp_path}:"
    client.hset(f"{prefix}run", "version", STATE_VERSION + 1)
    with pytest.raises(StoreError, match="written by a newer focuscrawl"):
        hold_still(Server(client.connection_pool, prefix), "away", time.time())
    assert client.hgetall(f"{prefix}run") == {b"version": str(STATE_VERSION + 1).encode()}


def test_a_crawl_of_a_newer_version_stays_as_it_is(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    client, prefix = redis_of_tests.client(), f"{tmp_path}:"
    client.hset(f"{prefix}run", "version", STATE_VERSION + 1)
    store = redis_store(redis_of_tests, prefix)
    with pytest.raises(StoreError, match="written by a newer focuscrawl"):
        store.own()
    store.release()
    assert client.hgetall(f"{prefix}run") == {b"version": str(STATE_VERSION + 1).encode()}


def test_a_worker_with_another_template_is_refused_while_others_work(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    prefix = f"{tmp_path}:"
    first = redis_store(redis_of_tests, prefix, template="a")
    first.own()
    other = redis_store(redis_of_tests, prefix, template="b")
    with pytest.raises(StoreError, match=r"another template .'a'; here it is 'b'"):
        other.own()
    other.release()
    leave(first)
    later = redis_store(redis_of_tests, prefix, template="b")
    assert len(later.own()) == 64
    leave(later)


@pytest.mark.program
@pytest.mark.parametrize("refusal", ["version", "moving", "template", "away"])
def test_a_worker_that_is_refused_leaves_nothing_open_and_nothing_behind(
    started: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: str
) -> None:
    folder = tmp_path / "mirrors"
    folder.mkdir()
    server, prefix = started(), "refused:"
    first = redis_store(server, prefix, template="a")
    if refusal == "template":
        first.own()
    elif refusal != "away":
        server.client().hset(f"{prefix}run", refusal, STATE_VERSION + 1)
    before = server.client().hgetall(f"{prefix}run")
    threads = threading.active_count()
    other = redis_store(server, prefix, template="b")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    if refusal == "away":
        server.stop(kill=True)
    with pytest.raises(StoreError):
        other.own()
    assert not [*folder.iterdir()]
    assert threading.active_count() == threads
    if refusal != "away":
        assert server.client().hgetall(f"{prefix}run") == before
    first.release()


@pytest.mark.program
def test_a_redis_that_was_away_for_long_is_reached_when_it_is_back(tmp_path: Path) -> None:
    redis = RedisServer(tmp_path).start()
    server = Server(redis.client().connection_pool, "away:")
    server.send([("PING",)])
    redis.stop(kill=True)
    for _ in range(2 * server._pool.max_connections):
        with pytest.raises(ServerAway):
            server.send([("PING",)])
    redis.start()
    with pytest.raises(ServerChanged):
        server.send([("PING",)])
    assert server.send([("PING",)]) == [b"PONG"]
    server.close()
    redis.stop(kill=True)


@each_row("url", ["redis://u:s3/cret@h:6379/0", "redis://:cret#x@h:6379/0", "redis://h:cret/0"])
def test_an_address_that_is_cut_within_its_password_is_refused_without_it(url: str) -> None:
    with pytest.raises(StoreError, match="name no Redis") as refused:
        pool_of(Settings({"REDIS_URL": url}))
    assert "cret" not in str(refused.value)
    assert refused.value.__cause__ is None
