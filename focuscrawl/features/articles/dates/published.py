"""When an article was published, by what its page says; never guessed.

Order of belief: JSON-LD and meta elements made for it, elements marked as its date, a line near
the title that reads like one (发布/来源/时间), a time element, what the page states of itself in
other ways (scripts, its change), the address. A page that shows no date has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, cast

from lxml import etree

from focuscrawl.features.articles.dates.lines import (
    CHANGED,
    MOST_ALIKE,
    NOT_IT,
    date_in_lines,
    is_in_sentence,
)
from focuscrawl.features.articles.statements import (
    Line,
    Statements,
    Surroundings,
    is_elsewhere,
    is_of_something_else,
)
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.json_ld import stated_name
from focuscrawl.readers.pages.texts import short_text, text_before
from focuscrawl.readers.text.dates import (
    DateReader,
    FoundDate,
    date_in_address,
    in_zone,
    is_midnight,
)

_MOST_DATE_LINES = 200  # lines that are searched for a day that is printed
MOST_SCRIPT = 300_000  # characters of the scripts of a page in which a date is looked for
MOST_IN_SCRIPT = 30  # dates in scripts that are looked at
_MOST_ALIKE = 3  # days without a year above which they are a list's
MOST_TIMES = 4  # time elements of a page from which on they are a list's
_MOST_MARKED_DATES = 50  # marked elements that are looked at
_LONGEST_SAID = 200  # characters in which an element says a date
LONGEST_SPLIT = 40  # characters of a date that is printed in pieces, marks between them
LONGEST_BEFORE = 30  # characters before a time element that say what it is
_FIND_SCRIPTS = etree.XPath("/descendant::script[not(@src)]/text()")
IN_SCRIPT = re.compile(
    r"""(?i)\b(?:publish(?:ed)?_?(?:time|date|at)|pub_?(?:time|date)|create_?time|ori_create_time|ct)["']?"""
    r"""\s*[:=]\s*(?:["'](?P<date>\d[\d :TZ+./-]{7,28}\d?Z?)["']|(?P<epoch>1\d{9}(?:\d{3})?)\b)"""
)
PUBLISHED_NAMES = (
    "weibo: article:create_at", "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "pubdate", "publishdate",
    "publish_date", "publish-date", "publishtime", "published_time", "publication_date", "publication-date", "_pubtime",
    "apub:time", "date.issued", "dc.date.issued", "dcterms.issued", "dc.date.created",
    "dcterms.created", "dc.date", "article.published", "article:published", "schema:datepublished", "date_published",
    "pub_date", "sailthru.date", "parsely-pub-date", "firstpublishedtime", "og:release_date", "bytedance:published_time",
    "article:create_at", "rnews:datepublished", "originalpublicationdate", "cxenseparse:recs:publishtime", "bt:pubdate",
    "article_date_original", "shareaholic:article_published_time",
)  # fmt: skip
# Meta elements that say when something was made, the page perhaps: believed where a page prints
# no date.
LESS_TELLING_NAMES = (
    "date", "created", "og:time", "dc.created", "dcterms.date", "release_date", "displaydate",
)  # fmt: skip
# Of a paper: when its issue appeared, when it went online, when it was sent in or last revised.
CITED_NAMES = ("citation_publication_date", "citation_online_date", "citation_date")
CHANGED_NAMES = (
    "dateupdate", "datemodified", "article:modified_time", "og:updated_time", "lastmod",
)  # fmt: skip
# Programs that state the day of a build.
BUILT = re.compile(r"javadoc|doxygen|sphinx|docutils|mkdocs|docusaurus|vitepress", re.IGNORECASE)
IN_VALUE = re.compile(r'"pub_date"\s*:\s*"([^"]{8,40})"')
WITHOUT_YEAR = re.compile(r"(?<![\d年./历曆-])(?P<month>\d\d?)[月-](?P<day>\d\d?)日?(?![\d/.-])")
FIND_TIMES = etree.XPath("/descendant::time[@datetime or text()]")
# Looking through all elements takes 60 ms for 100,000 of them, looking at the markup two.
HAS_TIMES = re.compile(rb"<time", re.IGNORECASE)
IS_MARKED = re.compile(rb"pubdate|datePublished|dc:|dcterms:|<abbr|<time", re.IGNORECASE)
_FIND_MARKED_DATES = etree.XPath(
    "//body/descendant::*[@pubdate or @itemprop[contains(., 'datePublished')] or @property[contains(., 'datePublished')"
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
    "//body/descendant::*["
    + " or ".join(f"starts-with(@{name}, '{word}')" for name in _TELLING for word in TOLD)
    + "]"
)
FIND_SPLIT = etree.XPath(
    "//body/descendant::*[(@class[contains(., 'time') or contains(., 'date') or contains(., 'meta')] and *)"
    " or (*[contains(@class, 'day')] and *[contains(@class, 'year') or contains(@class, 'month')])]"
)
_SPLIT_DATE = re.compile(r"((?:19|20)\d\d)[\s年/.-]+(\d{1,2})[\s月/.-]+(\d{1,2})(?:\s*日)?(?:\s+(\d{1,2}:\d\d(?::\d\d)?))?")  # fmt: skip
DAY_ABOVE = re.compile(r"(\d{1,2})\s+((?:19|20)\d\d)[年/.-](\d{1,2})月?")
YEAR_BELOW = re.compile(r"(\d{1,2})[-月](\d{1,2})日?\s+((?:19|20)\d\d)年?")
# The day printed large above its year and month, or in other orders.
_NAMED_MONTH = re.compile(
    r"[A-Z][a-z]{2,8}\.? \d{1,2} ,? ?(?:19|20)\d\d|\d{1,2} [A-Z][a-z]{2,8}\.? ,? ?(?:19|20)\d\d"
)


