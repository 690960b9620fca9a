"""The threads of a forum's board with their reply counts (A9), without a rule for any forum.

Title links of threads have one form of address. Each stands in a row of its own; in the rows, at the
same place, stands a count. A label says that it counts replies (a word, a class, a column's heading);
without one it is the smaller of two numbers that stand in every row.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, cast
from urllib.parse import urldefrag, urlsplit

from lxml import etree

from focuscrawl.features.forums.counts import Counts, counts_in
from focuscrawl.features.forums.elements import (
    LONGEST_NAME,
    MOST_ROWS,
    BoardRow,
    Extent,
    ForumSelectors,
    elements_of,
    inside,
    pieces,
    rows_of,
    sign_of,
)
from focuscrawl.features.forums.words import (
    AUTHOR,
    LONGEST_NUMBER,
    MEMBER,
    REPLIES,
    SAYS_AUTHOR,
    VIEWS,
    count_in,
)
from focuscrawl.readers.pages.document import PARSER, Document, fresh_root
from focuscrawl.readers.pages.links import FoundLink, find_links
from focuscrawl.readers.pages.selectors import find, text_of
from focuscrawl.readers.pages.texts import element_text
from focuscrawl.readers.text.dates import find_dates
from focuscrawl.values import LARGEST_COUNT, BoardThread

SHORTEST_HIDDEN = 200  # bytes of a comment that may hide a list
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
    rows = list_selected(document, titles, selectors) or list_found_out(
        titles, 1 if says_replies(document) else FEWEST_ROWS
    )
    if not rows:
        return Board()
    missed: set[str] = set()
    if selectors.thread is not None and not find(document.root, selectors.thread):
        missed.add("thread")
    threads: dict[str, BoardThread] = {}
    beyond: set[str] = set()
    places = {link.element: place for place, link in enumerate(titles)}
    for url, link, row, counts in sorted(rows, key=lambda one: places[one.link.element]):
        count = _by_selector(row, counts, selectors, missed)
        if count.replies is None and selectors.thread is None:
            continue
        count = _within(count, beyond)
        author, last = _author_and_date(row, link, timezone, now)
        threads.setdefault(
            url,
            BoardThread(url, link.anchor or link.title, count.replies, count.views, author, last),
        )
    in_rows = _inside(links, [one.row for one in rows]) if threads else frozenset()
    return Board(tuple(threads.values()), in_rows, tuple(sorted(missed)), tuple(sorted(beyond)))


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
        if not named and one is not title.element and _has_name(one):
            named = element_text(one)
    for piece in pieces(row):
        if len(piece.text) < LONGEST_NAME and piece.element is not title.element:
            dates += [date.seconds for date in find_dates(piece.text, timezone=timezone, now=now)]
    return (author or named)[:LONGEST_NAME], max(dates, default=None)


def _has_name(element: etree._Element) -> bool:
    """Whether an element is the name of a member: a link to their page, or called so by its class."""
    is_link = element.tag == "a" and MEMBER.search(element.get("href", "")) is not None
    named = element.tag == "cite" or AUTHOR.search(element.get("class", "")) is not None
    if not (is_link or named) or element.tag in {"td", "tr", "table", "li"}:
        return False
    if not is_link and sum(isinstance(child.tag, str) for child in element) > 0:
        return False
    text = element_text(element)
    return 0 < len(text) <= LONGEST_NAME and count_in(text) is None


def _inside(links: Sequence[FoundLink], rows: Sequence[BoardRow]) -> frozenset[str]:
    of_rows = (element for row in rows for element in row.elements)
    are_inside = inside((link.element for link in links), of_rows)
    return frozenset(
        link.url for link, is_inside in zip(links, are_inside, strict=True) if is_inside
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


FEWEST_ROWS = 3  # rows of one form that show they are a list when nothing labels their numbers
_CELLS = frozenset(("tr", "tbody", "td", "div", "dl"))
_LONGEST_BOARD_ROW = (
    4_000  # characters; with 500 a further thread of six labelled boards (265) is missed
)
# Forms of address that are tried, the most promising first: with 2 the threads found on six labelled
# boards fall from .996 to .970, with 20 no more are found.
MOST_FORMS = 8
_ROW_EXTENTS: tuple[Extent, ...] = ("element", "neighbours", "tagged")
_FIND_BOARD_TEXTS = etree.XPath("//body/descendant::text()", smart_strings=False)
SLUG = re.compile(r"%[0-9a-fA-F]{2}|[^\W\d_]+[-_.][^\W\d_]+[-_.][^\W\d_]+")
_DIGITS_OF_COUNT = re.compile(r"\d+")


class TitledRow(NamedTuple):
    """A row of a list: the address and the link of its title, and what it counts."""

    url: str
    link: FoundLink
    row: BoardRow
    counts: Counts = Counts()


def _known(rows: Sequence[TitledRow]) -> int:
    """Return in how many rows replies are counted."""
    return sum(one.counts.replies is not None for one in rows)


def _weight(rows: Sequence[TitledRow]) -> float:
    """Return how much rows look like a list of threads: counted replies, and long titles."""
    lengths = [min(len(one.link.anchor), 40) for one in rows]
    return _known(rows) * (5 + sum(lengths) / max(1, len(lengths)))


def _counted(rows: Sequence[TitledRow], fewest: int) -> list[TitledRow] | None:
    """Return rows with their counts; None: they are no rows of threads."""
    counts = counts_in([(one.url, one.row) for one in rows], fewest)
    if counts is None:
        return None
    return [one._replace(counts=count) for one, count in zip(rows, counts, strict=True)]


def form_of(url: str) -> tuple[str, ...]:
    """Return what the addresses of a forum's threads have in common: numbers and titles are left out."""
    parts = urlsplit(url)
    steps = []
    for step in parts.path.split("/"):
        if SLUG.search(step) or len(step) > 40:
            steps.append("*#" if _DIGITS_OF_COUNT.search(step) else "*")
        else:
            steps.append(_DIGITS_OF_COUNT.sub("#", step))
    names = []
    for pair in filter(None, parts.query.split("&")):
        name, _, value = pair.partition("=")
        names.append(f"{name}={_DIGITS_OF_COUNT.sub('#', value) if len(value) < 20 else '*'}")
    return (parts.netloc, *steps, "?", *sorted(names))


