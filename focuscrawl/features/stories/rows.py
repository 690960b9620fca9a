"""Stories in the results (D): their rows, and who belongs to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Boolean, Connection, Index, and_, delete, exists, func, or_, select, update

from focuscrawl.features.stories.events import StoryReading
from focuscrawl.stores.results.columns import (
    JSON_COLUMN,
    KEY_COLUMN,
    SMALL_COUNT,
    Figure,
    LineColumn,
    Time,
    key_column,
    may,
    must,
    table,
    time_or_none,
)
from focuscrawl.stores.results.kind import (
    Forgotten,
    Orphans,
    RowContext,
    RowKind,
    RowValues,
    row_by_names,
)
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.schema import LOCAL, View, views
from focuscrawl.stores.state.protocol import StoryArticle, StoryState
from focuscrawl.values import Article

STORIES = table(
    "stories",
    key_column("story_id", KEY_COLUMN, "The story's key; never used again."),
    may("title", LineColumn(500), "The title of its first article."),
    may("first_key", KEY_COLUMN, "Its first article."),
    may("first_host", LineColumn(255), "The site that told it first."),
    must("first_at", Time, "The date of its first article: published, else found.", "UTC"),
    must("last_at", Time, "The date of its newest article: published, else found.", "UTC"),
    must("articles", SMALL_COUNT, "Its members, copies among them.", "articles"),
    must("copies", SMALL_COUNT, "Those that have a text which an earlier one has.", "articles"),
    must("hosts", SMALL_COUNT, "The sites that tell it.", "sites"),
    may("keywords", JSON_COLUMN, "What it is about, [word, weight]."),
    may("merged_into", KEY_COLUMN, "The story that has swallowed it; empty: none has."),
    Index("stories_last", "topic", "last_at"),
    Index("stories_size", "topic", "articles"),
    about="Groups of articles that tell one story.",
)

STORY_MEMBERS = table(
    "story_members",
    must("story_id", KEY_COLUMN, "The story."),
    key_column(
        "url_key", KEY_COLUMN, "The article, which may be a copy that is stored nowhere else."
    ),
    must("relation", LineColumn(8), "What it is to the story: first, copy, event."),
    may("like_key", KEY_COLUMN, "The member it is like."),
    may("similarity", Figure, "How like they are.", "0 to 1"),
    may("because", LineColumn(200), "Why, in words."),
    must("at", Time, "Its date: published, else found.", "UTC"),
    may(
        "dated",
        Boolean,
        "Whether that is a date it says itself; empty in rows of earlier versions.",
    ),
    Index("members_story", "topic", "story_id", "at"),
    about="An article is in one story.",
)

HOT_STORIES = """
SELECT topic, title, sites, articles, copies, first_site, {local:first_at} AS first_time,
       {local:dated_at} AS newest, story_id
FROM (
    SELECT s.topic, s.title, s.hosts AS sites, s.articles, s.copies, s.first_host AS first_site,
           s.first_at, s.story_id, max(m.at) AS dated_at,
           count(DISTINCT coalesce(a.host, p.host)) AS dated_sites
    FROM stories s
    JOIN story_members m ON m.topic = s.topic AND m.dated IS NOT {false}
         AND (m.story_id = s.story_id OR m.story_id IN (
              SELECT story_id FROM stories o WHERE o.topic = s.topic AND (o.merged_into = s.story_id
              OR o.merged_into IN (SELECT story_id FROM stories y WHERE y.topic = s.topic AND y.merged_into = s.story_id))))
    LEFT JOIN articles a ON a.topic = m.topic AND a.url_key = m.url_key
    LEFT JOIN pages p ON p.topic = m.topic AND p.url_key = m.url_key
    WHERE s.last_at >= {yesterday} AND s.merged_into IS NULL AND s.hosts > 1
    GROUP BY s.topic, s.story_id, s.title, s.hosts, s.articles, s.copies, s.first_host, s.first_at
) AS told
WHERE dated_sites > 1 AND dated_at >= {yesterday}
ORDER BY sites DESC, articles DESC, dated_at DESC
"""


_story_by_names = row_by_names(
    STORIES, besides=("hosts", "keywords"), empty_is_null=["merged_into"]
)
_member_by_names = row_by_names(
    STORY_MEMBERS, besides=["url_key"], empty_is_null=("like_key", "because")
)


def story_row(story: StoryState, context: RowContext) -> RowValues:
    """Return the row of a story."""
    keywords = [list(pair) for pair in story.keywords]
    return {**_story_by_names(story, context), "hosts": len(story.sites), "keywords": keywords}


def member_row(article: StoryArticle, context: RowContext) -> RowValues:
    """Return the row of a member; ``at`` is the article's own date."""
    return {**_member_by_names(article, context), "url_key": article.key.hex()}


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


