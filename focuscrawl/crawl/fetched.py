"""An answer and what is made of it: the values of the judge, and the rows every answer gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.extract.article_parts import Piece
from focuscrawl.extract.article_text import FOUND_OUT
from focuscrawl.extract.document import Document
from focuscrawl.extract.encodings import Encoding
from focuscrawl.extract.links import FoundLink
from focuscrawl.extract.paging import find_paging
from focuscrawl.extract.selected import PageSelectors
from focuscrawl.extract.stitch import WHOLE
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Article, Link, LinkBatch, Page, PageClass, Record, Waiting

if TYPE_CHECKING:
    from focuscrawl.extract.thread_walks import Read, Walk
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.template import Template
    from focuscrawl.topic.topic_values import Source


class Fetched(NamedTuple):
    """An answer: ``content_type`` is its header, ``at`` wall time.

    ``encoding`` is what the body was found to be written in; None: not asked yet.
    """

    url: str
    status: int
    body: bytes
    content_type: str
    at: float
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class Judging:
    """What pages are judged by in one run. ``walks`` are threads being read, by key (A9)."""

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    walks: Mapping[bytes, Walk] = field(default_factory=dict)


class Judged(NamedTuple):
    """What a page gave: its row, its links, perhaps an article, perhaps records.

    ``why`` says in words how the class was found. ``missed`` names the site's selectors that found
    nothing on it. ``ignored`` are the lines that never count as a change. ``piece`` is what it gives to an article of
    several pages; then there is no ``article`` yet. ``read`` is what it gives to its thread. ``part`` is the URL as what it has shown itself to
    be: a later page of an article that nobody knew.
    """

    page: Page
    batch: LinkBatch | None = None
    article: Article | None = None
    why: str = ""
    piece: Piece | None = None
    records: tuple[Record, ...] = ()
    part: Waiting | None = None
    missed: tuple[str, ...] = ()
    read: Read | None = None
    ignored: tuple[str, ...] = ()


def page_of(fetched: Fetched, waiting: Waiting, page_class: PageClass) -> Page:
    """Return the row of the log book for an answer, its outcome still to be found."""
    return Page(
        url_key=waiting.key.hex(),
        url=waiting.url,
        host=waiting.site,
        page_class=page_class,
        outcome="list",
        level=waiting.level,
        source_id=waiting.source_id,
        parent_key=waiting.parent_key.hex(),
        anchor=waiting.anchor,
        first_seen=fetched.at,
        last_fetched=fetched.at,
        status=fetched.status,
        content_type=fetched.content_type,
        bytes=len(fetched.body),
    )


class ToldApart(NamedTuple):
    """The links of a page: to other pages, to further pages of its own; ``missed`` as Judged's."""

    ordinary: tuple[Link, ...]
    further: tuple[Link, ...]
    missed: tuple[str, ...]


def selectors_of(template: Template, site: str) -> PageSelectors:
    """Return where the pages of a site have their parts, by the template."""
    rules = template.site(host_of(site))
    return PageSelectors(
        rules.title, rules.text, rules.published, rules.author, rules.source, rules.next
    )


def told_apart(
    document: Document,
    links: Sequence[FoundLink],
    page_class: PageClass,
    selectors: PageSelectors = FOUND_OUT,
) -> ToldApart:
    """Return the links to other pages, and the further pages of the same article or board.

    Links of the pager that do not lead on (to page 1, to the last page) are neither.
    """
    paging = find_paging(document, links, page_class, selected=selectors.next)
    ordinary = tuple(
        Link(link.url, link.anchor, title=link.title)
        for link in links
        if link.url not in paging.pager and (paging.whole is None or link.url != paging.whole.url)
    )
    further = [
        Link(found.url, str(found.page_number) if found.page_number else found.anchor, paging.kind)
        for found in paging.next
    ]
    if paging.whole is not None:
        further.insert(0, Link(paging.whole.url, str(WHOLE), paging.kind))
    return ToldApart(ordinary, tuple(further), ("next",) if paging.missed else ())