def list_found_out(titles: Sequence[FoundLink], fewest: int) -> list[TitledRow]:
    """Return the rows of the form of address that most looks like a list of threads."""
    groups: dict[tuple[str, ...], list[FoundLink]] = defaultdict(list)
    for link in titles:
        groups[form_of(link.url)].append(link)
    likely = sorted(groups.values(), key=_promise, reverse=True)[:MOST_FORMS]
    lists = [rows for group in likely if (rows := _listed(group, fewest)) and _known(rows)]
    if not lists:
        return []
    best = max(lists, key=_weight)
    return _with_neighbours(_with_namesakes(best, titles, fewest), lists)


def _with_namesakes(
    best: list[TitledRow], titles: Sequence[FoundLink], fewest: int
) -> list[TitledRow]:
    """Read a list anew with the links that are called as its titles are, whatever their address."""
    called, times = Counter(sign_of(one.link.element) for one in best).most_common(1)[0]
    if not called[1] or 10 * times < 9 * len(best):
        return best
    known = {one.url for one in best}
    alike = [link for link in titles if sign_of(link.element) == called]
    others = {url for link in alike if (url := urldefrag(link.url).url) not in known}
    if not 0 < len(others) < len(best):
        return best
    merged = _listed([link for link in alike if urldefrag(link.url).url in known | others], fewest)
    return merged if merged is not None and _known(merged) > _known(best) else best


def says_replies(document: Document) -> bool:
    """Whether a short text of a page heads columns of replies and of views."""
    texts = cast("list[str]", _FIND_BOARD_TEXTS(document.root))[:5_000]
    short = [text for text in texts if len(text) <= 2 * LONGEST_NUMBER]
    return any(map(REPLIES.search, short)) and any(map(VIEWS.search, short))


def _promise(group: Sequence[FoundLink]) -> float:
    """Return how much the links of one form look like titles: many, and long."""
    urls = {link.url for link in group}
    return len(urls) * (5 + sum(min(len(link.anchor), 40) for link in group) / len(group))


def _listed(group: Sequence[FoundLink], fewest: int) -> list[TitledRow] | None:
    """Return the rows of links of one form, or None when they are no list of threads."""
    marks = [(link.element, urldefrag(link.url).url) for link in group[: 4 * MOST_ROWS]]
    best: list[TitledRow] | None = None
    for extent in _ROW_EXTENTS if len(group) >= FEWEST_ROWS else _ROW_EXTENTS[:1]:
        every: dict[tuple[str, etree._Element], TitledRow] = {}
        # Of one top is one row: a title two thousand times in one list made it be read as often (4 s).
        too_long: dict[etree._Element, bool] = {}
        for link, (_, url), row in zip(group, marks, rows_of(marks, extent), strict=False):
            if len(every) >= MOST_ROWS or (url, row.top) in every:
                continue
            if row.top not in too_long:
                too_long[row.top] = _is_too_long(row)
            if not too_long[row.top]:
                every[url, row.top] = TitledRow(url, link, row)
        counted = _counted([*every.values()], fewest)
        if counted is None:
            return None
        by_url: dict[str, TitledRow] = {}
        for one in counted:
            before = by_url.setdefault(one.url, one)
            if before.counts.replies is None and one.counts.replies is not None:
                by_url[one.url] = one
        rows = [*by_url.values()]
        if best is None or _known(rows) > _known(best):
            best = rows
        if 2 * _known(rows) >= len(rows):
            break
    return best


def _is_too_long(row: BoardRow) -> bool:
    return sum(len(piece.text) for piece in pieces(row)) > _LONGEST_BOARD_ROW


def _with_neighbours(
    best: Sequence[TitledRow], lists: Sequence[Sequence[TitledRow]]
) -> list[TitledRow]:
    """Add rows of other forms of address that stand in the same list: polls, moved threads."""

    def sign(top: etree._Element) -> object:
        return sign_of(top), top.tag in _CELLS and top.getparent()

    signs = {sign(one.row.top) for one in best}
    rows = {one.row.top: one for one in best}
    several = [*best]
    for one in (one for other in lists for one in other):
        row = one.row
        is_alone = row.top not in rows and len(row.elements) == 1
        if is_alone and one.counts.replies is not None and sign(row.top) in signs:
            rows[row.top] = one
            several.append(one)
    return several


def list_selected(
    document: Document, titles: Sequence[FoundLink], selectors: ForumSelectors
) -> list[TitledRow]:
    """Return the rows a site's selector names: the title is the link whose form is in most of them."""
    if selectors.thread is None:
        return []
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
    rows = []
    for top in tops:
        if inner := inside.get(top):
            link = max(inner, key=lambda link: forms[form_of(link.url)])
            rows.append(TitledRow(urldefrag(link.url).url, link, BoardRow((top,))))
    return _counted(rows, 1) or rows
