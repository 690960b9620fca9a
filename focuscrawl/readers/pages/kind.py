"""What a fetched page is (A2): a list page is mostly links, a content page mostly text.

No single sign decides: news pages carry five hundred links, blog indexes carry whole paragraphs.
Each sign speaks for article or for board with a weight, the sum decides, and the signs that spoke
are the reason a person reads. One pass over the text, no extraction.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from lxml import etree

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import FoundLink, is_noindex_page
from focuscrawl.readers.pages.markup.cards import (
    FEWEST_CARDS,
    Prose,
    count_cards,
    find_linked_articles,
)
from focuscrawl.readers.pages.markup.entries import is_list_below_heading
from focuscrawl.readers.pages.texts import element_text, heading_text
from focuscrawl.readers.text.dates import PRINTED_CLOCK, PRINTED_DAY
from focuscrawl.values import PageClass

# Characters from which a piece of text with a sentence mark is prose, not a label.
PROSE_LENGTH = 25
# Characters in one block from which a page is rather an article when both sides weigh the same.
FEWEST_TEXT = 120
# Characters of text from which a page with hardly a sentence is an article of short lines.
SHORT_LINES = 600
_MOST_PIECES = 2_000  # pieces of text that are looked at
# Characters under which a piece of prose may be the page's footer (版权所有 …).
LONGEST_FOOTER = 200
_LONGEST_HEADING = 500  # characters of a heading that may repeat the title
_MOST_FOOTERS = 50  # footer elements of a page that are looked at
_MOST_HEADINGS = 200  # headings of a page that are looked at
LONG_ANCHOR = 8  # characters from which an anchor reads like a headline rather than a menu entry
# Points by which the other side may lead, and what was learnt of the address still decides: for
# an article what a sidebar of headlines gives every page beside it, for a list the worth of one
# weak sign.
CLOSE_CALLS = {PageClass.ARTICLE: 3.0, PageClass.BOARD: 1.5}
FIND_ALL_TEXT = etree.XPath(
    f"(//body/descendant::text())[position() <= {10 * _MOST_PIECES}]"
    "[not(parent::script or parent::style or parent::noscript or parent::option)]",
    smart_strings=False,
)
FIND_UNLINKED = etree.XPath(
    f"(//body/descendant::text())[position() <= {10 * _MOST_PIECES}]"
    "[not(ancestor::a or parent::script or parent::style or parent::noscript or parent::option)]",
    smart_strings=False,
)
_FILES = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|wps|et|ofd|zip|rar)(?:[?#]|$)", re.IGNORECASE)
# A line that says when a notice was published; lists say it of each of their items.
_DATED_BYLINE = re.compile(
    r"(?:发[布表文]|信息|刊[登发]|公[布示]|录入|成文)?(?<![动会试训始束止更新间])(?:时间|日期)\s*+[:：]\s*+(?:19|20)\d\d\s*+[年/.-]\s*+\d|发[布表]于\s*+[:：]?\s*+(?:19|20)\d\d"
)
_DAY_ALONE = re.compile(rf"\W*{PRINTED_DAY}(?:\s*{PRINTED_CLOCK})?\W*")
# More than the share of links in such a page's text (2) with what else says that it is one; less
# than a list's address and its links together.
BYLINE_WORTH = 2.5
CARDS_WORTH = 10.0  # more than all that excerpts say for an article together
BELOW_HEADING_WORTH = 2.5
"""What a short post among the links of a documentation's menu lacks: of 140 Chinese pages of two themes of ABlog and mkdocs-material
15 were lists without this. On 689 pages of six real sites none changes, nor in any labelled set."""
FEWEST_BELOW = 2  # pieces of prose
MOST_BYLINES = 2  # of one page; more are a list's
FEWEST_SHORT = 40  # characters of unlinked short lines that make a page under a byline a notice
SHORT_BLOCK = 300  # characters of a block of text from which a page is no bare notice
FIND_HINTS = (
    etree.XPath("/descendant::meta[@property='og:type']/@content"),
    etree.XPath("/descendant::script[@type='application/ld+json']/text()"),
)
_MAIN_HEADINGS = ("h1", "h2", "h3", "h4")
NO_PROSE = frozenset(
    ("a", "script", "style", "noscript", "textarea", "option", "button", "title", "template")
)
_INLINE = frozenset(
    ("b", "big", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup", "u")
)
_SENTENCE_SIGN = re.compile(r"[，。！？；：,.!?;:]")
# Looked for one by one: a search without case for all of them cost more than the rest of the page.
FOOTER = ("copyright", "©", "版权所有", "icp", "powered by", "all rights reserved")
SAYS_ARTICLE = re.compile(
    r'^(article|news|post)$|"@type"\s*+:\s*+\[?\s*+"(\w*Article|BlogPosting)"', re.IGNORECASE
)
BOARD_PATH = re.compile(
    r"(?i)/(?:tags?|categor(?:y|ies)|archives?|topics?|channels?|columns?|page)(?:/[^/.]{0,60}){0,3}/?$"
    r"|/(?:lists?|blog|news|forum|archives?)/?$"
    r"|/(?:list|index|default|forum)\w{0,8}(?:[_-]\d+)*\.\w+$"
)
# WordPress and many forums call a single post so, others the list of a month or of a subject.
NUMBERED_PATH = re.compile(r"/(?:archives?|topics?)/\d+/?$", re.IGNORECASE)
DATED_PATH = re.compile(r"/(?:19|20)\d\d[/-]?\d\d[/-]?\d\d/[^/.]{4,}")
ARTICLE_PATH = re.compile(
    r"(?i)(?:19|20)\d\d[-/_]?\d\d.*\w{3,}|/(?:article|content|detail|story|show|info|view|p|t|a)[/_-]?\w*\d{3,}"
    r"|\d{4,}\.s?html?$"
)


class PageKind(NamedTuple):
    """BOARD, ARTICLE or OTHER, and the signs that decided, in words.

    ``by_pattern``: they hardly did; what was learnt of such addresses has.
    """

    page_class: PageClass
    reason: str
    by_pattern: bool = False


class Signs(NamedTuple):
    """What is counted on a page; lengths in characters."""

    prose: int
    block: int
    pieces: int
    link_text: int
    headlines: int
    linked_headings: int
    says_article: bool
    heading_is_title: bool


def page_kind(
    document: Document, links: Sequence[FoundLink], learnt: PageClass | None = None
) -> PageKind:
    """Tell a list page from a content page; ``links`` are the document's own (find_links).

    ``learnt`` is what the site's other pages of such an address were: it decides where a page's own
    signs hardly do. Text without a sentence is never made an article by it, nor a page without any sign of
    a list a list.
    """
    pieces = [*islice(pieces_of_prose(document.root), _MOST_PIECES)]
    signs = _signs(document, links, pieces)
    for_article = _article_points(signs, document.url)
    for_board = _board_points(signs, document.url, len(links))
    root, url = document.root, document.url
    if len(pieces) >= FEWEST_CARDS and (cards := count_cards(root, url, Prose(pieces))):
        for_board.append((CARDS_WORTH, f"{cards} like blocks with a heading and a link"))
    elif (
        signs.linked_headings
        and (few := find_linked_articles(root, url))
        and Prose(pieces).is_in(few)
    ):
        for_board.append((CARDS_WORTH, "each of its entries leads to a page of its own"))
    if signs.block < SHORT_BLOCK and (notice := _notice(document, links)):
        for_article.append((BYLINE_WORTH, notice))
    article = sum(points for points, _ in for_article)
    board = sum(points for points, _ in for_board)
    if article <= board <= article + BELOW_HEADING_WORTH and _has_text_below(signs, document):
        for_article.append((BELOW_HEADING_WORTH, "sentences stand below the heading"))
        article += BELOW_HEADING_WORTH
    if learnt is not None and signs.prose and learnt in CLOSE_CALLS:
        sides = [(article, board, for_article), (board, article, for_board)]
        mine, other, points = sides[learnt is PageClass.BOARD]
        is_close = other - mine <= CLOSE_CALLS[learnt]
        if is_close and _may_be(learnt, mine, other, signs, document):
            why = f"pages of such an address are; {_reason(mine, other, points)}"
            return PageKind(learnt, why, by_pattern=mine <= other)
    if max(article, board) < 1:
        return _without_signs(document, signs, links)
    is_text = signs.says_article or signs.block >= FEWEST_TEXT
    if article > board or (article == board and is_text):
        return PageKind(PageClass.ARTICLE, _reason(article, board, for_article))
    return PageKind(PageClass.BOARD, _reason(board, article, for_board))


def _may_be(learnt: PageClass, mine: float, other: float, signs: Signs, document: Document) -> bool:
    """Whether a page may be what its address says, by its points for it and for the other class.

    /about beside /tags and /archives: what has no sign of a list is none, by no address. A wiki's lists
    have the addresses of its articles: what shows itself as a list is one.
    """
    if learnt is PageClass.ARTICLE:
        return mine >= other or not _is_list(signs, document)
    return mine > 0


def _without_signs(document: Document, signs: Signs, links: Sequence[FoundLink]) -> PageKind:
    """Tell verse, dialogue and code, which stand in short lines, from a page without text."""
    texts = cast("list[str]", FIND_ALL_TEXT(document.root))
    text = sum(len(text.strip()) for text in texts)
    if text > SHORT_LINES and text > 3 * signs.link_text:
        return PageKind(PageClass.ARTICLE, f"{text} characters of text in short lines")
    return PageKind(PageClass.OTHER, f"little text ({signs.prose}) and {len(links)} links")


def _is_list(signs: Signs, document: Document) -> bool:
    """Whether a page of hardly any text shows itself that it is a list, or that it is not to be found by itself."""
    if signs.block >= FEWEST_TEXT:
        return False
    return is_list_below_heading(document.root) or is_noindex_page(document)


def _has_text_below(signs: Signs, document: Document) -> bool:
    """Whether a heading repeats the title, and what stands below it is text: its links are menus beside it.

    A sentence of a list about itself is one alone, or its address tells.
    """
    is_text = signs.heading_is_title and signs.pieces >= FEWEST_BELOW
    if not is_text or BOARD_PATH.search(urlsplit(document.url).path):
        return False
    return not is_list_below_heading(document.root)


def prose_length(document: Document) -> int:
    """Return how many characters of prose a page has."""
    return sum(length for length, _ in islice(pieces_of_prose(document.root), _MOST_PIECES))


def _signs(
    document: Document,
    links: Sequence[FoundLink],
    pieces: Sequence[tuple[int, etree._Element]],
) -> Signs:
    """Count what speaks for one class or the other."""
    prose, block = _prose(pieces)
    anchors = {
        link.url: link for link in links if link.tag == "a" and len(link.anchor) >= LONG_ANCHOR
    }
    linked, heading_is_title = _headings(document)
    return Signs(
        prose=prose,
        block=block,
        pieces=len(pieces),
        link_text=sum(len(link.anchor) for link in links),
        headlines=len(anchors),
        linked_headings=linked,
        says_article=says_article(document),
        heading_is_title=heading_is_title,
    )


def says_article(document: Document) -> bool:
    """Whether a page calls itself an article, to those who show links to it."""
    hints = (hint for find in FIND_HINTS for hint in cast("list[str]", find(document.root)))
    return any(SAYS_ARTICLE.search(hint) for hint in hints)


def _prose(pieces: Iterable[tuple[int, etree._Element]]) -> tuple[int, int]:
    """Return the length of all prose and of its largest block."""
    total = 0
    blocks: dict[etree._Element, int] = defaultdict(int)
    for length, parent in pieces:
        while parent.tag in _INLINE and (above := parent.getparent()) is not None:
            parent = above
        total += length
        blocks[parent] += length
        if (above := parent.getparent()) is not None:
            blocks[above] += length
    return total, max(blocks.values(), default=0)


def pieces_of_prose(root: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    """Go through the pieces of prose that are no links: length and the element they stand in. A page's footer has none."""
    footers = {*islice(root.iter("footer"), _MOST_FOOTERS)}
    for length, element in _all_prose(root):
        if not footers or footers.isdisjoint((element, *element.iterancestors())):
            yield length, element


