"""The level of a found link (A3)."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.values import PageClass

CONTENT = frozenset(
    {PageClass.ARTICLE, PageClass.ARTICLE_PAGING, PageClass.THREAD, PageClass.RECORD}
)
LOWEST = 1


class Levels(NamedTuple):
    """``level`` is the queue a URL waits in, ``passed_level`` the one its links are levelled from."""

    level: int
    passed_level: int


def is_returned(link_class: PageClass | None, parent_class: PageClass) -> bool:
    """Whether a link is *returned*: part of the content page it was found on (A2)."""
    if link_class is PageClass.ARTICLE_PAGING:
        return True
    return link_class is PageClass.FILE and parent_class in CONTENT


def level_of(
    link_class: PageClass | None,
    parent_class: PageClass,
    parent: Levels,
    top: int,
    *,
    strict: bool = False,
) -> Levels:
    """Return the levels of a link (A3): 1 is the lowest, ``top`` the highest.

    Returned links (the other pages of an article, its images and attachments) wait in the top
    level, the paging of a board in its board's, all else one below the parent's. ``strict`` is the
    published rule: what a continuation page links to is levelled from the top level it waited in.
    By default a continuation passes on its article's level, so that page 2 of an unimportant
    article gives its links no more weight than page 1.
    """
    if is_returned(link_class, parent_class):
        return Levels(top, top if strict else parent.passed_level)
    if link_class is PageClass.PAGING:
        return Levels(parent.level, parent.passed_level)
    level = max(LOWEST, parent.passed_level - 1)
    return Levels(level, level)