_BETWEEN_PARTS = re.compile(r"\s[|–—-]\s")
OF_UTC = re.compile(r"(?:Z|[+-]00:?00|UTC|GMT)$")
# Zones differ by half hours, and by no more than fourteen hours from UTC.
_MOST_DAY_HEADINGS = 100  # headings of a page that may be a day
MINUTE, HALF_HOUR, FARTHEST_ZONE = 60, 1_800, 14 * 3_600


class _Page(NamedTuple):
    """A page whose date is looked for."""

    document: Document
    stated: Statements
    place_of: Surroundings
    dates: DateReader

    def find(self, path: etree.XPath, most: int = _MOST_MARKED_DATES) -> list[etree._Element]:
        """Return the first elements of the page's own article that a path finds."""
        found = cast("list[etree._Element]", path(self.document.root))[:most]
        return [one for one in found if not is_elsewhere(one, self.place_of.around)]

    def head(self) -> list[Line]:
        """Return the lines between title and text."""
        begins = max(self.place_of.titles, default=0)
        return self.stated.lines[begins : self.place_of.text_begins]

    def stated_in(self, names: Iterable[str]) -> Iterator[FoundDate]:
        """Go through the dates of meta elements."""
        for name in names:
            if found := self.dates.read(self.stated.metas.get(name, "")):
                yield found


def find_published(
    document: Document, stated: Statements, place_of: Surroundings, dates: DateReader
) -> tuple[FoundDate | None, str]:
    """Return the date and how it was found: json-ld, meta, rule or url."""
    page = _Page(document, stated, place_of, dates)
    for found, way in _found(page):
        if found is not None:
            printed = _clock_printed(found, page) if found.precision == "day" else None
            return (printed, "rule") if printed else (_as_read(found, page), way)
    return None, ""


def _clock_printed(found: FoundDate, page: _Page) -> FoundDate | None:
    """Return the date printed near the title where it is that of a day stated without a time.

    Of pages2 11 of 17 missed minutes were printed beside a day-only meta element.
    """
    printed = date_in_lines(page.stated.lines, page.place_of, page.dates)
    same = printed is not None and printed.precision != "day" and printed.day == found.day
    return printed if same else None


