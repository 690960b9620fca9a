"""An article as it is kept: main text and what the page says about it."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.extract.document import Document
from focuscrawl.extract.language import language_of
from focuscrawl.extract.main_text import read_main_text
from focuscrawl.extract.metadata import read_metadata
from focuscrawl.extract.trim import trimmed


class ArticleText(NamedTuple):
    """One page's article; times are seconds since 1970 UTC.

    ``text`` has one paragraph a line. ``published`` is None when the page shows no date, else
    ``published_raw`` is what it shows and ``published_by`` how it was found (json-ld, meta, rule,
    url). ``date`` is the same by ISO 8601, in the zone and as precise as it is printed.
    ``source_name`` is the 来源 as printed. ``images`` are addresses found in the text.
    """

    title: str
    text: str
    published: float | None = None
    published_raw: str = ""
    published_by: str = ""
    date: str = ""
    author: str = ""
    source_name: str = ""
    language: str = ""
    images: tuple[str, ...] = ()


def read_article(
    document: Document, *, fetched: float | None, timezone: str, language: str
) -> ArticleText | None:
    """Read the article of a content page; None when the page has neither text nor images.

    ``fetched`` is the wall time of the fetch, ``timezone`` an IANA name for dates without a zone,
    ``language`` the topic's, for texts that do not show their own.
    """
    main = read_main_text(document)
    if not main.text and not main.images:
        return None
    said = read_metadata(document, fetched=fetched, timezone=timezone)
    return ArticleText(
        title=said.title,
        text=trimmed(main.text, said.title),
        published=said.published,
        published_raw=said.published_raw,
        published_by=said.published_by,
        date=said.date,
        author=said.author,
        source_name=said.source_name,
        language=language_of(main.text, document.root.get("lang", ""), language),
        images=main.images,
    )
