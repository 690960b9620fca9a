"""What waits in a crawl, in a file and on a Redis alike, told while its owner goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from focuscrawl.config import Config, read_config
from focuscrawl.stores.state.protocol import FAILED, PARKED, Changes, Row, Store, StoreError
from focuscrawl.stores.state.queues import WorkLeft
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.topic_store import crawl_path, queues_seen, work_left
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting
from tests.clock import NOON
from tests.stores.opened_stores import leave, redis_store, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.redis_server import RedisServer

SITE = "a.example"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return replace(read_config(Settings({"FOCUSCRAWL_DATA_DIR": str(tmp_path)}), {}, None))


def row(number: int, state: int = 0) -> Row:
    url = Waiting(f"http://{SITE}/{number}", number.to_bytes(16, "big"), SITE, 3, 3)
    return Row(number, url, state, reason="status 500" if state else "")


def page(number: int, next_visit: float | None) -> PageState:
    key, url = number.to_bytes(16, "big"), f"http://{SITE}/{number}"
    return PageState(key, url, SITE, PageClass.ARTICLE, 3, NOON, NOON, next_visit, 1)


def fill(store: Store) -> None:
    """Let three URLs wait, one have failed and one be parked, and one page of three be due."""
    added = [row(1), row(2), row(3), row(4, FAILED), row(5, PARKED)]
    pages = [page(6, NOON - 60), page(7, NOON + 60), page(8, None)]
    store.own()
    write(store, {partition_of(SITE): Changes(added=added, pages=pages)})


@pytest.mark.parametrize("place", ["file", "redis"])
def test_what_is_left_to_do_is_counted_wherever_a_crawl_is(
    place: str, config: Config, redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    name, on_redis = tmp_path.name, place == "redis"
    settings = Settings({"REDIS_URL": redis_of_tests.url} if on_redis else {})
    assert work_left(name, config, settings, NOON) == WorkLeft()
    store: Store = SQLiteStore(crawl_path(config, name))
    if on_redis:
        store = redis_store(redis_of_tests, f"{name}:focuscrawl:")
    fill(store)
    if on_redis:
        left = work_left(name, config, settings, NOON)
        assert left[:3] == (3, 2, 1)
        assert len(left.workers) == 1, "whoever has it is named"
        leave(store)
    else:  # a process does not see its own lock of a file, and loses it by looking
        store.release()
    assert work_left(name, config, settings, NOON) == WorkLeft(3, 2, 1)
    seen = queues_seen(name, config, settings)
    assert seen
    assert (seen.total, seen.failed, seen.parked) == (3, 1, 1)
    assert [one.waiting.url for one in seen.failed_rows] == [f"http://{SITE}/4"]


def test_a_redis_that_does_not_answer_is_told_with_what_to_do(config: Config) -> None:
    settings = Settings({"REDIS_URL": "redis://127.0.0.1:1/0"})
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1.* does not answer .*look at REDIS_URL"):
        work_left("news", config, settings, NOON)


def test_a_file_that_is_no_crawl_is_told(config: Config) -> None:
    crawl_path(config, "news").write_bytes(b"no database at all, but long enough to be read as one")
    for ask in (
        lambda: work_left("news", config, Settings(), NOON),
        lambda: queues_seen("news", config, Settings()),
    ):
        with pytest.raises(StoreError, match="cannot be read as a"):
            ask()
