"""The main text of a page: what readability finds, corrected by what resiliparse finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.extract.addresses import Joiner
from focuscrawl.extract.agreement import corrected
from focuscrawl.extract.document import Document, fresh_root
from focuscrawl.extract.extractors import (
    PARSER,
    by_readability,
    by_resiliparse,
)
from focuscrawl.extract.harmless import is_quickly_read
from focuscrawl.extract.paragraphs import paragraphs

FEWEST_CHARACTERS = 120
"""Characters under which what readability found is not trusted."""

MOST_ELEMENTS = ((0, 15_000), (40, 7_500), (80, 3_700), (160, 2_300))
"""Elements of a page readability is asked about, by the depth it is nested past: its cost grows
with elements times depth, some 2.4 µs each."""

MOST_MARKUP = 1_500_000
"""Bytes of markup it is asked about."""

MOST_PLAIN_MARKUP = 750_000
"""Bytes of markup whose text is taken as it stands when no extractor is asked."""

MOST_COMPARED = 200_000
"""Characters up to which two readings are compared; longer ones are a book or made to be long."""

LONGEST_TEXT = 1_000_000
MOST_IMAGES = 100

SMALLEST_PICTURE = 100
"""Pixels of a side under which an image is an icon."""

FIND_PICTURES = etree.XPath(
    "//body//img[not(ancestor::a or ancestor::header or ancestor::nav or ancestor::footer)]"
)
COUNT = etree.XPath("count(//*)")
NESTED_PAST = {
    depth: etree.XPath(f"boolean({'/*' * depth})") for depth, _ in MOST_ELEMENTS if depth
}


class MainText(NamedTuple):
    """Paragraphs separated by one newline, the addresses of the images among them, who found it."""

    text: str
    images: tuple[str, ...]
    found_by: str


def read_main_text(document: Document) -> MainText:
    """Return the main text, empty when there is none; costs 10 to 30 ms for a usual page.

    A page of so many elements that the extractors could take seconds gives all its text.
    """
    if _is_costly(document):
        root = fresh_root(document.markup[:MOST_PLAIN_MARKUP], PARSER)
        return MainText(paragraphs(root)[:LONGEST_TEXT], (), "all text")
    block = by_readability(document)
    text = "" if block is None else paragraphs(block)
    images = () if block is None else images_in(block, document)
    other = read_plain_text(document)
    found_by = "readability"
    if len(text) < FEWEST_CHARACTERS and len(other) > 2 * len(text):
        text, found_by = other, "resiliparse"
    elif len(text) + len(other) <= MOST_COMPARED:
        text = corrected(text, other)
    if len(text) < FEWEST_CHARACTERS:
        images = pictures(document) or images
    return MainText(text[:LONGEST_TEXT], images, found_by)


def _is_costly(document: Document) -> bool:
    elements = cast("float", COUNT(document.root))
    return len(document.markup) > MOST_MARKUP or any(
        elements > most and (not depth or cast("bool", NESTED_PAST[depth](document.root)))
        for depth, most in MOST_ELEMENTS
    )


def read_plain_text(document: Document) -> str:
    """Return resiliparse's text of a document: quick, and hardly anything of the article missing."""
    if is_quickly_read(document.markup):
        return by_resiliparse(document.markup.decode("utf-8", "replace"))
    root = fresh_root(document.markup, PARSER)  # its tree is no deeper than the parser allows
    return by_resiliparse(etree.tostring(root, encoding="unicode", method="html"))


def images_in(block: etree._Element, document: Document) -> tuple[str, ...]:
    """Return the addresses of the images under an element, in order, without repetition."""
    return _addresses(block.iter("img"), document)


def pictures(document: Document) -> tuple[str, ...]:
    """Return the images of a page that shows little else: those that are no links, logos, icons."""
    found = cast("list[etree._Element]", FIND_PICTURES(document.root))
    return _addresses((image for image in found if not _is_small(image)), document)


def _is_small(image: etree._Element) -> bool:
    sizes = (image.get(side, "").removesuffix("px") for side in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < SMALLEST_PICTURE for size in sizes)


def _addresses(images: Iterable[etree._Element], document: Document) -> tuple[str, ...]:
    join = Joiner(document.base_url, document.encoding).join
    found: dict[str, None] = {}
    for image in images:
        source = image.get("data-src") or image.get("data-original") or image.get("src")
        if source and (url := join(source)):
            found[url] = None
    return tuple(found)[:MOST_IMAGES]
