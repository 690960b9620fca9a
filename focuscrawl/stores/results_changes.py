"""The feed of changes: what has happened to articles, records and pages, in order.

Rows are never changed: a change that is told again, after a crash, has the id it had and tells
nothing new. ``new`` and ``completed`` follow from what is written; the rest the crawl tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from focuscrawl.stores.results_columns import json_text
from focuscrawl.stores.results_schema import ARTICLES, RECORDS, THREADS
from focuscrawl.values import Json, PageChange, change_key

CHANGE_COLUMNS = (
    "topic",
    "change_id",
    "at",
    "url_key",
    "url",
    "kind",
    "what",
    "fields",
    "diff",
    "distance",
    "title",
    "version",
    "run_id",
)
OF_A_VERSION = frozenset({"minor", "major", "completed"})

Row = dict[str, Any]
RecordKey = tuple[str, str]
"""Type and id of a record."""


def change_row(topic: str, change: PageChange, run_id: str | None) -> Row:
    """Return the row of a change."""
    return {
        "topic": topic,
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
        "run_id": run_id,
    }


def of_article(row: Mapping[str, Any], kind: str) -> PageChange:
    """Return the change that an article is new, or that its missing parts have come."""
    key = row["url_key"]
    return PageChange(
        change_key(key, kind, row["version"]),
        *(row["fetched"], key, row["url"], kind, "article"),
        title=row["title"],
        version=row["version"],
    )


class RecordChanges:
    """Gathers what becomes of the records of a batch.

    ``visits`` are the visits at which a page was found to say something else, by record: only then
    another value is a change. Before that pages of a site complete each other's records.
    """

    def __init__(self, visits: Mapping[RecordKey, int]) -> None:
        self.changes: list[PageChange] = []
        self._visits = visits

    def take(self, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
        """Take the row of a record as it was (None: it is new) and as it is written."""
        key = (now["record_type"], now["record_id"])
        if before is None:
            self._add(now, "new", 1, now["found"], {})
        elif now["version"] != before["version"] and key in self._visits:
            fields = changed_fields(before["data"], now["data"])
            self._add(now, "major", self._visits[key], now["updated"], fields)

    def _add(self, row: Mapping[str, Any], kind: str, visit: int, at: float, fields: Json) -> None:
        key = row["record_id"]
        name = next((value for value in row["data"].values() if isinstance(value, str)), "")
        self.changes.append(
            PageChange(
                change_key(f"{row['record_type']}/{key}", kind, visit),
                *(at, key, row["url"], kind, "record", fields),
                title=name[:500],
                version=row["version"],
            )
        )


def changed_fields(before: Json, now: Json) -> Json:
    """Return {name: [old, new]} of the fields that differ."""
    return {
        name: [before.get(name), now.get(name)]
        for name in dict.fromkeys([*before, *now])
        if json_text(before.get(name)) != json_text(now.get(name))
    }


def with_versions(
    connection: Connection, topic: str, changes: Sequence[PageChange]
) -> Sequence[PageChange]:
    """Fill in the version that changed articles have now."""
    asked = [
        change
        for change in changes
        if change.what == "article" and change.kind in OF_A_VERSION and change.version is None
    ]
    if asked:
        query = select(ARTICLES.c.url_key, ARTICLES.c.version).where(
            ARTICLES.c.topic == topic, ARTICLES.c.url_key.in_([one.url_key for one in asked])
        )
        versions = {row.url_key: row.version for row in connection.execute(query)}
        for change in asked:
            change.version = versions.get(change.url_key)
    return changes


def mark_gone(connection: Connection, topic: str, gone: Mapping[str, float | None]) -> None:
    """Say since when pages are gone, or with None that they are back, in all that is from them."""
    by_date: dict[float | None, list[str]] = {}
    for key, date in gone.items():
        by_date.setdefault(date, []).append(key)
    for date, keys in by_date.items():
        for table in (ARTICLES, RECORDS, THREADS):
            connection.execute(
                update(table)
                .where(table.c.topic == topic, table.c.url_key.in_(keys))
                .values(gone_at=date)
            )


def kept_versions(connection: Connection, topic: str, keys: Iterable[str]) -> dict[str, Any]:
    """Return title, text and version of articles as they are stored, by key."""
    query = select(ARTICLES.c.url_key, ARTICLES.c.title, ARTICLES.c.text, ARTICLES.c.version).where(
        ARTICLES.c.topic == topic, ARTICLES.c.url_key.in_(list(keys))
    )
    return {row.url_key: row for row in connection.execute(query)}