def reading_of(article: Article, now: float, found_on: bytes = b"") -> StoryReading:
    """Return an article as stories take it; ``now`` is when it was found, unless it says so, ``found_on`` the key of
    the page that led to it."""
    return StoryReading(
        key=bytes.fromhex(article.url_key),
        host=article.host,
        title=article.title,
        text=article.text,
        published=time_or_none(article.published),
        found=article.fetched or now,
        keywords=tuple((word, weight) for word, weight in article.keywords),
        found_on=found_on,
    )


# Forgetting -------------------------------------------------------------------------------------


@contextmanager
def _without(forgotten: Forgotten) -> Iterator[None]:
    """Let stories be told without their members that are being deleted, or go with the last of them.

    Unless they are retold, stories keep what they were; else they lose a title that was an article's.
    """
    from focuscrawl.features.stories.index_tables import forget_articles  # noqa: PLC0415 - it needs these rows

    connection, topic, keys = forgotten.connection, forgotten.topic, forgotten.keys
    if forgotten.retell:
        forget_articles(connection, topic, keys)
    of_them = (STORY_MEMBERS.c.topic == topic, STORY_MEMBERS.c.url_key.in_(keys))
    stories = list(connection.scalars(select(STORY_MEMBERS.c.story_id).where(*of_them).distinct()))
    yield
    if forgotten.retell:
        _retell(connection, topic, stories, keys)
    forgotten.counts[STORIES.name] += _delete_empty(connection, topic, stories)


def _retell(
    connection: Connection, topic: str, stories: Sequence[str], keys: Sequence[str]
) -> None:
    from focuscrawl.features.stories.index_tables import retell_story  # noqa: PLC0415 - it needs these rows

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
        retell_story(connection, topic, story_id, keys, [row.relation for row in rows])


def _delete_empty(connection: Connection, topic: str, stories: Sequence[str]) -> int:
    """Delete those stories that have no member left, and those merged into them."""
    if not stories:
        return 0
    member = exists().where(
        STORY_MEMBERS.c.topic == topic, STORY_MEMBERS.c.story_id == STORIES.c.story_id
    )
    of_these = and_(STORIES.c.topic == topic, STORIES.c.story_id.in_(stories))
    empty = list(connection.scalars(select(STORIES.c.story_id).where(of_these, ~member)))
    gone = or_(STORIES.c.story_id.in_(empty), STORIES.c.merged_into.in_(empty))
    return connection.execute(delete(STORIES).where(STORIES.c.topic == topic, gone)).rowcount


STORY_ROWS = RowKind(
    STORIES,
    story_row,
    item=StoryState,
    latest=True,
    views=views(
        hot_stories=View(
            HOT_STORIES,
            "Stories that two sites or more told, at least one of them in the last 24 hours, by the number of"
            " sites. An article without a date makes none hot.",
            {
                "topic": ("The name of the topic.", ""),
                "title": ("The title of its first article.", ""),
                "sites": ("The sites that tell it.", "sites"),
                "articles": ("Its members, copies among them.", "articles"),
                "copies": ("Those that have a text which an earlier one has.", "articles"),
                "first_site": ("The site that told it first.", ""),
                "first_time": ("The date of its first article.", LOCAL),
                "newest": ("The date of its newest article that has one.", LOCAL),
                "story_id": ("The story's key.", ""),
            },
        )
    ),
    orphans=(
        Orphans(
            "stories lead on to one that is not there",
            "story_id",
            "merged_into IS NOT NULL AND NOT EXISTS (SELECT 1 FROM stories s"
            " WHERE s.topic = stories.topic AND s.story_id = stories.merged_into)",
        ),
    ),
)

MEMBER_ROWS = RowKind(
    STORY_MEMBERS,
    member_row,
    part="members",
    item=StoryArticle,
    address="url_key",
    forgetting=_without,
    orphans=(
        Orphans(
            "members are of no story",
            "url_key",
            "NOT EXISTS (SELECT 1 FROM stories s"
            " WHERE s.topic = story_members.topic AND s.story_id = story_members.story_id)",
        ),
    ),
)
