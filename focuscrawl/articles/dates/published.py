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

from focuscrawl.articles.dates.lines import (
    CHANGED,
    MOST_ALIKE,
    NOT_IT,
    date_in_lines,
    is_in_sentence,
)
from focuscrawl.articles.statements import (
    Line,
    Statements,
    Surroundings,
    is_elsewhere,
    is_of_something_else,
)
from focuscrawl.pages.document import Document
from focuscrawl.pages.texts import short_text
from focuscrawl.text.dates import (
    FoundDate,
    date_in_address,
    find_dates,
    in_zone,
    is_midnight,
    read_date,
)

MOST_TIMES = 4  # time elements of a page from which on they are a list's
_MOST_MARKED = 50  # marked elements that are looked at
_LONGEST_SAID = 200
LONGEST_SPLIT = 40  # characters of a date that is printed in pieces, marks between them
LONGEST_BEFORE = 30  # characters before a time element that say what it is
FIND_TIMES = etree.XPath("//time[@datetime or text()]")
_FIND_MARKED = etree.XPath(
    "//body//*[@pubdate or @itemprop[contains(., 'datePublished')] or @property[contains(., 'datePublished')"
    " or (not(parent::meta) and (contains(., 'dc:created') or contains(., 'dcterms:created') or contains(., 'dc:date')))]"
    " or self::abbr[contains(@class, 'published')] or self::time[contains(concat(' ', @class, ' '), ' published ')"
    " or contains(@class, 'dt-published') or contains(@class, 'entry-date')]]"
)
_TELLING = ("title", "data-tooltip", "data-original-title", "aria-label")
TOLD = ("发布", "发表", "创建", "Published", "Posted", "Created")
IS_TOLD = re.compile(rf"""=["'](?:{"|".join(TOLD)})""".encode())
# Elements that say when they were published when they are pointed at, whatever they print; rare,
# and slow to find: looked for where the markup has them.
FIND_TOLD = etree.XPath(
    "//body//*["
    + " or ".join(f"starts-with(@{name}, '{word}')" for name in _TELLING for word in TOLD)
    + "]"
)
FIND_SPLIT = etree.XPath(
    "//body//*[@class[contains(., 'time') or contains(., 'date') or contains(., 'meta')] and *]"
)
_SPLIT = re.compile(r"((?:19|20)\d\d)[\s年/.-]+(\d{1,2})[\s月/.-]+(\d{1,2})(?:\s*日)?(?:\s+(\d{1,2}:\d\d(?::\d\d)?))?")  # fmt: skip
DAY_ABOVE = re.compile(r"(\d{1,2})\s+((?:19|20)\d\d)[年/.-](\d{1,2})月?")
YEAR_BELOW = re.compile(r"(\d{1,2})[-月](\d{1,2})日?\s+((?:19|20)\d\d)年?")
# The day printed large above its year and month, or in other orders.
_NAMED_MONTH = re.compile(
    r"[A-Z][a-z]{2,8}\.? \d{1,2} ,? ?(?:19|20)\d\d|\d{1,2} [A-Z][a-z]{2,8}\.? ,? ?(?:19|20)\d\d"
)


def _said_by(element: etree._Element) -> str:
    for name in ("datetime", "content", "title"):
        if said := element.get(name):
            return said
    return short_text(element, _LONGEST_SAID)


def date_in_marked(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return the date of the first element that is marked as that of its article (microdata, RDFa,
    hentry).

    Where many days are marked they are a list's.
    """
    marked = cast("list[etree._Element]", _FIND_MARKED(root))
    dates = [
        found
        for one in marked[:_MOST_MARKED]
        if not is_elsewhere(one, around)
        and not is_of_something_else(one)
        and (found := read_date(_said_by(one), timezone=timezone, now=fetched))
    ]
    days = {date.as_printed()[:10] for date in dates}
    return dates[0] if 0 < len(days) <= MOST_ALIKE else None


def date_in_told(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return the date that an element's title tells with a word for publishing, if it is the only one."""
    told = cast("list[etree._Element]", FIND_TOLD(root))
    found = {
        date.as_printed(): date
        for one in told[:_MOST_MARKED]
        if not is_elsewhere(one, around)
        for name in _TELLING
        if (date := read_date(one.get(name, ""), timezone=timezone, now=fetched))
    }
    if len(found) != 1:
        return None
    date = next(iter(found.values()))
    return date._replace(precision="day") if is_midnight(date, timezone) else date


def date_in_pieces(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return a date whose year, month and day stand in elements of their own."""
    blocks = cast("list[etree._Element]", FIND_SPLIT(root))
    found = []
    for block in blocks[:_MOST_MARKED]:
        text = short_text(block, LONGEST_SPLIT, " ")
        if is_elsewhere(block, around):
            continue
        if match := _SPLIT.fullmatch(text):
            year, month, day, clock = match.groups(default="")
        elif match := DAY_ABOVE.fullmatch(text):
            day, year, month, clock = *match.groups(), ""
        elif match := YEAR_BELOW.fullmatch(text):
            month, day, year, clock = *match.groups(), ""
        elif not _NAMED_MONTH.fullmatch(text):
            continue
        whole = f"{year}-{month}-{day} {clock}".strip() if match else text
        if date := read_date(whole, timezone=timezone, now=fetched):
            found.append(date)
    days = {date.as_printed()[:10] for date in found}
    return found[0] if len(days) == 1 and len(found) <= MOST_ALIKE else None


def date_in_times(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return the date of the page's first time element above the end of its text, unless there are
    many (a list's) or it stands in another part of the page.
    """
    times = cast("list[etree._Element]", FIND_TIMES(root))
    if len(times) > MOST_TIMES:
        return None
    for element in times:
        names = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
        if CHANGED.search(names) or is_elsewhere(element, around) or _is_listed(element):
            continue
        if NOT_IT.search(_text_before(element)[-LONGEST_BEFORE:]) or is_in_sentence(element):
            continue
        if found := read_date(_said_by(element), timezone=timezone, now=fetched):
            return found
    return None


def _is_listed(element: etree._Element) -> bool:
    """Whether an element stands beside a link in an item of a list."""
    item = next((up for up in islice(element.iterancestors(), 4) if up.tag == "li"), None)
    return item is not None and item.find(".//a[@href]") is not None


def _text_before(element: etree._Element) -> str:
    """Return what is printed right before an element, in its parent or in its neighbour."""
    beside, above = element.getprevious(), element.getparent()
    if beside is None:
        return (above.text or "").strip() if above is not None else ""
    return (beside.tail or "").strip() or short_text(beside, _LONGEST_SAID)


MOST_SCRIPT = 300_000  # characters of the scripts of a page in which a date is looked for
_MOST_ALIKE = 3  # days without a year above which they are a list's
MOST_IN_SCRIPT = 30  # dates in scripts that are looked at
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
# Meta elements that say when something was made, the page perhaps: believed where a page prints
# no date.
LESS_TELLING_NAMES = (
    "date",
    "created",
    "dc.created",
    "dcterms.date",
    "release_date",
    "displaydate",
)
# Of a paper: when its issue appeared, when it went online, when it was sent in or last revised.
CITED_NAMES = ("citation_publication_date", "citation_online_date", "citation_date")
CHANGED_NAMES = (
    "dateupdate",
    "datemodified",
    "article:modified_time",
    "og:updated_time",
    "lastmod",
)
# Programs that state the day of a build.
BUILT = re.compile(r"javadoc|doxygen|sphinx|docutils|mkdocs|docusaurus|vitepress", re.IGNORECASE)
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


_MOST_LINES = 200  # lines that are searched for a day that is printed


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
