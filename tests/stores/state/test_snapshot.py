"""A crawl file that is looked at while its owner goes on."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

import msgspec
import pytest

from focuscrawl.stores.state import migrations
from focuscrawl.stores.state.crawl_lock import holder_of
from focuscrawl.stores.state.protocol import (
    FAILED,
    PARKED,
    Changes,
    QueuePlace,
    Row,
    SentLink,
    SiteQueue,
    StoreError,
)
from focuscrawl.stores.state.snapshot import Snapshot
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Waiting
from tests.stores.state.test_migrations import FIELDS_OF_VERSION_1, VERSION_1


def waiting(number: int, site: str = "a.cn", level: int = 3, **more: Any) -> Waiting:
    url = f"http://{site}/{number}.html"
    key = md5(url.encode()).digest()
    return Waiting(url, key, site, level, level)._replace(**more)


def number_of(one: Waiting) -> int:
    return key_number(one.key, partition_of(one.site))


ROWS = [
    Row(1, waiting(1)),
    Row(2, waiting(2, "b.cn")),
    Row(3, waiting(3, level=2)),
    Row(4, waiting(4)),
    Row(5, waiting(5), FAILED, 2, 9.0, 99.0, "http 500"),
    Row(6, waiting(6), PARKED, reason="quota"),
    Row(7, waiting(7, explore=True, score=0.2)),
    Row(8, waiting(8, explore=True, score=0.9)),
    Row(9, waiting(9, parent_key=waiting(4).key)),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "news.crawl.db"
    store = SQLiteStore(path)
    store.own()
    seen = [number_of(row.waiting) for row in ROWS]
    sent = [SentLink(waiting(70, "c.cn"), 1)]
    store.commit({0: Changes(added=ROWS, seen=seen, sent=sent)})
    store.release()
    return path


@pytest.fixture
def snapshot(path: Path) -> Iterator[Snapshot]:
    store = Snapshot(path)
    store.own()
    yield store
    store.release()


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_found_by_its_key(snapshot: Snapshot, row: Row) -> None:
    assert snapshot.row_of_key(row.waiting.key, row.waiting.site) == row


def test_a_row_of_another_site_or_of_none_is_not_found(snapshot: Snapshot) -> None:
    assert snapshot.row_of_key(ROWS[0].waiting.key, "b.cn") is None
    assert snapshot.row_of_key(ROWS[0].waiting.key, "never.cn") is None
    assert snapshot.row_of_key(bytes(16), "a.cn") is None


def test_a_visit_that_waits_goes_before_a_row_that_has_failed(path: Path) -> None:
    failed = ROWS[4].waiting
    store = SQLiteStore(path)
    store.own()
    store.commit({0: Changes(added=[Row(10, failed)])})
    store.release()
    look = Snapshot(path)
    look.own()
    found = look.row_of_key(failed.key, failed.site)
    look.release()
    assert found
    assert found.sequence == 10


def test_what_was_seen_is_known(snapshot: Snapshot) -> None:
    assert all(snapshot.has_seen(number_of(row.waiting)) for row in ROWS)
    assert not snapshot.has_seen(number_of(waiting(99)))


def test_a_place_counts_what_came_before_in_the_level_and_of_the_site(snapshot: Snapshot) -> None:
    assert snapshot.place_of(ROWS[3]) == QueuePlace(waiting=4, before=2, before_in_site=1)
    assert snapshot.place_of(ROWS[0]) == QueuePlace(waiting=4, before=0, before_in_site=0)
    assert snapshot.place_of(ROWS[6]) == QueuePlace(waiting=2, before=0, before_in_site=1)


def test_the_queues_of_a_site_are_counted(snapshot: Snapshot) -> None:
    assert snapshot.queues_of_site("a.cn") == [
        SiteQueue(0, 3, False, 3),
        SiteQueue(0, 3, True, 2),
        SiteQueue(0, 2, False, 1),
        SiteQueue(FAILED, 3, False, 1),
        SiteQueue(PARKED, 3, False, 1),
    ]
    assert snapshot.queues_of_site("never.cn") == []


def test_a_link_on_its_way_is_found(snapshot: Snapshot) -> None:
    assert snapshot.sent_to_others(waiting(70, "c.cn").key)
    assert not snapshot.sent_to_others(waiting(71, "c.cn").key)


def test_it_stays_as_it_was_while_its_owner_goes_on(path: Path) -> None:
    owner = SQLiteStore(path)
    owner.own()
    look = Snapshot(path)
    look.own()
    owner.commit({0: Changes(removed=[1], seen=[number_of(waiting(50))])})
    assert look.row_of_key(ROWS[0].waiting.key, "a.cn") == ROWS[0]
    assert not look.has_seen(number_of(waiting(50)))
    look.release()
    owner.release()


def test_nothing_can_be_written(snapshot: Snapshot, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(StoreError, match="only looked at"):
        snapshot.commit({0: Changes(removed=[1])})
    assert path.read_bytes() == before


def test_a_newer_file_is_refused_and_a_missing_one_told(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no crawl in this file yet"):
        Snapshot.of(tmp_path / "other.crawl.db", tmp_path)
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {migrations.VERSION + 1}")
    database.close()
    with pytest.raises(StoreError, match="written by a newer focuscrawl"):
        Snapshot.of(path, tmp_path)


def test_an_older_file_is_read_through_a_copy(tmp_path: Path) -> None:
    path, folder = tmp_path / "old.crawl.db", tmp_path / "copy"
    old = waiting(1, "a.example")
    body = msgspec.msgpack.encode((tuple(old)[:FIELDS_OF_VERSION_1], 0, 0.0, ""))
    with sqlite3.connect(path) as database:
        database.executescript(VERSION_1)
        database.execute("INSERT INTO urls VALUES (7, 0, 3, 0, NULL, 0, ?)", (body,))
    database.close()
    folder.mkdir()
    before = path.read_bytes()
    look = Snapshot.of(path, folder)
    look.own()
    assert look.path.parent == folder
    assert look.row_of_key(old.key, "a.example") == Row(7, old)
    assert asyncio.run(look.facts("template")) == {}
    look.release()
    assert path.read_bytes() == before


@pytest.mark.program
def test_whether_somebody_has_the_file_is_asked_without_taking_it(path: Path) -> None:
    assert holder_of(path) == ""
    script = (
        "import sys; from pathlib import Path; from focuscrawl.stores.state.sqlite import SQLiteStore;"
        "store = SQLiteStore(Path(sys.argv[1])); store.own(); print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", script, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == "held\n"
        assert holder_of(path).endswith(f":{holder.pid}")
        assert holder_of(path).endswith(f":{holder.pid}")
        holder.communicate("\n")
    assert holder_of(path) == ""
