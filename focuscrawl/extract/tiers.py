"""Main text in two tiers: ``fast`` for every page, ``article`` for the pages that are kept.

``fast`` says what a page is about (relevance, SimHash, change); it is resiliparse alone. ``article``
reads what is stored: text, title, date, author, source.
"""

from __future__ import annotations

from focuscrawl.extract.article_text import ArticleText, read_article
from focuscrawl.extract.document import Document
from focuscrawl.extract.encodings import find_encoding
from focuscrawl.extract.extractors import by_resiliparse
from focuscrawl.extract.harmless import is_quickly_read
from focuscrawl.extract.main_text import read_plain_text

MOST_MARKUP = 1_000_000
"""Bytes of a page of which ``fast`` reads the text."""


def fast(page: bytes | str, url: str) -> str:
    """Return the main text of a page quickly, one paragraph a line; "" when there is none.

    ``page`` is its bytes, whose encoding is found (C4), or its markup. More is in it of what stands
    around the text than in ``article``'s, and hardly ever less.
    """
    if isinstance(page, bytes):
        body = page[:MOST_MARKUP]
        encoding = find_encoding(body).name
        markup = body.decode(encoding, "replace")
        octets = body if encoding == "utf-8" else markup.encode("utf-8", "replace")
    else:
        markup = page[:MOST_MARKUP]
        octets = markup.encode("utf-8", "replace")
    if is_quickly_read(octets):
        return by_resiliparse(markup)
    return read_plain_text(Document.read(octets, url=url, forced="utf-8"))


def article(
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    fetched: float | None = None,
    timezone: str = "Asia/Shanghai",
) -> ArticleText:
    """Read the article of a page; its text is "" when the page has none.

    ``fetched`` is the wall time of the fetch: dates after it are refused, relative ones (3小时前)
    count from it and are not read without it. ``timezone`` holds for dates that name no zone.
    """
    document = Document.read(body, url=url, content_type=content_type)
    found = read_article(document, fetched=fetched, timezone=timezone, language="")
    return found or ArticleText(document.title, "")
