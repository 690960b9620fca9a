"""Our items as plain values for feeds: dicts, with times as ISO 8601 UTC."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from typing import Any

from focuscrawl.results.columns import Time, time_or_none, time_text
from focuscrawl.results.schema import ARTICLES, CHANGES, PAGES, POSTS, THREADS
from focuscrawl.values import Article, Page, PageChange, Post, Record, Thread

TIMES = {
    kind: frozenset(column.name for column in table.columns if isinstance(column.type, Time))
    for kind, table in (
        (Article, ARTICLES),
        (Page, PAGES),
        (PageChange, CHANGES),
        (Thread, THREADS),
        (Post, POSTS),
    )
}


def plain_item(item: Any) -> Any:
    """Return our items as dicts with times as ISO 8601 UTC; items of others as they are."""
    if isinstance(item, Record):
        whole = {"url": item.url, "host": item.host, "complete": item.complete}
        return {**item.data, **whole, "extra": item.extra}
    for kind, times in TIMES.items():
        if isinstance(item, kind):
            return {
                field.name: _plain(getattr(item, field.name), field.name in times)
                for field in fields(item)
            }
    return item


def _plain(value: Any, is_time: bool) -> Any:
    if is_time:
        moment = time_or_none(value)
        return None if moment is None else time_text(moment)
    return value.value if isinstance(value, Enum) else value
