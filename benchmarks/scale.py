"""What a crawl over Redis takes as it grows: memory, network, and a window in PostgreSQL instead.

What docs/scale.md calls measured, for one machine and the Redis that tests use (its version and its allocator
are printed). Everything goes through the store of a crawl (``stores.redis.store``), over 64 partitions.

- ``memory.N``: of N URLs, bytes a URL that Redis uses (``used_memory``, so with what its allocator rounds up): ``waiting``,
  a URL of 51 characters with the text of a link (``row`` bytes of it are the row itself); ``known``; ``page``, what is remembered
  of a page to visit it again; ``fact``, a short one by page. ``log``: bytes a URL of the append-only file, never rewritten;
  ``mirror``: of the worker's file on disk, without its log.
- ``known.N``: the same of known URLs alone, at more sizes. ``known_at_rest.N``: after Redis was started again from
  a snapshot.
- ``network``: over a whole crawl of one worker and of two, bytes a page that Redis received (``in``) and sent
  (``out``), scripts a page, microseconds that Redis spent in one (``script_us``) and its CPU a page (``cpu_us``).
- ``window``: one window of 100 pages with 20 new links each, written into Redis and into PostgreSQL (rows by COPY,
  known URLs by INSERT … ON CONFLICT, pages by upsert, done rows deleted; no fsync in either): milliseconds by the clock and of
  the server's CPU, median. ``cpu_ratio``: PostgreSQL's over Redis's.
  ``row_bytes``: what a waiting row and a known URL take there.

``--arms`` names some of memory, known, network, window.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from benchmarks.parts.children import arguments, finish
from benchmarks.parts.shared_store import row, used, worker, written
from benchmarks.shared import FAST, crawl, until, words
from focuscrawl.stores.redis.rows import row_to_bytes
from focuscrawl.stores.redis.store import RedisStore
from focuscrawl.stores.state.protocol import PARTITIONS, Changes, Row, packed
from focuscrawl.values import Json, PageClass, PageState
from tests.servers.postgresql_server import PostgreSQLServer
from tests.servers.redis_server import RedisServer

SIZES, QUICK_SIZES = (100_000, 1_000_000), (20_000,)
KNOWN_SIZES = (100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
QUICK_KNOWN_SIZES = (20_000, 100_000)
CRAWLED, QUICK_CRAWLED = 4_000, 600
AT_ONCE = 2_000
"""URLs of a window: a hundred pages with twenty new links each."""

PAGES_OF_WINDOW = 100
WINDOWS, QUICK_WINDOWS = 200, 20
NOW = 1_795_000_000.0
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")

TABLES = """
CREATE TABLE rows (sequence bigint PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE known (number bigint PRIMARY KEY);
CREATE TABLE pages (key bytea PRIMARY KEY, value bytea NOT NULL);
"""

_OneChange = Callable[[Changes, int], object]


@contextmanager
def store_over(folder: Path, **options: str) -> Iterator[tuple[RedisServer, RedisStore]]:
    """Run a Redis, and a worker on it whose file lies in the folder, too."""
    server = RedisServer(folder / "redis", **options).start()
    before = tempfile.tempdir
    tempfile.tempdir = str(folder / "mirror")
    (folder / "mirror").mkdir()
    store = worker(server, "measures")
    try:
        store.own()
        yield server, store
    finally:
        tempfile.tempdir = before
        store.release()
        server.stop()


def number_of(count: int) -> int:
    """Return the key number of a made-up URL."""
    digest = hashlib.md5(count.to_bytes(8, "big"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "big")


def page(count: int) -> PageState:
    """Return what is remembered of an article that was read twice."""
    key = hashlib.md5(count.to_bytes(8, "big"), usedforsecurity=False).digest()
    waiting = row(count).waiting
    return PageState(
        key,
        waiting.url,
        waiting.site,
        page_class=PageClass.ARTICLE,
        level=3,
        first_fetched=NOW,
        last_fetched=NOW + 86_400,
        next_visit=NOW + 172_800,
        visits=2,
        source_id="example.com",
        observed=86_400.0,
        digest=key[::-1],
        simhash=int.from_bytes(key[:8], "big"),
        etag='"65f0c2a1-3b5e"',
        modified="Mon, 23 Nov 2026 08:00:00 GMT",
    )


def add_row(changes: Changes, count: int) -> None:
    """Add a URL that waits."""
    changes.added.append(row(count))


def add_known(changes: Changes, count: int) -> None:
    """Add a URL that is known."""
    changes.seen.append(number_of(count))


def add_page(changes: Changes, count: int) -> None:
    """Add what is remembered of a page."""
    changes.pages.append(page(count))


def add_fact(changes: Changes, count: int) -> None:
    """Add a fact of a page."""
    changes.facts["thread", page(count).key.hex()] = [3, 20, "2026-11-23"]


async def write_all(store: RedisStore, first: int, last: int, add: _OneChange) -> None:
    """Write one change for each of some URLs, a window after the other, over all partitions."""
    for begin in range(first, last, AT_ONCE):
        changes: defaultdict[int, Changes] = defaultdict(Changes)
        for count in range(begin, min(last, begin + AT_ONCE)):
            add(changes[number_of(count) % PARTITIONS], count)
        await written(store, changes)


def mirror_size(folder: Path) -> int:
    """Return how long the file of a worker is when all stands in it that was written."""
    (file,) = folder.rglob("mirror.db")
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint")
    return file.stat().st_size


def memory(urls: int) -> Json:
    """Return what so many URLs take."""
    found: Json = {}
    with (
        tempfile.TemporaryDirectory(prefix="focuscrawl-scale-") as temporary,
        store_over(Path(temporary), appendonly="yes") as (server, store),
    ):
        folder = Path(temporary)
        server.client().config_set("auto-aof-rewrite-percentage", 0)
        adders = {"waiting": add_row, "known": add_known, "page": add_page, "fact": add_fact}
        for name, add in adders.items():
            before, disk, log = used(server), mirror_size(folder / "mirror"), server.written()
            asyncio.run(write_all(store, 1, urls + 1, add))
            found[name] = {
                "redis": round((used(server) - before) / urls, 1),
                "mirror": round((mirror_size(folder / "mirror") - disk) / urls, 1),
                "log": round((server.written() - log) / urls, 1),
            }
        found["waiting"]["row"] = len(row_to_bytes(row(urls)))
    return found


def known(sizes: Sequence[int]) -> tuple[Json, Json]:
    """Return what known URLs take while a crawl grows, and when Redis was started again."""
    growing: Json = {}
    with (
        tempfile.TemporaryDirectory(prefix="focuscrawl-scale-") as temporary,
        store_over(Path(temporary)) as (server, store),
    ):
        empty, last = used(server), 1
        for urls in sizes:
            asyncio.run(write_all(store, last, urls + 1, add_known))
            last = urls + 1
            growing[str(urls)] = round((used(server) - empty) / urls, 1)
        server.client().save()
        server.stop()
        server.start()
        rest = {str(sizes[-1]): round((used(server) - empty) / sizes[-1], 1)}
    return growing, rest


# Network -----------------------------------------------------------------------------------------


class Traffic(NamedTuple):
    """What a Redis has received, sent, run and used until some moment."""

    received: int
    sent: int
    scripts: int
    script_us: int
    cpu: float

    @classmethod
    def of(cls, server: Any) -> Traffic:
        """Ask a client."""
        stats, calls, cpu = (server.info(part) for part in ("stats", "commandstats", "cpu"))
        scripts = calls.get("cmdstat_evalsha", {"calls": 0, "usec": 0})
        return cls(
            stats["total_net_input_bytes"],
            stats["total_net_output_bytes"],
            scripts["calls"],
            scripts["usec"],
            cpu["used_cpu_user"] + cpu["used_cpu_sys"],
        )


def network(workers: int, pages: int) -> Json:
    """Return what a page of a crawl by so many workers costs on the way to Redis and in it."""
    with crawl(pages) as made:
        before = Traffic.of(made.client())
        for _ in range(workers):
            made.start(*words(FAST // workers))
        until(lambda: len(made.held()) == workers)
        made.to_its_end()
        after = Traffic.of(made.client())
        count = made.web.count(0.0, time.monotonic())
    scripts = after.scripts - before.scripts
    return {
        "in": round((after.received - before.received) / count),
        "out": round((after.sent - before.sent) / count),
        "scripts": round(scripts / count, 2),
        "script_us": round((after.script_us - before.script_us) / scripts),
        "cpu_us": round(1e6 * (after.cpu - before.cpu) / count),
    }


# A window in PostgreSQL --------------------------------------------------------------------------


def rows_of_window(number: int) -> list[Row]:
    """Return the links of a window, each with a number nobody else has."""
    first = 1 + number * AT_ONCE
    return [row(count) for count in range(first, first + AT_ONCE)]


def redis_windows(folder: Path, windows: int) -> tuple[list[float], list[float]]:
    """Return seconds by the clock and of Redis's CPU, of each window."""
    taken: list[float] = []
    cpu: list[float] = []
    with store_over(folder) as (server, store):

        async def write(number: int) -> None:
            changes: defaultdict[int, Changes] = defaultdict(Changes)
            for one in rows_of_window(number):
                change = changes[number_of(one.sequence) % PARTITIONS]
                change.added.append(one)
                change.seen.append(number_of(one.sequence))
            for one in rows_of_window(number - 1)[:PAGES_OF_WINDOW] if number else ():
                change = changes[number_of(one.sequence) % PARTITIONS]
                change.removed.append(one.sequence)
                change.pages.append(page(one.sequence))
            before, used_before = time.perf_counter(), Traffic.of(server.client()).cpu
            await written(store, changes)
            cpu.append(Traffic.of(server.client()).cpu - used_before)
            taken.append(time.perf_counter() - before)

        for number in range(windows):
            asyncio.run(write(number))
    return taken, cpu


def process_cpu(process: int) -> float:
    """Return the seconds of CPU that a process has used (Linux)."""
    after_name = (
        Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    )
    return (int(after_name[11]) + int(after_name[12])) / CLOCK_TICKS


def postgresql_windows(folder: Path, windows: int) -> tuple[list[float], float, float]:
    """Return seconds by the clock of each window, seconds of the server's CPU of one, and bytes a URL."""
    folder.mkdir()
    folder.chmod(0o755)
    folder.parent.chmod(0o755)
    server = PostgreSQLServer(folder).start()
    taken = []
    try:
        with psycopg.connect(f"user=crawl dbname=postgres host={folder}") as database:
            database.execute(TABLES)
            database.commit()
            before = process_cpu(database.info.backend_pid)
            for number in range(windows):
                began = time.perf_counter()
                write_to_postgresql(database, number)
                taken.append(time.perf_counter() - began)
            cpu = (process_cpu(database.info.backend_pid) - before) / windows
            (size,) = database.execute(
                "SELECT pg_total_relation_size('rows') + pg_total_relation_size('known')"
            ).fetchone() or (0,)
    finally:
        server.stop()
    return taken, cpu, size / (windows * AT_ONCE)


def write_to_postgresql(database: psycopg.Connection[Any], number: int) -> None:
    """Write one window as one transaction."""
    links = rows_of_window(number)
    done = rows_of_window(number - 1)[:PAGES_OF_WINDOW] if number else []
    states = [page(one.sequence) for one in done]
    with database.cursor() as cursor:
        with cursor.copy("COPY rows FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "bytea"])
            for one in links:
                copy.write_row((one.sequence, row_to_bytes(one)))
        cursor.execute(
            "INSERT INTO known SELECT unnest(%s::bigint[]) ON CONFLICT DO NOTHING",
            ([number_of(one.sequence) - 2**63 for one in links],),
        )
        cursor.execute(
            "INSERT INTO pages SELECT unnest(%s::bytea[]), unnest(%s::bytea[])"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            ([one.key for one in states], [packed(one) for one in states]),
        )
        cursor.execute(
            "DELETE FROM rows WHERE sequence = ANY(%s)", ([one.sequence for one in done],)
        )
    database.commit()


def window(windows: int) -> Json:
    """Compare the two."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-scale-") as temporary:
        folder = Path(temporary)
        ours, ours_cpu = redis_windows(folder / "ours", windows)
        theirs, theirs_cpu, size = postgresql_windows(folder / "theirs", windows)
    cpu = statistics.median(ours_cpu)
    return {
        "redis_ms": round(1e3 * statistics.median(ours), 1),
        "redis_cpu_ms": round(1e3 * cpu, 2),
        "postgresql_ms": round(1e3 * statistics.median(theirs), 1),
        "postgresql_cpu_ms": round(1e3 * theirs_cpu, 2),
        "cpu_ratio": round(theirs_cpu / cpu, 1),
        "row_bytes": round(size, 1),
    }


def server_said() -> Json:
    """Return which Redis it is."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-scale-") as folder:
        server = RedisServer(Path(folder)).start()
        info: Any = server.client().info()
        server.stop()
    version = info.get("valkey_version") or info["redis_version"]
    return {"version": version, "allocator": info["mem_allocator"]}


def main() -> None:
    """Run all arms, or those named by ``--arms``."""
    given = arguments(__doc__, "arms")
    quick = given.quick
    chosen = given.arms.split(",") if given.arms else ["memory", "known", "network", "window"]
    found: Json = {"server": server_said()}
    if "memory" in chosen:
        sizes = QUICK_SIZES if quick else SIZES
        found["memory"] = {str(urls): memory(urls) for urls in sizes}
    if "known" in chosen:
        growing, rest = known(QUICK_KNOWN_SIZES if quick else KNOWN_SIZES)
        found |= {"known": growing, "known_at_rest": rest}
    if "network" in chosen:
        pages = QUICK_CRAWLED if quick else CRAWLED
        found["network"] = {str(workers): network(workers, pages) for workers in (1, 2)}
    if "window" in chosen:
        found["window"] = window(QUICK_WINDOWS if quick else WINDOWS)
    finish(found)


if __name__ == "__main__":
    main()
