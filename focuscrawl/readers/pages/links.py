"""The links of a page, absolute, in page order; and the dates a list shows beside its entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile
from typing import NamedTuple

from lxml import etree

from focuscrawl.readers.pages.document import Document, Joiner
from focuscrawl.readers.pages.texts import element_text, short_text
from focuscrawl.readers.text.dates import FoundDate, date_in_address, find_dates

MOST_LINKS = 5_000  # links taken from a page; a page with more is a trap or a dump
LONGEST_ANCHOR = 300  # characters of an anchor text
# Elements that may link, gone through in one pass by their names: on a page of the test web that
# costs 4 µs, and the same question as an XPath 61.
LINKING = ("a", "area", "frame", "iframe", "link", "meta")
LINK_RELATIONS = frozenset({"next", "prev", "canonical"})
NOFOLLOW = "nofollow"
# Elements that a reader chooses to follow; frames and refreshes are the page itself.
CHOSEN = frozenset({"a", "area"})
MOST_META = 200  # meta elements in which robots are asked something
# Software that says noindex,nofollow of any page edited lately (DokuWiki: ``indexdelay``, five
# days), to keep search engines from spam: of a fresh wiki, 60 of 60 pages were not found. What is
# not to be followed on its pages carries rel=nofollow besides.
BY_AGE = ("dokuwiki",)
TO_ONE_ROBOT = re.compile(r"\s*(?!unavailable_after|max-)[\w-]+\s*:", re.IGNORECASE)
REFRESH = re.compile(r"""^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?\s*([^"']+)""", re.IGNORECASE)


class FoundLink(NamedTuple):
    """A link as it stands on a page.

    ``tag`` is a, area, frame, iframe, link or refresh; ``rel`` its rel words in lower case, blank
    separated; nofollow is among them, too, where the page says it of all its links. ``element`` is the place in the document's tree, for
    those who look at a link's neighbours. The same address may stand on a page more than once.
    """

    url: str
    anchor: str
    title: str
    tag: str
    rel: str
    element: etree._Element


def find_links(document: Document, robots: str = "") -> list[FoundLink]:
    """Return the http(s) links of a page, at most MOST_LINKS; a meta refresh is one of them.

    Of ``link`` elements only rel next, prev and canonical are links. Links to a place on the same
    page (``#top``), scripts and mail are none. ``robots`` are the answer's X-Robots-Tag headers,
    separated by line feeds.
    """
    # What a page asks of one robot by its name (``googlebot: nofollow``) holds for that one alone, and
    # what a BY_AGE software says is no word on links.
    may_follow = robots_words(document, robots).isdisjoint((NOFOLLOW, "none"))
    of_page = "" if may_follow else NOFOLLOW
    join = Joiner(document.base_url, document.encoding).join
    found: list[FoundLink] = []
    for element in document.root.iter(*LINKING):
        tag = str(element.tag)
        reference = element.get("href") if tag == "a" else _reference(element, tag)
        if not reference or (url := join(reference)) is None:
            continue
        title, rel = element.get("title"), element.get("rel")
        if of_page and tag in CHOSEN:
            rel = f"{rel} {of_page}" if rel else of_page
        found.append(
            FoundLink(
                url,
                _anchor(element),
                " ".join(title.split())[:LONGEST_ANCHOR] if title else "",
                "refresh" if tag == "meta" else tag,
                " ".join(rel.lower().split()) if rel else "",
                element,
            )
        )
        if len(found) >= MOST_LINKS:
            break
    return found


def only_nofollow(links: Sequence[FoundLink]) -> frozenset[str]:
    """Return the addresses that a page asks not to follow wherever it links to them."""
    marked = {link.url for link in links if NOFOLLOW in link.rel}
    return frozenset(marked.difference(link.url for link in links if NOFOLLOW not in link.rel))


def is_noindex_page(document: Document, robots: str = "") -> bool:
    """Whether a page asks robots not to take it in, in the same way."""
    return not robots_words(document, robots).isdisjoint(("noindex", "none"))


def robots_words(document: Document, robots: str) -> set[str]:
    """Return what a page says to all robots, in lower case."""
    named = [
        (element.get("name", "").strip().lower(), element.get("content", ""))
        for element in islice(document.root.iter("meta"), MOST_META)
    ]
    said = [content for name, content in named if name == "robots"]
    if any(name == "generator" and content.lower().startswith(BY_AGE) for name, content in named):
        said = []
    said += [line for line in robots.splitlines() if not TO_ONE_ROBOT.match(line)]
    return {word for line in said for word in re.split(r"[\s,;]+", line.lower())}


def _reference(element: etree._Element, tag: str) -> str | None:
    if tag == "area":
        return element.get("href")
    if tag == "link":
        wanted = element.get("rel", "").strip().lower() in LINK_RELATIONS
        return element.get("href") if wanted else None
    if tag == "meta":
        if element.get("http-equiv", "").strip().lower() != "refresh":
            return None
        found = REFRESH.match(element.get("content", ""))
        return found.group(1) if found else None
    return element.get("src")


def _anchor(element: etree._Element) -> str:
    text = element_text(element)
    if not text and (text := element.get("alt", "")) == "" and len(element):
        text = next((image.get("alt", "") for image in element.iter("img")), "")
        text = " ".join(text.split())
    return text[:LONGEST_ANCHOR]


SHORTEST_ENTRY = 6  # characters of a link that can be the title of an entry
_LONGEST_ROW = 400  # characters of what stands around a link; more is no row of a list
_MOST_ENTRIES = 200  # links of a list whose dates are looked for
_ROW = frozenset(("li", "tr", "dd", "dt", "article"))
_CARD_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HIGHEST_CARD = 4  # elements around a heading among which its card is
_MOST_IN_CARD = 40  # elements of a card that are looked through: a byline stands at its head
_LONGEST_BYLINE = (
    80  # characters of an element that may say when; an excerpt is longer, and its dates are others
)


def entry_dates(links: Sequence[FoundLink], *, timezone: str, now: float) -> list[float]:
    """Return a date for each entry of a list page that shows one, in seconds since 1970 UTC."""
    return [found.seconds for _, found in dated_entries(links, timezone=timezone, now=now)]


def dated_entries(
    links: Sequence[FoundLink], *, timezone: str, now: float
) -> list[tuple[FoundLink, FoundDate]]:
    """Return the entries of a list page that show a date, with it.

    The date stands in the entry's row, or beside its heading where that is a link, else in its address. Clocks and
    copyright lines stand in no row and do not count.
    """
    dated = []
    entries = [link for link in links if len(link.anchor) >= SHORTEST_ENTRY][:_MOST_ENTRIES]
    for link in entries:
        row = _row_text(link)
        said = chain((row,), _bylines(link.element))
        dates = (one for text in said for one in find_dates(text, timezone=timezone, now=now))
        found = next(dates, None) or date_in_address(link.url, timezone=timezone, now=now)
        if found is not None:
            dated.append((link, found))
    return dated


def _row_text(link: FoundLink) -> str:
    """Return the text of the row a link stands in; "" when it stands in none."""
    element = link.element
    for _ in range(4):
        parent = element.getparent()
        if parent is None:
            return ""
        element = parent
        if element.tag in _ROW:
            text = element_text(element)
            return text if len(text) <= _LONGEST_ROW else ""
    parent = link.element.getparent()
    if parent is None:
        return ""
    text = element_text(parent)
    return text if len(text) <= len(link.anchor) + 40 else ""


def _bylines(link: etree._Element) -> Iterator[str]:
    """Go through the short texts beside the heading that a link is: of the block around it that has no other heading,
    or of what follows it up to the next.
    """
    around = (link, *islice(link.iterancestors(), 2))
    heading = next((one for one in around if one.tag in _CARD_HEADINGS), None)
    if heading is None:
        heading = link if next(link.iter(*_CARD_HEADINGS), None) is not None else None
    if heading is None:
        return
    card = heading
    for above in islice(heading.iterancestors(), _HIGHEST_CARD):
        if (
            above.tag == "body"
            or next(islice(above.iter(*_CARD_HEADINGS), 1, None), None) is not None
        ):
            break
        card = above
    behind = takewhile(
        lambda one: next(one.iter(*_CARD_HEADINGS), None) is None, heading.itersiblings()
    )
    elements = (
        card.iter() if card is not heading else chain.from_iterable(one.iter() for one in behind)
    )
    own = {*heading.iter()}
    for element in islice(elements, _MOST_IN_CARD):
        if element not in own and (text := short_text(element, _LONGEST_BYLINE)):
            yield text
