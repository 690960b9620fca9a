"""The earlier versions that articles leave behind when they are written anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from focuscrawl.stores.results.kind import HistoryKept, RowValues
from focuscrawl.stores.results.kinds.history import (
    ARTICLE,
    DIFFERENCE,
    VERSIONS,
    WHOLE_TEXT,
    pack,
    unpack_text,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection


def article_versions(
    connection: Connection,
    topic: str,
    rows: Iterable[RowValues],
    stored: Mapping[str, Mapping[Any, Any]],
    mode: HistoryKept,
) -> list[RowValues]:
    """Return the rows of versions that articles about to be written (in order) leave behind.

    ``rows`` say the text as it will be stored, ``stored`` are the rows of those that are, by key.
    Nothing is returned when all are as they were; a row may replace one that is stored.
    """
    now: dict[str, Mapping[Any, Any]] = dict(stored)
    before = _latest(connection, topic, stored.values())
    left: dict[tuple[str, int], RowValues] = {}
    for row in rows:
        key = str(row["url_key"])
        old = now.get(key)
        now[key] = _follows(old, row)
        moved = old is not None and now[key]["version"] != old["version"]
        if old is None or (old["text"] == row["text"] and not moved):
            continue
        start = old["version"] - 1
        earlier = left.get((key, start)) or before.get((key, start))
        if moved and mode != "none":
            made = _left_behind(old, topic, row["text"] if mode == "diff" else None)
            left[key, old["version"]] = made
        elif earlier is not None and earlier["encoding"] == DIFFERENCE:
            base = row["text"] if mode == "diff" and not moved else None
            left[key, start] = _based_anew(earlier, old["text"], base)
    return list(left.values())


def _follows(old: Mapping[Any, Any] | None, row: RowValues) -> RowValues:
    """Return what is to be known of an article after it is written (see ARTICLE_ROWS)."""
    if old is None:
        return {**row, "version": 1}
    changed = bool(old["complete"]) and old["text_md5"] != row["text_md5"]
    updated = row["fetched"] if changed else old["updated"]
    return {**row, "version": old["version"] + changed, "updated": updated}


def _left_behind(old: Mapping[Any, Any], topic: str, newer: str | None) -> RowValues:
    text = old["text"] if old["text"] is not None else old["lead"]
    body, encoding = (
        (None, WHOLE_TEXT) if text is None else pack(text, newer if old["text"] else None)
    )
    return {
        "topic": topic,
        "kind": ARTICLE,
        **{name: old[name] for name in ("url_key", "version", "title", "text_md5")},
        "body": body,
        "encoding": encoding,
        "at": old["updated"],
    }


def _based_anew(earlier: RowValues, was: str | None, newer: str | None) -> RowValues:
    try:
        text = unpack_text(earlier["body"], earlier["encoding"], was)
    except ValueError:  # damaged before: scrapy topic check-data says so
        return earlier
    body, encoding = pack(text, newer)
    return {**earlier, "body": body, "encoding": encoding}


def _latest(
    connection: Connection, topic: str, articles: Iterable[Mapping[Any, Any]]
) -> dict[tuple[str, int], RowValues]:
    """Return the version before the newest of some articles."""
    found = {}
    for article in articles:
        key, version = article["url_key"], article["version"] - 1
        if not version:
            continue
        query = select(VERSIONS).where(
            VERSIONS.c.topic == topic,
            VERSIONS.c.url_key == key,
            VERSIONS.c.kind == ARTICLE,
            VERSIONS.c.version == version,
        )
        for row in connection.execute(query).mappings():
            found[key, version] = dict(row)
    return found