def _all_prose(root: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    for element in root.iter("*"):
        length = 0 if element.tag in NO_PROSE else _prose_length(element.text)
        if length:
            yield length, element
        text = element.tail
        if text and len(text) >= PROSE_LENGTH:
            parent = element.getparent()
            if (
                parent is not None
                and parent.tag not in NO_PROSE
                and (length := _prose_length(text))
            ):
                yield length, parent


def _prose_length(text: str | None) -> int:
    if not text or len(text) < PROSE_LENGTH:
        return 0
    text = text.strip()
    if len(text) < PROSE_LENGTH or not _SENTENCE_SIGN.search(text):
        return 0
    if len(text) < LONGEST_FOOTER and _is_imprint(text):
        return 0
    return len(text)


def _headings(document: Document) -> tuple[int, bool]:
    """Count headings that are links elsewhere; tell whether an unlinked one is the page's title."""
    linked: set[str] = set()
    is_title = False
    for heading in islice(document.root.iter(*_MAIN_HEADINGS), _MOST_HEADINGS):
        above = heading.getparent()
        link = above if above is not None and above.tag == "a" else heading.find(".//a[@href]")
        href = "" if link is None else link.get("href", "").strip()
        if href and href[0] != "#":
            linked.add(href)
        elif not is_title and heading.tag in {"h1", "h2"}:
            text = heading_text(heading, _LONGEST_HEADING)
            is_title = len(text) >= max(6, len(document.title) * 0.3) and text in document.title
    return len(linked), is_title


def _notice(document: Document, links: Sequence[FoundLink]) -> str:
    """Return why a page of little prose is a notice: a byline, and files or short lines below it; ""
    when it is none. A list, a table or an attachment alone is the article.
    """
    texts = [" ".join(text.split()) for text in cast("list[str]", FIND_UNLINKED(document.root))]
    texts = [text for text in texts if text]
    said = _bylines(texts) or _day_below_title(texts, document.title)
    if not 0 < len(said) <= 2 * MOST_BYLINES:
        return ""
    files = sum(1 for link in links if _FILES.search(link.url) or _FILES.search(link.anchor))
    if files:
        return f"a byline and {files} files"
    lines = sum(len(text) for text in texts[said[0] + 1 :] if not _is_imprint(text))
    return f"a byline and {lines} characters of short lines" if lines >= FEWEST_SHORT else ""


def _bylines(texts: Sequence[str]) -> list[int]:
    """Return the places of bylines: a text, or two in one line, say when or from whom the page is."""
    pairs = (" ".join(pair) for pair in zip_longest(texts, texts[1:], fillvalue=""))
    return [place for place, pair in enumerate(pairs) if _DATED_BYLINE.search(pair)]


def _day_below_title(texts: Sequence[str], title: str) -> list[int]:
    """Return the place of the first day that stands alone, below the title; not when there are more like it."""
    days = [place for place, text in enumerate(texts) if _DAY_ALONE.fullmatch(text)]
    below = [place for place in days[:1] if place and texts[place - 1] in title]
    shapes = {re.sub(r"\d", "0", texts[place]) for place in days[1:]}
    return [place for place in below if re.sub(r"\d", "0", texts[place]) not in shapes]


def _is_imprint(text: str) -> bool:
    plain = text.lower()
    return any(map(plain.__contains__, FOOTER))  # asked of each piece of prose


def _article_points(signs: Signs, url: str) -> list[tuple[float, str]]:
    points: list[tuple[float, str]] = []
    if signs.says_article:
        points.append((3.0, "the page calls itself an article"))
    for least, worth in ((1200, 4.0), (600, 3.0), (300, 2.0), (120, 1.0)):
        if signs.block >= least:
            points.append((worth, f"{signs.block} characters of text in one block"))
            break
    if signs.heading_is_title:
        points.append((1.5, "a heading repeats the title"))
    if signs.prose > 2 * signs.link_text:
        points.append((1.0, "more text than links"))
    if ARTICLE_PATH.search(urlsplit(url).path):
        points.append((1.0, "the address looks like an article's"))
    return points


def _board_points(signs: Signs, url: str, links: int) -> list[tuple[float, str]]:
    points: list[tuple[float, str]] = []
    if links >= 5 and signs.link_text > 2 * signs.prose:
        share = round(100 * signs.link_text / (signs.link_text + signs.prose))
        points.append((2.0, f"{share} % of the text is links"))
    if signs.headlines >= 10 and signs.headlines * 12 > signs.block / 4:
        points.append((1.0, f"{signs.headlines} links that read like headlines"))
    if signs.linked_headings >= 3 and signs.linked_headings * 300 > signs.block:
        worth = 1.5 if signs.heading_is_title else 2.5
        points.append((worth, f"{signs.linked_headings} headings are links"))
    if signs.pieces >= 5 and signs.block * 3 < signs.prose:
        points.append((1.5, f"the text stands in {signs.pieces} separate pieces"))
    path = urlsplit(url).path
    if path in {"", "/"}:
        points.append((2.5, "the address is a site's home page"))
    elif BOARD_PATH.search(path) and not (DATED_PATH.search(path) or NUMBERED_PATH.search(path)):
        points.append((2.0, "the address looks like a list's"))
    return points


def _reason(mine: float, other: float, points: list[tuple[float, str]]) -> str:
    words = "; ".join(word for _, word in sorted(points, reverse=True))
    return f"{words} ({mine:g} to {other:g})"


# Characters of text that such a frame shows at most: a title, "Loading …", a line of the footer.
LONGEST_FRAME = 200
_LONGEST_WAIT = 40  # characters that stand where the page is to come
MOST_TEXTS = 400  # pieces of text of a frame that are counted
ASKS_FOR_SCRIPT = re.compile(
    r"javascript|(?:启用|开启|打开|啟用|開啟)\W{0,3}(?:js|脚本|腳本)", re.IGNORECASE
)
# Ids and tags of the element that frameworks build a page in: Vue, React, Next, Nuxt, Angular.
_MOUNTS = re.compile(
    r"^_{0,2}(?:app|root|next|nuxt|gatsby|main-app|react-root|app-root)$", re.IGNORECASE
)
_FIND_FIRST_TEXTS = etree.XPath(
    f"(//body/descendant::text())[position() <= {10 * MOST_TEXTS}]"
    "[not(parent::script or parent::style or parent::noscript or parent::template)]",
    smart_strings=False,
)
_HAS_SCRIPTS = etree.XPath("boolean(//script[@src or string-length(.) > 100])")
FIND_ASKING = etree.XPath("//noscript")
FIND_MOUNTS = etree.XPath(
    "/descendant::*[(parent::body and (@id or contains(local-name(), '-')))"
    " or (@id and parent::*/parent::body)]"
)


def needs_script(document: Document) -> bool:
    """Whether a page has a script, hardly a word, and an empty place for what the script shows or a
    word that it must run.
    """
    root = document.root
    texts = islice(cast("list[str]", _FIND_FIRST_TEXTS(root)), MOST_TEXTS)
    if sum(len(text.strip()) for text in texts) > LONGEST_FRAME or not _HAS_SCRIPTS(root):
        return False
    asking = cast("list[etree._Element]", FIND_ASKING(root))[:10]
    if any(ASKS_FOR_SCRIPT.search(element_text(one)) for one in asking):
        return True
    places = cast("list[etree._Element]", FIND_MOUNTS(root))[:50]
    return any(
        _MOUNTS.match(place.get("id", "") or str(place.tag))
        and len(element_text(place)) < _LONGEST_WAIT
        for place in places
    )
