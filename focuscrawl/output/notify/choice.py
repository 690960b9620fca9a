"""Which changes a receiver gets, and what is known of them when they are sent.

What is new comes from the table ``changes``, which has nothing of a baseline. Copies of an earlier
article are sent with its story, not by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, and_, select

from focuscrawl.stores.results.database import parts_of
from focuscrawl.stores.results.kinds.story_roots import with_story

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from focuscrawl.output.notify.table import NotifyTable
    from focuscrawl.values import Json

KINDS_OF = {
    "new": frozenset({"new"}),
    "changed": frozenset({"major", "reply"}),
    "gone": frozenset({"gone"}),
}
"""Kinds of changes by what [[notify]] calls them, each told by itself."""

_SMALL = "minor"

LOOKED_BACK = 3 * 86_400.0
"""Seconds: changes are looked through once more so far back, since what was fetched before may be stored
after it, and a story may grow."""


class ToldChange(NamedTuple):
    """A change, with its article and story where it has them; times in seconds since 1970 UTC."""

    topic: str
    change_id: str
    at: float
    kind: str
    what: str
    url: str
    title: str
    medium: str
    host: str
    published: float | None
    published_date: str
    lead: str
    hits: Mapping[str, int]
    score: float | None
    is_copy: bool
    diff: str
    fields: Json
    story_id: str
    sites: int


def changes_since(
    connection: Connection, tables: Mapping[str, Table], topic: str, since: float
) -> list[ToldChange]:
    """Return all changes of a topic since a moment, the oldest first."""
    changes = tables["changes"].c
    query = _query(tables, topic).where(changes.at >= since)
    rows = connection.execute(query.order_by(changes.at, changes.change_id)).mappings()
    return [_told(row) for row in rows]


def changes_by_id(
    connection: Connection, tables: Mapping[str, Table], topic: str, ids: Sequence[str]
) -> list[ToldChange]:
    """Return some changes of a topic, the oldest first; what was forgotten meanwhile is missing."""
    found = []
    for some in parts_of(ids):
        query = _query(tables, topic).where(tables["changes"].c.change_id.in_(some))
        found += [_told(row) for row in connection.execute(query).mappings()]
    return sorted(found, key=lambda one: (one.at, one.change_id))


def _query(tables: Mapping[str, Table], topic: str) -> Select[Any]:
    changes, articles, stories = tables["changes"], tables["articles"], tables["stories"]
    c, a, s = changes.c, articles.c, stories.c
    article = and_(a.topic == c.topic, a.url_key == c.url_key, c.what == "article")
    own = (c.topic, c.change_id, c.at, c.kind, c.what, c.url, c.title, c.diff, c.fields)
    of_article = (a.title.label("own_title"), a.medium, a.source_name, a.host, a.lead)
    both, story_id = with_story(changes.outerjoin(articles, article), articles, stories)
    more = (
        a.published,
        a.published_date,
        a.hits,
        a.score,
        a.is_copy,
        story_id.label("story_id"),
        s.hosts,
    )
    return select(*own, *of_article, *more).select_from(both).where(c.topic == topic)


def _told(row: Mapping[Any, Any]) -> ToldChange:
    host = row["host"] or row["url"].partition("://")[2].partition("/")[0]
    return ToldChange(
        topic=row["topic"],
        change_id=row["change_id"],
        at=row["at"],
        kind=row["kind"],
        what=row["what"],
        url=row["url"],
        title=row["own_title"] or row["title"] or row["url"],
        medium=row["medium"] or row["source_name"] or host,
        host=host,
        published=row["published"],
        published_date=row["published_date"] or "",
        lead=row["lead"] or "",
        hits=row["hits"] or {},
        score=row["score"],
        is_copy=bool(row["is_copy"]),
        diff=row["diff"] or "",
        fields=row["fields"] or {},
        story_id=row["story_id"] or "",
        sites=row["hosts"] or 1,
    )


def choose_changes(changes: Iterable[ToldChange], table: NotifyTable) -> list[ToldChange]:
    """Return the changes that a receiver gets."""
    kinds = frozenset().union(*(KINDS_OF[name] for name in table.what))
    return [one for one in changes if one.kind in kinds and _is_wanted(one, table)]


def choose_small(changes: Iterable[ToldChange], table: NotifyTable) -> list[ToldChange]:
    """Return the small edits that stand together in a line of a message about something else; alone they make none."""
    if "changed" not in table.what:
        return []
    return [one for one in changes if one.kind == _SMALL and _is_wanted(one, table)]


def _is_wanted(change: ToldChange, table: NotifyTable) -> bool:
    if change.is_copy and change.kind == "new":
        return False
    if table.score and (change.score is None or change.score < table.score):
        return False
    if change.sites < table.sites:
        return False
    said = "\n".join([change.title, *change.hits])
    return not table.match or bool(table.match.hits(said))
