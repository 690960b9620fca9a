"""A crawl file that is looked over: what it holds, and what of it cannot be read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from focuscrawl.stores.state.protocol import Changes, Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_maintenance import CrawlLook
from focuscrawl.stores.state.topic_store import kept_in
from focuscrawl.values import PageClass, PageState
from tests.stores.state.test_snapshot import number_of, waiting

URLS = [waiting(number) for number in (1, 2, 3)]
PAGES = [
    PageState(bytes([number]) * 16, "", "a.cn", PageClass.BOARD, 3, 1.0, 1.0, 2.0, 1)
    for number in (1, 2)
]


def test_what_cannot_be_read_is_told_and_the_rest_is_counted(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "news.crawl.db")
    store.own()
    rows = [Row(number, one) for number, one in enumerate(URLS, 1)]
    store.commit({0: Changes(added=rows, seen=[*map(number_of, URLS)], pages=PAGES)})
    store.release()
    with closing(sqlite3.connect(tmp_path / "news.crawl.db")) as database:
        database.execute("UPDATE urls SET body = x'00' WHERE sequence = 1")
        database.commit()
        look = CrawlLook(database)
    assert look.problems == ["crawl file: 1 URLs cannot be read (rows [1])"]
    assert (look.waiting, look.pages) == (2, 2)
    assert [look.has_to_do(one.key.hex()) for one in URLS] == [False, True, True]


def test_what_a_crawl_file_keeps_is_said_before_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "news.crawl.db"
    assert kept_in(path) == ""
    store = SQLiteStore(path)
    store.own()
    store.release()
    assert kept_in(path) == ""
    store.own()
    rows = [Row(number, one) for number, one in enumerate(URLS, 1)]
    store.commit({0: Changes(added=rows, pages=PAGES)})
    store.release()
    assert kept_in(path) == "3 URLs wait and 2 pages are known"
