"""The next pages of a list or of an article (A2), told apart from the next article.

A link continues a page when its text says so (下一页, next, a page number in a pager) and its
address is one of the same series: ``index.html``, ``index_2.html``, ``?page=3``. The reading of
addresses is cautious, since ids look like page numbers: ``/news/100.html`` and ``/news/101.html`` are
two articles, ``/news/100.html`` and ``/news/100_2.html`` two pages of one. ``rel=next`` alone says
nothing: on blogs it is the next post.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from focuscrawl.readers.pages.document import Document, Joiner
from focuscrawl.readers.pages.links import FoundLink
from focuscrawl.readers.pages.markup.pager_words import PagerWords, pager_words
from focuscrawl.readers.pages.markup.script_pager import scripted_links
from focuscrawl.readers.pages.selectors import links as written_links
from focuscrawl.values import PageClass, Selector

WHOLE = 0  # the number of the page that shows all parts of an article

PAGE_KEYS = frozenset((
    "p", "pn", "pg", "page", "pageno", "pagenum", "pageindex", "page_no", "pageid", "currentpage",
    "curpage", "cur_page", "paged", "nowpage", "toppage", "page_id", "pagenumber",
))  # fmt: skip
# Those of them that are names of a page elsewhere: WordPress has ?p=34 and ?page_id=2.
IDS = frozenset(("p", "page_id", "pageid", "toppage"))
AFTER_NAME = re.compile(r"(.+?)[_-](?:p|page)?(\d{1,4})$", re.IGNORECASE)
AFTER_WORD = re.compile(
    r"(.*)/(?:page|pages|p|pg|archives|index|list)[/_-]?(\d{1,4})$", re.IGNORECASE
)
BEHIND_NAME = re.compile(r"(.*[^\d/])([2-9]|[1-9]\d{1,3})$")
"""Pelican's second page of ``/tag/water.html`` is ``/tag/water2.html``: so many names end in a number that it is one of a
series beside that very page only."""
OWN_SEGMENT = re.compile(r"(.+)/(\d{1,3})$")
CALLED_PAGE = re.compile(
    r"/pages?[/_-]?\d{1,4}$", re.IGNORECASE
)  # of an archive, too: /2026/page/2
_EXTENSION = re.compile(r"\.(?:[sp]?html?|php|aspx?|jsp|do|cgi)$", re.IGNORECASE)
FIRST_NAME = re.compile(r"/(?:index|default|home)$", re.IGNORECASE)
DATED = re.compile(r"/(?:19|20)\d\d(?:/\d\d?)?$")
CALENDAR = re.compile(r"/(?:19|20)\d\d[-/]\d\d?(?:[-/]\d\d?)?/?$")
_PAGE_DIGITS = re.compile(r"\d+")


class _Reading(NamedTuple):
    """One way to read an address: page ``number`` of ``stem``.

    ``bare``: no number is written, it may be the first page. ``loose``: the number is a whole path
    segment and may as well be an id.
    """

    stem: str
    number: int
    bare: bool = False
    loose: bool = False


def readings(url: str) -> list[_Reading]:
    """Return the ways to read an address as a page of a series, the bare one first."""
    parts = urlsplit(url)
    path = _EXTENSION.sub("", parts.path.rstrip("/"))
    pairs = parse_qsl(parts.query, keep_blank_values=True, errors="surrogateescape")
    rest = [(key, value) for key, value in pairs if key.lower() not in PAGE_KEYS]
    query = repr(sorted(rest))
    found = [_Reading(_stem(parts.netloc, path, query), 1, bare=len(rest) == len(pairs))]
    numbers = [value for key, value in pairs if key.lower() in PAGE_KEYS and value.isdecimal()]
    if len(numbers) == 1:
        found[0] = found[0]._replace(number=min(int(numbers[0][:6]), 999_999))
    for pattern in (AFTER_NAME, AFTER_WORD, OWN_SEGMENT):
        match = pattern.fullmatch(path)
        if match and (CALLED_PAGE.search(path) or not DATED.search(match.group(1))):
            stem = _stem(parts.netloc, match.group(1), query)
            found.append(_Reading(stem, int(match.group(2)), loose=pattern is OWN_SEGMENT))
    return found


def numbers(current: str, candidate: str) -> tuple[int | None, int]:
    """Return the candidate's page number (None: another series) and the current page's."""
    here = readings(current)
    for there in readings(candidate):
        if there.bare:
            continue
        for reading in here:
            both_loose = reading.loose and there.loose
            if reading.stem == there.stem and not both_loose:
                return there.number, reading.number
    parts = urlsplit(candidate)
    behind = BEHIND_NAME.fullmatch(_EXTENSION.sub("", parts.path))
    if behind is None or parts.query:
        return None, 1
    is_first = here[0].bare and here[0].stem == _stem(parts.netloc, behind[1], "[]")
    return (int(behind[2]), 1) if is_first else (None, 1)


def asked_page(current: str, candidate: str) -> tuple[int, int] | None:
    """Return which page of the very address of ``current`` a candidate asks for, and which that is:
    ``/t/7?page=3`` beside ``/t/7`` is (3, 1); None: another address, or no page is asked for.
    """
    here, there = _asked(current), _asked(candidate)
    if here is None or there is None or here[:-1] != there[:-1] or there[-1] is None:
        return None
    return there[-1], 1 if here[-1] is None else here[-1]


def without_scheme(url: str) -> str:
    """Return what of an address is the same by http and by https, which are one page (A8)."""
    return url.partition("://")[2] or url


def without_page(url: str) -> str:
    """Return an address that asks for a page without that: ``/t/7`` for ``/t/7?page=1``."""
    parts = urlsplit(url)
    pairs = [pair for pair in parts.query.split("&") if not _asks_for_page(pair)]
    return urlunsplit(parts._replace(query="&".join(pairs)))


def _asked(url: str) -> tuple[str, str, list[str], int | None] | None:
    """Divide an address into what it is of and the page it asks for; None: it asks for several."""
    parts = urlsplit(url)
    pairs = [pair for pair in parts.query.split("&") if pair]
    pages = [pair.rpartition("=")[2] for pair in pairs if _asks_for_page(pair)]
    if len(pages) > 1:
        return None
    rest = sorted(pair for pair in pairs if not _asks_for_page(pair))
    page = int(pages[0][:6]) if pages else None
    return parts.netloc, parts.path.rstrip("/"), rest, page


def _asks_for_page(pair: str) -> bool:
    name, _, value = pair.partition("=")
    return name.lower() in PAGE_KEYS - IDS and value.isascii() and value.isdecimal()


def changed_number(current: str, candidate: str) -> tuple[int, int] | None:
    """Return the one number in which two addresses of the same format differ, as (here, there)."""
    here, there = without_scheme(current), without_scheme(candidate)
    if _PAGE_DIGITS.sub("#", here) != _PAGE_DIGITS.sub("#", there) or CALENDAR.search(there):
        return None
    pairs = zip(_PAGE_DIGITS.findall(here), _PAGE_DIGITS.findall(there), strict=True)
    different = [pair for pair in pairs if pair[0] != pair[1]]
    if len(different) != 1 or max(map(len, different[0])) > 6:
        return None
    return int(different[0][0]), int(different[0][1])


def _stem(host: str, path: str, query: str) -> str:
    path = FIRST_NAME.sub("", _EXTENSION.sub("", path).rstrip("/"))
    return f"{host}{path}?{query}"


NEXT_CLASS = re.compile(r"(?:^|[\s_-])(?:next|pagenext|nextpage)(?:$|[\s_-])", re.IGNORECASE)
HIGHEST_NUMBER = 9_999  # anchors above it are not page numbers
FIRST_YEAR, LAST_YEAR = 1900, 2100


def nearby(here: str, links: Sequence[FoundLink]) -> list[FoundLink]:
    """Return the links to other pages of the same host, by http or by https (A8)."""
    host = urlsplit(here).netloc
    sites = (f"http://{host}/", f"https://{host}/")
    page = _page(here)
    return [
        link
        for link in links
        if link.url.startswith(sites) and (page not in link.url or _page(link.url) != page)
    ]


def pager(here: str, links: Sequence[FoundLink], members: Sequence[FoundLink]) -> frozenset[str]:
    """Return the addresses of ``members`` and of the other pages of their series.

    In a pager that asks for pages of this very address (?page=4) icons are such pages, and the pages
    beside this one in whatever words. Without a pager nothing is: sites name articles so, too.
    """
    found = {link.url for link in members}
    asking = [
        (link, asked) for link in links if "=" in link.url and (asked := asked_page(here, link.url))
    ]
    # A link back shows that this page is a later one: the last page has no link to a next.
    if any(
        link.url in found
        or (current > 1 and there in {1, current - 1} and pager_words(link.anchor).is_plain)
        for link, (there, current) in asking
    ):
        found |= {
            link.url
            for link, (there, current) in asking
            if (words := pager_words(link.anchor)).is_plain
            or (abs(there - current) == 1 and not words.is_headline)  # beside this one
        }
    if members:  # Pelican leads to the last page by a sign alone
        found |= {
            link.url
            for link in links
            if ((words := pager_words(link.anchor)).is_other or words.is_arrow)
            and numbers(here, link.url)[0] is not None
        }
    return frozenset(found)


def numbered(here: str, links: Sequence[FoundLink]) -> tuple[dict[int, FoundLink], int]:
    """Return the links whose text is their page number, and the number of the page itself.

    Many sites count addresses from nought: there 2 is ``index_1.html``.
    """
    found: dict[int, FoundLink] = {}
    currents: list[int] = []
    for link in links:
        number = pager_words(link.anchor).number
        if number is None or not 1 <= number <= HIGHEST_NUMBER:
            continue
        there, current = numbers(here, link.url)
        pair = changed_number(here, link.url) if there is None else None
        if pair is not None and not _are_years(pair):
            current, there = pair
        if number == 1 and there is None:
            continue
        if there is not None and there in {number, number - 1}:
            found.setdefault(number, link)
            currents.append(current + (number - there) * (current != 1 or number == there))
    return found, max(currents, default=1)


def _are_years(pair: tuple[int, int]) -> bool:
    """Whether two numbers are those of years: the archives of a blog are no pages of each other."""
    return all(FIRST_YEAR <= number <= LAST_YEAR for number in pair)


def worded_next(
    here: str, links: Sequence[FoundLink], *, of_article: bool, has_pager: bool
) -> FoundLink | None:
    """Return the link that says it leads to the next page, where its address may be that page's."""
    for link in links:
        label = link.anchor or link.title or link.element.get("aria-label", "")
        words = pager_words(label)
        if words.is_headline:
            continue
        if "=" in link.url and not (label and of_article) and _asks_for_next(here, link.url):
            return link  # the page after this: many a pager is icons alone
        if words.is_next_page:
            there, current = numbers(here, link.url)
            goes_back = there is not None and there < current
            # On an article 下一页 may be another: its page is in the same series, or folder.
            own = there is not None or _folder(here) == _folder(link.url)
            if not goes_back and (not of_article or has_pager or own):
                return link
            continue
        if _says_next(link, label, words) and _is_following(here, link.url, strictly=of_article):
            # "Next" on /archives/12/ is the article 13: only a first page, or a pager, leads on so.
            if of_article and not has_pager and numbers(here, link.url)[1] > 1:
                continue
            return link
        if not of_article and _is_stated_next(here, link):
            return link
    return None