def _found(page: _Page) -> Iterator[tuple[FoundDate | None, str]]:
    """Go through the ways in which a date may be found, the most believed first."""
    yield _in_described(page), "json-ld"
    yield _in_metas(page), "meta"
    if IS_MARKED.search(page.document.markup):
        yield _in_marked(page), "rule"
    if IS_TOLD.search(page.document.markup):
        yield _in_told(page), "rule"
    yield date_in_lines(page.stated.lines, page.place_of, page.dates), "rule"
    yield _in_pieces(page), "rule"
    if HAS_TIMES.search(page.document.markup):
        yield _in_times(page), "rule"
    if not BUILT.search(page.stated.metas.get("generator", "")):
        yield next(page.stated_in(LESS_TELLING_NAMES), None), "meta"
    yield _in_title(page), "rule"
    yield _in_heading(page), "rule"
    yield _in_scripts(page), "rule"
    yield _of_change(page), "meta"
    yield (
        date_in_address(page.document.url, timezone=page.dates.timezone, now=page.dates.now),
        "url",
    )


def _in_described(page: _Page) -> FoundDate | None:
    """Return the date of the first JSON-LD object that has one."""
    for value in page.stated.described:
        for name in ("datePublished", "pubDate", "dateCreated", "datePosted"):
            said = stated_name(value.get(name))
            if said and (found := page.dates.read(said)):
                return found
    return None


def _in_metas(page: _Page) -> FoundDate | None:
    """Return the date of a meta element made for it; of a paper's the first day."""
    if found := next(page.stated_in(PUBLISHED_NAMES), None):
        return found
    if match := IN_VALUE.search(page.stated.metas.get("parsely-page", "")):
        return page.dates.read(match[1])
    return min(page.stated_in(CITED_NAMES), key=lambda date: date.seconds, default=None)


def _said_by(element: etree._Element) -> str:
    said = (element.get(name) for name in ("datetime", "content", "title"))
    return next(filter(None, said), None) or short_text(element, _LONGEST_SAID)


def _in_marked(page: _Page) -> FoundDate | None:
    """Return the date of the first element that is marked as that of its article (microdata, RDFa,
    hentry). Where many days are marked they are a list's.
    """
    marked = (one for one in page.find(_FIND_MARKED_DATES) if not is_of_something_else(one))
    dates = [found for one in marked if (found := page.dates.read(_said_by(one)))]
    return dates[0] if 0 < len({date.day for date in dates}) <= MOST_ALIKE else None


def _in_told(page: _Page) -> FoundDate | None:
    """Return the date that an element's title tells with a word for publishing, if it is the only one."""
    said = (
        _told_beside(one, one.get(name, "")) for one in page.find(FIND_TOLD) for name in _TELLING
    )
    found = {date.as_printed(): date for one in said if (date := page.dates.read(one))}
    if len(found) != 1:
        return None
    date = next(iter(found.values()))
    return date._replace(precision="day") if is_midnight(date, page.dates.timezone) else date


def _told_beside(element: etree._Element, words: str) -> str:
    """Return what an element tells; of an icon that says "Created" alone the text beside it."""
    above = element.getparent()
    return short_text(above, _LONGEST_SAID) if words in TOLD and above is not None else words


def _in_pieces(page: _Page) -> FoundDate | None:
    """Return a date whose year, month and day stand in elements of their own."""
    found = []
    for block in page.find(FIND_SPLIT):
        text = short_text(block, LONGEST_SPLIT, " ")
        if match := _SPLIT_DATE.fullmatch(text):
            year, month, day, clock = match.groups(default="")
        elif match := DAY_ABOVE.fullmatch(text):
            day, year, month, clock = *match.groups(), ""
        elif match := YEAR_BELOW.fullmatch(text):
            month, day, year, clock = *match.groups(), ""
        elif not _NAMED_MONTH.fullmatch(text):
            continue
        whole = f"{year}-{month}-{day} {clock}".strip() if match else text
        if date := page.dates.read(whole):
            found.append(date)
    is_one = len({date.day for date in found}) == 1 and len(found) <= MOST_ALIKE
    return found[0] if is_one else None


