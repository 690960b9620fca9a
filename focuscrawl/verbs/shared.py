"""Crawls that several workers share: who works on one (``scrapy topic workers``), and its way from a crawl file
into a Redis and back (``scrapy topic move``)."""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

from focuscrawl.config import project_dir, read_config
from focuscrawl.features import rows_in_use
from focuscrawl.results.kind import Kinds
from focuscrawl.store.crawl_lock import CrawlLock
from focuscrawl.store.protocol import PARTITIONS, StoreError
from focuscrawl.store.sqlite_file import MOVED, open_read_only
from focuscrawl.store.topic_store import crawl_path, is_shared, server_of
from focuscrawl.stories.index import WORD_COUNTS
from focuscrawl.stories.index_moved import (
    delete_index,
    index_to_tables,
    size_in_tables,
)
from focuscrawl.stories.index_tables import make_tables
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import (
    Places,
    check_same,
    crawl_held_still,
    has_results,
    index_size_of,
    results_to_write,
    write_draft,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from focuscrawl.store.redis.server import Server
    from focuscrawl.store.redis.workers import CrawlSeen, WorkerSeen

FILE = "file"
"""What ``--to`` says of a way back."""


def workers(call: Call, args: Sequence[str]) -> str:
    """List the workers of a crawl (NAME): where, what they hold, what they have done."""
    name = call.loaded(args, secrets=False).template.name
    if not is_shared(call.settings):
        raise CannotDo(
            f"{name} is crawled by one process, since the settings name no Redis (REDIS_URL); -s"
            " REDIS_URL=… names one"
        )
    from focuscrawl.store.redis.server import ServerAway, in_words  # noqa: PLC0415 - brings redis
    from focuscrawl.store.redis.workers import crawl_seen  # noqa: PLC0415

    try:
        with closing(server_of(name, call.settings)) as server:
            try:
                return _in_words(name, crawl_seen(server, PARTITIONS), server.key("unread:*"))
            except ServerAway as error:
                raise CannotDo(f"{server.address} {in_words(error)}") from None
    except StoreError as error:
        raise CannotDo(str(error)) from None


def _in_words(name: str, seen: CrawlSeen, unread: str) -> str:
    waiting = f"{name}: {seen.waiting:,} URLs wait or are in flight"
    lines = [f"{waiting}, {seen.failed:,} failed or parked, {seen.inbox:,} links on their way"]
    lines += map(_line, seen.workers)
    if not seen.workers:
        lines.append("nobody works on it")
    elif seen.free:
        lines.append(f"{seen.free} partitions are free, or held by a worker that is not heard of")
    if seen.unread:
        lines.append(
            f"{seen.unread:,} links that were sent cannot be read: they are kept under {unread}"
        )
    if seen.has_ended:
        lines.append("the crawl has ended: nothing is left to do")
    return "\n".join(lines)


def _line(worker: WorkerSeen) -> str:
    state = "idle" if worker.is_idle else "at work"
    if worker.left < 0:
        state = f"in doubt: its lease ended {-worker.left:.0f} s ago"
    return (
        f"  {worker.name}: {worker.partitions} partitions, {worker.pages:,} pages in"
        f" {worker.seconds:,.0f} s ({worker.rate:.0f} a minute lately), last heard of {worker.beat:.1f} s ago, {state}"
    )


# On the way ---------------------------------------------------------------------------------------


def move(call: Call, args: Sequence[str]) -> str:
    """Move a crawl (NAME) with all it knows into a Redis (--to redis://…), or back (--to file)."""
    from focuscrawl.store.redis.server import (  # noqa: PLC0415 - brings redis
        ServerAway,
        ServerChanged,
        in_words,
    )

    places = _places(call, call.loaded(args, secrets=False).template.name)
    target, settings = call.options.to, call.settings
    if target and target != FILE:
        if not target.startswith(("redis://", "rediss://", "unix://")):
            raise CannotDo(f"--to {target}: write --to redis://host:6379/0, or --to {FILE}")
        settings = settings.copy()
        settings.set("REDIS_URL", target, "cmdline")
    if not is_shared(settings):
        raise CannotDo(
            "say where the Redis is: --to redis://host:6379/0, or REDIS_URL in settings.py"
        )
    try:
        with closing(server_of(places.name, settings)) as server:
            try:
                return (_to_file if target == FILE else _to_server)(places, server)
            except (ServerAway, ServerChanged) as error:
                said = f"{server.address} {in_words(error)}"
                raise CannotDo(
                    f"{said}; nothing is lost: run the same command again then"
                ) from None
    except (StoreError, OSError) as error:
        raise CannotDo(f"{places.name} was not moved: {error}") from None


def _places(call: Call, name: str) -> Places:
    config = read_config(call.settings, os.environ, project_dir())
    results = config.results or config.data_dir / f"{name}.db"
    kinds = Kinds.load(rows_in_use(config.features))
    return Places(name, config, crawl_path(config, name), results, kinds)


def _to_server(places: Places, server: Server) -> str:
    from focuscrawl.store.redis import moved  # noqa: PLC0415 - brings redis

    what = f"from {places.crawl} to {server.address}"
    kept = places.crawl.with_name(places.crawl.name + MOVED)
    before = moved.hold_still(server, what, time.time())
    if before not in ("", what):
        raise CannotDo(
            f"{places.name} is being moved {before}: end that first, by the same command"
        )
    try:
        if not before and moved.is_there(server):
            raise CannotDo(
                f"{server.address} has a crawl {places.name} already ({moved.size_in(server).in_words()}):"
                f" move that one to a file elsewhere first, or delete its keys, {server.prefix}*"
            )
        if not places.crawl.exists() and not (before and kept.exists()):
            raise CannotDo(f"{places.name} was never crawled here ({places.crawl} is not there)")
    except CannotDo:
        if not before:
            moved.let_go(server)
        raise
    if places.crawl.exists():  # else all but the last step was done when it was cut off
        with crawl_held_still(places):
            moved.delete(server)
            with closing(open_read_only(places.crawl)) as database:
                moved.copy_to_server(database, server)
                check_same(moved.size_of(database), moved.size_in(server))
                if has_results(places):
                    with results_to_write(places) as connection:
                        _copy_index(database, connection, places.name)
        with_lock = CrawlLock(places.crawl)
        with_lock.take()
        try:
            places.crawl.replace(kept)
        finally:
            with_lock.release()
    size = moved.size_in(server)
    moved.let_go(server)
    return (
        f"{places.name}: {size.in_words()} are on {server.address} now, and the stories with the results. What"
        f" was here is kept as {kept}. Go on with scrapy crawl {places.name}, on as many machines as you"
        " like, with REDIS_URL in their settings."
    )


def _copy_index(database: sqlite3.Connection, connection: Connection, topic: str) -> None:
    """Copy the index of stories of a crawl file into the results."""

    def values(query: str, *words: str) -> Iterator[bytes]:
        return (value for (value,) in database.execute(query, words))

    index_to_tables(
        values("SELECT body FROM story_articles ORDER BY number"),
        values("SELECT body FROM stories"),
        next(values("SELECT value FROM facts WHERE kind = ? AND key = 'all'", WORD_COUNTS), None),
        connection,
        topic,
    )
    check_same(index_size_of(database), size_in_tables(connection, topic))


def _to_file(places: Places, server: Server) -> str:
    from focuscrawl.store.redis import moved  # noqa: PLC0415 - brings redis

    what = f"from {server.address} to {places.crawl}"
    draft = places.crawl.with_name(f"{places.name}.moving.db")
    before = moved.hold_still(server, what, time.time())
    if before not in ("", what):
        raise CannotDo(
            f"{places.name} is being moved {before}: end that first, by the same command"
        )
    lock = CrawlLock(places.crawl)
    places.crawl.parent.mkdir(parents=True, exist_ok=True)
    lock.take()
    try:
        try:
            if not moved.is_there(server):
                raise CannotDo(f"{server.address} has no crawl {places.name}")
            if places.crawl.exists() and not before:
                raise CannotDo(
                    f"{places.crawl} is there already: move it away, or set FOCUSCRAWL_DATA_DIR to"
                    " another folder"
                )
        except CannotDo:
            if not before:
                moved.let_go(server)
            raise
        if not places.crawl.exists():  # else all but the last step was done when it was cut off
            write_draft(places, server, draft)
            draft.replace(places.crawl)
        with closing(open_read_only(places.crawl)) as database:
            size = moved.size_of(database)
        if has_results(places):  # only now that the file counts
            with results_to_write(places) as connection:
                make_tables(connection, places.name)
                delete_index(connection, places.name)
        unread = moved.unread_in(server)
        begin = moved.put_aside(server)
    finally:
        lock.release()
    return (
        f"{places.name}: {size.in_words()} are in {places.crawl} now, with the stories.{_left(unread)} What was on"
        f" {server.address} is kept under keys that begin with {begin} (delete them when you need the room)."
        f" Go on with scrapy crawl {places.name} without REDIS_URL."
    )


def _left(unread: int) -> str:
    if not unread:
        return ""
    return f" {unread:,} links cannot be read and are not in it: they stay in Redis (unread:*)."