def _asks_for_next(here: str, url: str) -> bool:
    """Whether a parameter of an address asks for the page after this one."""
    asked = asked_page(here, url)
    return asked is not None and asked[0] == asked[1] + 1


def _says_next(link: FoundLink, label: str, words: PagerWords) -> bool:
    """Whether a link says "next" without "page", or an arrow; one without words by its rel or class."""
    if label:
        return words.is_next or words.is_arrow
    return "next" in link.rel.split() or bool(NEXT_CLASS.search(link.element.get("class", "")))


def _is_stated_next(here: str, link: FoundLink) -> bool:
    """Whether the head of a page states what is next, and that goes on with a list.

    Documentation names the next of its pages so, whatever that is: a list goes on by a number, or by a query.
    """
    if link.tag != "link" or link.rel != "next":
        return False
    return bool(urlsplit(link.url).query) or _is_following(here, link.url)


def _folder(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[0]


def _is_following(here: str, url: str, *, strictly: bool = False) -> bool:
    there, current = numbers(here, url)
    if there is None:
        pair = None if strictly else changed_number(here, url)
        return pair is not None and pair[1] > pair[0]
    return there == current + 1 if strictly else there > current or there == 1 == current


def whole_page(here: str, links: Sequence[FoundLink]) -> FoundLink | None:
    """Return the link to the article on one page."""
    stem = urlsplit(here).path.rpartition(".")[0] or urlsplit(here).path.rstrip("/")
    stem = re.sub(r"[_-]\d{1,3}$", "", stem)
    for link in links:
        if pager_words(link.anchor).is_whole and len(stem) > 1:
            path = urlsplit(link.url).path
            if path.startswith(stem) and len(path) <= len(stem) + 12:
                return link
    return None


def same_page(here: str, url: str) -> bool:
    """Whether two addresses are of one page."""
    return _page(here) == _page(url)


def _page(url: str) -> str:
    return without_scheme(url.partition("#")[0].rstrip("/"))


MOST_SELECTED = 1_000  # links a site's selector for the next page may find
MOST_CONTINUATIONS = 200  # continuations of one article that are followed


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
    where there is one. ``is_numbered``: the page names pages of its series by their numbers.
    """

    next: tuple[Continuation, ...]
    kind: PageClass
    whole: Continuation | None = None
    pager: frozenset[str] = frozenset()
    missed: bool = False
    is_numbered: bool = False


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
    here = current_url or document.url
    paging = _found_out(document, links, page_class, here)
    if not paging.next and paging.kind is PageClass.PAGING:
        further = scripted_links(document, here)
        paging = _found_out(document, [*links, *further], page_class, here) if further else paging
    if selected is None:
        return paging
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
    document: Document, links: Sequence[FoundLink], page_class: PageClass, here: str
) -> Paging:
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
        following_pages = tuple(found[:MOST_CONTINUATIONS])
        kind, is_numbered = PageClass.ARTICLE_PAGING, bool(by_number)
        return Paging(following_pages, kind, whole, series, is_numbered=is_numbered)
    if worded:
        return Paging((_continuation(worded, here, by_number),), PageClass.PAGING, pager=series)
    if following:
        number = min(following)
        link = following[number]
        found = [Continuation(link.url, number, link.anchor)]
        return Paging(tuple(found), PageClass.PAGING, pager=series)
    return Paging((), PageClass.PAGING, pager=series)


def _continuation(link: FoundLink, here: str, by_number: dict[int, FoundLink]) -> Continuation:
    for number, other in by_number.items():
        if other.url == link.url:
            return Continuation(link.url, number, link.anchor)
    there, current = numbers(here, link.url)
    return Continuation(link.url, there if there == current + 1 else None, link.anchor)
