"""The first page of an article, as one of its later pages shows it (A2).

Only a pager tells a later page. The number in an address may be an id (/archives/12/, /p/12, /?p=12), and a
link 首页 in a menu leads to the front page of the site.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import FoundLink
from focuscrawl.readers.pages.markup.pager_words import pager_words
from focuscrawl.readers.pages.paging import (
    Continuation,
    asked_page,
    changed_number,
    nearby,
    numbered,
    numbers,
    same_page,
    without_page,
)

MOST_PAGER_WORDS = 60  # pieces of text that are looked at beside a link to page 1


def find_first_page(
    document: Document, links: Sequence[FoundLink], current_url: str = ""
) -> Continuation | None:
    """Return the first page of the article of which this is a later page; None when it is none.

    ``page_number`` of the answer is that of the page itself. A link to page 1 of the same series tells
    a later page where this page shows others of the series, too, or its own number beside the 1.
    """
    here = current_url or document.url
    near = nearby(here, links)
    for link in near:
        words = pager_words(link.anchor)
        if words.is_empty or words.number == 1 or words.is_first:
            asked = asked_page(here, link.url)
            ours, theirs = numbers(link.url, here)
            if (asked or not words.is_empty) and ours is not None and theirs == 1:
                if not (_shows_number(link, ours) or _shows_others(here, link.url, near)):
                    continue
                _, current = numbered(here, near)
                # ?page=1 is the first page, which others call by its address alone.
                first = without_page(link.url) if asked else link.url
                return Continuation(first, max(ours, current, 2), link.anchor)
    return None


def _shows_number(link: FoundLink, number: int) -> bool:
    """Whether a link called 1 stands beside the number of its page, as in a pager of two pages."""
    around = link.element.getparent()
    if pager_words(link.anchor).number != 1 or around is None:
        return False
    if len(around) == 1:  # in many a pager each link stands in an element of its own
        around = parent if (parent := around.getparent()) is not None else around
    words = islice(around.itertext(), MOST_PAGER_WORDS)
    # Of some sites the second page is index_1.html.
    return any(pager_words(str(word)).number in (number, number + 1) for word in words)


def _shows_others(here: str, first: str, near: Sequence[FoundLink]) -> bool:
    """Whether a page shows other pages of its series in a pager: by their numbers, or 上一页 and 下一页."""
    for link in near:
        words = pager_words(link.anchor)
        if words.is_headline or same_page(first, link.url):
            continue
        changed = changed_number(here, link.url)
        if changed is None:
            continue
        current, there = changed
        is_beside = abs(there - current) == 1
        if words.number in {there, there + 1} or (
            is_beside and (words.is_next_page or words.is_previous_page)
        ):
            return True
    return False
