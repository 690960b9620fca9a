"""An answer and what is made of it: the values of the judge, and the rows every answer gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.crawl.paging import WHOLE
from focuscrawl.crawl.parts import Piece
from focuscrawl.extract.article_text import FOUND_OUT
from focuscrawl.extract.document import Document
from focuscrawl.extract.encodings import Encoding
from focuscrawl.extract.links import FoundLink
from focuscrawl.extract.paging import find_paging
from focuscrawl.extract.selected import PageSelectors
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Article, Link, LinkBatch, Page, PageClass, PageState, Record, Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.crawl.threads import Read, Walk
    from focuscrawl.topic.template import Source, Template

LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})


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
    """What pages are judged by in one run. ``visited`` are the states of pages visited again,
    ``walks`` threads being read, by key (A9).
    """

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    visited: Mapping[bytes, PageState] = field(default_factory=dict)
    walks: Mapping[bytes, Walk] = field(default_factory=dict)


class Judged(NamedTuple):
    """What a page gave: its row, its links, perhaps an article, perhaps a state to come back with.

    ``why`` says in words how the class was found. ``missed`` names the site's selectors that found
    nothing on it. ``piece`` is what it gives to an article of
    several pages; then there is no ``article`` yet. ``read`` is what it gives to its thread. ``part`` is the URL as what it has shown itself to
    be: a later page of an article that nobody knew.
    """

    page: Page
    batch: LinkBatch | None = None
    article: Article | None = None
    state: PageState | None = None
    why: str = ""
    piece: Piece | None = None
    records: tuple[Record, ...] = ()
    part: Waiting | None = None
    missed: tuple[str, ...] = ()
    read: Read | None = None


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


def state_of(
    fetched: Fetched, waiting: Waiting, judging: Judging, page_class: PageClass
) -> PageState | None:
    """Return what the next run needs to visit a list page or source again; None for others."""
    if page_class not in LISTS and not _is_source(waiting):
        return None
    before = judging.visited.get(waiting.key)
    return PageState(
        key=waiting.key,
        url=waiting.url,
        site=waiting.site,
        page_class=page_class,
        level=waiting.passed_level,
        first_fetched=before.first_fetched if before else fetched.at,
        last_fetched=fetched.at,
        next_visit=fetched.at + _every(waiting, judging.sources),
        visits=(before.visits if before else 0) + 1,
        source_id=waiting.source_id,
        facts={"depth": waiting.depth, "parent": waiting.parent_key, "layer": waiting.layer},
    )


def unchanged_state(
    before: PageState, waiting: Waiting, sources: Mapping[str, Source], at: float
) -> PageState:
    """Return the state of a list page or source whose server says that nothing is newer."""
    next_visit = at + _every(waiting, sources)
    return before._replace(last_fetched=at, next_visit=next_visit, visits=before.visits + 1)


def _every(waiting: Waiting, sources: Mapping[str, Source]) -> float:
    """Return how long a run that comes sooner leaves a page alone: source.every, for the source."""
    source = sources.get(waiting.source_id) if _is_source(waiting) else None
    return (source.every or 0.0) if source is not None else 0.0


def _is_source(waiting: Waiting) -> bool:
    return not waiting.parent_key and waiting.page_class is not PageClass.ARTICLE


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
