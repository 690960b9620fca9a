"""The index of stories in the crawl file: SQL only, inside the store's own transactions.

``story_terms`` is an inverted index: a term with a date leads to the articles that have it, newest
last. Nothing here knows what terms are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from focuscrawl.stores.state.protocol import StoryArticle, StoryState, packed

if TYPE_CHECKING:
    from focuscrawl.stores.state.sqlite_file import SqliteFile

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
FAR = 1 << 62  # further than any date in seconds

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


class StoryTables:
    """The part of a store that keeps the index of stories (see the protocol)."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return the newest articles of each term."""
        dates = _second(since), _second(until)
        with self._file.explained():
            database = self._file.connection()
            return [
                (term, number)
                for term in terms
                for (number,) in database.execute(CANDIDATES, (term, *dates, most))
            ]

    async def story_articles(self, numbers: Sequence[int]) -> dict[int, StoryArticle]:
        """Return articles of the index of stories."""
        query = "SELECT body FROM story_articles WHERE number = ?"
        found = (self._file.one(_decode_article, query, number) for number in numbers)
        return {article.number: article for article in found if article is not None}

    async def story_article(self, key: bytes) -> StoryArticle | None:
        """Return an article of the index by its key."""
        query = "SELECT body FROM story_articles WHERE key = ?"
        return self._file.one(_decode_article, query, key)

    async def stories(self, ids: Sequence[str]) -> dict[str, StoryState]:
        """Return stories."""
        query = "SELECT body FROM stories WHERE id = ?"
        found = (self._file.one(_decode_story, query, story_id) for story_id in ids)
        return {story.story_id: story for story in found if story is not None}

    async def last_story_article(self) -> int:
        """Return the highest number of an article."""
        return self._file.ask("SELECT max(number) FROM story_articles")[0][0] or 0


def _postings(article: StoryArticle) -> list[tuple[int, int, int]]:
    at = _second(article.at)
    return [(term, at, article.number) for term in article.terms]


def _second(moment: float) -> int:
    return int(min(max(moment, -FAR), FAR))
