"""All of a crawl, copied from its file into a Redis and back (``scrapy topic move``).

No worker runs meanwhile. The copy counts only when it is whole: until then the keys in Redis say that the
crawl is being moved, and the new file has another name. A move that was cut off begins again.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from focuscrawl.locale.messages import _
from focuscrawl.stores.redis import scripts
from focuscrawl.stores.redis.connection import check_server
from focuscrawl.stores.redis.keys import (
    BY_PARTITION,
    ONE_FOR_ALL,
    STATE_VERSION,
    UNREAD_LINKS,
    check_keys,
)
from focuscrawl.stores.redis.rows import (
    BETWEEN,
    facts_from,
    field_of,
    link_to_bytes,
    links_of,
    page_from,
    row_of,
    row_to_bytes,
    sites_from,
)
from focuscrawl.stores.redis.server import ScriptCall, Server
from focuscrawl.stores.state.protocol import (
    FAILED,
    PARKED,
    PARTITIONS,
    WAITING,
    Changes,
    SentLink,
    StoreError,
    packed,
)
from focuscrawl.stores.state.sqlite_urls import next_sequence, of_state
from focuscrawl.urls.sites import KEY_BITS, partition_of

if TYPE_CHECKING:
    from focuscrawl.stores.state.sqlite import SQLiteStore

MOVED_AT_ONCE = 4_000
"""Values that are sent, or rows that are written, together: more at once are no faster."""

PUT_ASIDE = "moved:"
"""How the names of keys begin, behind the crawl's own, of a crawl that was moved into a file."""

_decode_links = msgspec.msgpack.Decoder(list[SentLink]).decode
_decode = msgspec.msgpack.Decoder().decode


class CrawlSize(NamedTuple):
    """How much there is of a crawl: by it two are compared."""

    rows: int
    aside: int
    seen: int
    pages: int
    sites: int
    facts: int
    links: int

    def in_words(self) -> str:
        """Return it for the user."""
        return _(
            "{rows:,} URLs that wait, {aside:,} failed or parked, {seen:,} known, {pages:,} pages,"
            " {facts:,} facts"
        ).format(
            rows=self.rows,
            aside=self.aside,
            seen=self.seen,
            pages=self.pages,
            facts=self.facts,
        )


# What stands in Redis ----------------------------------------------------------------------------


def hold_still(server: Server, what: str, now: float) -> str:
    """Mark the crawl in Redis as being moved, so that no worker begins; returns which move was begun before
    and not ended ("": none was).

    Raises StoreError where workers run, the server must not be used, or what is there is another program's
    or a newer version's.
    """
    check_server(server, server.address, now)
    check_keys(server)
    (answer,) = server.call([ScriptCall(scripts.MOVE, (what,))])
    workers, before = answer
    if workers:
        raise StoreError(
            _(
                "{workers} workers crawl this topic on {address}: stop them first (a dead one is"
                " forgotten when its lease ends)"
            ).format(workers=workers, address=server.address)
        )
    return str(before.decode())


def let_go(server: Server) -> None:
    """Let a crawl in Redis be worked on again."""
    server.send([("HDEL", server.key("run"), "moving")])


def is_there(server: Server) -> bool:
    """Whether there is a crawl in Redis."""
    (version,) = server.send([("HGET", server.key("run"), "version")])
    return version is not None


def size_in(server: Server) -> CrawlSize:
    """Return how much there is in Redis."""

    def added(command: str, name: str) -> int:
        return sum(server.send([(command, server.key(name, p)) for p in range(PARTITIONS)]))

    return CrawlSize(
        rows=added("HLEN", "rows"),
        aside=added("HLEN", "aside"),
        seen=sum(len(some) for p in range(PARTITIONS) for some in server.values("seen", p)) // 8,
        pages=added("HLEN", "pages"),
        sites=added("HLEN", "sites"),
        facts=added("HLEN", "facts"),
        links=added("LLEN", "inbox"),
    )


