"""The full-text index of articles, ``article_search`` (FOCUSCRAWL_TEXT_INDEX): Chinese words of any
length, by pairs of characters.

SQLite: a contentless FTS5 table, whose rows cannot be changed; an article whose text has changed
gets a row of a new number, and ``article_search_rows`` says which number is an article's.
PostgreSQL: one row an article with a ``tsvector``. Other databases have no index.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, inspect, text

from focuscrawl.readers.text.characters import pairs, phrases
from focuscrawl.stores.results.columns import clean_line, cut
from focuscrawl.stores.results.database import explaining, place_of
from focuscrawl.stores.results.kind import Forgotten

logger = logging.getLogger(__name__)

AT_ONCE = 500
"""Articles that are indexed in one transaction when an index is begun over an old database."""

MOST_PAIRS = 16_000
"""Pairs of an article that PostgreSQL indexes: it knows no position beyond 16,383."""

LONGEST_TITLE = 500


class ArticleIndex:
    """The index of one kind of database. Every method works in the caller's transaction."""

    rows_table = ""
    """The table that says of which title and text an article's entry is."""

    schema: tuple[str, ...] = ()

    def make(self, connection: Connection) -> None:
        """Make the tables that are missing."""
        for statement in self.schema:
            connection.exec_driver_sql(statement)

    def write(self, connection: Connection, rows: Iterable[Mapping[Any, Any]]) -> None:
        """Index articles (rows of the table articles); those that are as they were cost nothing.

        Only what is stored of a text is indexed.
        """
        known = text(
            f"SELECT title, text_md5 FROM {self.rows_table}"  # noqa: S608 - our own name
            " WHERE topic = :topic AND url_key = :url_key"
        )
        for row in {row["url_key"]: row for row in rows}.values():
            key = {"topic": row["topic"], "url_key": row["url_key"]}
            title = cut(clean_line(row["title"] or ""), LONGEST_TITLE)
            is_of = (title, row["text_md5"])
            found = connection.execute(known, key).one_or_none()
            if found is None or tuple(found) != is_of:
                entry = {**key, "title": title, "text_md5": row["text_md5"]}
                self._put(connection, entry, row["text"] or row["lead"] or "")

    def catch_up(self, connection: Connection, topic: str) -> int:
        """Index articles of a topic that were stored without an index; returns how many, 0: all are."""
        missing = text(
            "SELECT a.topic, a.url_key, a.title, a.text, a.lead, a.text_md5 FROM articles a"  # noqa: S608
            f" LEFT JOIN {self.rows_table} r ON r.topic = a.topic AND r.url_key = a.url_key"
            " WHERE a.topic = :topic AND (r.topic IS NULL OR r.title <> COALESCE(a.title, '')"
            " OR COALESCE(r.text_md5, '') <> COALESCE(a.text_md5, '')) LIMIT :most"
        )
        found = connection.execute(missing, {"topic": topic, "most": AT_ONCE}).mappings().all()
        self.write(connection, found)
        return len(found)

    def find(self, connection: Connection, topic: str, query: str, most: int) -> list[str]:
        """Return keys of articles that have all words of the query, latest found first."""
        searched = self._searched(query)
        if not searched:
            return []
        values = {"query": searched, "topic": topic, "most": most}
        return [str(key) for (key,) in connection.execute(text(self.finding), values)]

    finding = ""

    def _put(self, connection: Connection, entry: dict[str, Any], body: str) -> None:
        raise NotImplementedError

    def _searched(self, query: str) -> str:
        raise NotImplementedError


class SQLiteIndex(ArticleIndex):
    """FTS5: a phrase a word, ``川*`` for a single character."""

    rows_table = "article_search_rows"
    schema = (
        """
        CREATE TABLE IF NOT EXISTS article_search_rows (
            id INTEGER PRIMARY KEY AUTOINCREMENT, topic VARCHAR(64) NOT NULL,
            url_key CHAR(32) NOT NULL, title VARCHAR(500) NOT NULL, text_md5 CHAR(32),
            UNIQUE (topic, url_key)
        )
        """,
        """
        CREATE VIRTUAL TABLE IF NOT EXISTS article_search
        USING fts5(title, text, content='', tokenize='unicode61')
        """,
    )
    finding = (
        "SELECT a.url_key FROM article_search s JOIN article_search_rows r ON r.id = s.rowid"
        " JOIN articles a ON a.topic = r.topic AND a.url_key = r.url_key"
        " WHERE article_search MATCH :query AND a.topic = :topic"
        " ORDER BY a.found DESC, a.url_key LIMIT :most"
    )

    def _put(self, connection: Connection, entry: dict[str, Any], body: str) -> None:
        connection.execute(
            text("DELETE FROM article_search_rows WHERE topic = :topic AND url_key = :url_key"),
            entry,
        )
        number = connection.execute(
            text(
                "INSERT INTO article_search_rows (topic, url_key, title, text_md5)"
                " VALUES (:topic, :url_key, :title, :text_md5) RETURNING id"
            ),
            entry,
        ).scalar_one()
        connection.execute(
            text("INSERT INTO article_search (rowid, title, text) VALUES (:id, :title, :text)"),
            {"id": number, "title": pairs(entry["title"]), "text": pairs(body)},
        )

    def _searched(self, query: str) -> str:
        found = []
        for phrase in phrases(query):
            begins = "*" if len(phrase) == 1 and len(phrase[0]) == 1 else ""
            found.append(f'"{" ".join(phrase)}"{begins}')
        return " ".join(found)


