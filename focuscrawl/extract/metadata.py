"""What a page says about its article: title, date, author, source. Nothing is guessed."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.extract.bylines import find_author, find_source
from focuscrawl.extract.document import Document
from focuscrawl.extract.published import find_published
from focuscrawl.extract.statements import read_statements
from focuscrawl.extract.surroundings import surroundings_of
from focuscrawl.extract.titles import find_title, site_names


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
    stated = read_statements(document.root, document.url)
    title = find_title(document, stated.metas, stated.lines)
    place_of = surroundings_of(stated.lines, title)
    date, found_by = find_published(document, stated, place_of, fetched=fetched, timezone=timezone)
    return Metadata(
        title=title,
        published=date.seconds if date else None,
        published_raw=date.raw if date else "",
        published_by=found_by if date else "",
        date=date.as_printed() if date else "",
        author=find_author(stated, place_of, site_names(document, stated.metas, title)),
        source_name=find_source(stated, place_of),
    )
