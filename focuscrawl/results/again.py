"""Pages as the log book knows them, for those who want them fetched again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from focuscrawl.results.schema import PAGES

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

_AT_A_TIME = 500
_DEEPEST = 50
"""So far back the way of a page is followed."""

_PARTS = frozenset({"paging", "article_paging"})
"""Classes of pages that a click to counts for nothing."""


class KnownPage(NamedTuple):
    """A page of the log book; keys in hex, ``depth`` in clicks from where the crawl began."""

    url_key: str
    url: str
    host: str
    page_class: str
    level: int
    depth: int
    parent_key: str
    anchor: str
    source_id: str
    outcome: str


def known_pages(
    connection: Connection, topic: str, condition: ColumnElement[bool]
) -> list[KnownPage]:
    """Return the pages of a topic that fulfil a condition on the table pages."""
    rows = connection.execute(select(PAGES).where(PAGES.c.topic == topic, condition)).all()
    depths = _depths(connection, topic, [row.url_key for row in rows])
    return [
        KnownPage(
            row.url_key,
            row.url,
            row.host,
            row.page_class,
            row.level or 1,
            depths[row.url_key],
            row.parent_key or "",
            row.anchor or "",
            row.source_id or "",
            row.outcome,
        )
        for row in rows
    ]


def pages_by_key(connection: Connection, topic: str, keys: Sequence[str]) -> list[KnownPage]:
    """Return the pages of some addresses."""
    return [
        page
        for some in _parts(keys)
        for page in known_pages(connection, topic, PAGES.c.url_key.in_(some))
    ]


def _depths(connection: Connection, topic: str, keys: Sequence[str]) -> dict[str, int]:
    """Count the clicks that led to pages, back along the pages they were first found on."""
    parents: dict[str, tuple[str, bool]] = {}
    asked = set(keys)
    for _ in range(_DEEPEST):
        if not asked:
            break
        for some in _parts(sorted(asked)):
            query = select(PAGES.c.url_key, PAGES.c.parent_key, PAGES.c.page_class).where(
                PAGES.c.topic == topic, PAGES.c.url_key.in_(some)
            )
            for key, parent, page_class in connection.execute(query):
                parents[key] = (parent or "", page_class not in _PARTS)
        asked = {parent for parent, _ in parents.values() if parent and parent not in parents}
    return {key: _depth(key, parents) for key in keys}


def _depth(key: str, parents: dict[str, tuple[str, bool]]) -> int:
    depth = 0
    passed = {key}
    while key in parents:
        parent, is_click = parents[key]
        if not parent or parent in passed:
            break
        depth += is_click
        passed.add(parent)
        key = parent
    return depth


def _parts(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(keys), _AT_A_TIME):
        yield keys[start : start + _AT_A_TIME]
