"""How fast a crawl moves from its file into a Redis and back, with 10⁶ URLs that wait, and whether it is the same.

Method. The file is written by the real store: URLs of 1,000 sites, each known, a page's state for one in ten,
a part of a record for each site, facts. It goes into a Redis of the benchmark's own (in memory) and from there
into another file, by what ``scrapy topic move`` uses.

- *rows_s* is the URLs that wait, by the seconds of both ways together; *to_redis_s* and *to_file_s* are each way's.
- *same*: every table of the second file has what the first had.

``--quick``: 50,000 URLs.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.parts.children import arguments, finish
from focuscrawl.stores.redis.moved import copy_to_file, copy_to_server, size_in, size_of
from focuscrawl.stores.redis.server import Server
from focuscrawl.stores.state.protocol import Changes, Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting
from tests.servers.redis_server import RedisServer

ROWS, QUICK_ROWS = 1_000_000, 50_000
SITES = 1_000
AT_ONCE = 10_000
NOW = 1_790_000_000.0


def waiting_url(number: int) -> Waiting:
    """Return a URL of usual length, with the text of its link."""
    site = f"site{number % SITES}.example"
    url = f"https://www.{site}/news/2026/1120/content_{number:09}.html"
    key = md5(url.encode()).digest()
    return Waiting(url, key, site, 3, 3, PageClass.ARTICLE, 2, "关于食品安全抽检的通告")


def write(path: Path, rows: int) -> None:
    """Write a crawl file."""
    store = SQLiteStore(path)
    store.own()
    for first in range(1, rows + 1, AT_ONCE):
        changes: dict[int, Changes] = {}
        for number in range(first, first + AT_ONCE):
            one = waiting_url(number)
            home = partition_of(one.site)
            part = changes.setdefault(home, Changes())
            part.added.append(Row(number, one))
            part.seen.append(key_number(one.key, home))
            if number % 10 == 0:
                page = PageState(one.key, one.url, one.site, PageClass.ARTICLE, 3, NOW, NOW, 1.0, 1)
                part.pages.append(page)
            if number <= SITES:
                part.sites[one.site] = {"politeness": {"delay": 2.5}}
                part.facts["kind", one.key.hex()] = {"found": number}
        store.commit(changes)
    store.release()


def tables(path: Path) -> list[Any]:
    """Return what a crawl file has, in an order of its own."""
    with closing(sqlite3.connect(path)) as database:

        def ask(query: str) -> list[Any]:
            return database.execute(query).fetchall()

        known = [np.frombuffer(one, "<u8") for (one,) in ask("SELECT numbers FROM seen")]
        return [
            ask("SELECT sequence, level, state, priority, body FROM urls ORDER BY sequence"),
            ask("SELECT key, next_visit, partition FROM pages ORDER BY key"),
            ask("SELECT * FROM facts ORDER BY kind, key"),
            ask("SELECT name, parts FROM sites WHERE parts IS NOT NULL ORDER BY name"),
            np.sort(np.concatenate(known)).tolist(),
        ]


def main() -> None:
    """Move a crawl there and back."""
    given = arguments(__doc__)
    rows = QUICK_ROWS if given.quick else ROWS
    with tempfile.TemporaryDirectory(prefix="focuscrawl-move-") as folder:
        path, back = Path(folder) / "topic.crawl.db", Path(folder) / "back.crawl.db"
        write(path, rows)
        redis = RedisServer(Path(folder) / "redis").start()
        server = Server(redis.client().connection_pool, "topic:focuscrawl:")
        try:
            begun = time.perf_counter()
            with closing(sqlite3.connect(path)) as database:
                copy_to_server(database, server)
                same = size_in(server) == size_of(database)
            there = time.perf_counter()
            store = SQLiteStore(back, synchronous="OFF")
            store.own()
            copy_to_file(server, store)
            store.release()
            ended = time.perf_counter()
        finally:
            server.close()
            redis.stop(kill=True)
        same = same and tables(path) == tables(back)
    finish(
        {
            "rows": rows,
            "rows_s": round(rows / (ended - begun)),
            "to_redis_s": round(there - begun, 2),
            "to_file_s": round(ended - there, 2),
            "same": int(same),
        }
    )


if __name__ == "__main__":
    main()
