"""The feed of changes: what has happened to articles, records and pages, in order.

Rows are never changed: a change that is told again, after a crash, has the id it had and tells
nothing new. The crawl tells them all, before it writes what they are about; what it calls new,
completed or changed is a row only when writing it has made it so (``RowKind.is_told``).
"""

from __future__ import annotations

from sqlalchemy import Index, select

from focuscrawl.results.columns import (
    JSON_COLUMN,
    KEY_COLUMN,
    SMALL_COUNT,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.results.kind import RowContext, RowKind, RowValues, WriteWindow
from focuscrawl.results.kinds.articles import ARTICLES
from focuscrawl.results.kinds.versions import ARTICLE
from focuscrawl.results.upsert import as_it_was
from focuscrawl.results.views import views
from focuscrawl.values import PageChange

CHANGES = table(
    "changes",
    key_column("change_id", KEY_COLUMN),
    must("at", Time),
    must("url_key", KEY_COLUMN),
    must("url", TextColumn),
    must("kind", LineColumn(12)),
    must("what", LineColumn(12)),
    may("fields", JSON_COLUMN),
    may("diff", TextColumn),
    may("distance", SMALL_COUNT),
    may("title", LineColumn(500)),
    may("version", SMALL_COUNT),
    may("run_id", LineColumn(40)),
    Index("changes_at", "topic", "at"),
    Index("changes_kind", "topic", "kind", "at"),
    Index("changes_url", "topic", "url_key", "at"),
    about="Append-only feed: what happened, in order. Source of Atom, webhooks and the daily view.",
)

OF_A_VERSION = frozenset({"minor", "major", "completed"})

WHAT_CHANGED = """
SELECT topic, {local:at} AS time, kind, what, title, url, fields, diff, version
FROM changes
WHERE at >= {week_ago}
ORDER BY at DESC
"""


def change_row(change: PageChange, context: RowContext) -> RowValues:
    """Return the row of a change."""
    return {
        "topic": context.topic,
        "change_id": change.change_id,
        "at": change.at,
        "url_key": change.url_key,
        "url": change.url,
        "kind": change.kind,
        "what": change.what,
        "fields": change.fields or None,
        "diff": change.diff or None,
        "distance": change.distance,
        "title": change.title or None,
        "version": change.version,
        "run_id": context.run_id,
    }


def _write(window: WriteWindow, rows: list[RowValues]) -> None:
    """Write those changes that have become so: an article or a record may have been stored before."""
    tellers = {kind.what: kind.is_told for kind in window.kinds if kind.is_told is not None}
    told = []
    for row in rows:
        is_told = tellers.get(row["what"])
        if is_told is None or is_told(row, window):
            told.append(row)
    _fill_versions(window, told)
    window.put(CHANGES.name, told)


def _fill_versions(window: WriteWindow, rows: list[RowValues]) -> None:
    """Fill in the version that changed articles have now."""
    asked = [
        row
        for row in rows
        if row["what"] == ARTICLE and row["kind"] in OF_A_VERSION and row["version"] is None
    ]
    if asked:
        query = select(ARTICLES.c.url_key, ARTICLES.c.version).where(
            ARTICLES.c.topic == window.topic,
            ARTICLES.c.url_key.in_([row["url_key"] for row in asked]),
        )
        versions = {row.url_key: row.version for row in window.connection.execute(query)}
        for row in asked:
            row["version"] = versions.get(row["url_key"])


CHANGE_ROWS = RowKind(
    CHANGES,
    change_row,
    item=PageChange,
    feed="change",
    needs={"url_key": str, "change_id": str, "kind": str, "what": str},
    keep=[one.name for one in CHANGES.columns],
    merge={"at": as_it_was("at")},
    write=_write,
    views=views(what_changed=WHAT_CHANGED),
    address="url_key",
    ages="at",
)
