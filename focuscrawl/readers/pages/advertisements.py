"""Which parts of a page are advertisements: by their class, or by a label that stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from focuscrawl.readers.pages.selectors import find
from focuscrawl.readers.pages.texts import text_before
from focuscrawl.values import Selector

LONGEST_LABEL = 14  # characters of a text that is nothing but such a label
AD_LABEL = re.compile(
    r"(?i)[\[(【（]?\s*(?:广告|推广|商业推广|品牌广告|赞助商?链接?|赞助|廣告|ads?|sponsored|promoted|advertisement"
    r"|anzeigen?|gesponsert|gesponsord|annonces?|publicit[ée]|sponsorisée?s?|anuncios?|publicidad|patrocinad[oa]s?"
    r"|annunci[oi]?|sponsorizzat[oi]|реклама|reklama|reklamy|광고|広告|スポンサー)"
    r"\s*[\])】）·•.]?"
)
AD_CLASS = re.compile(
    r"(?i)(?:^|\s)(?:ads?|adv|advert\w*|b_ad|ec[_-](?:ad|wise|tuiguang|ppim)\w*|sponsor\w*|promoted"
    r"|tuiguang|ec-tuiguang|m-ad|ad-\w+|result-ad)(?:\s|$)"
)
BLOCK_TAGS = ("div", "section", "aside", "p", "ins", "li", "figure", "span")
# Characters above which a block is no advertisement, whatever its name: part of the article may
# be in it.
LONGEST_ADVERTISEMENT = 200
LABEL_TAGS = ("span", "a", "i", "div", "label", "small", "sup")


def looks_advertised(element: etree._Element, selector: Selector | None) -> bool:
    """Whether a result says that it is an advertisement: by ``selector``, its class or a label."""
    if find(element, selector, inside=True):
        return True
    above = element.getparent()
    around = "" if above is None else above.get("class", "")
    if AD_CLASS.search(element.get("class", "")) or AD_CLASS.search(around):
        return True
    return any(map(AD_LABEL.fullmatch, _labels(element)))


def _labels(element: etree._Element) -> Iterator[str]:
    """Go through the short texts that stand alone: in an element of their own, not in a line."""
    for inner in element.iter(*LABEL_TAGS):
        text = (inner.text or "").strip()
        alone = not len(inner) and not (inner.tail or "").strip()
        if alone and 0 < len(text) <= LONGEST_LABEL and not text_before(inner).strip():
            yield text


def drop_advertisements(root: etree._Element) -> None:
    """Take the advertisements out of a page: short blocks that say by name or label what they are.

    Such a block between two paragraphs passes for one of the article's, and is another at each visit.
    """
    for element in [*root.iter(*BLOCK_TAGS)]:
        if element.getparent() is not None and _is_named(element) and _is_short(element):
            take_out(element)


def _is_named(element: etree._Element) -> bool:
    if AD_CLASS.search(element.get("class", "")) or AD_CLASS.search(element.get("id", "")):
        return True
    first = next(element.iterchildren("span", "i", "small", "sup"), None)
    if first is None or (element.text or "").strip() or text_before(first).strip():
        return False
    return not len(first) and AD_LABEL.fullmatch((first.text or "").strip()) is not None


def _is_short(element: etree._Element) -> bool:
    size = 0
    for text in element.itertext():
        size += len(text.strip())
        if size > LONGEST_ADVERTISEMENT:
            return False
    return True


def take_out(element: etree._Element) -> None:
    """Remove an element, but not the text behind it."""
    above, before, tail = element.getparent(), element.getprevious(), element.tail or ""
    if above is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        above.text = (above.text or "") + tail
    above.remove(element)
