"""When an article was published, by what its page says; never guessed.

Order of belief: JSON-LD and meta elements made for it, elements marked as its date, a line near
the title that reads like one (发布/来源/时间), a time element, what the page states of itself in
other ways (scripts, its change), the address. A page that shows no date has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from lxml import etree

from focuscrawl.articles.dates.elements import (
    IS_TOLD,
    date_in_marked,
    date_in_pieces,
    date_in_times,
    date_in_told,
)
from focuscrawl.articles.dates.lines import date_in_lines
from focuscrawl.articles.statements import Line, Statements
from focuscrawl.articles.surroundings import Surroundings
from focuscrawl.pages.document import Document
from focuscrawl.text.dates import FoundDate, date_in_address, find_dates, in_zone, read_date

MOST_SCRIPT = 300_000
"""Characters of the scripts of a page in which a date is looked for."""

_MOST_ALIKE = 3
"""Days without a year above which they are a list's."""

MOST_IN_SCRIPT = 30
"""Dates in scripts that are looked at."""

_FIND_SCRIPTS = etree.XPath("//script[not(@src)]/text()")
IN_SCRIPT = re.compile(
    r"""\b(?:publish(?:ed)?_?(?:time|date|at)|pub_?(?:time|date)|create_?time|ori_create_time|ct)["']?"""
    r"""\s*[:=]\s*(?:["'](?P<date>\d[\d :TZ+./-]{7,28}\d?Z?)["']|(?P<epoch>1\d{9}(?:\d{3})?)\b)""",
    re.IGNORECASE,
)
PUBLISHED_NAMES = (
    "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "pubdate", "publishdate",
    "publish_date", "publish-date", "publishtime", "published_time", "publication_date", "publication-date", "_pubtime",
    "weibo: article:create_at", "apub:time", "date.issued", "dc.date.issued", "dcterms.issued", "dc.date.created",
    "dcterms.created", "dc.date", "article.published", "article:published", "schema:datepublished", "date_published",
    "pub_date", "sailthru.date", "parsely-pub-date", "firstpublishedtime", "og:release_date", "bytedance:published_time",
    "article:create_at", "rnews:datepublished", "originalpublicationdate", "cxenseparse:recs:publishtime", "bt:pubdate",
    "article_date_original", "shareaholic:article_published_time",
)  # fmt: skip
LESS_TELLING_NAMES = (
    "date",
    "created",
    "dc.created",
    "dcterms.date",
    "release_date",
    "displaydate",
)
"""Meta elements that say when something was made, the page perhaps: believed where a page prints no date."""

CITED_NAMES = ("citation_publication_date", "citation_online_date", "citation_date")
"""Of a paper: when its issue appeared, when it went online, when it was sent in or last revised."""

CHANGED_NAMES = (
    "dateupdate",
    "datemodified",
    "article:modified_time",
    "og:updated_time",
    "lastmod",
)
BUILT = re.compile(r"javadoc|doxygen|sphinx|docutils|mkdocs|docusaurus|vitepress", re.IGNORECASE)
"""Programs that state the day of a build."""

IN_VALUE = re.compile(r'"pub_date"\s*:\s*"([^"]{8,40})"')
WITHOUT_YEAR = re.compile(r"(?<![\d年./-])(?P<month>\d\d?)[月-](?P<day>\d\d?)日?(?![\d/.-])")


def date_in_described(stated: Statements, fetched: float | None, timezone: str) -> FoundDate | None:
    """Return the date of the first JSON-LD object that has one."""
    for value in stated.described:
        for name in ("datePublished", "pubDate", "dateCreated", "datePosted"):
            said = value.get(name)
            said = said[0] if isinstance(said, list) and said else said
            if isinstance(said, str) and (found := read_date(said, timezone=timezone, now=fetched)):
                return found
    return None


def date_in_metas(stated: Statements, fetched: float | None, timezone: str) -> FoundDate | None:
    """Return the date of a meta element made for it; of a paper's the first day."""
    if found := next(_read(stated, PUBLISHED_NAMES, fetched, timezone), None):
        return found
    if match := IN_VALUE.search(stated.metas.get("parsely-page", "")):
        return read_date(match[1], timezone=timezone, now=fetched)
    cited = _read(stated, CITED_NAMES, fetched, timezone)
    return min(cited, key=lambda date: date.seconds, default=None)


