"""Numbered steps from one version of the crawl file to the next.

``STEPS[n]`` holds the SQL statements that turn version n into version n + 1. Each change of the
schema raises VERSION, adds its step, and comes with a test that opens a file of the old version.
"""

from __future__ import annotations

import msgspec

from focuscrawl.urls.sites import partition_of, site_of
from focuscrawl.values import PageState

VERSION = 6

STEPS: dict[int, str] = {
    # Version 2 keeps the lane of exploration beside a row: step, score and folder of its URL.
    1: "ALTER TABLE urls ADD COLUMN lane INTEGER NOT NULL DEFAULT 0",
    # Version 3 has the index of stories.
    2: """
        CREATE TABLE story_articles (
            number INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, body BLOB NOT NULL);
        CREATE TABLE story_terms (
            term INTEGER, at INTEGER, article INTEGER, PRIMARY KEY (term, at, article)
        ) WITHOUT ROWID;
        CREATE TABLE stories (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID
    """,
    # Version 4 knows how long pages without a next visit were not seen; last_seen reads a state.
    3: """
        ALTER TABLE pages ADD COLUMN unseen REAL;
        UPDATE pages SET unseen = last_seen(body) WHERE next_visit IS NULL;
        CREATE INDEX pages_unseen ON pages (unseen) WHERE unseen IS NOT NULL
    """,
    # Version 5 keeps facts about sites and pages in their partitions (fact_home finds those
    # of old ones), and what others have sent there.
    4: """
        ALTER TABLE facts ADD COLUMN partition INTEGER NOT NULL DEFAULT 0;
        UPDATE facts SET partition = fact_home(kind, key, value, page) FROM (
            SELECT facts.kind AS its_kind, facts.key AS its_key, pages.body AS page
            FROM facts LEFT JOIN pages ON pages.key = key_bytes(facts.key)
        ) WHERE kind = its_kind AND key = its_key;
        CREATE TABLE inbox (
            position INTEGER PRIMARY KEY AUTOINCREMENT, partition INTEGER NOT NULL,
            links BLOB NOT NULL)
    """,
    # Version 6 says of each page to which partition it belongs.
    5: """
        ALTER TABLE pages ADD COLUMN partition INTEGER NOT NULL DEFAULT 0;
        UPDATE pages SET partition = page_home(body)
    """,
}


PLACE_OF_URL = {"threads": 0, "thread_walks": 0, "article_parts": 4}
"""Where the address stands in rows that are facts about pages, by kind."""

OF_PAGES = {*PLACE_OF_URL, "article_lost", "article_sent", "gone", "linked", "reached"}

_decode = msgspec.msgpack.Decoder().decode
_decode_page = msgspec.msgpack.Decoder(PageState).decode


def fact_home(kind: str, key: str, value: bytes, page: bytes | None) -> int:
    """Return the partition of a fact that an earlier version wrote; ``page`` is the state of the page
    whose key it has.

    Facts about pages of which the file says nothing else stay with those of the whole topic.
    """
    if kind == "robots":
        return partition_of(key)
    if kind not in OF_PAGES:
        return 0
    if page is not None:
        return partition_of(_decode_page(page).site)
    found = _decode(value)
    if kind == "reached":
        return partition_of(found["site"])
    has_url = kind in PLACE_OF_URL and isinstance(found, list)
    return partition_of(site_of(found[PLACE_OF_URL[kind]])) if has_url else 0


def page_home(body: bytes) -> int:
    """Return the partition of a page by its state."""
    return partition_of(_decode_page(body).site)


def key_bytes(key: str) -> bytes | None:
    """Return the key of the page that a fact is about, of an article's first page; None: of none."""
    try:
        return bytes.fromhex(key.partition("/")[0])
    except ValueError:
        return None
