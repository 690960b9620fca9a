"""Where the pages of a forum have their parts, as a template says it."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.values import Selector


class ForumSelectors(NamedTuple):
    """Where a site's pages have their parts: rows of a board, posts of a thread; None: found out."""

    thread: Selector | None = None
    replies: Selector | None = None
    views: Selector | None = None
    post: Selector | None = None
    posted: Selector | None = None
    poster: Selector | None = None
    post_text: Selector | None = None
