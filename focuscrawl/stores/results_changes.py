"""The feed of changes: what has happened to articles, records and pages, in order.

Rows are never changed: a change that is told again, after a crash, has the id it had and tells
nothing new.
"""

from __future__ import annotations

from typing import Any

from focuscrawl.values import PageChange

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

Row = dict[str, Any]


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