def _in_times(page: _Page) -> FoundDate | None:
    """Return the date of the page's first time element above the end of its text, unless there are
    many (a list's) or it stands in another part of the page.
    """
    if len(cast("list[etree._Element]", FIND_TIMES(page.document.root))) > MOST_TIMES:
        return None
    for element in page.find(FIND_TIMES):
        names = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
        item = next((up for up in islice(element.iterancestors(), 4) if up.tag == "li"), None)
        is_listed = item is not None and item.find(".//a[@href]") is not None  # beside a link
        if CHANGED.search(names) or is_listed:
            continue
        beside, before = element.getprevious(), text_before(element).strip()
        if not before and beside is not None:
            before = short_text(beside, _LONGEST_SAID)
        if NOT_IT.search(before[-LONGEST_BEFORE:]) or is_in_sentence(element):
            continue
        if found := page.dates.read(_said_by(element)):
            return found
    return None


def _in_title(page: _Page) -> FoundDate | None:
    """Return the date that is a part of <title> by itself: Story | Harbour News | 19.01.2020."""
    parts = (part.strip() for part in _BETWEEN_PARTS.split(page.document.title[:_LONGEST_SAID]))
    found = [date for part in parts if (date := page.dates.read(part)) and date.raw == part]
    return found[0] if len(found) == 1 else None


def _in_heading(page: _Page) -> FoundDate | None:
    """Return the day that is all that one heading of a page says, wherever it stands: ABlog prints it above author and
    tags in a column beside the text. Where several headings are days, they are a list's; today is the site's clock.
    """
    headings = islice(page.document.root.iter("h1", "h2", "h3", "h4"), _MOST_DAY_HEADINGS)
    said = (short_text(one, _LONGEST_SAID) for one in headings if one.find(".//a[@href]") is None)
    found = [date for one in said if (date := page.dates.read(one)) and date.raw == one]
    today = page.dates.read("just now")
    if len(found) != 1 or (today is not None and found[0].day == today.day):
        return None
    return found[0]


def _in_scripts(page: _Page) -> FoundDate | None:
    """Return the date a page hands to its own script (publishTime: "…"), if it names one day only.

    Pages that are put together in the browser show no other; with several it is a list's.
    """
    scripts = "\n".join(cast("list[Any]", _FIND_SCRIPTS(page.document.root)))[:MOST_SCRIPT]
    said = (match["date"] or match["epoch"] for match in IN_SCRIPT.finditer(scripts))
    found = [date for one in islice(said, MOST_IN_SCRIPT) if (date := page.dates.read(one))]
    return found[0] if len({date.day for date in found}) == 1 else None


def _of_change(page: _Page) -> FoundDate | None:
    """Return the stated date of a change where the article's date is printed without its year and is
    the same day: 发布时间：03-05.
    """
    dates = list(page.stated_in(CHANGED_NAMES))
    if not dates:
        return None
    printed = [match for line in page.head() for match in WITHOUT_YEAR.finditer(line.text)]
    if len(printed) > _MOST_ALIKE:
        return None  # a list
    days = {f"-{int(match['month']):02}-{int(match['day']):02}" for match in printed}
    return next((date for date in dates if date.day[4:] in days), None)


def _as_read(found: FoundDate, page: _Page) -> FoundDate:
    """Return a date that is stated in UTC in the topic's zone when the page prints that day, else by
    the clock of the site, when the page prints its time.

    Programs write 2019-03-04T16:00:00Z for what readers in Shanghai see as the fifth.
    """
    if OF_UTC.search(found.raw) is None or found.precision == "day":
        return found
    here = in_zone(found, page.dates.timezone)
    day, stated_day = here.day, found.day
    if day != stated_day:
        for line in page.stated.lines[:_MOST_DATE_LINES]:
            for printed in page.dates.find(line.text):
                if printed.day in {day, stated_day}:
                    return here if printed.day == day else found
    return _by_its_clock(found, page)


def _by_its_clock(found: FoundDate, page: _Page) -> FoundDate:
    """Return a date of UTC in the zone in which the page prints it near its title, on another day."""
    for line in page.head()[:_MOST_DATE_LINES]:
        for printed in page.dates.find(line.text):
            if printed.precision == "day" or printed.day == found.day:
                continue
            ahead = printed.seconds + printed.offset - found.seconds
            offset = round(ahead / HALF_HOUR) * HALF_HOUR
            if abs(offset) <= FARTHEST_ZONE and abs(ahead - offset) < MINUTE:
                return found._replace(offset=float(offset))
    return found
