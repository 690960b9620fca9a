"""Crawls that several workers share: their workers (``scrapy topic workers``), and the way from a crawl file
into a Redis and back (``scrapy topic move``)."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from focuscrawl.features.stories.index import WORD_COUNTS
from focuscrawl.features.stories.index_moved import (
    delete_index,
    index_to_tables,
    size_in_tables,
)
from focuscrawl.features.stories.index_tables import make_tables
from focuscrawl.locale.messages import _
from focuscrawl.stores.results.database import missing_file
from focuscrawl.stores.state.crawl_lock import CrawlLock
from focuscrawl.stores.state.protocol import PARTITIONS, StoreError
from focuscrawl.stores.state.sqlite_file import MOVED, open_read_only
from focuscrawl.stores.state.topic_store import is_shared, open_server, server_of
from focuscrawl.template.files import masked_message
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import (
    Places,
    check_same,
    crawl_held_still,
    index_size_of,
    no_crawl_at,
    places_of,
    results_to_write,
    write_draft,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from focuscrawl.stores.redis.server import Server
    from focuscrawl.stores.redis.workers import CrawlSeen, WorkerSeen

FILE = "file"
"""What ``--to`` says of a way back."""


def workers(call: Call, args: Sequence[str]) -> str:
    """List the workers of a crawl (NAME): where, what they hold, what they have done."""
    name = call.loaded(args, secrets=False).template.name
    if not is_shared(call.settings):
        raise CannotDo(
            _(
                "{name} is crawled by one process, since the settings name no Redis (REDIS_URL); -s"
                " REDIS_URL=… names one"
            ).format(name=name)
        )
    from focuscrawl.stores.redis.workers import crawl_seen  # noqa: PLC0415 - brings redis

    with open_server(name, call.settings) as server:
        return _in_words(name, crawl_seen(server, PARTITIONS), server.key("unread:*"))


def _in_words(name: str, seen: CrawlSeen, unread: str) -> str:
    first = _(
        "{name}: {waiting:,} URLs wait or are in flight, {failed:,} failed or parked, {inbox:,} links on"
        " their way"
    )
    lines = [first.format(name=name, waiting=seen.waiting, failed=seen.failed, inbox=seen.inbox)]
    lines += map(_line, seen.workers)
    if not seen.workers:
        lines.append(_("no worker is on it"))
    elif seen.free:
        lines.append(
            _("{free} partitions are free, or held by a worker that gives no sign of life").format(
                free=seen.free
            )
        )
    if seen.unread:
        lines.append(
            _("{unread:,} links that were sent cannot be read: they are kept under {key}").format(
                unread=seen.unread, key=unread
            )
        )
    if seen.has_ended:
        lines.append(_("the crawl has ended: nothing is left to do"))
    return "\n".join(lines)


def _line(worker: WorkerSeen) -> str:
    state = _("idle") if worker.is_idle else _("at work")
    if worker.left < 0:
        state = _("in doubt: its lease ended {seconds:.0f} s ago").format(seconds=-worker.left)
    return _(
        "  {name}: {partitions} partitions, {pages:,} pages in {seconds:,.0f} s ({rate:.0f}"
        " a minute lately), last sign of life {beat:.1f} s ago, {state}"
    ).format(
        name=worker.name,
        partitions=worker.partitions,
        pages=worker.pages,
        seconds=worker.seconds,
        rate=worker.rate,
        beat=worker.beat,
        state=state,
    )


# On the way ---------------------------------------------------------------------------------------


def move(call: Call, args: Sequence[str]) -> str:
    """Move a crawl (NAME) with all it knows into a Redis (--to redis://…), or back (--to file)."""
    from focuscrawl.stores.redis.server import (  # noqa: PLC0415 - brings redis
        ServerAway,
        ServerChanged,
        in_words,
    )

    loaded = call.loaded(args, secrets=False)
    places = places_of(call, loaded, may_be_new=True)._replace(settings=None)  # the file's side
    target, settings = call.options.to, call.settings
    if target and target != FILE:
        if not target.startswith(("redis://", "rediss://", "unix://")):
            raise CannotDo(
                _("--to {target}: write --to redis://host:6379/0, or --to {file}").format(
                    target=masked_message(target), file=FILE
                )
            )
        settings = settings.copy()
        settings.set("REDIS_URL", target, "cmdline")
    if not is_shared(settings):
        raise CannotDo(
            _("say where the Redis is: --to redis://host:6379/0, or REDIS_URL in settings.py")
        )
    try:
        with closing(server_of(places.name, settings)) as server:
            try:
                return (_to_file if target == FILE else _to_server)(places, server)
            except (ServerAway, ServerChanged) as error:
                said = f"{server.address} {in_words(error)}"
                raise CannotDo(
                    _("{said}; nothing is lost: run the same command again then").format(said=said)
                ) from None
    except (StoreError, OSError) as error:
        raise CannotDo(
            _("{name} was not moved: {error}").format(name=places.name, error=error)
        ) from None


@contextmanager
def _begun(name: str, server: Server, what: str) -> Iterator[bool]:
    """Hold a crawl on Redis still for a move, and give whether the same one was cut off before.

    A move that is refused leaves the crawl as it was.
    """
    from focuscrawl.stores.redis import moved  # noqa: PLC0415 - brings redis

    before = moved.hold_still(server, what, time.time())
    if before not in ("", what):
        raise CannotDo(
            _("{name} is being moved {before}: end that first, by the same command").format(
                name=name, before=before
            )
        )
    try:
        yield bool(before)
    except CannotDo:
        if not before:
            moved.let_go(server)
        raise


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = CrawlLock(path)
    lock.take()
    try:
        yield
    finally:
        lock.release()


def _to_server(places: Places, server: Server) -> str:
    from focuscrawl.stores.redis import moved  # noqa: PLC0415 - brings redis

    kept = places.crawl.with_name(places.crawl.name + MOVED)
    with _begun(places.name, server, f"from {places.crawl} to {server.address}") as goes_on:
        if not goes_on and moved.is_there(server):
            raise CannotDo(
                _(
                    "{address} has a crawl {name} already ({size}): move that one to a file elsewhere"
                    " first, or delete its keys, {prefix}*"
                ).format(
                    address=server.address,
                    name=places.name,
                    size=moved.size_in(server).in_words(),
                    prefix=server.prefix,
                )
            )
        if not places.crawl.exists() and not (goes_on and kept.exists()):
            raise CannotDo(
                _("{name} was never crawled here ({crawl} is not there)").format(
                    name=places.name, crawl=places.crawl
                )
            )
    if places.crawl.exists():  # else all but the last step was done when it was cut off
        _copy_to_server(places, server)
        with _locked(places.crawl):
            places.crawl.replace(kept)
    size = moved.size_in(server)
    moved.let_go(server)
    return _(
        "{name}: {size} are on {address} now, and the stories with the results. What was"
        " here is kept as {kept}. Go on with scrapy crawl {name}, on as many machines as you"
        " like, with REDIS_URL in their settings."
    ).format(name=places.name, size=size.in_words(), address=server.address, kept=kept)


def _copy_to_server(places: Places, server: Server) -> None:
    """Copy a crawl file into a Redis, and its index of stories into the results."""
    from focuscrawl.stores.redis import moved  # noqa: PLC0415 - brings redis

    with crawl_held_still(places):
        moved.delete(server)
        with closing(open_read_only(places.crawl)) as database:
            moved.copy_to_server(database, server)
            check_same(moved.size_of(database), moved.size_in(server))
            if not missing_file(places.results):
                with results_to_write(places) as connection:
                    _copy_index(database, connection, places.name)


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
    from focuscrawl.stores.redis import moved  # noqa: PLC0415 - brings redis

    with ExitStack() as held:
        with _begun(places.name, server, f"from {server.address} to {places.crawl}") as goes_on:
            places.crawl.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(_locked(places.crawl))
            if not moved.is_there(server):
                raise no_crawl_at(server.address, places.name)
            if count := sum(moved.missed_in(server, range(PARTITIONS)).values()):
                raise CannotDo(
                    _(
                        "{address} has lost {count:,} values of this crawl: run scrapy crawl {name} there once"
                        " more, which fetches pages that are known again, and then move it"
                    ).format(address=server.address, count=count, name=places.name)
                )
            if places.crawl.exists() and not goes_on:
                raise CannotDo(
                    _(
                        "{crawl} is there already: move it away, or set FOCUSCRAWL_DATA_DIR to another folder"
                    ).format(crawl=places.crawl)
                )
        if not places.crawl.exists():  # else all but the last step was done when it was cut off
            draft = places.crawl.with_name(f"{places.name}.moving.db")
            write_draft(places, server, draft)
            draft.replace(places.crawl)
        with closing(open_read_only(places.crawl)) as database:
            size = moved.size_of(database)
        if not missing_file(places.results):  # only now that the file counts
            with results_to_write(places) as connection:
                make_tables(connection, places.name)
                delete_index(connection, places.name)
        unread = moved.unread_in(server)
        begin = moved.put_aside(server)
    return _(
        "{name}: {size} are in {crawl} now, with the stories.{left} What was on {address} is"
        " kept under keys that begin with {begin} (delete them when you need the room). Go"
        " on with scrapy crawl {name} without REDIS_URL."
    ).format(
        name=places.name,
        size=size.in_words(),
        crawl=places.crawl,
        left=_left(unread),
        address=server.address,
        begin=begin,
    )


def _left(unread: int) -> str:
    if not unread:
        return ""
    return _(
        " {unread:,} links cannot be read and are not in it: they stay in Redis (unread:*)."
    ).format(unread=unread)