def date_in_less_telling(
    stated: Statements, fetched: float | None, timezone: str
) -> FoundDate | None:
    """Return what a meta element says of something, unless a program for documentation wrote it."""
    if BUILT.search(stated.metas.get("generator", "")):
        return None
    return next(_read(stated, LESS_TELLING_NAMES, fetched, timezone), None)


def date_of_change(
    stated: Statements, place_of: Surroundings, fetched: float | None, timezone: str
) -> FoundDate | None:
    """Return the stated date of a change where the article's date is printed without its year and is
    the same day: 发布时间：03-05.
    """
    dates = list(_read(stated, CHANGED_NAMES, fetched, timezone))
    if not dates:
        return None
    begins = max(place_of.titles, default=0)
    head = [line.text for line in stated.lines[begins : place_of.text_begins]]
    printed = [match for text in head for match in WITHOUT_YEAR.finditer(text)]
    days = {f"-{int(match['month']):02}-{int(match['day']):02}" for match in printed}
    if len(printed) > _MOST_ALIKE:
        return None  # a list
    return next((date for date in dates if date.as_printed()[4:10] in days), None)


def _read(
    stated: Statements, names: tuple[str, ...], fetched: float | None, timezone: str
) -> Iterator[FoundDate]:
    for name in names:
        if found := read_date(stated.metas.get(name, ""), timezone=timezone, now=fetched):
            yield found


def date_in_scripts(root: etree._Element, fetched: float | None, timezone: str) -> FoundDate | None:
    """Return the date a page hands to its own script (publishTime: "…"), if it names one day only.

    Pages that are put together in the browser show no other; with several it is a list's.
    """
    scripts = "\n".join(cast("list[Any]", _FIND_SCRIPTS(root)))[:MOST_SCRIPT]
    said = (match["date"] or match["epoch"] for match in IN_SCRIPT.finditer(scripts))
    found = [
        date
        for one in islice(said, MOST_IN_SCRIPT)
        if (date := read_date(one, timezone=timezone, now=fetched))
    ]
    days = {date.as_printed()[:10] for date in found}
    return found[0] if len(days) == 1 else None


_MOST_LINES = 200
"""Lines that are searched for a day that is printed."""


def find_published(
    document: Document,
    stated: Statements,
    place_of: Surroundings,
    *,
    fetched: float | None,
    timezone: str,
) -> tuple[FoundDate | None, str]:
    """Return the date and how it was found: json-ld, meta, rule or url."""
    for found, way in _found(document, stated, place_of, fetched, timezone):
        if found is not None:
            return _as_read(found, stated.lines, fetched, timezone), way
    return None, ""


def _found(
    document: Document,
    stated: Statements,
    place_of: Surroundings,
    fetched: float | None,
    timezone: str,
) -> Iterator[tuple[FoundDate | None, str]]:
    """Go through the ways in which a date may be found, the most believed first."""
    root, around = document.root, place_of.around
    yield date_in_described(stated, fetched, timezone), "json-ld"
    yield date_in_metas(stated, fetched, timezone), "meta"
    yield date_in_marked(root, around, fetched, timezone), "rule"
    if IS_TOLD.search(document.markup):
        yield date_in_told(root, around, fetched, timezone), "rule"
    yield date_in_lines(stated.lines, place_of, fetched, timezone), "rule"
    yield date_in_pieces(root, around, fetched, timezone), "rule"
    yield date_in_times(root, around, fetched, timezone), "rule"
    yield date_in_less_telling(stated, fetched, timezone), "meta"
    yield date_in_scripts(root, fetched, timezone), "rule"
    yield date_of_change(stated, place_of, fetched, timezone), "meta"
    yield date_in_address(document.url, timezone=timezone, now=fetched), "url"


def _as_read(
    found: FoundDate, lines: list[Line], fetched: float | None, timezone: str
) -> FoundDate:
    """Return a date in the topic's zone when it is stated in UTC and the page prints the topic's day.

    Programs write 2019-03-04T16:00:00Z for what readers in Shanghai see as the fifth.
    """
    here = in_zone(found, timezone)
    day, stated_day = here.as_printed()[:10], found.as_printed()[:10]
    if found.offset != 0 or found.precision == "day" or day == stated_day:
        return found
    for line in lines[:_MOST_LINES]:
        for printed in find_dates(line.text, timezone=timezone, now=fetched):
            if printed.as_printed()[:10] in {day, stated_day}:
                return here if printed.as_printed()[:10] == day else found
    return found
