"""The story that an article is in now: one that was swallowed leads on to another.

Stories that turn out to be one are merged (D): the younger keeps its row and its members, and names the elder in
``merged_into``, which may be swallowed itself later. Two such steps are gone in SQL: more are rare, and a
row in the midst of them is shown as it was when it was swallowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause

STORY_OF_ARTICLE = """
LEFT JOIN stories told_in ON told_in.topic = a.topic AND told_in.story_id = a.story_id
LEFT JOIN stories led_to ON led_to.topic = a.topic AND led_to.story_id = told_in.merged_into
LEFT JOIN stories s ON s.topic = a.topic AND s.story_id = coalesce(led_to.merged_into, told_in.merged_into, a.story_id)
"""
"""For views: joins the story ``s`` to an article ``a``."""


def with_story(
    rows: FromClause, told: FromClause, stories: FromClause
) -> tuple[FromClause, ColumnElement[Any]]:
    """Join ``stories`` to rows that have the column story_id of ``told``; return with them that story's id."""
    first, second = stories.alias("told_in"), stories.alias("led_to")
    root = func.coalesce(second.c.merged_into, first.c.merged_into, told.c.story_id)

    def same(story: Any, story_id: ColumnElement[Any]) -> ColumnElement[bool]:
        return and_(story.c.topic == told.c.topic, story.c.story_id == story_id)

    joined = rows.outerjoin(first, same(first, told.c.story_id))
    joined = joined.outerjoin(second, same(second, first.c.merged_into))
    return joined.outerjoin(stories, same(stories, root)), root


def root_of(story: str, merged: Mapping[str, str]) -> str:
    """Return the story that a story is part of; hostile rows may lead round in a circle."""
    passed = {story}
    while (into := merged.get(story)) and into not in passed:
        passed.add(into)
        story = into
    return story
