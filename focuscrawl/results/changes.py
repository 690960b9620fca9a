"""The feed of changes: what has happened to articles, records and pages, in order.

Rows are never changed: a change that is told again, after a crash, has the id it had and tells
nothing new. The crawl tells them all, before it writes what they are about; what it calls new,
completed or changed of articles and records is a row only when writing it has made it so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Table, select, update

from focuscrawl.results.columns import json_text
from focuscrawl.results.records import RecordKey
from focuscrawl.results.schema import ARTICLES, PAGES, RECORDS, THREADS
from focuscrawl.values import ONCE, Json, PageChange, change_key

if TYPE_CHECKING:
    from focuscrawl.results.batch import Written

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


class StoredArticle(NamedTuple):
    """What is compared of an article that is stored; ``text`` is "" when none is, ``length`` that of
    the whole text, whatever is stored of it.
    """

    title: str
    text: str
    complete: bool
    length: int


def change_row(topic: str, change: PageChange, run_id: str | None) -> Json:
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


def record_change(
    before: Mapping[str, Any] | None, now: Mapping[str, Any], visit: int | None
) -> PageChange | None:
    """Return what becomes of a record by its row before (None: it is new) and after a page.

    ``visit`` is the number of the visit at which its page was found to say something else: only
    then another value is a change. Before that pages of a site complete each other's records.
    """
    key, fields = (now["record_type"], now["record_id"]), {}
    if before is None:
        change_id, kind, at = record_change_id(key, "new", ONCE), "new", now["found"]
    elif visit is not None and now["version"] != before["version"]:
        change_id, kind, at = record_change_id(key, "major", visit), "major", now["updated"]
        fields = changed_fields(before["data"], now["data"])
    else:
        return None
    name = next((value for value in now["data"].values() if isinstance(value, str)), "")
    return PageChange(
        change_id,
        *(at, now["record_id"], now["url"], kind, "record", fields),
        title=name[:500],
        version=now["version"],
    )


def record_change_id(key: RecordKey, kind: str, visit: int) -> str:
    """Return the id of a record's change."""
    return change_key("/".join(key), kind, visit)


def as_written(
    changes: Iterable[PageChange], written: Written, visits: Mapping[RecordKey, int]
) -> list[PageChange]:
    """Leave out what was told too early: an article or a record that was stored meanwhile.

    ``visits`` are those at which the pages of records were found to say something else.
    """
    of_records = {record_change_id(key, "new", ONCE) for key in written.records_new}
    changed = written.records_new | written.records_changed
    of_records |= {
        record_change_id(key, "major", visit) for key, visit in visits.items() if key in changed
    }

    def holds(change: PageChange) -> bool:
        if change.what == "article" and change.kind == "new":
            return change.url_key in written.new
        if change.what == "article" and change.kind == "completed":
            return change.url_key in written.completed | written.new
        if change.what == "record" and change.kind in ("new", "major"):
            return change.change_id in of_records
        return True

    return [change for change in changes if holds(change)]


def changed_fields(before: Json, now: Json) -> Json:
    """Return {name: [old, new]} of the fields that differ."""
    return {
        name: [before.get(name), now.get(name)]
        for name in dict.fromkeys([*before, *now])
        if json_text(before.get(name)) != json_text(now.get(name))
    }


def fill_versions(connection: Connection, topic: str, changes: Iterable[PageChange]) -> None:
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


def stored_article(connection: Connection, topic: str, key: str) -> StoredArticle | None:
    """Return an article as it is stored; None when it is not."""
    table = ARTICLES.c
    query = select(table.title, table.text, table.complete, table.length).where(
        table.topic == topic, table.url_key == key
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    text, length = row.text or "", row.length
    length = len(text) if length is None else int(length)  # other programs may write none
    return StoredArticle(row.title or "", text, bool(row.complete), length)


def stored_title(connection: Connection, topic: str, key: str) -> str:
    """Return the title of an article, a thread, else of the page as the log book has it."""
    for table in (ARTICLES, THREADS, PAGES):
        query = select(table.c.title).where(table.c.topic == topic, table.c.url_key == key)
        if title := connection.execute(query.limit(1)).scalar():
            return str(title)
    return ""


def is_complete(connection: Connection, topic: str, key: str) -> bool | None:
    """Return whether no part of an article that is stored is missing; None when it is not stored."""
    query = select(ARTICLES.c.complete).where(ARTICLES.c.topic == topic, ARTICLES.c.url_key == key)
    found = connection.execute(query).scalar()
    return None if found is None else bool(found)


def has_rows(connection: Connection, topic: str, *tables: Table) -> bool:
    """Return whether any of some tables has a row of a topic."""
    return any(
        connection.execute(select(table.c.topic).where(table.c.topic == topic).limit(1)).first()
        is not None
        for table in tables
    )
