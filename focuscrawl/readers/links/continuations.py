"""The further pages of a board or an article: told apart from other links, which are read, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.frontier.levels import CONTENT_CLASSES, LOWEST, Levels, level_of
from focuscrawl.readers.links.admission_rules import AdmissionRules, Look, is_unwanted, refusal
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import NOFOLLOW, FoundLink, only_nofollow
from focuscrawl.readers.pages.paging import WHOLE, find_paging
from focuscrawl.readers.pages.selectors import FOUND_OUT, PageSelectors
from focuscrawl.readers.pages.table import Select
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

LONGEST_LINK_TEXT = 300  # characters of a row; some sites link whole paragraphs
PAGE_NUMBER = re.compile(r"[\s\[(（【第«»<>·-]*(\d{1,5})[\s\])）】页頁«»<>·-]*")


class ToldApart(NamedTuple):
    """The links of a page: to other pages, to further pages of its own.

    ``missed`` is as in Judged, ``is_numbered`` as in Paging.
    """

    ordinary: tuple[Link, ...]
    further: tuple[Link, ...]
    missed: tuple[str, ...]
    is_numbered: bool


def selectors_of(template: Template, site: str) -> PageSelectors:
    """Return where the pages of a site have their parts, by the template."""
    rules = template.site(host_of(site)).of(Select)
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
    missed = ("next",) if paging.missed else ()
    return ToldApart(ordinary, tuple(further), missed, paging.is_numbered)


def following_pages(
    links: list[Link],
    batch: LinkBatch,
    parent: Waiting,
    rules: AdmissionRules,
    added: int,
    refused: dict[str, int],
    *,
    is_news: bool = True,
) -> list[tuple[Waiting, int]]:
    """Return the further pages of the same board or article that are to be read.

    ``added`` is how many other links of the page were new, ``is_news``: one of them is no view of the page;
    refusals are counted in ``refused``.
    Where the end is not known (``until_known``), and when a board is read again, it is read page
    by page: every page leads to the next one only, and when read again never back.
    """
    own_class = (
        PageClass.ARTICLE_PAGING if batch.page_class in CONTENT_CLASSES else PageClass.PAGING
    )
    found: dict[int, Waiting] = {}
    for link in links:
        look = rules.look(link.url)
        page_class = link.page_class or own_class
        number = look.address.number
        page = page_number(link, page_class, parent)
        reason = _refused(link, look, page_class, page, parent)
        if reason is None and page_class is PageClass.PAGING and batch.until_known and not added:
            reason = "until-known"
        if reason is None and (number in found or look.address.key == parent.key):
            reason = "repeated"
        goes_back = page <= parent.page_number and page != WHOLE
        if reason is None and not parent.first_walk and goes_back:
            reason = "paging"
        if reason is None:
            found[number] = _continuation(
                *(link, look, page_class, page, parent, rules), is_news=is_news
            )
        else:
            refused[reason] = refused.get(reason, 0) + 1
    if len(found) > 1 and (batch.until_known or not parent.first_walk):
        refused["paging"] = refused.get("paging", 0) + len(found) - 1
        return [_next(found, parent.page_number)]
    return [(waiting, number) for number, waiting in found.items()]


def _refused(
    link: Link, look: Look, page_class: PageClass, page: int, parent: Waiting
) -> str | None:
    """Return why a further page is not read, whatever else is known of its board or article."""
    if reason := refusal(look, page_class) or beyond(look, page_class, page):
        return reason
    return "nofollow" if is_unwanted(link, look, parent.site) else None


def page_number(link: Link, page_class: PageClass, parent: Waiting) -> int:
    """Read the number of a page from its link's text: ``3``, ``[3]``, ``第3页``; else it is the next.

    0 is what shows all of an article.
    """
    found = PAGE_NUMBER.fullmatch(link.anchor)
    number = int(found[1]) if found else None
    if number == WHOLE and page_class is PageClass.ARTICLE_PAGING:
        return WHOLE
    return number or parent.page_number + 1


def beyond(look: Look, page_class: PageClass, page: int) -> str | None:
    """Return "paging" for a page that lies behind the last one that is read."""
    rules = look.rules
    if page_class is PageClass.ARTICLE_PAGING:
        return "paging" if page > rules.article_pages else None
    return "paging" if rules.paging == "none" or page > rules.pages else None


def _next(found: dict[int, Waiting], page: int) -> tuple[Waiting, int]:
    """Choose the one page to read next: what shows all, the following one, the first after it, any."""
    whole = [item for item in found.items() if item[1].page_number == WHOLE]
    later = whole or [item for item in found.items() if item[1].page_number > page]
    number, waiting = min(later or found.items(), key=lambda item: item[1].page_number)
    return waiting, number


def _continuation(
    link: Link,
    look: Look,
    page_class: PageClass,
    page: int,
    parent: Waiting,
    rules: AdmissionRules,
    *,
    is_news: bool,
) -> Waiting:
    """Return a further page as it waits; ``is_news``: the page that leads to it has shown something new."""
    address = look.address
    level, passed_level = level_of(
        page_class,
        PageClass.ARTICLE if page_class is PageClass.ARTICLE_PAGING else PageClass.BOARD,
        Levels(parent.level, parent.passed_level),
        rules.top,
        strict=rules.strict,
    )
    if page_class is PageClass.PAGING and parent.first_walk and not rules.strict:
        # Of a blog of 70 posts 58 of 201 requests were further pages of tags, months and authors, since these were
        # begun before the source's own list was read to its end. With that first, they show nothing new.
        if parent.depth == 0:
            level = rules.top
        elif not is_news:
            level = LOWEST
    return Waiting(
        address.url,
        address.key,
        address.site,
        level,
        passed_level,
        page_class,
        depth=parent.depth,
        anchor=link.anchor[:LONGEST_LINK_TEXT],
        parent_key=parent.key,
        source_id=parent.source_id,
        layer=parent.layer,
        baseline=parent.baseline,
        page_number=page,
        first_walk=parent.first_walk,
        first_key=(parent.first_key or parent.key)
        if page_class is PageClass.ARTICLE_PAGING
        else b"",
    )
