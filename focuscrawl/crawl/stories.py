"""Articles and the table [stories] as the room stories takes them (D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.results.columns import time_or_none
from focuscrawl.stories.clusters import StoryReading

if TYPE_CHECKING:
    from focuscrawl.template.template import Template
    from focuscrawl.values import Article


def are_told(template: Template) -> bool:
    """Whether there is anything to look for: copies, events, or the published form."""
    stories = template.stories
    return stories.copies != "off" or stories.events or stories.strict


def reading_of(article: Article, now: float) -> StoryReading:
    """Return an article as stories take it; ``now`` is when it was found, unless it says so."""
    return StoryReading(
        key=bytes.fromhex(article.url_key),
        host=article.host,
        title=article.title,
        text=article.text,
        published=time_or_none(article.published),
        found=article.fetched or now,
        keywords=tuple((word, weight) for word, weight in article.keywords),
    )
