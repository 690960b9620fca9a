"""Links of a page that are of its own series: by their text and by their address together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from focuscrawl.pages.links import FoundLink
from focuscrawl.pages.paging_words import (
    ARROW,
    DECORATION,
    FIRST_PAGE,
    LONGEST_WORDS,
    NEXT,
    NEXT_CLASS,
    NEXT_PAGE,
    OTHER_PAGE,
    WHOLE_PAGE,
    number_in,
)
from focuscrawl.pages.series import asked_page, changed_number, numbers, without_scheme

HIGHEST_NUMBER = 9_999
"""Anchors above it are not page numbers."""


def nearby(here: str, links: Sequence[FoundLink]) -> list[FoundLink]:
    """Return the links to other pages of the same host, by http or by https (A8)."""
    host = urlsplit(here).netloc
    sites = (f"http://{host}/", f"https://{host}/")
    page = _page(here)
    return [
        link
        for link in links
        if link.url.startswith(sites) and (page not in link.url or _page(link.url) != page)
    ]


def pager(here: str, links: Sequence[FoundLink], members: Sequence[FoundLink]) -> frozenset[str]:
    """Return the addresses of ``members`` and of the other pages of their series.

    In a pager that asks for pages of this very address (?page=4) icons are such pages, and the pages
    beside this one in whatever words. Without a pager nothing is: sites name articles so, too.
    """
    found = {link.url for link in members}
    asking = [
        (link, asked) for link in links if "=" in link.url and (asked := asked_page(here, link.url))
    ]
    has_asked = any(link.url in found or _leads_back(link, asked) for link, asked in asking)
    if has_asked:
        found |= {link.url for link, asked in asking if _is_plain(link) or _is_beside(link, asked)}
    if members:
        found |= {
            link.url
            for link in links
            if OTHER_PAGE.fullmatch(DECORATION.sub("", link.anchor))
            and numbers(here, link.url)[0] is not None
        }
    return frozenset(found)


def _is_plain(link: FoundLink) -> bool:
    """Whether a link says no more than what a pager says: an icon, a number, a word of paging."""
    if len(link.anchor) > LONGEST_WORDS:
        return False
    plain = DECORATION.sub("", link.anchor)
    return (
        not plain
        or number_in(link.anchor) is not None
        or any(words.fullmatch(plain) for words in (NEXT_PAGE, NEXT, OTHER_PAGE, FIRST_PAGE))
    )


def _leads_back(link: FoundLink, asked: tuple[int, int]) -> bool:
    """Whether a link shows that its page is a later one: the last page has no link to a next."""
    there, current = asked
    return current > 1 and there in {1, current - 1} and _is_plain(link)


def _is_beside(link: FoundLink, asked: tuple[int, int]) -> bool:
    there, current = asked
    return abs(there - current) == 1 and len(link.anchor) <= LONGEST_WORDS


def numbered(here: str, links: Sequence[FoundLink]) -> tuple[dict[int, FoundLink], int]:
    """Return the links whose text is their page number, and the number of the page itself.

    Many sites count addresses from nought: there 2 is ``index_1.html``.
    """
    found: dict[int, FoundLink] = {}
    currents: list[int] = []
    for link in links:
        number = number_in(link.anchor)
        if number is None or not 1 <= number <= HIGHEST_NUMBER:
            continue
        there, current = numbers(here, link.url)
        if there is None and (pair := changed_number(here, link.url)):
            current, there = pair
        if number == 1 and there is None:
            continue
        if there is not None and there in {number, number - 1}:
            found.setdefault(number, link)
            currents.append(current + (number - there) * (current != 1 or number == there))
    return found, max(currents, default=1)


def worded_next(
    here: str, links: Sequence[FoundLink], *, of_article: bool, has_pager: bool
) -> FoundLink | None:
    """Return the link that says it leads to the next page, where its address may be that page's."""
    for link in links:
        label = link.anchor or link.title or link.element.get("aria-label", "")
        if len(label) > LONGEST_WORDS:
            continue
        plain = DECORATION.sub("", label)
        if (not label or not of_article) and "=" in link.url and _asks_for_next(here, link.url):
            return link
        if NEXT_PAGE.fullmatch(plain):
            if _goes_back(here, link.url):
                continue
            if not of_article or has_pager or _may_continue(here, link.url):
                return link
            continue
        says_next = bool(NEXT.fullmatch(plain)) or bool(ARROW.fullmatch(label))
        silent = not label and ("next" in link.rel.split() or _class_says_next(link))
        if (says_next or silent) and _is_following(here, link.url, strictly=of_article):
            return link
        if link.tag == "link" and link.rel == "next" and not of_article:
            return link
    return None


def _asks_for_next(here: str, url: str) -> bool:
    """Whether an address is this one, asking for the page after this: many a pager is icons alone."""
    asked = asked_page(here, url)
    return asked is not None and asked[0] == asked[1] + 1


def _class_says_next(link: FoundLink) -> bool:
    return bool(NEXT_CLASS.search(link.element.get("class", "")))


def _may_continue(here: str, url: str) -> bool:
    """Whether 下一页 on an article can be its page: same folder, or same address otherwise asked."""
    ours, theirs = urlsplit(here).path, urlsplit(url).path
    return numbers(here, url)[0] is not None or ours.rpartition("/")[0] == theirs.rpartition("/")[0]


def _goes_back(here: str, url: str) -> bool:
    there, current = numbers(here, url)
    return there is not None and there < current


def _is_following(here: str, url: str, *, strictly: bool) -> bool:
    there, current = numbers(here, url)
    if there is None:
        pair = None if strictly else changed_number(here, url)
        return pair is not None and pair[1] > pair[0]
    return there == current + 1 if strictly else there > current or there == 1 == current


def whole_page(here: str, links: Sequence[FoundLink]) -> FoundLink | None:
    """Return the link to the article on one page."""
    stem = urlsplit(here).path.rpartition(".")[0] or urlsplit(here).path.rstrip("/")
    stem = re.sub(r"[_-]\d{1,3}$", "", stem)
    for link in links:
        if WHOLE_PAGE.fullmatch(DECORATION.sub("", link.anchor)) and len(stem) > 1:
            path = urlsplit(link.url).path
            if path.startswith(stem) and len(path) <= len(stem) + 12:
                return link
    return None


def same_page(here: str, url: str) -> bool:
    """Whether two addresses are of one page."""
    return _page(here) == _page(url)


def _page(url: str) -> str:
    return without_scheme(url.partition("#")[0].rstrip("/"))
