"""Looking over a crawl file without changing it, also while a crawl writes to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from focuscrawl.store import migrations
from focuscrawl.store.protocol import StoryArticle, StoryState
from focuscrawl.urls.canonical import key_number
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
