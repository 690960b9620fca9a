"""When an article was published, by what its page says; never guessed.

Order of belief: JSON-LD and meta elements made for it, a line near the title that reads like one
(发布/来源/时间), a time element, the address. A page that shows no date has none.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import cast

from lxml import etree

from focuscrawl.extract.document import Document, element_text
from focuscrawl.extract.statements import Line, Statements, comparable
from focuscrawl.text.dates import FoundDate, date_in_address, find_dates, read_date

FEWEST_POINTS = 3
"""Points from which a date in the text is the article's."""

MOST_BESIDE_AGO = 8
"""Characters beside a relative date (3小时前) above which it belongs to a sentence."""

NEAR_TITLE = 4
"""Lines below the title in which a date is likelier the article's."""

MOST_ALIKE = 3
"""Lines of the same shape (digits aside) above which they are a list, not the article's date."""

MOST_SCRIPT = 300_000
"""Characters of the scripts of a page in which a date is looked for."""

FIND_SCRIPTS = etree.XPath("//script[not(@src)]/text()")
IN_SCRIPT = re.compile(
    r"""\b(?:publish(?:ed)?_?(?:time|date|at)|pub_?(?:time|date)|create_?time|ori_create_time|ct)["']?"""
    r"""\s*[:=]\s*["'](?P<date>\d[\d :TZ+./-]{7,28}\d?Z?)["']""",
    re.IGNORECASE,
)
FIND_TIMES = etree.XPath("//time[@datetime or text()]")
PUBLISHED_NAMES = (
    "article:published_time", "og:published_time", "datepublished", "pubdate", "publishdate", "publish_date",
    "publish-date", "publishtime", "_pubtime", "weibo: article:create_at", "apub:time", "date.issued", "dc.date.issued",
    "dcterms.created", "dc.date", "article.published", "sailthru.date", "parsely-pub-date", "firstpublishedtime",
    "og:release_date", "bytedance:published_time", "article:create_at",
)  # fmt: skip
LABELLED = re.compile(
    r"发布|发表|时间|日期|来源|刊登|撰文|posted|publish|first published|写于|作者|编辑|记者|责编",
    re.IGNORECASE,
)
PLACED = re.compile(
    r"date|time|pub|info|source|meta|byline|author|post|ptime|riqi|laiyuan", re.IGNORECASE
)
COUNTED = re.compile(r"阅读|浏览|点击|人气|views|reads", re.IGNORECASE)
SENTENCE = re.compile(r"[，。！？,.!?]")
YEAR = re.compile(r"(?:19|20)\d\d|年")
DIGITS = re.compile(r"\d+")
NOT_IT = re.compile(
    r"copyright|©|版权|备案|ICP|评论|回复|回帖|注册|登录|上一篇|下一篇|有效期|截止|截至|报名|成立于|生于|至今|updated|更新于|修改|浏览器|注册时间"
    r"|comment|reply|replies|joined|expires",
    re.IGNORECASE,
)


def find_published(
    document: Document, stated: Statements, title: str, *, fetched: float | None, timezone: str
) -> tuple[FoundDate | None, str]:
    """Return the date and how it was found: json-ld, meta, rule or url."""
    for value in stated.described:
        said = value.get("datePublished") or value.get("pubDate") or value.get("dateCreated")
        if isinstance(said, str) and (found := read_date(said, timezone=timezone, now=fetched)):
            return found, "json-ld"
    for name in PUBLISHED_NAMES:
        said = stated.metas.get(name, "")
        if found := read_date(said, timezone=timezone, now=fetched):
            return found, "meta"
    if found := _date_in_lines(stated.lines, title, fetched, timezone):
        return found, "rule"
    if found := _date_in_times(document.root, fetched, timezone):
        return found, "rule"
    if found := _date_in_scripts(document.root, fetched, timezone):
        return found, "rule"
    return date_in_address(document.url, timezone=timezone, now=fetched), "url"


def _date_in_lines(
    lines: list[Line], title: str, fetched: float | None, timezone: str
) -> FoundDate | None:
    """Return the date with the most points; see ``_points``. Ties go to the earlier line."""
    plain_title = comparable(title)
    shapes = [DIGITS.sub("0", line.text) for line in lines]
    alike = Counter(shapes)
    best: tuple[int, FoundDate] | None = None
    title_at = -NEAR_TITLE - 1
    in_head = True
    for place, line in enumerate(lines):
        if len(plain_title) >= 4 and plain_title in comparable(line.text):
            title_at = place
        in_head = in_head and not _is_prose(line.text)
        date = next(find_dates(line.text, timezone=timezone, now=fetched), None)
        if date is None:
            continue
        if alike[shapes[place]] > MOST_ALIKE and not _heads_its_list(shapes, place, in_head, line):
            continue
        before = lines[place - 1].text if place else ""
        near = 2 * (place - title_at <= NEAR_TITLE) + 3 * in_head
        points = _points(line, date, before) + near
        if points >= FEWEST_POINTS and (best is None or points > best[0]):
            best = points, date
    return best[1] if best else None


def _heads_its_list(shapes: list[str], place: int, in_head: bool, line: Line) -> bool:
    """Whether a line that looks like a list's is the article's: alone at the top, or the first post."""
    around = shapes[max(0, place - 8) : place] + shapes[place + 1 : place + 9]
    alone = in_head and shapes[place] not in around
    return alone or (shapes.index(shapes[place]) == place and bool(LABELLED.search(line.text)))


def _is_prose(text: str) -> bool:
    return len(text) >= 60 and len(SENTENCE.findall(text)) >= 2


def _points(line: Line, date: FoundDate, before: str) -> int:
    """Weigh a date by what stands around it: labels, a clock time, a telling class, little else."""
    text, element = line
    around = text[max(0, date.start - 15) : date.start + len(date.raw) + 12]
    rest = len(text) - len(date.raw)
    label = LABELLED.search(around) or (len(before) < 20 and LABELLED.search(before))
    if NOT_IT.search(around) or (
        rest > MOST_BESIDE_AGO and not YEAR.search(date.raw) and not label
    ):
        return -9
    points = -3 if rest > 80 else 1 if rest <= 40 else 0
    if label:
        points += 3
    elif COUNTED.search(text):
        points += 2
    if date.precision != "day":
        points += 2
    above = element.getparent()
    places = (element,) if above is None else (element, above)
    if PLACED.search(" ".join(f"{place.get('class')} {place.get('id')}" for place in places)):
        points += 1
    if any(place.tag == "li" for place in places):
        points -= 2
    return points


def _date_in_times(root: etree._Element, fetched: float | None, timezone: str) -> FoundDate | None:
    """Return the date of the page's first time element, unless there are many (a list's)."""
    times = cast("list[etree._Element]", FIND_TIMES(root))
    if not 0 < len(times) <= 4:
        return None
    said = times[0].get("datetime") or element_text(times[0])
    return read_date(said, timezone=timezone, now=fetched)


def _date_in_scripts(
    root: etree._Element, fetched: float | None, timezone: str
) -> FoundDate | None:
    """Return the date a page hands to its own script (publishTime: "…"), if it names one day only.

    Pages that are put together in the browser show no other; with several it is a list's.
    """
    scripts = "\n".join(cast("list[str]", FIND_SCRIPTS(root)))[:MOST_SCRIPT]
    said = (match["date"] for match in islice(IN_SCRIPT.finditer(scripts), MOST_ALIKE * 10))
    found = [date for one in said if (date := read_date(one, timezone=timezone, now=fetched))]
    days = {date.as_printed()[:10] for date in found}
    return found[0] if len(days) == 1 else None
