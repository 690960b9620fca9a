"""Stories: who belongs to them, who was first, how many told it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from focuscrawl.store.protocol import StoryArticle, StoryState
from focuscrawl.stories.matching import IS_COPY

MOST_SITES = 1000
"""Sites of a story that are told apart."""


class Reading(NamedTuple):
    """An article as stories take it: ``published`` and ``found`` are seconds since 1970 UTC."""

    key: bytes
    host: str
    title: str
    text: str
    published: float | None
    found: float
    keywords: tuple[tuple[str, float], ...] = ()

    @property
    def at(self) -> float:
        """Its date: published, else found; none is later than found."""
        return self.found if self.published is None else min(self.published, self.found)


def story_id_of(key: bytes) -> str:
    """Return the id of the story that an article begins."""
    return hashlib.md5(key).hexdigest()


def begun(story_id: str, reading: Reading) -> StoryState:
    """Return a story that has no member yet; its first will be this article."""
    at = reading.at
    return StoryState(story_id, reading.title, reading.key.hex(), reading.host, at, at, 0, 0, ())


def joined(story: StoryState, reading: Reading, article: StoryArticle) -> StoryState:
    """Return a story with one more member; an earlier one than all so far becomes the first."""
    sites = story.sites
    if reading.host not in sites and len(sites) < MOST_SITES:
        sites = (*sites, reading.host)
    story = story._replace(
        last_at=max(story.last_at, article.at),
        articles=story.articles + 1,
        copies=story.copies + (article.relation == IS_COPY),
        sites=sites,
        keywords=story.keywords or reading.keywords,
    )
    if article.at < story.first_at:
        return story._replace(
            title=reading.title,
            first_key=reading.key.hex(),
            first_host=reading.host,
            first_at=article.at,
        )
    return story


def merged(one: StoryState, other: StoryState) -> tuple[StoryState, StoryState]:
    """Return two stories that are one: the elder with all members, the younger leading to it."""
    elder, younger = sorted((one, other), key=lambda story: (story.first_at, story.story_id))
    sites = tuple(dict.fromkeys((*elder.sites, *younger.sites)))[:MOST_SITES]
    swallowed = younger._replace(merged_into=elder.story_id)
    elder = elder._replace(
        last_at=max(elder.last_at, younger.last_at),
        articles=elder.articles + younger.articles,
        copies=elder.copies + younger.copies,
        sites=sites,
    )
    return elder, swallowed
