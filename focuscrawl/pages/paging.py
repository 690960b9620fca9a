"""The next pages of a list or of an article (A2), told apart from the next article.

A link continues a page when its text says so (下一页, next, a page number in a pager) and its
address is one of the same series. ``rel=next`` alone says nothing: on blogs it is the next post.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from focuscrawl.pages.addresses import Joiner
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.pages.paging_links import (
    nearby,
    numbered,
    pager,
    same_page,
    whole_page,
    worded_next,
)
from focuscrawl.pages.paging_words import DECORATION, FIRST_PAGE, LONGEST_WORDS, number_in
from focuscrawl.pages.selectors import links as written_links
from focuscrawl.pages.series import asked_page, numbers, without_page
from focuscrawl.values import PageClass, Selector

MOST_SELECTED = 1_000
"""Links a site's selector for the next page may find."""

MOST_CONTINUATIONS = 200
"""Continuations of one article that are followed."""


class Continuation(NamedTuple):
    """A further page. ``page_number`` counts from 1; None when the page does not say."""

    url: str
    page_number: int | None
    anchor: str


class Paging(NamedTuple):
    """What continues a page.

    ``next`` holds the next page of a list, or all further pages of an article the page names, in
    order. ``kind`` is PAGING or ARTICLE_PAGING. ``whole`` is the address of the article on one page.
    ``pager`` are the addresses of all pages of the same series that the page names, before and
    after it: they are no links to other pages. ``missed``: the site's selector found no next page
    where there is one.
    """

    next: tuple[Continuation, ...]
    kind: PageClass
    whole: Continuation | None = None
    pager: frozenset[str] = frozenset()
    missed: bool = False


def find_paging(
    document: Document,
    links: Sequence[FoundLink],
    page_class: PageClass,
    current_url: str = "",
    selected: Selector | None = None,
) -> Paging:
    """Find the continuation links of a page of class ``page_class``; ``links`` are find_links'.

    ``current_url`` is the page's own address if it is not the document's (after a redirect).
    ``selected`` is where the site's pages have the link to the next page: what it finds wins.
    """
    paging = _found_out(document, links, page_class, current_url)
    if selected is None:
        return paging
    here = current_url or document.url
    join = Joiner(document.base_url, document.encoding).join
    joined = (
        join(written) for written in islice(written_links(document.root, selected), MOST_SELECTED)
    )
    urls = list(dict.fromkeys(url for url in joined if url and not same_page(here, url)))
    if not urls:
        return paging._replace(missed=bool(paging.next))
    if paging.kind is PageClass.PAGING:
        del urls[1:]
    known = {found.url: found for found in paging.next}
    chosen = tuple(known.get(url) or Continuation(url, None, "") for url in urls)
    return paging._replace(next=chosen, pager=paging.pager.union(urls))


def _found_out(
    document: Document, links: Sequence[FoundLink], page_class: PageClass, current_url: str
) -> Paging:
    here = current_url or document.url
    of_article = page_class in {PageClass.ARTICLE, PageClass.ARTICLE_PAGING}
    near = nearby(here, links)
    by_number, current = numbered(here, near)
    following = {number: link for number, link in by_number.items() if number > current}
    worded = worded_next(here, near, of_article=of_article, has_pager=bool(by_number))
    one_page = whole_page(here, near) if of_article else None
    whole = Continuation(one_page.url, None, one_page.anchor) if one_page else None
    series = pager(here, near, [*by_number.values(), *([worded] if worded else [])])
    if of_article:
        found = [Continuation(link.url, number, link.anchor) for number, link in following.items()]
        if worded and all(worded.url != continuation.url for continuation in found):
            found.append(_continuation(worded, here, by_number))
        found.sort(key=lambda continuation: continuation.page_number or current + 1)
        return Paging(tuple(found[:MOST_CONTINUATIONS]), PageClass.ARTICLE_PAGING, whole, series)
    if worded:
        return Paging((_continuation(worded, here, by_number),), PageClass.PAGING, pager=series)
    if following:
        number = min(following)
        link = following[number]
        found = [Continuation(link.url, number, link.anchor)]
        return Paging(tuple(found), PageClass.PAGING, pager=series)
    return Paging((), PageClass.PAGING, pager=series)


def find_first_page(
    document: Document, links: Sequence[FoundLink], current_url: str = ""
) -> Continuation | None:
    """Return the first page of the article of which this is a later page; None when it is none.

    ``page_number`` of the answer is that of the page itself. Only a link to page 1 of the same
    series tells a later page: its address alone may be an id.
    """
    here = current_url or document.url
    near = nearby(here, links)
    for link in near:
        if len(link.anchor) > LONGEST_WORDS:
            continue
        plain = DECORATION.sub("", link.anchor)
        if not plain or number_in(link.anchor) == 1 or FIRST_PAGE.fullmatch(plain):
            asked = asked_page(here, link.url)
            ours, theirs = numbers(link.url, here)
            if (plain or asked) and ours is not None and theirs == 1:
                _, current = numbered(here, near)
                # ?page=1 is the first page, which others call by its address alone.
                first = without_page(link.url) if asked else link.url
                return Continuation(first, max(ours, current, 2), link.anchor)
    return None


def _continuation(link: FoundLink, here: str, by_number: dict[int, FoundLink]) -> Continuation:
    for number, other in by_number.items():
        if other.url == link.url:
            return Continuation(link.url, number, link.anchor)
    there, current = numbers(here, link.url)
    return Continuation(link.url, there if there == current + 1 else None, link.anchor)
