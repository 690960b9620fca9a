"""Which addresses are pages of one series: ``index.html``, ``index_2.html``, ``?page=3``.

The reading is cautious, since ids look like page numbers: ``/news/100.html`` and ``/news/101.html``
are two articles, ``/news/100.html`` and ``/news/100_2.html`` two pages of one.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit, urlunsplit

PAGE_KEYS = frozenset(
    (
        "p",
        "pn",
        "pg",
        "page",
        "pageno",
        "pagenum",
        "pageindex",
        "page_no",
        "pageid",
        "currentpage",
        "curpage",
        "cur_page",
        "paged",
        "nowpage",
        "toppage",
        "page_id",
        "pagenumber",
    )
)
IDS = frozenset(("p", "page_id", "pageid", "toppage"))
"""Those of them that are names of a page elsewhere: WordPress has ?p=34 and ?page_id=2."""

AFTER_NAME = re.compile(r"(.+?)[_-](?:p|page)?(\d{1,4})$", re.IGNORECASE)
AFTER_WORD = re.compile(
    r"(.*)/(?:page|pages|p|pg|archives|index|list)[/_-]?(\d{1,4})$", re.IGNORECASE
)
OWN_SEGMENT = re.compile(r"(.+)/(\d{1,3})$")
_EXTENSION = re.compile(r"\.(?:[sp]?html?|php|aspx?|jsp|do|cgi)$", re.IGNORECASE)
FIRST_NAME = re.compile(r"/(?:index|default|home)$", re.IGNORECASE)
DATED = re.compile(r"/(?:19|20)\d\d(?:/\d\d?)?$")
CALENDAR = re.compile(r"/(?:19|20)\d\d[-/]\d\d?(?:[-/]\d\d?)?/?$")
_NUMBER = re.compile(r"\d+")


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
        if (match := pattern.fullmatch(path)) and not DATED.search(match.group(1)):
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
    return None, 1


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
    if _NUMBER.sub("#", here) != _NUMBER.sub("#", there) or CALENDAR.search(there):
        return None
    pairs = zip(_NUMBER.findall(here), _NUMBER.findall(there), strict=True)
    different = [pair for pair in pairs if pair[0] != pair[1]]
    if len(different) != 1 or max(map(len, different[0])) > 6:
        return None
    return int(different[0][0]), int(different[0][1])


def _stem(host: str, path: str, query: str) -> str:
    path = FIRST_NAME.sub("", _EXTENSION.sub("", path).rstrip("/"))
    return f"{host}{path}?{query}"
