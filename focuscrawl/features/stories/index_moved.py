"""The index of stories on its way between a crawl file and the results database (``scrapy topic move``).

An embedded crawl has it in its file, one that several workers share in the results.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import delete, func, select

from focuscrawl.features.stories.index import WORD_COUNTS, packed_counts
from focuscrawl.features.stories.index_tables import (
    INDEX_TABLES,
    INDEXED,
    STATES,
    TERMS,
    SharedStoryTables,
    make_tables,
)
from focuscrawl.features.stories.shared import counted_in
from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import Changes, StoryArticle, StoryState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection

TOLD_AT_ONCE = 500
"""Articles that are written together, each with a hundred terms."""

_T = TypeVar("_T")

_article = msgspec.msgpack.Decoder(StoryArticle).decode
_story = msgspec.msgpack.Decoder(StoryState).decode


def index_to_tables(
    articles: Iterable[bytes],
    stories: Iterable[bytes],
    counts: bytes | None,
    connection: Connection,
    topic: str,
) -> int:
    """Write an index of a crawl file into the results, in place of the one there; returns how many
    articles it has. ``counts`` is the fact WORD_COUNTS.
    """
    make_tables(connection, topic)
    delete_index(connection, topic)
    tables, count = SharedStoryTables(connection, topic), 0
    for some in _cut(map(_article, articles)):
        tables.write(some, ())
        count += len(some)
    for told in _cut(map(_story, stories)):
        tables.write((), told)
    if counts:
        tables.write_counts(msgspec.msgpack.decode(counts))
    return count


def index_to_file(connection: Connection, topic: str, write: Callable[[Changes], object]) -> int:
    """Give the index of the results to ``write``, for a crawl file that has none; returns how many articles it
    has.
    """
    make_tables(connection, topic)
    count = 0
    for some in _cut(map(_article, _bodies(connection, topic, INDEXED))):
        write(Changes(story_articles=some))
        count += len(some)
    for told in _cut(map(_story, _bodies(connection, topic, STATES))):
        write(Changes(stories=told))
    counts, pieces = counted_in(SharedStoryTables(connection, topic))
    if counts.documents:
        write(Changes(facts={(WORD_COUNTS, "all"): packed_counts(counts, pieces)}))
    return count


class IndexSize(NamedTuple):
    """How much there is of an index: by it two are compared."""

    articles: int
    stories: int
    terms: int

    def in_words(self) -> str:
        """Return what a person wants to know."""
        return _("{articles:,} articles in {stories:,} stories, found by {terms:,} terms").format(
            articles=self.articles, stories=self.stories, terms=self.terms
        )


def size_in_tables(connection: Connection, topic: str) -> IndexSize:
    """Return how much of an index the results have."""
    tables = (INDEXED, STATES, TERMS)
    counts = [select(func.count()).select_from(one).where(one.c.topic == topic) for one in tables]
    return IndexSize(*(connection.scalar(count) or 0 for count in counts))


def delete_index(connection: Connection, topic: str) -> None:
    """Delete the index of a topic in the results."""
    for one in INDEX_TABLES:
        connection.execute(delete(one).where(one.c.topic == topic))


def _cut(values: Iterable[_T]) -> Iterator[list[_T]]:
    left = iter(values)
    while some := [*islice(left, TOLD_AT_ONCE)]:
        yield some


def _bodies(connection: Connection, topic: str, one: Any) -> Iterator[bytes]:
    key = one.c.number if one is INDEXED else one.c.story_id
    yield from connection.scalars(select(one.c.body).where(one.c.topic == topic).order_by(key))
