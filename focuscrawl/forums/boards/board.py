"""The threads of a forum's board with their reply counts (A9), without a rule for any forum.

Title links of threads have one form of address. Each stands in a row of its own; in the rows, at the
same place, stands a count. A label says that it counts replies (a word, a class, a column's heading);
without one it is the smaller of two numbers that stand in every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urldefrag

from lxml import etree

from focuscrawl.forums.boards.counts import Counts
from focuscrawl.forums.boards.lists import FEWEST_ROWS, list_found_out, list_selected, says_replies
from focuscrawl.forums.elements import (
    LONGEST_NAME,
    BoardRow,
    ForumSelectors,
    elements_of,
    names_somebody,
    pieces,
)
from focuscrawl.forums.words import MEMBER, SAYS_AUTHOR, count_in
from focuscrawl.pages.document import PARSER, Document, fresh_root
from focuscrawl.pages.links import FoundLink, find_links
from focuscrawl.pages.selectors import find, text_of
from focuscrawl.pages.texts import element_text
from focuscrawl.text.dates import find_dates
from focuscrawl.values import LARGEST_COUNT, BoardThread

SHORTEST_HIDDEN = 200
"""Bytes of a comment that may hide a list."""

MOST_HIDDEN = 20


class Board(NamedTuple):
    """What a board shows: its threads in order; ``inside`` are the addresses of all links in their
    rows, which lead to pages of threads, to people and to last posts. ``missed`` names the
    selectors that found nothing, ``beyond`` the counts that are too large to be any: unknown.
    """

    threads: tuple[BoardThread, ...] = ()
    inside: frozenset[str] = frozenset()
    missed: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()


def read_board(
    document: Document,
    links: Sequence[FoundLink] | None = None,
    selectors: ForumSelectors = ForumSelectors(),  # noqa: B008 - frozen
    *,
    timezone: str = "UTC",
    now: float | None = None,
) -> Board:
    """Find the threads of a board and what it counts of them; none where a page is no board.

    ``links`` are find_links' of the document. ``now`` (seconds since 1970 UTC) dates "3 hours ago".
    A list that stands inside a comment, for a script to unpack, is read, too.
    """
    board = _read(document, links or find_links(document), selectors, timezone, now)
    if board.threads:
        return board
    for root in _hidden(document):
        inner = replace(document, root=root)
        hidden = _read(inner, find_links(inner), selectors, timezone, now)
        if len(hidden.threads) > len(board.threads):
            board = hidden
    return board


def _read(
    document: Document,
    links: Sequence[FoundLink],
    selectors: ForumSelectors,
    timezone: str,
    now: float | None,
) -> Board:
    titles = [link for link in links if _may_be_title(link, document.url)]
    listed = list_selected(document, titles, selectors) or list_found_out(
        titles, 1 if says_replies(document) else FEWEST_ROWS
    )
    if listed is None or not listed.rows:
        return Board()
    missed: set[str] = set()
    counts = [
        _by_selector(row, count, selectors, missed)
        for (_, row), count in zip(listed.rows, listed.counts, strict=True)
    ]
    if selectors.thread is not None and not find(document.root, selectors.thread):
        missed.add("thread")
    threads: dict[str, BoardThread] = {}
    beyond: set[str] = set()
    places = {link.element: place for place, link in enumerate(titles)}
    pairs = zip(listed.rows, counts, strict=True)
    for (link, row), count in sorted(pairs, key=lambda pair: places[pair[0][0].element]):
        url = urldefrag(link.url).url
        if count.replies is None and selectors.thread is None:
            continue
        count = _within(count, beyond)
        author, last = _author_and_date(row, link, timezone, now)
        threads.setdefault(
            url,
            BoardThread(url, link.anchor or link.title, count.replies, count.views, author, last),
        )
    inside = _inside(links, [row for _, row in listed.rows]) if threads else frozenset()
    return Board(tuple(threads.values()), inside, tuple(sorted(missed)), tuple(sorted(beyond)))


def _within(counts: Counts, beyond: set[str]) -> Counts:
    """Return counts without those no board can have, whose names go into ``beyond``."""
    too_large = [name for name, value in counts._asdict().items() if (value or 0) > LARGEST_COUNT]
    beyond.update(too_large)
    return counts._replace(**dict.fromkeys(too_large)) if too_large else counts


def _by_selector(
    row: BoardRow, counts: Counts, selectors: ForumSelectors, missed: set[str]
) -> Counts:
    for name in ("replies", "views"):
        selector = getattr(selectors, name)
        if selector is None:
            continue
        texts = (text_of(element, selector) for element in row.elements)
        value = next((number for text in texts if (number := count_in(text)) is not None), None)
        if value is None:
            missed.add(name)
        else:
            counts = counts._replace(**{name: value})
    return counts


def _may_be_title(link: FoundLink, here: str) -> bool:
    """Whether the text of a link can be the title of a thread: no number, no date, no arrow."""
    text = link.anchor
    if link.tag != "a" or not any(map(str.isalnum, text)):
        return False
    if urldefrag(link.url).url == urldefrag(here).url:
        return False
    if text.isdecimal() or count_in(text) is not None or len(text) < 2:
        return False
    dated = next(find_dates(text), None) if text[0].isdigit() and len(text) < 30 else None
    return dated is None and not MEMBER.search(link.url)


def _author_and_date(
    row: BoardRow, title: FoundLink, timezone: str, now: float | None
) -> tuple[str, float | None]:
    """Return who began a thread, and when it was last written to: the latest date of its row."""
    author, named = "", ""
    dates: list[float] = []
    for one in elements_of(row):
        said = one.get("title", "")
        if said and not author and (found := SAYS_AUTHOR.match(said)):
            author = found[1]
        if said and len(said) < LONGEST_NAME:
            dates += [date.seconds for date in find_dates(said, timezone=timezone, now=now)]
        if not named and one is not title.element and names_somebody(one):
            named = element_text(one)
    for piece in pieces(row):
        if len(piece.text) < LONGEST_NAME and piece.element is not title.element:
            dates += [date.seconds for date in find_dates(piece.text, timezone=timezone, now=now)]
    return (author or named)[:LONGEST_NAME], max(dates, default=None)


def _inside(links: Sequence[FoundLink], rows: Sequence[BoardRow]) -> frozenset[str]:
    tops = {element for row in rows for element in row.elements}
    return frozenset(
        link.url
        for link in links
        if any(one in tops for one in (link.element, *link.element.iterancestors()))
    )


def _hidden(document: Document) -> list[etree._Element]:
    """Return the trees of markup inside comments that holds links."""
    roots: list[etree._Element] = []
    for comment in _comments(document.markup):
        if len(comment) >= SHORTEST_HIDDEN and comment.count(b"<a ") >= FEWEST_ROWS:
            roots.append(fresh_root(comment, PARSER))
        if len(roots) >= MOST_HIDDEN:
            break
    return roots


def _comments(markup: bytes) -> Iterator[bytes]:
    """Go through what stands in comments; one that is never closed is none."""
    end = 0
    while (begin := markup.find(b"<!--", end)) >= 0:
        end = markup.find(b"-->", begin + 4)
        if end < 0:
            return  # no later one is closed: to look for each end anew costs minutes
        yield markup[begin + 4 : end]
