"""The index of stories in the crawl file: SQL only, inside the store's own transactions.

``story_terms`` is an inverted index: a term with a date leads to the articles that have it, newest
last. Nothing here knows what terms are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from focuscrawl.store.packing import packed
from focuscrawl.store.protocol import StoryArticle, StoryState

STORY_SCHEMA = """
CREATE TABLE story_articles (number INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, body BLOB NOT NULL);
CREATE TABLE story_terms (
    term INTEGER, at INTEGER, article INTEGER, PRIMARY KEY (term, at, article)) WITHOUT ROWID;
CREATE TABLE stories (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""
CANDIDATES = """
SELECT article FROM story_terms WHERE term = ? AND at BETWEEN ? AND ?
ORDER BY at DESC, article DESC LIMIT ?
"""
FAR = 1 << 62
"""Further than any date in seconds."""

_decode_article = msgspec.msgpack.Decoder(StoryArticle).decode
_decode_story = msgspec.msgpack.Decoder(StoryState).decode


def write_stories(
    database: sqlite3.Connection, articles: Sequence[StoryArticle], stories: Iterable[StoryState]
) -> None:
    """Write articles with their terms, in the place of what was known of them, and stories."""
    for article in articles:
        row = database.execute(
            "SELECT body FROM story_articles WHERE number = ?", (article.number,)
        ).fetchone()
        if row:
            database.executemany(
                "DELETE FROM story_terms WHERE term = ? AND at = ? AND article = ?",
                _postings(_decode_article(row[0])),
            )
    database.executemany(
        "INSERT OR REPLACE INTO story_articles VALUES (?, ?, ?)",
        [(article.number, article.key, packed(article)) for article in articles],
    )
    # In order of the key, so that neighbours are written together.
    database.executemany(
        "INSERT OR IGNORE INTO story_terms VALUES (?, ?, ?)",
        sorted(posting for article in articles for posting in _postings(article)),
    )
    database.executemany(
        "INSERT OR REPLACE INTO stories VALUES (?, ?)",
        [(story.story_id, packed(story)) for story in stories],
    )


def candidates(
    database: sqlite3.Connection, terms: Iterable[int], since: float, until: float, most: int
) -> list[tuple[int, int]]:
    """Return (term, article number): of each term the newest articles between the dates."""
    first, last = _second(since), _second(until)
    found: list[tuple[int, int]] = []
    for term in terms:
        rows = database.execute(CANDIDATES, (term, first, last, most))
        found += [(term, number) for (number,) in rows]
    return found


def articles(database: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, StoryArticle]:
    """Return the articles of these numbers that are there."""
    found = {}
    for number in numbers:
        row = database.execute(
            "SELECT body FROM story_articles WHERE number = ?", (number,)
        ).fetchone()
        if row:
            found[number] = _decode_article(row[0])
    return found


def article_of(database: sqlite3.Connection, key: bytes) -> StoryArticle | None:
    """Return an article by the key of its address."""
    row = database.execute("SELECT body FROM story_articles WHERE key = ?", (key,)).fetchone()
    return _decode_article(row[0]) if row else None


def stories(database: sqlite3.Connection, ids: Iterable[str]) -> dict[str, StoryState]:
    """Return the stories of these ids that are there."""
    found = {}
    for story_id in ids:
        row = database.execute("SELECT body FROM stories WHERE id = ?", (story_id,)).fetchone()
        if row:
            found[story_id] = _decode_story(row[0])
    return found


def last_number(database: sqlite3.Connection) -> int:
    """Return the highest number of an article; 0 when there is none."""
    (number,) = database.execute("SELECT max(number) FROM story_articles").fetchone()
    return number or 0


def _postings(article: StoryArticle) -> list[tuple[int, int, int]]:
    at = _second(article.at)
    return [(term, at, article.number) for term in article.terms]


def _second(moment: float) -> int:
    return int(min(max(moment, -FAR), FAR))
