"""Taking addresses out of a crawl file, because a person wants them forgotten."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

import msgspec
import numpy as np

from focuscrawl.store.protocol import StoryArticle, StoryState, packed
from focuscrawl.urls.canonical import KEY_MASK, key_number
from focuscrawl.values import PageState, Waiting

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
    # without the partition, which nobody here knows; 58 bits tell addresses apart well enough
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
