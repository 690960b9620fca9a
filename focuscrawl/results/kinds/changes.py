"""The feed of changes: what has happened to articles, records and pages, in order.

Rows are never changed: a change that is told again, after a crash, has the id it had and tells
nothing new. The crawl tells them all, before it writes what they are about; what it calls new,
completed or changed is a row only when writing it has made it so (``RowKind.tell``).
"""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import Index

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
from focuscrawl.results.kind import RowContext, RowKind, RowValues, WriteWindow, row_by_names
from focuscrawl.results.schema import views
from focuscrawl.results.upsert import as_it_was
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

WHAT_CHANGED = """
SELECT topic, {local:at} AS time, kind, what, title, url, fields, diff, version
FROM changes
WHERE at >= {week_ago}
ORDER BY at DESC
"""


_by_names = row_by_names(CHANGES, besides=["run_id"], empty_is_null=("fields", "diff", "title"))


def change_row(change: PageChange, context: RowContext) -> RowValues:
    """Return the row of a change."""
    return {**_by_names(change, context), "run_id": context.run_id}


def _write(window: WriteWindow, rows: list[RowValues]) -> None:
    """Write those changes that have become so: an article or a record may have been stored before."""
    told: defaultdict[str, list[RowValues]] = defaultdict(list)
    for row in rows:
        told[row["what"]].append(row)
    for kind in window.kinds:
        if kind.tell is not None and kind.what in told:
            told[kind.what] = list(kind.tell(told[kind.what], window))
    window.put(CHANGES.name, [row for some in told.values() for row in some])


CHANGE_ROWS = RowKind(
    CHANGES,
    change_row,
    item=PageChange,
    needs={"url_key": str, "change_id": str, "kind": str, "what": str},
    keep=[one.name for one in CHANGES.columns],
    merge={"at": as_it_was("at")},
    write=_write,
    views=views(what_changed=WHAT_CHANGED),
    address="url_key",
    ages="at",
)
