"""Tell the links of a page apart: to other pages, and to further pages of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.article import FOUND_OUT
from focuscrawl.articles.selected import PageSelectors
from focuscrawl.articles.stitch import WHOLE
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import NOFOLLOW, FoundLink, only_nofollow
from focuscrawl.pages.paging import find_paging
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, PageClass

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template


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
        Link(link.url, link.anchor, title=link.title, nofollow=NOFOLLOW in link.rel)
        for link in links
        if link.url not in paging.pager and (paging.whole is None or link.url != paging.whole.url)
    )
    pages = [
        (found.url, str(found.page_number) if found.page_number else found.anchor)
        for found in paging.next
    ]
    if paging.whole is not None:
        pages.insert(0, (paging.whole.url, str(WHOLE)))
    unwanted = only_nofollow(links) if pages else frozenset()
    further = [Link(url, text, paging.kind, nofollow=url in unwanted) for url, text in pages]
    return ToldApart(ordinary, tuple(further), ("next",) if paging.missed else ())
