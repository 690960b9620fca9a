"""A Redis that cannot hold a crawl is refused in words that say what to do; no fakes but for old versions."""

from __future__ import annotations

import socketserver
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from benchmarks.parts.redis_server import RedisServer
from focuscrawl.store.protocol import StoreError
from focuscrawl.store.redis.connection import ServerFacts, address_of, check_server, pool_of
from focuscrawl.store.redis.keys import STATE_VERSION
from focuscrawl.store.redis.server import Server, ServerAway
from tests.store.stores import leave, redis_store

if TYPE_CHECKING:
    from pathlib import Path


def looked_at(**settings: Any) -> None:
    pool = pool_of(Settings(settings))
    server = Server(pool, "topic:")
    with closing(server):
        check_server(server, address_of(pool), 0.0)


def test_where_nothing_answers_it_is_said_where(tmp_path: Path) -> None:
    nowhere = tmp_path / "none.sock"
    with pytest.raises(ServerAway, match=r"none\.sock"):
        looked_at(REDIS_URL=f"unix://{nowhere}")
    store = redis_store(RedisServer(tmp_path), "topic:")
    with pytest.raises(StoreError, match=r"does not answer .*: start it, or look at REDIS_URL"):
        store.own()
    store.release()


def test_a_wrong_password_is_told_from_a_server_that_is_away(started: Any) -> None:
    server = started(requirepass="secret")
    for params in ({}, {"password": "wrong"}):
        with pytest.raises(StoreError, match="refuses the user or the password"):
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
        with pytest.raises(StoreError, match="no Redis"):
            looked_at(REDIS_HOST="127.0.0.1", REDIS_PORT=web.server_address[1])
        web.shutdown()


def test_a_replica_is_refused_with_the_name_of_its_master(started: Any) -> None:
    server = started(replicaof="127.0.0.1 1")
    with pytest.raises(StoreError, match=r"replica of 127\.0\.0\.1, which takes no writes"):
        looked_at(REDIS_URL=server.url)


def test_a_server_that_deletes_keys_is_refused(started: Any) -> None:
    server = started(**{"maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"})
    with pytest.raises(StoreError, match=r"maxmemory-policy allkeys-lru.*noeviction"):
        looked_at(REDIS_URL=server.url)


def test_a_server_without_a_log_is_used_and_said(
    started: Any, caplog: pytest.LogCaptureFixture
) -> None:
    looked_at(REDIS_URL=started().url)
    assert "set appendonly yes" in caplog.text
    assert "the clock of this machine is" in caplog.text, "it is said to be 1970 here"
    caplog.clear()
    looked_at(REDIS_URL=started("logged", appendonly="yes").url)
    assert "appendonly" not in caplog.text


@pytest.mark.parametrize(
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
    ],
)
def test_settings_that_cannot_be_used_are_told(settings: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="REDIS"):
        pool_of(Settings({"REDIS_HOST": "localhost"} | settings))


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
