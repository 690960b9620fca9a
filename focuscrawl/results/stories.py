"""Stories in the results (D): their rows, and who belongs to them."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from focuscrawl.results.schema import STORY_MEMBERS
from focuscrawl.store.protocol import StoryArticle, StoryState
from focuscrawl.values import Json

STORY_COLUMNS = (
    "topic",
    "story_id",
    "title",
    "first_key",
    "first_host",
    "first_at",
    "last_at",
    "articles",
    "copies",
    "hosts",
    "keywords",
    "merged_into",
)
MEMBER_COLUMNS = (
    "topic",
    "story_id",
    "url_key",
    "relation",
    "like_key",
    "similarity",
    "because",
    "at",
)


def story_row(topic: str, story: StoryState) -> Json:
    """Return the row of a story."""
    return {
        "topic": topic,
        "story_id": story.story_id,
        "title": story.title,
        "first_key": story.first_key,
        "first_host": story.first_host,
        "first_at": story.first_at,
        "last_at": story.last_at,
        "articles": story.articles,
        "copies": story.copies,
        "hosts": len(story.sites),
        "keywords": [list(pair) for pair in story.keywords],
        "merged_into": story.merged_into or None,
    }


def member_row(topic: str, article: StoryArticle) -> Json:
    """Return the row of a member; ``at`` is the article's own date."""
    return {
        "topic": topic,
        "story_id": article.story_id,
        "url_key": article.key.hex(),
        "relation": article.relation,
        "like_key": article.like_key or None,
        "similarity": article.similarity,
        "because": article.because or None,
        "at": article.at,
    }


def read_members(connection: Connection, topic: str, *, more_than: int) -> list[StoryArticle]:
    """Return all members of a topic's stories when there are more than so many, else none.

    They have what the table has: no number, text or terms.
    """
    of_topic = STORY_MEMBERS.c.topic == topic
    count = connection.execute(select(func.count()).select_from(STORY_MEMBERS).where(of_topic))
    if (count.scalar() or 0) <= more_than:
        return []
    rows = connection.execute(select(STORY_MEMBERS).where(of_topic))
    return [
        StoryArticle(
            number=0,
            key=bytes.fromhex(row.url_key),
            at=0.0,
            story_id=row.story_id,
            relation=row.relation,
            like_key=row.like_key or "",
            similarity=row.similarity or 0.0,
            because=row.because or "",
            sketch=b"",
        )
        for row in rows
    ]
