"""What it costs to have the results of a shared crawl in PostgreSQL, and what becomes of them.

A web of articles of which every third has a text that another has, too (benchmarks/parts/shared_web.py); workers
over a real Redis, results in a real PostgreSQL.

- ``pg_vs_sqlite``: CPU a page in the process of one worker, over that of one whose results are in a SQLite file
  and that runs beside it; median of the pairs.
- ``story_ms``, ``story_ms_sqlite``: milliseconds an article by the clock for looking into the index of stories and
  writing to it, of these workers.
- ``stories_same``: whether four workers with PostgreSQL, and one with SQLite, tell the same stories, each the same
  addresses, as an index of one process over SQLite that is told the same articles in the same order. Frequencies
  of words grow with what was told, so another order may tell another story: ``stories_apart`` are those that only
  the four or only the one worker has told, who had fetched in orders of their own.
- ``deadlocks_seen``: how often PostgreSQL broke off one of two who write the same rows in opposite order, since
  these were not sorted; ``errors``: how often somebody was told so. ``deadlocks_sorted``: the same with rows in order.
- ``outage_s``: for so long PostgreSQL is away in the midst of a crawl of two workers, after a crash; ``lost`` pages that are
  not in the results in the end, ``twice`` that are there more than once, ``restarts``: workers that had ended by themselves and were started again.

``--arms`` names some of cost, stories, deadlocks, outage.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from benchmarks.parts.children import arguments, finish
from benchmarks.parts.retold import TOLD, WORDS, retold
from benchmarks.parts.shared_crawl import SharedCrawl
from benchmarks.parts.shared_web import SharedWeb
from focuscrawl.stores.results.transactions import Transactions
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.values import Json
from tests.servers.postgresql_server import PostgreSQLServer
from tests.servers.redis_server import RedisServer

PAGES, QUICK_PAGES = 1_000, 100
COPIED = 3
"""One page in so many has a text that stands elsewhere, too."""

PAIRS, QUICK_PAIRS = 5, 1
ANSWER_DELAY = 0.1
OUTAGE, QUICK_OUTAGE = 20.0, 5.0
BEFORE_OUTAGE = 0.3
"""The part of the pages that are answered before."""

ROUNDS, ROWS = 20, 200
"""Of two who write the same rows."""


@contextmanager
def crawl(name: str, pages: int, postgresql: PostgreSQLServer | None) -> Iterator[SharedCrawl]:
    """Make a crawl over a web and a Redis of its own."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-results-") as temporary:
        folder = Path(temporary)
        server = RedisServer(folder / "redis", appendonly="yes").start()
        texts = pages - pages // COPIED
        web = SharedWeb(pages, pages // 4, max(10, pages // 20), 1, ANSWER_DELAY, texts)
        environment = {"FOCUSCRAWL_LEASE": "3s"}
        if postgresql is not None:
            environment["FOCUSCRAWL_RESULTS"] = postgresql.url
        made = SharedCrawl(
            *(name, folder / name, web, server), delay=0.0, environment=environment, stories=True
        )
        try:
            with web, made:
                yield made
        finally:
            server.stop()


def rows(postgresql: PostgreSQLServer, query: str, **words: Any) -> list[Any]:
    """Ask PostgreSQL something."""
    engine = create_engine(postgresql.url)
    try:
        with engine.connect() as connection:
            return [*connection.execute(text(query), words)]
    finally:
        engine.dispose()


# What it costs -----------------------------------------------------------------------------------


def pair(postgresql: PostgreSQLServer, pages: int, number: int) -> tuple[float, float, float]:
    """Return CPU over CPU, and the milliseconds of stories with PostgreSQL and with SQLite."""
    with (
        crawl(f"server{number}", pages, postgresql) as there,
        crawl(f"file{number}", pages, None) as here,
    ):
        for one in (there, here):
            one.start()
        found = []
        for one in (there, here):
            one.to_its_end()
            found += [noted for noted in one.workers[0].calls_made() if "page_cpu" in noted]
    server, file = found
    print(
        f"a page: {1e3 * server['page_cpu']:.2f} ms with a server, {1e3 * file['page_cpu']:.2f} with a file"
    )
    ratio = server["page_cpu"] / file["page_cpu"]
    return ratio, 1e3 * server["story_s"] / pages, 1e3 * file["story_s"] / pages


def cost(postgresql: PostgreSQLServer, pages: int, pairs: int) -> Json:
    """Run one worker with PostgreSQL beside one with SQLite."""
    found = [pair(postgresql, pages, number) for number in range(pairs)]
    ratio, there, here = (statistics.median(one) for one in zip(*found, strict=True))
    return {
        "pg_vs_sqlite": round(ratio, 3),
        "story_ms": round(there, 2),
        "story_ms_sqlite": round(here, 2),
    }


# The same stories --------------------------------------------------------------------------------

MEMBERS = "SELECT story_id, url FROM story_members JOIN pages USING (topic, url_key)"


def grouped(members: Sequence[Any]) -> set[frozenset[str]]:
    """Return the stories as sets of addresses."""
    by_story: defaultdict[str, set[str]] = defaultdict(set)
    for story, url in members:
        by_story[story].add(url)
    return {frozenset(urls) for urls in by_story.values()}


def of_one_index(made: SharedCrawl, told: Sequence[Any]) -> set[frozenset[str]]:
    """Return the stories of one process that is told what the workers of a crawl were told, in their order."""
    places = made.story_places()
    return retold(sorted(told, key=lambda row: places[row[0]]), made.template)


def stories(postgresql: PostgreSQLServer, pages: int) -> Json:
    """Compare what four workers tell, and what one tells, with what one index tells."""
    with crawl("alone", pages, None) as made:
        made.start()
        made.to_its_end()
        alone = grouped([*made.query(MEMBERS)])
        in_order = of_one_index(made, [*made.query(TOLD, topic="alone", **WORDS)])
    with crawl("four", pages, postgresql) as made:
        for _ in range(4):
            made.start()
        made.to_its_end()
        four = grouped(rows(postgresql, f"{MEMBERS} WHERE topic = :topic", topic="four"))
        in_their_order = of_one_index(made, rows(postgresql, TOLD, topic="four", **WORDS))
    for who, more in (
        ("one worker", alone - four),
        ("four", four - alone),
        ("one worker and not its order", alone - in_order),
        ("four and not their order", four - in_their_order),
    ):
        for story in sorted(map(sorted, more)):
            print(f"only {who} told: {' '.join(story)}")
    return {
        "stories_same": four == in_their_order and alone == in_order,
        "stories_apart": len(four ^ alone),
        "stories": len(four),
        "stories_alone": len(alone),
    }


# Rows in opposite order --------------------------------------------------------------------------


def clashes(postgresql: PostgreSQLServer, *, is_sorted: bool) -> tuple[int, int]:
    """Let two write the same rows; returns how many deadlocks PostgreSQL saw, and how many errors they heard of."""
    query = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'"
    engine = create_engine(postgresql.url)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE IF EXISTS meets"))
        connection.execute(text("CREATE TABLE meets (key int PRIMARY KEY, value int)"))
    before = rows(postgresql, query)[0][0]
    errors: list[StoreError] = []

    def write(keys: Sequence[int]) -> None:
        transaction = Transactions(engine)
        upsert = text(
            "INSERT INTO meets VALUES (:key, 1) ON CONFLICT (key) DO UPDATE SET value = meets.value + 1"
        )
        for _ in range(ROUNDS):
            try:
                transaction(
                    lambda connection: [connection.execute(upsert, {"key": key}) for key in keys]
                )
            except StoreError as error:
                errors.append(error)

    keys = range(ROWS)
    threads = [
        threading.Thread(target=write, args=(one,))
        for one in (keys, keys if is_sorted else keys[::-1])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.dispose()
    time.sleep(1.5)  # PostgreSQL counts them once a second
    total = rows(postgresql, "SELECT min(value) AS least FROM meets")[0][0]
    if total + len(errors) < 2 * ROUNDS:
        raise RuntimeError(f"{2 * ROUNDS} windows were written, and {total} are there")
    return rows(postgresql, query)[0][0] - before, len(errors)


def deadlocks(postgresql: PostgreSQLServer) -> Json:
    """Let two meet, with rows in opposite order and with rows in one order."""
    seen, errors = clashes(postgresql, is_sorted=False)
    in_order, errors_in_order = clashes(postgresql, is_sorted=True)
    return {
        "deadlocks_seen": seen,
        "deadlocks_sorted": in_order,
        "errors": errors + errors_in_order,
    }


# PostgreSQL is away ------------------------------------------------------------------------------


def outage(postgresql: PostgreSQLServer, pages: int, seconds: float) -> Json:
    """Let PostgreSQL crash in the midst of a crawl, and come back later."""
    restarts = 0
    with crawl("outage", pages, postgresql) as made:
        for _ in range(2):
            made.start()
        # Who has not begun yet when PostgreSQL goes would end, as it says, and be started again.
        while made.live() and (len(made.web.log) < BEFORE_OUTAGE * pages or len(made.held()) < 2):
            time.sleep(0.02)
        postgresql.stop(kill=True)
        time.sleep(seconds)
        postgresql.start()
        while (
            len(made.live()) < 2 and restarts < 2
        ):  # who has ended is started again, as by systemd
            restarts += 1
            made.start()
        made.to_its_end(strict=False)
        web = made.web
    query = "SELECT url FROM articles WHERE topic = :topic"
    found = Counter(url for (url,) in rows(postgresql, query, topic="outage"))
    members = Counter(
        url for _, url in rows(postgresql, f"{MEMBERS} WHERE topic = :topic", topic="outage")
    )
    return {
        "outage_s": seconds,
        "lost": len({*web.urls} - members.keys()),
        "twice": found.total() - len(found) + members.total() - len(members),
        "restarts": restarts,
    }


def main() -> None:
    """Run all arms, or those named by ``--arms``."""
    given = arguments(__doc__, "arms")
    quick = given.quick
    chosen = given.arms.split(",") if given.arms else ["cost", "stories", "deadlocks", "outage"]
    pages = QUICK_PAGES if quick else PAGES
    found: Json = {}
    with tempfile.TemporaryDirectory(prefix="focuscrawl-results-") as temporary:
        base = Path(temporary)
        base.chmod(0o755)
        server = PostgreSQLServer(base).start()
        try:
            if "cost" in chosen:
                found |= cost(server, pages, QUICK_PAIRS if quick else PAIRS)
            if "stories" in chosen:
                found |= stories(server, pages)
            if "deadlocks" in chosen:
                found |= deadlocks(server)
            if "outage" in chosen:
                found |= outage(server, pages, QUICK_OUTAGE if quick else OUTAGE)
        finally:
            server.stop()
    finish(found)


if __name__ == "__main__":
    main()
