"""What people ask of a crawl file beside a crawl: what it holds and whether it is sound, and to forget.

Looking changes nothing, also while a crawl writes to the file. Addresses are taken out because a person
wants them forgotten.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from focuscrawl.stores.state import migrations
from focuscrawl.stores.state.protocol import StoryArticle, StoryState, packed
from focuscrawl.urls.canonical import KEY_MASK, key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageState, Waiting

MOST_TOLD = 20
LOST_SITES = "SELECT count(*) FROM urls WHERE site NOT IN (SELECT number FROM sites)"
LOST_TERMS = "SELECT count(*) FROM story_terms WHERE article NOT IN (SELECT number FROM story_articles)"  # fmt: skip


class CrawlLook:
    """What a crawl file holds at one moment, and what is wrong with it (``problems``, for people)."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.problems: list[str] = []
        self.waiting = 0
        self.pages = 0
        self._seen: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._to_do: set[str] = set()
        database.execute("BEGIN")  # one moment for all that is read
        try:
            self.problems += self._look(database)
        except sqlite3.Error as error:
            self.problems.append(f"crawl file: damaged: {error}")
        finally:
            database.rollback()

    def knows(self, url_key: str, site: str) -> bool:
        """Whether an address (key in hex) of a site was ever waiting."""
        try:
            number = key_number(bytes.fromhex(url_key), partition_of(site))
        except ValueError:  # a key that a parser of the user's own made up
            return False
        return self._has(number)

    def has_to_do(self, url_key: str) -> bool:
        """Whether something of an address is still to be done: its URL waits, or parts of it do."""
        return url_key in self._to_do

    def _has(self, number: int) -> bool:
        at = int(np.searchsorted(self._seen, np.uint64(number)))
        return at < len(self._seen) and int(self._seen[at]) == number

    def _look(self, database: sqlite3.Connection) -> Iterator[str]:
        for number, (said,) in enumerate(database.execute("PRAGMA integrity_check(20)")):
            if said != "ok" and number < MOST_TOLD:
                yield f"crawl file: damaged: {said}"
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != migrations.VERSION:
            yield f"crawl file: of version {version}, not {migrations.VERSION}: not looked into"
            return
        numbers = b"".join(one for (one,) in database.execute("SELECT numbers FROM seen"))
        self._seen = np.sort(np.frombuffer(numbers, "<u8"))
        yield from self._look_at_urls(database)
        yield from self._look_at_the_rest(database)
        for what, query in (("URLs have no site", LOST_SITES), ("words lead to no article", LOST_TERMS)):  # fmt: skip
            (count,) = database.execute(query).fetchone()
            if count:
                yield f"crawl file: {count:,} {what}"

    def _look_at_urls(self, database: sqlite3.Connection) -> Iterator[str]:
        decode = msgspec.msgpack.Decoder(tuple[Waiting, int, float, str]).decode
        unread: list[int] = []
        unseen: list[str] = []
        for sequence, body in database.execute("SELECT sequence, body FROM urls"):
            try:
                waiting = decode(body)[0]
            except msgspec.MsgspecError:
                unread.append(sequence)
                continue
            self.waiting += 1
            self._to_do.add(waiting.key.hex())
            if waiting.request is None and not self._has(
                key_number(waiting.key, partition_of(waiting.site))
            ):
                unseen.append(waiting.url)
        if unread:
            yield f"crawl file: {len(unread):,} URLs cannot be read (rows {unread[:3]})"
        if unseen:
            yield f"crawl file: {len(unseen):,} URLs wait that it says it never saw ({unseen[0]})"

    def _look_at_the_rest(self, database: sqlite3.Connection) -> Iterator[str]:
        """Read whatever else is there; facts about an address say that it is not done."""
        self._to_do.update(key for (key,) in database.execute("SELECT key FROM facts"))
        decoders: dict[str, tuple[str, Any]] = {
            "facts": ("SELECT value FROM facts", Any),
            "sites": ("SELECT parts FROM sites WHERE parts IS NOT NULL", dict[str, Any]),
            "pages": ("SELECT body FROM pages", PageState),
            "articles of stories": ("SELECT body FROM story_articles", StoryArticle),
            "stories": ("SELECT body FROM stories", StoryState),
        }
        for what, (query, kind) in decoders.items():
            decode = msgspec.msgpack.Decoder(kind).decode
            unread = count = 0
            for (body,) in database.execute(query):
                count += 1
                try:
                    decode(body)
                except msgspec.MsgspecError:
                    unread += 1
            if what == "pages":
                self.pages = count
            if unread:
                yield f"crawl file: {unread:,} {what} cannot be read"


COPY = "copy"  # the relation of members that are copies, as in the results table story_members

REACHED = "reached"
"""The kind of facts that keep the queue of pages that walks reach (C8), by their key in hexadecimal:
``stored`` is that of where a redirect led from one."""

_decode_fact = msgspec.msgpack.Decoder().decode
_decode_row = msgspec.msgpack.Decoder(tuple[Waiting, int, float, str]).decode
_decode_page = msgspec.msgpack.Decoder(PageState).decode
_decode_article = msgspec.msgpack.Decoder(StoryArticle).decode
_decode_story = msgspec.msgpack.Decoder(StoryState).decode


