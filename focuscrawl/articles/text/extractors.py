"""The main text of a page by each of two libraries; neither is right on every page."""

from __future__ import annotations

import logging

from lxml import etree
from lxml.html import HtmlElement, HTMLParser
from readability import Document as ReadabilityDocument
from readability.readability import Unparseable
from resiliparse.extract.html2text import extract_plain_text

from focuscrawl.articles.text.comments import drop_comments
from focuscrawl.articles.text.listings import unbox_listings
from focuscrawl.pages.advertisements import drop_advertisements
from focuscrawl.pages.document import Document, fresh_root
from focuscrawl.pages.paragraphs import tidy

EXTRACTOR_PARSER = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
logging.getLogger("readability.readability").setLevel(logging.CRITICAL)  # it logs what it raises


def by_readability(document: Document) -> etree._Element | None:
    """Return the block readability takes for the text: precise, but now and then a wrong one."""
    root = fresh_root(document.markup, EXTRACTOR_PARSER)
    if not isinstance(root, HtmlElement):
        return None
    drop_advertisements(root)
    drop_comments(root)
    unbox_listings(root)
    try:
        summary = ReadabilityDocument(root).summary(html_partial=True)
    except (Unparseable, RecursionError):
        return None
    return fresh_root(summary.encode("utf-8", "replace"), EXTRACTOR_PARSER)


def by_resiliparse(markup: str, *, comments: bool = True) -> str:
    """Return resiliparse's text: quick and next to complete, with more of what stands around it.

    Without ``comments`` it leaves out all that is called so, be it the article.
    """
    return tidy(
        extract_plain_text(
            markup,
            main_content=True,
            preserve_formatting=True,
            list_bullets=False,
            alt_texts=False,
            comments=comments,
        )
    )