SIZED = ("rows", "aside", "pages", "sites", "facts")
"""Hashes whose sizes are noted, as ``scripts`` has them."""


def missed_in(server: Server, partitions: Iterable[int]) -> dict[int, int]:
    """Return of which partitions something has gone that was written, and how many values."""
    missed: dict[int, int] = {}
    for one in partitions:
        (noted, links), *there = server.send(
            [
                ("HMGET", server.key("sizes"), one, f"links {one}"),
                *(("HLEN", server.key(name, one)) for name in SIZED),
                ("LLEN", server.key("seen", one)),
            ]
        )
        before = map(int, noted.split()) if noted else there
        *gone, known = (max(0, was - is_) for was, is_ in zip(before, there, strict=True))
        if count := sum(gone, int(links or 0)) or known:
            missed[one] = count
    return missed


def unread_in(server: Server) -> int:
    """Return how many links of a crawl cannot be read, and are kept."""
    return sum(server.send([("SCARD", server.key(UNREAD_LINKS, one)) for one in range(PARTITIONS)]))


def delete(server: Server) -> None:
    """Delete what there is of a crawl, but the mark that it is being moved."""
    for partition in range(PARTITIONS):
        server.send([("UNLINK", *(server.key(name, partition) for name in BY_PARTITION))])
    server.send([("DEL", *(server.key(name) for name in ONE_FOR_ALL if name != "run"))])


def put_aside(server: Server) -> str:
    """Give the keys of a crawl that was moved names that no crawl has; returns how these begin."""
    keys = [server.key(name, one) for one in range(PARTITIONS) for name in BY_PARTITION]
    keys += sorted(
        map(server.key, ONE_FOR_ALL), key=server.key("run").__eq__
    )  # the last says what it is
    begin = server.prefix + PUT_ASIDE
    for key in keys:
        (there,) = server.send([("EXISTS", key)])
        if there:
            server.send([("RENAME", key, begin + key.removeprefix(server.prefix))])
    return begin


# From a file -------------------------------------------------------------------------------------


def size_of(database: sqlite3.Connection) -> CrawlSize:
    """Return how much there is in a crawl file."""

    def ask(query: str) -> int:
        return int(database.execute(query).fetchone()[0] or 0)

    parts = database.execute("SELECT parts FROM sites WHERE parts IS NOT NULL")
    links = database.execute("SELECT links FROM inbox")
    return CrawlSize(
        ask("SELECT count(*) FROM urls WHERE state = 0"),
        ask("SELECT count(*) FROM urls WHERE state <> 0"),
        ask("SELECT sum(length(numbers)) FROM seen") // 8,
        ask("SELECT count(*) FROM pages"),
        sum(len(_decode(record)) for (record,) in parts),
        ask("SELECT count(*) FROM facts"),
        sum(len(_decode_links(some)) for (some,) in links),
    )


def copy_to_server(database: sqlite3.Connection, server: Server) -> None:
    """Copy a crawl file into a Redis that has nothing of the crawl. Raises StoreError, ServerAway."""
    server.send([("HSET", server.key("run"), "version", STATE_VERSION)])
    batch = _Batch(server)
    for name, partition, field, value in hash_values(database):
        batch.put("HSET", server.key(name, partition), field, value)
    for (numbers,) in database.execute("SELECT numbers FROM seen"):
        known = np.frombuffer(numbers, dtype="<u8")
        homes = known >> np.uint64(KEY_BITS)
        for partition in np.unique(homes):
            some = known[homes == partition].tobytes()
            batch.put("RPUSH", server.key("seen", int(partition)), some)
    batch.flush()  # links come in their order
    for partition, links in database.execute(
        "SELECT partition, links FROM inbox ORDER BY position"
    ):
        for link in _decode_links(links):
            batch.put("RPUSH", server.key("inbox", partition), link_to_bytes(link))
    batch.flush()
    server.send([("HSET", server.key("run"), "numbers", next_sequence(database) - 1)])