class Held(NamedTuple):
    """What a crawl file holds of addresses: ``waiting`` row numbers, ``keys`` of pages it knows."""

    waiting: list[int]
    keys: set[bytes]


def held_of(database: sqlite3.Connection, keys: Collection[bytes], site: str = "") -> Held:
    """Find what a crawl file holds of addresses by their keys, or of all addresses of a site.

    A further page of an article or a file that waits belongs to the article, an address from which
    a redirect led to a page to the page: a walk that reaches it would read the page again.
    """
    waiting, known = [], set(keys)
    for sequence, body in database.execute("SELECT sequence, body FROM urls"):
        row = _decode_row(body)[0]
        if row.key in keys or row.first_key in keys or (site and row.site == site):
            waiting.append(sequence)
            known.add(row.key)
    if site:
        for key, body in database.execute("SELECT key, body FROM pages"):
            if _decode_page(body).site == site:
                known.add(key)
    reached = database.execute("SELECT key, value FROM facts WHERE kind = ?", (REACHED,))
    for name, value in reached:
        page = _decode_fact(value)
        if (site and page["site"] == site) or bytes.fromhex(page["stored"]) in keys:
            known.add(bytes.fromhex(name))
    return Held(waiting, known)


def forget_urls(
    database: sqlite3.Connection, held: Held, numbers: Collection[int], *, again: bool
) -> None:
    """Take all that is held of addresses out of a crawl file, inside the caller's transaction.

    They stay in the seen set and are never fetched any more, nor are the ``numbers`` that were never
    seen; or with ``again`` they leave it.
    """
    database.executemany("DELETE FROM urls WHERE sequence = ?", [(one,) for one in held.waiting])
    if held.waiting:
        database.execute("UPDATE used SET sequence = max(sequence, ?)", (max(held.waiting),))
    for key in held.keys:
        database.execute("DELETE FROM pages WHERE key = ?", (key,))
    _forget_facts(database, held.keys)
    _forget_in_stories(database, held.keys)
    if again:
        _forget_seen(database, held.keys)
    else:
        _see(database, numbers)


def _forget_facts(database: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Take out the facts of addresses, by their keys, and of parts of articles, by both their keys."""
    names = {key.hex() for key in keys}
    found = [
        (kind, key)
        for kind, key in database.execute("SELECT kind, key FROM facts")
        if key.partition("/")[0] in names
    ]
    database.executemany("DELETE FROM facts WHERE kind = ? AND key = ?", found)


def _see(database: sqlite3.Connection, numbers: Collection[int]) -> None:
    """Put numbers into the seen set that are not there."""
    missing = np.fromiter(numbers, np.uint64, len(numbers))
    for (seen,) in database.execute("SELECT numbers FROM seen"):
        missing = np.setdiff1d(missing, np.frombuffer(seen, "<u8"))
    if len(missing):
        packed = missing.astype("<u8").tobytes()
        database.execute("INSERT INTO seen (numbers) VALUES (?)", (packed,))


def _forget_seen(database: sqlite3.Connection, keys: Collection[bytes]) -> None:
    # without the partition, which is unknown here; 58 bits tell addresses apart well enough
    mask = np.uint64(KEY_MASK)
    going = np.fromiter((key_number(key, 0) for key in keys), np.uint64, len(keys))
    for row, seen in database.execute("SELECT id, numbers FROM seen").fetchall():
        before = np.frombuffer(seen, "<u8")
        left = before[~np.isin(before & mask, going)]
        if len(left) < len(before):
            database.execute("UPDATE seen SET numbers = ? WHERE id = ?", (left.tobytes(), row))


def _forget_in_stories(database: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Take articles out of the index of stories; stories without a member go.

    What was the title of a forgotten article is no story's any more.
    """
    gone: defaultdict[str, list[StoryArticle]] = defaultdict(list)
    for key in keys:
        for number, body in database.execute(
            "SELECT number, body FROM story_articles WHERE key = ?", (key,)
        ).fetchall():
            article = _decode_article(body)
            gone[article.story_id].append(article)
            database.execute("DELETE FROM story_terms WHERE article = ?", (number,))
            database.execute("DELETE FROM story_articles WHERE number = ?", (number,))
    if not gone:
        return
    bodies = database.execute("SELECT body FROM story_articles")
    living = {_decode_article(body).story_id for (body,) in bodies}
    for story_id, articles in gone.items():
        row = database.execute("SELECT body FROM stories WHERE id = ?", (story_id,)).fetchone()
        if row is None:
            continue
        if story_id not in living:
            database.execute("DELETE FROM stories WHERE id = ?", (story_id,))
            continue
        left = _decode_story(row[0])
        copies = sum(article.relation == COPY for article in articles)
        left = left._replace(articles=left.articles - len(articles), copies=left.copies - copies)
        if left.first_key in {article.key.hex() for article in articles}:
            left = left._replace(title="")
        database.execute("UPDATE stories SET body = ? WHERE id = ?", (packed(left), story_id))
