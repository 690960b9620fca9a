"""The text of a page that is no article: a product, a service, a list, a front page, a page of documentation.

There the readers of articles take one block of many for the text. Such a page shows no date and does not call itself an
article, and what was found is a small part of what it says. Then all of it is its text, without what leads elsewhere.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING

from focuscrawl.features.articles.main_text import MOST_PLAIN_MARKUP
from focuscrawl.readers.pages.advertisements import take_out
from focuscrawl.readers.pages.texts import paragraphs

if TYPE_CHECKING:
    from lxml import etree

    from focuscrawl.readers.pages.document import Document

SHARE_OF_UNLINKED, SHARE_OF_ALL = 0.5, 0.4
"""Of the characters of a page that are no link, and of all, that a text holds below which it is a part of it. Of 493 pages
of seven types (a third of WCXB's development part) F1 of words .803 without, .837 with .4 of the unlinked, .841 with these
two, .835 with .7 of the unlinked; of 383 articles of seven other sets none changes."""

_MOST_FRAME_ELEMENTS = 20_000  # elements of a page that are looked at
_FRAME_TAGS = frozenset((
    "nav", "header", "footer", "aside", "form", "script", "style", "noscript", "svg", "button", "select", "iframe", "template",
))  # fmt: skip
_FRAME_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "complementary", "search", "dialog")
)


def whole_text(document: Document, found: str) -> str:
    """Return all that a page says, a line for each block; "" where ``found`` is not so small a part of it."""
    body = document.root.find("body")
    if body is None or len(document.markup) > MOST_PLAIN_MARKUP:
        return ""
    body = deepcopy(body)
    _take_out_frame(body)
    unlinked = deepcopy(body)
    for link in list(unlinked.iter("a")):
        take_out(link)
    if len(found) >= SHARE_OF_UNLINKED * len(paragraphs(unlinked)):
        return ""
    whole = paragraphs(deepcopy(body))
    if len(found) >= SHARE_OF_ALL * len(whole):
        return ""
    main = _only_main(body)
    return whole if main is None else paragraphs(main)


def _take_out_frame(body: etree._Element) -> None:
    """Take out what stands around what a page says, and what it does not show."""
    for element in list(islice(body.iter("*"), _MOST_FRAME_ELEMENTS)):
        is_hidden = element.get("hidden") is not None or element.get("aria-hidden") == "true"
        if element is not body and (
            element.tag in _FRAME_TAGS or element.get("role") in _FRAME_ROLES or is_hidden
        ):
            take_out(element)


def _only_main(body: etree._Element) -> etree._Element | None:
    """Return the element that says that it is the main one of its page, where it holds most of what the page says."""
    found = [one for one in body.iter("*") if one.tag == "main" or one.get("role") == "main"]
    if len(found) != 1:
        return None
    return found[0] if _length(found[0]) > _length(body) / 3 else None


def _length(element: etree._Element) -> int:
    return sum(len(str(text)) for text in element.itertext())