class PostgreSQLIndex(ArticleIndex):
    """A ``tsvector`` of the same pairs, by the configuration ``simple``, under a GIN index."""

    rows_table = "article_search"
    schema = (
        """
        CREATE TABLE IF NOT EXISTS article_search (
            topic VARCHAR(64) NOT NULL, url_key CHAR(32) NOT NULL, title VARCHAR(500) NOT NULL,
            text_md5 CHAR(32), pairs TSVECTOR NOT NULL, PRIMARY KEY (topic, url_key)
        )
        """,
        "CREATE INDEX IF NOT EXISTS article_search_pairs ON article_search USING GIN (pairs)",
    )
    finding = (
        "SELECT a.url_key FROM article_search s"
        " JOIN articles a ON a.topic = s.topic AND a.url_key = s.url_key"
        " WHERE s.pairs @@ CAST(:query AS tsquery) AND a.topic = :topic"
        " ORDER BY a.found DESC, a.url_key LIMIT :most"
    )

    def _put(self, connection: Connection, entry: dict[str, Any], body: str) -> None:
        words = f"{pairs(entry['title'])} {pairs(body)}".split(" ")
        # written out as a tsvector, since its own parser takes words apart by the server's locale
        vector = " ".join(f"'{word}':{at}" for at, word in enumerate(words[:MOST_PAIRS], 1) if word)
        connection.execute(
            text(
                "INSERT INTO article_search (topic, url_key, title, text_md5, pairs)"
                " VALUES (:topic, :url_key, :title, :text_md5, CAST(:pairs AS tsvector))"
                " ON CONFLICT (topic, url_key) DO UPDATE SET title = excluded.title,"
                " text_md5 = excluded.text_md5, pairs = excluded.pairs"
            ),
            {**entry, "pairs": vector},
        )

    def _searched(self, query: str) -> str:
        found = []
        for phrase in phrases(query):
            begins = ":*" if len(phrase) == 1 and len(phrase[0]) == 1 else ""
            found.append("(" + " <-> ".join(f"'{word}'" for word in phrase) + begins + ")")
        return " & ".join(found)


INDEXES: dict[str, type[ArticleIndex]] = {"sqlite": SQLiteIndex, "postgresql": PostgreSQLIndex}


def search_index(dialect: str) -> ArticleIndex | None:
    """Return the index for a database; None, with a warning, where there is none."""
    if dialect in INDEXES:
        return INDEXES[dialect]()
    logger.warning(
        "FOCUSCRAWL_TEXT_INDEX: there is no index for %s, only for SQLite and PostgreSQL;"
        " title LIKE '%%成都%%' works everywhere",
        dialect,
    )
    return None


def open_index(engine: Engine, topic: str) -> ArticleIndex | None:
    """Open the index of a database, and take in what was stored without it, a few articles at a time."""
    index = search_index(engine.dialect.name)
    if index is None:
        return None
    with explaining(place_of(engine)):
        with engine.begin() as connection:
            index.make(connection)
        while True:
            with engine.begin() as connection:
                if not index.catch_up(connection, topic):
                    return index


@contextmanager
def without_words(forgotten: Forgotten) -> Iterator[None]:
    """Take articles that are deleted out of the index, where there is one.

    What a person wants forgotten must not be found by its words: SQLite's index, whose entries cannot
    be taken out one by one, is emptied then, and the next run fills it.
    """
    yield
    connection = forgotten.connection
    index = INDEXES.get(connection.dialect.name)
    if index is None or not inspect(connection).has_table(index.rows_table):
        return
    row = text(f"DELETE FROM {index.rows_table} WHERE topic = :topic AND url_key = :key")  # noqa: S608
    connection.execute(row, [{"topic": forgotten.topic, "key": key} for key in forgotten.keys])
    if forgotten.retell and forgotten.counts["articles"] and index is SQLiteIndex:
        connection.exec_driver_sql("DROP TABLE article_search")
        connection.exec_driver_sql("DELETE FROM article_search_rows")
        index().make(connection)
