"""Place a link of a page: the level, depth and class with which it waits (A3)."""

from __future__ import annotations

from focuscrawl.crawl.paging import LONGEST_ANCHOR
from focuscrawl.frontier.levels import Levels, is_returned
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.link_rules import Look
from focuscrawl.values import Link, PageClass, Waiting


def place(
    link: Link,
    look: Look,
    parent_class: PageClass,
    parent: Waiting,
    levels: Levels,
    rules: AdmissionRules,
) -> Waiting:
    """Return a link as it waits; ``levels`` are those of a link of no known class."""
    _, anchor, page_class, level, _, _, _ = link
    page_class = page_class or look.page_class
    depth, first_key, page_number = parent.depth + 1, b"", 1
    if level is not None:
        level = min(max(level, 1), rules.top)
        levels = Levels(level, level)
    elif page_class is None:  # most links
        pass
    elif page_class is PageClass.BOARD:
        if look.rules.board_level is not None:
            levels = Levels(look.rules.board_level, look.rules.board_level)
    elif page_class is PageClass.SITEMAP and parent_class is PageClass.SITEMAP:
        page_number = parent.page_number + 1
    elif page_class is PageClass.FILE and is_returned(page_class, parent_class):
        levels = Levels(rules.top, parent.passed_level)
    if page_class is PageClass.FILE:
        depth, first_key = parent.depth, parent.first_key or parent.key
    address = look.address
    # tuple.__new__ is a third of the price of Waiting(…), and this is done for every new link
    return tuple.__new__(
        Waiting,
        (
            address.url,
            address.key,
            address.site,
            levels.level,
            levels.passed_level,
            page_class,
            depth,
            anchor[:LONGEST_ANCHOR],
            parent.key,
            parent.source_id,
            page_number,
            True,
            first_key,
            0,
            None,
            False,
            0,
            0.0,
            0,
            0,
        ),
    )
