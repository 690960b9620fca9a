"""Deleting addresses from the results: what is old, and what a person wants forgotten.

An address is forgotten as a whole: its page, its article, thread or records, their versions, changes
and members of stories, so that no row is left whose parent is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, exists, func, inspect, or_, select, text, update

from focuscrawl.results.schema import (
    ARTICLES,
    CHANGES,
    FILES,
    LABELS,
    NOTICES,
    PAGES,
    POSTS,
    RECORDS,
    SEEDS,
    STORIES,
    STORY_MEMBERS,
    THREADS,
    VERSIONS,
)

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

AT_A_TIME = 200
"""Addresses, or rows without one, that are deleted in one transaction."""

INDEX_ROWS = {"sqlite": "article_search_rows", "postgresql": "article_search"}
"""The tables of the full-text index that have a row for each article."""

OF_AN_ADDRESS = (
    (ARTICLES, ARTICLES.c.url_key),
    (CHANGES, CHANGES.c.url_key),
    (VERSIONS, VERSIONS.c.url_key),
    (STORY_MEMBERS, STORY_MEMBERS.c.url_key),
    (POSTS, POSTS.c.thread_key),
    (THREADS, THREADS.c.url_key),
    (SEEDS, SEEDS.c.url_key),
    (FILES, FILES.c.parent_key),
    (LABELS, LABELS.c.target_key),
    (NOTICES, NOTICES.c.target_key),
    (PAGES, PAGES.c.url_key),
)


# Choosing ---------------------------------------------------------------------------------------


def addresses_of_site(connection: Connection, topic: str, site: str) -> list[str]:
    """Return all addresses of a site."""
    found: set[str] = set()
    for table in (PAGES, ARTICLES, RECORDS, THREADS):
        query = select(table.c.url_key).where(table.c.topic == topic, table.c.host == site)
        found.update(connection.scalars(query))
    return sorted(found)


def with_further_pages(connection: Connection, topic: str, keys: Sequence[str]) -> list[str]:
    """Return addresses and those of the further pages of their articles."""
    found, looked_at = list(keys), list(keys)
    while looked_at:
        query = select(PAGES.c.url_key).where(
            PAGES.c.topic == topic,
            PAGES.c.parent_key.in_(looked_at),
            PAGES.c.page_class == "article_paging",
        )
        looked_at = [key for key in connection.scalars(query) if key not in found]
        found += looked_at
    return found


# Deleting ---------------------------------------------------------------------------------------


def count_rows(connection: Connection, topic: str, keys: Sequence[str]) -> Counter[str]:
    """Return how many rows of each table addresses have, as ``delete_addresses`` would."""
    counts: Counter[str] = Counter()
    for some in _parts(keys):
        for table, condition in _conditions(connection, topic, some):
            found = select(func.count()).select_from(table).where(condition)
            counts[table.name] += connection.scalar(found) or 0
    return +counts


def delete_addresses(
    connection: Connection, topic: str, keys: Sequence[str], *, retell: bool = False
) -> Counter[str]:
    """Delete all rows of addresses; returns how many of each table.

    ``retell``: stories are told as if they had never had these members, so they lose a title that
    was an article's. Else they keep what they were.
    """
    counts: Counter[str] = Counter()
    for some in _parts(keys):
        stories = list(
            connection.scalars(
                select(STORY_MEMBERS.c.story_id)
                .where(STORY_MEMBERS.c.topic == topic, STORY_MEMBERS.c.url_key.in_(some))
                .distinct()
            )
        )
        for table, condition in _conditions(connection, topic, some):
            counts[table.name] += connection.execute(delete(table).where(condition)).rowcount
        _forget_words(connection, topic, some)
        if retell:
            _retell(connection, topic, stories, some)
        counts["stories"] += _delete_empty(connection, topic, stories)
    return +counts


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), AT_A_TIME):
        yield keys[start : start + AT_A_TIME]


def _conditions(
    connection: Connection, topic: str, keys: Sequence[str]
) -> list[tuple[Table, ColumnElement[bool]]]:
    """Return what is an address's in each table: records have keys of their own."""
    records = list(
        connection.scalars(
            select(RECORDS.c.record_id).where(RECORDS.c.topic == topic, RECORDS.c.url_key.in_(keys))
        )
    )
    found = [
        (table, and_(table.c.topic == topic, column.in_([*keys, *records])))
        for table, column in OF_AN_ADDRESS
    ]
    return [(RECORDS, and_(RECORDS.c.topic == topic, RECORDS.c.url_key.in_(keys))), *found]


def _forget_words(connection: Connection, topic: str, keys: Sequence[str]) -> None:
    """Take articles out of the full-text index, where there is one."""
    name = INDEX_ROWS.get(connection.dialect.name)
    if name is None or not inspect(connection).has_table(name):
        return
    row = text(f"DELETE FROM {name} WHERE topic = :topic AND url_key = :key")  # noqa: S608
    connection.execute(row, [{"topic": topic, "key": key} for key in keys])


def _retell(
    connection: Connection, topic: str, stories: Sequence[str], keys: Sequence[str]
) -> None:
    first = and_(STORIES.c.topic == topic, STORIES.c.first_key.in_(keys))
    connection.execute(update(STORIES).where(first).values(title=None, first_key=None))
    for story_id in stories:
        members = select(STORY_MEMBERS.c.relation, PAGES.c.host).select_from(
            STORY_MEMBERS.outerjoin(
                PAGES, and_(PAGES.c.topic == topic, PAGES.c.url_key == STORY_MEMBERS.c.url_key)
            )
        )
        rows = connection.execute(
            members.where(STORY_MEMBERS.c.topic == topic, STORY_MEMBERS.c.story_id == story_id)
        ).all()
        told = {
            "articles": len(rows),
            "copies": sum(row.relation == "copy" for row in rows),
            "hosts": len({row.host for row in rows}),
        }
        this = and_(STORIES.c.topic == topic, STORIES.c.story_id == story_id)
        connection.execute(update(STORIES).where(this).values(told))


def _delete_empty(connection: Connection, topic: str, stories: Sequence[str]) -> int:
    """Delete those stories that have no member left, and what they had swallowed."""
    if not stories:
        return 0
    member = exists().where(
        STORY_MEMBERS.c.topic == topic, STORY_MEMBERS.c.story_id == STORIES.c.story_id
    )
    of_these = and_(STORIES.c.topic == topic, STORIES.c.story_id.in_(stories))
    empty = list(connection.scalars(select(STORIES.c.story_id).where(of_these, ~member)))
    gone = or_(STORIES.c.story_id.in_(empty), STORIES.c.merged_into.in_(empty))
    return connection.execute(delete(STORIES).where(STORIES.c.topic == topic, gone)).rowcount
