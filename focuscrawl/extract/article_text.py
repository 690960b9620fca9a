"""An article as it is kept: main text and what the page says about it."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.extract.document import Document
from focuscrawl.extract.language import language_of
from focuscrawl.extract.main_text import MOST_IMAGES, MainText, images_in, read_main_text
from focuscrawl.extract.metadata import Metadata, read_metadata
from focuscrawl.extract.selected import PageSelectors, Selected, read_selected
from focuscrawl.extract.trim import trimmed

FOUND_OUT = PageSelectors()
"""No selectors: every part is found out."""


class ArticleText(NamedTuple):
    """One page's article; times are seconds since 1970 UTC.

    ``text`` has one paragraph a line. ``published`` is None when the page shows no date, else
    ``published_raw`` is what it shows and ``published_by`` how it was found (json-ld, meta, rule,
    url). ``date`` is the same by ISO 8601, in the zone and as precise as it is printed.
    ``source_name`` is the 来源 as printed. ``images`` are addresses found in the text. ``missed``
    names the site's selectors that found nothing.
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
    missed: tuple[str, ...] = ()


def read_article(
    document: Document,
    *,
    fetched: float | None,
    timezone: str,
    language: str,
    selectors: PageSelectors = FOUND_OUT,
    plain: str | None = None,
) -> ArticleText | None:
    """Read the article of a content page; None when the page has neither text nor images.

    ``fetched`` is the wall time of the fetch, ``timezone`` an IANA name for dates without a zone,
    ``language`` the topic's, for texts that do not show their own. What ``selectors`` find wins;
    where one finds nothing its part is found out as without it. ``plain`` as for read_main_text.
    """
    chosen = read_selected(document, selectors, fetched=fetched, timezone=timezone)
    main = _chosen_text(document, chosen) if chosen.text else read_main_text(document, plain)
    if not main.text and not main.images:
        return None
    said = read_metadata(document, fetched=fetched, timezone=timezone)
    said = _corrected(said, chosen)
    return ArticleText(
        title=said.title,
        text=main.text if chosen.text else trimmed(main.text, said.title),
        published=said.published,
        published_raw=said.published_raw,
        published_by=said.published_by,
        date=said.date,
        author=said.author,
        source_name=said.source_name,
        language=language_of(main.text, document.root.get("lang", ""), language),
        images=main.images,
        missed=chosen.missed,
    )


def _chosen_text(document: Document, chosen: Selected) -> MainText:
    found = dict.fromkeys(url for block in chosen.blocks for url in images_in(block, document))
    return MainText(chosen.text, tuple(found)[:MOST_IMAGES], "selector")


def _corrected(said: Metadata, chosen: Selected) -> Metadata:
    """Put what selectors found in the place of what was found out."""
    date = chosen.published
    if date is not None:
        said = said._replace(
            published=date.seconds,
            published_raw=date.raw,
            published_by="rule",
            date=date.as_printed(),
        )
    return said._replace(
        title=chosen.title or said.title,
        author=chosen.author or said.author,
        source_name=chosen.source or said.source_name,
    )
