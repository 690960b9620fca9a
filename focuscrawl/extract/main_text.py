"""The main text of a page: readability first, resiliparse where it finds next to nothing."""

from __future__ import annotations

import logging
import re
from typing import NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement, HTMLParser
from readability import Document as ReadabilityDocument
from readability.readability import Unparseable
from resiliparse.extract.html2text import extract_plain_text

from focuscrawl.extract.addresses import Joiner
from focuscrawl.extract.document import Document, fresh_root

FEWEST_CHARACTERS = 120
"""Characters under which what readability found is not trusted."""

MOST_ELEMENTS = ((0, 15_000), (40, 7_500), (80, 3_700), (160, 2_300))
"""Elements of a page readability is asked about, by the depth it is nested past: its cost grows
with elements times depth, some 2.4 µs each."""

MOST_MARKUP = 1_500_000
"""Bytes of markup it is asked about."""

MOST_PLAIN_MARKUP = 750_000
"""Bytes of markup whose text is taken as it stands when no extractor is asked."""

LONGEST_TEXT = 1_000_000
MOST_IMAGES = 100

PARSER = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "br",
            "center",
            "dd",
            "div",
            "dl",
            "dt",
            "fieldset",
        ),
        *(
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
        ),
        *("li", "main", "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul"),
    )
)
UNSEEN = frozenset(
    ("head", "script", "style", "noscript", "template", "textarea", "select", "iframe", "svg")
)
COUNT = etree.XPath("count(//*)")
NESTED_PAST = {
    depth: etree.XPath(f"boolean({'/*' * depth})") for depth, _ in MOST_ELEMENTS if depth
}
# Pages hold control characters, which a tree can be read with but not written back into.
BLANKS = re.compile(r"[^\S\n]+|\s*\n\s*|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")

PREFORMATTED = frozenset(("pre", "code"))
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")

logging.getLogger("readability.readability").setLevel(logging.CRITICAL)  # it logs what it raises


class MainText(NamedTuple):
    """Paragraphs separated by one newline, the addresses of the images among them, who found it."""

    text: str
    images: tuple[str, ...]
    found_by: str


def read_main_text(document: Document) -> MainText:
    """Return the main text, empty when there is none; costs 10 to 20 ms for a usual page.

    A page of so many elements that the extractors could take seconds gives all its text.
    """
    if len(document.markup) > MOST_MARKUP or _is_costly(document.root):
        root = fresh_root(document.markup[:MOST_PLAIN_MARKUP], PARSER)
        return MainText(paragraphs(root)[:LONGEST_TEXT], (), "all text")
    block = _by_readability(document)
    text = "" if block is None else paragraphs(block)
    images = () if block is None else _images(block, document)
    if len(text) >= FEWEST_CHARACTERS:
        return MainText(text[:LONGEST_TEXT], images, "readability")
    other = _by_resiliparse(document)
    if len(other) > 2 * len(text):
        return MainText(other[:LONGEST_TEXT], images, "resiliparse")
    return MainText(text, images, "readability")


def _is_costly(root: etree._Element) -> bool:
    elements = cast("float", COUNT(root))
    return any(
        elements > most and (not depth or cast("bool", NESTED_PAST[depth](root)))
        for depth, most in MOST_ELEMENTS
    )


def paragraphs(block: etree._Element) -> str:
    """Return the text under an element, one line for each block of it; the element is changed."""
    for element in block.iter():
        tag = element.tag
        if tag in UNSEEN or not isinstance(tag, str):
            text = None
            for child in list(element):
                element.remove(child)
        else:
            text = _in_line(element.text, tag)
        parent = element.getparent()
        tail = _in_line(element.tail, None if parent is None else parent.tag)
        if tag in BLOCKS:
            text, tail = f"\n{text or ''}", f"\n{tail or ''}"
        element.text, element.tail = text, tail
    written = etree.tostring(block, encoding="unicode", method="text", with_tail=False)
    return "\n".join(line for raw in written.splitlines() if (line := " ".join(raw.split())))


def _in_line(text: str | None, tag: str | None) -> str | None:
    """Return a text as it stands in a line: line breaks count only in preformatted text."""
    return text and (CONTROLS if tag in PREFORMATTED else BLANKS).sub(" ", text)


def _by_readability(document: Document) -> etree._Element | None:
    root = fresh_root(document.markup, PARSER)
    if not isinstance(root, HtmlElement):
        return None
    try:
        summary = ReadabilityDocument(root).summary(html_partial=True)
    except (Unparseable, RecursionError):
        return None
    return fresh_root(summary.encode("utf-8", "replace"), PARSER)


def _by_resiliparse(document: Document) -> str:
    # never the page's own markup: nested ten thousand deep it takes this extractor minutes
    markup = etree.tostring(fresh_root(document.markup, PARSER), encoding="unicode", method="html")
    text: str = extract_plain_text(
        markup, main_content=True, preserve_formatting=True, list_bullets=False, alt_texts=False
    )
    return "\n".join(line for raw in text.splitlines() if (line := " ".join(raw.split())))


def _images(block: etree._Element, document: Document) -> tuple[str, ...]:
    join = Joiner(document.base_url, document.encoding).join
    found: dict[str, None] = {}
    for image in block.iter("img"):
        source = image.get("data-src") or image.get("data-original") or image.get("src")
        if source and (url := join(source)):
            found[url] = None
    return tuple(found)[:MOST_IMAGES]
