"""Which links of a board are titles of threads, and the rows they stand in.

Title links of threads have one form of address. Of the forms on a page that one is taken whose rows count
the most replies under the longest titles.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple, cast
from urllib.parse import urldefrag, urlsplit

from lxml import etree

from focuscrawl.forums.boards.counts import Counts, counts_in
from focuscrawl.forums.elements import (
    MOST_ROWS,
    BoardRow,
    Extent,
    ForumSelectors,
    pieces,
    rows_of,
    sign_of,
)
from focuscrawl.forums.words import LONGEST_NUMBER, REPLIES, VIEWS
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.pages.selectors import find

FEWEST_ROWS = 3
"""Rows of one form that show they are a list when nothing labels their numbers."""

_CELLS = frozenset(("tr", "tbody", "td", "div", "dl"))
_LONGEST_ROW = 4_000
MOST_FORMS = 8
"""Forms of address that are tried, the most promising first."""

_EXTENTS: tuple[Extent, ...] = ("element", "neighbours", "tagged")
_FIND_TEXTS = etree.XPath("//body//text()", smart_strings=False)
SLUG = re.compile(r"%[0-9a-fA-F]{2}|[^\W\d_]+[-_.][^\W\d_]+[-_.][^\W\d_]+")
_DIGITS = re.compile(r"\d+")


class Listed(NamedTuple):
    """Rows of one form, with the title link of each."""

    rows: list[tuple[FoundLink, BoardRow]]
    counts: list[Counts]

    @property
    def known(self) -> int:
        """In how many rows replies are counted."""
        return sum(count.replies is not None for count in self.counts)

    @property
    def weight(self) -> float:
        """How much they look like a list of threads: counted replies, and long titles."""
        lengths = [min(len(link.anchor), 40) for link, _ in self.rows]
        return self.known * (5 + sum(lengths) / max(1, len(lengths)))


def form_of(url: str) -> tuple[str, ...]:
    """Return what the addresses of a forum's threads have in common: numbers and titles are left out."""
    parts = urlsplit(url)
    steps = []
    for step in parts.path.split("/"):
        if SLUG.search(step) or len(step) > 40:
            steps.append("*#" if _DIGITS.search(step) else "*")
        else:
            steps.append(_DIGITS.sub("#", step))
    names = []
    for pair in filter(None, parts.query.split("&")):
        name, _, value = pair.partition("=")
        names.append(f"{name}={_DIGITS.sub('#', value) if len(value) < 20 else '*'}")
    return (parts.netloc, *steps, "?", *sorted(names))


def list_found_out(titles: Sequence[FoundLink], fewest: int) -> Listed | None:
    """Return the rows of the form of address that most looks like a list of threads."""
    groups: dict[tuple[str, ...], list[FoundLink]] = defaultdict(list)
    for link in titles:
        groups[form_of(link.url)].append(link)
    best: Listed | None = None
    others: list[Listed] = []
    for group in sorted(groups.values(), key=_promise, reverse=True)[:MOST_FORMS]:
        listed = _listed(group, fewest)
        if listed is None or not listed.known:
            continue
        others.append(listed)
        if best is None or listed.weight > best.weight:
            best = listed
    return _with_neighbours(best, others) if best is not None else None


def says_replies(document: Document) -> bool:
    """Whether a short text of a page heads columns of replies and of views."""
    texts = cast("list[str]", _FIND_TEXTS(document.root))[:5_000]
    short = [text for text in texts if len(text) <= 2 * LONGEST_NUMBER]
    return any(map(REPLIES.search, short)) and any(map(VIEWS.search, short))


def _promise(group: Sequence[FoundLink]) -> float:
    """Return how much the links of one form look like titles: many, and long."""
    urls = {link.url for link in group}
    return len(urls) * (5 + sum(min(len(link.anchor), 40) for link in group) / len(group))


def _listed(group: Sequence[FoundLink], fewest: int) -> Listed | None:
    """Return the rows of links of one form, or None when they are no list of threads."""
    marks = [(link.element, urldefrag(link.url).url) for link in group[: 4 * MOST_ROWS]]
    found: list[Listed] = []
    for extent in _EXTENTS if len(group) >= FEWEST_ROWS else _EXTENTS[:1]:
        by_url: dict[str, tuple[FoundLink, BoardRow]] = {}
        every: list[tuple[FoundLink, BoardRow]] = []
        tops: set[tuple[str, etree._Element]] = set()
        for link, row in zip(group, rows_of(marks, extent), strict=False):
            url = urldefrag(link.url).url
            if (url, row.top) in tops or _is_too_long(row):
                continue
            tops.add((url, row.top))
            every.append((link, row))
            if len(every) >= MOST_ROWS:
                break
        counts = counts_in([(link.url, row) for link, row in every], fewest)
        if counts is None:
            return None
        best: dict[str, Counts] = {}
        for (link, row), count in zip(every, counts, strict=True):
            url = urldefrag(link.url).url
            if url not in best or (best[url].replies is None and count.replies is not None):
                by_url[url], best[url] = (link, row), count
        found.append(Listed([by_url[url] for url in by_url], [best[url] for url in by_url]))
        if 2 * found[-1].known >= len(by_url):
            break
    return max(found, key=lambda one: one.known)


def _is_too_long(row: BoardRow) -> bool:
    return sum(len(piece.text) for piece in pieces(row)) > _LONGEST_ROW


def _with_neighbours(best: Listed, others: Sequence[Listed]) -> Listed:
    """Add rows of other forms of address that stand in the same list: polls, moved threads."""
    signs = {
        (sign_of(row.top), row.top.tag in _CELLS and row.top.getparent()) for _, row in best.rows
    }
    taken = {row.top for _, row in best.rows}
    rows, counts = [*best.rows], [*best.counts]
    for other in others:
        for (link, row), count in zip(other.rows, other.counts, strict=True):
            top = row.top
            is_like = (sign_of(top), top.tag in _CELLS and top.getparent()) in signs
            if (
                is_like
                and top not in taken
                and len(row.elements) == 1
                and count.replies is not None
            ):
                taken.add(top)
                rows.append((link, row))
                counts.append(count)
    return Listed(rows, counts)


def list_selected(
    document: Document, titles: Sequence[FoundLink], selectors: ForumSelectors
) -> Listed | None:
    """Return the rows a site's selector names: the title is the link whose form is in most of them."""
    if selectors.thread is None:
        return None
    found = find(document.root, selectors.thread)[:MOST_ROWS]
    tops = dict.fromkeys(one for one in found if isinstance(one, etree._Element))
    inside: dict[etree._Element, list[FoundLink]] = defaultdict(list)
    for link in titles:
        top = next(
            (one for one in (link.element, *link.element.iterancestors()) if one in tops), None
        )
        if top is not None:
            inside[top].append(link)
    forms: Counter[tuple[str, ...]] = Counter()
    for own in inside.values():
        longest: dict[tuple[str, ...], int] = {}
        for link in own:
            form = form_of(link.url)
            longest[form] = max(longest.get(form, 0), min(len(link.anchor), 40))
        forms.update({form: 5 + length for form, length in longest.items()})
    rows = [
        (max(inner, key=lambda link: forms[form_of(link.url)]), BoardRow((top,)))
        for top in tops
        if (inner := inside.get(top))
    ]
    counts = counts_in([(link.url, row) for link, row in rows], 1)
    return Listed(rows, counts or [Counts()] * len(rows)) if rows else None