def hash_values(database: sqlite3.Connection) -> Iterator[tuple[str, int, bytes, bytes]]:
    """Go through what stands in hashes: name, partition, field, value."""
    for state in (WAITING, FAILED, PARKED):
        name = "rows" if state == WAITING else "aside"
        for row in of_state(database, state):
            yield name, partition_of(row.waiting.site), field_of(row.sequence), row_to_bytes(row)
    for key, partition, body in database.execute("SELECT key, partition, body FROM pages"):
        yield "pages", partition, key, body
    for site, parts in database.execute("SELECT name, parts FROM sites WHERE parts IS NOT NULL"):
        for part, value in _decode(parts).items():
            yield "sites", partition_of(site), _named(site, part), packed(value)
    for kind, key, value, partition in database.execute("SELECT * FROM facts"):
        yield "facts", partition, _named(kind, key), value


def _named(first: str, second: str) -> bytes:
    return first.encode() + BETWEEN + second.encode("utf-8", "surrogatepass")


class _Batch:
    """Commands that are sent together, those to one key as one."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._words: defaultdict[tuple[str, str], list[bytes]] = defaultdict(list)
        self._size = 0

    def put(self, command: str, key: str, *values: bytes) -> None:
        """Add values to what a command gives a key."""
        self._words[command, key] += values
        self._size += len(values)
        if self._size >= MOVED_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Send what waits."""
        calls: list[tuple[Any, ...]] = []
        for (command, key), values in self._words.items():
            calls.append((command, key, *values))
        if calls:
            self._server.send(calls)
        self._words.clear()
        self._size = 0


# Into a file -------------------------------------------------------------------------------------


def copy_to_file(
    server: Server, store: SQLiteStore, partitions: Iterable[int] = range(PARTITIONS)
) -> int:
    """Copy a crawl, or some of its partitions, from a Redis into a file that has nothing yet; returns how many
    links on their way cannot be read, and are not in it. Raises StoreError, ServerAway.
    """
    (numbers,) = server.send([("HGET", server.key("run"), "numbers")])
    if int(numbers or 0):  # none that was used is given away once more; before any row has it
        store.commit({0: Changes(removed=[int(numbers)])})
    try:
        return sum(_copy_partition(server, one, store) for one in partitions)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            _(
                "a value in Redis under {prefix} cannot be read ({error}): is it another program's?"
            ).format(prefix=server.prefix, error=error)
        ) from error


def _copy_partition(server: Server, partition: int, store: SQLiteStore) -> int:
    def commit(changes: Changes) -> None:
        store.commit({partition: changes})

    # A hash that is looked through may show a field twice.
    rows = {**dict(server.hash("rows", partition)), **dict(server.hash("aside", partition))}
    for some in _cut(sorted(rows.items())):
        commit(Changes(added=[row_of(*one) for one in some]))
    for some in _cut(dict(server.hash("pages", partition)).values()):
        commit(Changes(pages=[page_from(value) for value in some]))
    for part in server.values("seen", partition):
        commit(Changes(seen=np.frombuffer(part, dtype="<u8").tolist()))
    commit(Changes(sites=sites_from(dict(server.hash("sites", partition)).items())))
    for some in _cut(dict(server.hash("facts", partition)).items()):
        commit(Changes(facts=facts_from(some)))
    (values,) = server.send([("LRANGE", server.key("inbox", partition), 0, -1)])
    links, unread = links_of(values)
    if unread:  # it stays behind, with the keys of this crawl
        server.send([("SADD", server.key(UNREAD_LINKS, partition), *unread)])
    if links:
        commit(Changes(sent=links))
    return len(unread)


def _cut(values: Iterable[Any]) -> Iterator[list[Any]]:
    some = [*values]
    for first in range(0, len(some), MOVED_AT_ONCE):
        yield some[first : first + MOVED_AT_ONCE]
