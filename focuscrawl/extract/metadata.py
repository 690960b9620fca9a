"""What a page says about its article: title, date, author, source. Nothing is guessed."""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.extract.bylines import find_author, find_source
from focuscrawl.extract.document import Document, element_text
from focuscrawl.extract.published import find_published
from focuscrawl.extract.statements import comparable, read_statements

HOME = frozenset(("/", "./", "../", "/index.html"))
FIND_HEADINGS = etree.XPath("//h1 | //h2 | //h3")
POWERED = re.compile(r"powered by", re.IGNORECASE)
SEPARATORS = re.compile(
    r"\s+[-|_–—·»:]+\s+|[|_｜]|\s*--+\s*|——|(?<=[\u4e00-\u9fff”》！？])-(?=[\u4e00-\u9fff])"
)


class Metadata(NamedTuple):
    """Texts are "" and ``published`` None where the page does not say; ``published_by`` is the
    results table's word for how a date was found: json-ld, meta, rule, url. ``date`` is the date by
    ISO 8601, in its own zone and no more precise than it is printed.
    """

    title: str
    published: float | None
    published_raw: str
    published_by: str
    date: str
    author: str
    source_name: str


def read_metadata(document: Document, *, fetched: float | None, timezone: str) -> Metadata:
    """Read what the page says of its article.

    ``fetched`` is the wall time of the fetch: later dates are refused, relative ones count from
    it. Dates without a zone are in ``timezone``.
    """
    stated = read_statements(document.root)
    title = _title(document, stated.metas)
    date, found_by = find_published(document, stated, title, fetched=fetched, timezone=timezone)
    return Metadata(
        title=title,
        published=date.seconds if date else None,
        published_raw=date.raw if date else "",
        published_by=found_by if date else "",
        date=date.as_printed() if date else "",
        author=find_author(stated),
        source_name=find_source(stated),
    )


def _title(document: Document, metas: dict[str, str]) -> str:
    """Choose the heading that <title> contains, else og:title, else the longest part of <title>."""
    page_title = document.title
    plain = comparable(page_title)
    best = ""
    for heading in cast("list[etree._Element]", FIND_HEADINGS(document.root))[:50]:
        link = heading.find(".//a[@href]")
        if link is not None and link.get("href", "").strip() in HOME:
            continue  # the name of the site
        text = element_text(heading)
        if 3 <= len(text) <= 200 and comparable(text) in plain and len(text) > len(best):
            best = text
    shared = metas.get("og:title", "")
    if len(best) >= 6 or (best and (not shared or page_title.startswith(best))):
        return best
    if shared:
        return _longest_part(shared) if shared == page_title else shared
    return _longest_part(page_title) or best


def _longest_part(title: str) -> str:
    parts = [part.strip(" -_|–—") for part in SEPARATORS.split(title)]
    return max(parts, key=_weight, default="")


def _weight(part: str) -> int:
    """Return a length in columns: a Han character says as much as two letters."""
    return 0 if POWERED.search(part) else sum(1 + (letter >= "\u2e80") for letter in part)
