"""When a post was written: whatever says a moment, weighed: a day of joining or of a change is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from lxml import etree

from focuscrawl.features.forums.elements import LONGEST_NAME
from focuscrawl.features.forums.threads.wordings import MAY_BE_YEARLESS, plain_moment
from focuscrawl.readers.pages.texts import short_text
from focuscrawl.readers.text.dates import SLASHED, FoundDate, find_dates

DayOrder = Literal["day", "month"] | None


class Stamp(NamedTuple):
    """A moment and how much speaks for its being that of the post."""

    date: FoundDate
    weight: int


_CREATED = frozenset(("datecreated", "datepublished", "uploaddate", "commenttime"))
_OTHER_TIMES = re.compile(
    r"regist|joined|join_|-join|member since|mitglied|inscri|ingreso|last (?:seen|active|login|visit)|birth|注册|註冊|加入|最后登录|最後登|在线|上次"
    r"|edited|modif|updated?\b|最后编辑|最後編輯|编辑|編輯|修改|更新|于.{0,20}编辑|上传|上傳|uploaded|closed|locked",
    re.IGNORECASE,
)
_POSTED = re.compile(
    r"发表|發表|发布|發佈|发帖|回[复覆帖答]|回應|时间|posted|asked|answered|replied|wrote|said|投稿",
    re.IGNORECASE,
)
_CLASS_ELSE = re.compile(r"join|regist|modif|edit|birth|lastlog|signature|quote|attach|last-?post|lastcomment", re.IGNORECASE)  # fmt: skip
_CLASS_POSTED = re.compile(r"post|publish|creat|permalink|time|date|ago|meta", re.IGNORECASE)
# Every element is asked: names and bare numbers are turned away before dates are looked for.
_MAY_BE_MOMENT = re.compile(
    r"(?:19|20|２０)\d\d|\d\s?[-/.:：时時]\s?\d|[月年前今昨刚]|ago\b|just now|today|yesterday"
    r"|\d\s?[^\W\d]{1,9}\s(?:전|назад|fa|geleden|atrás)\b|\d\s?[시분일초]\w{0,2}\s?전"
    rf"|\b(?:vor|hace|il y a|há)\s\d|{MAY_BE_YEARLESS}",
    re.IGNORECASE,
)
MOST_DATED_TEXTS = 4_000
"""Texts of a page that look like a moment, each 70 µs to read. 20,000 lines with a telephone number took
1.4 s; a thread of a thousand posts, the most that any program shows on a page, says some 2,000 moments."""

FEWEST_DAYS = 3  # days printed alike that show which of two numbers goes by
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?")


class DatedText(NamedTuple):
    """A text as its moment is read, and that moment."""

    text: str
    date: FoundDate


def moments_by(
    timezone: str, now: float | None, order: DayOrder
) -> Callable[[str], DatedText | None]:
    """Return what reads the first moment of a text of one page, of at most MOST_DATED_TEXTS."""
    known: dict[str, DatedText | None] = {}

    def moment_of(text: str) -> DatedText | None:
        if not _MAY_BE_MOMENT.search(text):
            return None
        if text not in known and len(known) < MOST_DATED_TEXTS:
            plain = plain_moment(year_first(text, order), timezone, now)
            dates = find_dates(plain, timezone=timezone, now=now)
            date = next((one for one in dates if one.precision != "month"), None)
            known[text] = DatedText(plain, date) if date is not None else None
        return known.get(text)

    return moment_of


def stamp_in(element: etree._Element, moment_of: Callable[[str], DatedText | None]) -> Stamp | None:
    """Return the moment an element says in an attribute or in its own text, None: it says none."""
    best: tuple[tuple[bool, bool, int], FoundDate, str] | None = None
    dates_said: list[FoundDate] = []
    for rank, (text, before) in enumerate(_texts(element)):
        found = moment_of(text)
        if found is None:
            continue
        date = found.date
        dates_said.append(date)
        fine = date.precision in {"minute", "second"}
        value = (fine, rank == 0 and element.get("datetime") is not None, -rank)
        if best is None or value > best[0]:
            best = value, date, before + found.text[: date.start]
    if best is None:
        epoch = next(
            (v for k in ("data-time", "data-timestamp") if _EPOCH.fullmatch(v := element.get(k, ""))), ""
        )  # fmt: skip
        if not epoch:
            return None
        best = (True, True, 0), FoundDate(float(epoch[:10]), epoch, "second"), ""
    return Stamp(with_zone(best[1], dates_said), _weight(element, best[1], best[2]))


def _texts(element: etree._Element) -> Iterator[tuple[str, str]]:
    """Go through texts that may say a moment, each with the text before it in the element."""
    said = element.get("datetime", "")
    if not said and element.tag == "meta" and element.get("itemprop"):
        said = element.get("content", "")
    own = element.text or ""
    for text in (said, element.get("title", ""), own):
        if 1 < len(text.strip()) < LONGEST_NAME:
            yield text.strip(), ""
    for child in islice(element, 40):
        tail = (child.tail or "").strip()
        if 2 < len(tail) < LONGEST_NAME:
            yield tail, short_text(child, 20) if isinstance(child.tag, str) else ""


def _weight(element: etree._Element, date: FoundDate, label: str) -> int:
    said = element.get("itemprop", "").lower()
    weight = 5 if said in _CREATED else -5 if "modif" in said else 0
    weight += 2 if element.tag == "time" else 0
    weight += 2 if date.precision in {"minute", "second"} else 0
    label = label or _label(element)
    if _OTHER_TIMES.search(label):
        return weight - 8
    weight += 2 if _POSTED.search(label) else 0
    for above, _ in zip((element, *element.iterancestors()), range(3), strict=False):
        called = f"{above.get('class', '')} {above.get('id', '')}"
        if _CLASS_ELSE.search(called):
            return weight - 4
        if _CLASS_POSTED.search(called):
            weight += 1
    return weight


def _label(element: etree._Element) -> str:
    """Return the short text before an element: its neighbour's, or its parent's."""
    before, above = element.getprevious(), element.getparent()
    if before is not None:
        tail = (before.tail or "").strip()
        inner = short_text(before, 24) if isinstance(before.tag, str) else ""
        return (tail[-24:] or inner) if element.tag != "br" else ""
    text = ((above.text or "") if above is not None else "").strip()
    if text or above is None:
        return text[-24:]
    outer = above.getprevious()
    return short_text(outer, 24) if outer is not None and isinstance(outer.tag, str) else ""


def day_order(texts: Iterable[str]) -> DayOrder:
    """Return which of 03/04/2026 is the day, by others of the page in which only one can be; None: unknown."""
    days = {"day": 0, "month": 0}
    pairs: set[tuple[int, int]] = set()
    for text in texts:
        for found in SLASHED.finditer(text):
            first, second = int(found["first"]), int(found["second_number"])
            pairs.add((first, second))
            if max(first, second) <= 31 and (first > 12) != (second > 12):
                days["day" if first > 12 else "month"] += 1
    firsts, seconds = {first for first, _ in pairs}, {second for _, second in pairs}
    if not any(days.values()) and len(pairs) >= FEWEST_DAYS:
        # A month stays the same while days go by.
        days = {"day": int(len(seconds) == 1), "month": int(len(firsts) == 1)}
    if bool(days["day"]) == bool(days["month"]):
        return None
    return "day" if days["day"] else "month"


def year_first(text: str, order: DayOrder) -> str:
    """Write 03/04/2026 as 2026-04-03 where the order is known."""
    if order is None:
        return text
    first, second = ("second_number", "first") if order == "day" else ("first", "second_number")

    def turned(found: re.Match[str]) -> str:
        day = f"{found['year']}-{int(found[first]):02}-{int(found[second]):02}"
        return day + found[0][found.end("year") - found.start() :]

    return SLASHED.sub(turned, text)


def rises_or_falls(moments: list[float]) -> bool:
    """Whether moments go one way, as those of posts do and days of joining do not."""
    pairs = list(pairwise(moments))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)


_ZONE = re.compile(r"(?:Z|[A-Z]{3,4}|[+-]\d\d:?\d\d)\)?$")


def says_zone(date: FoundDate) -> bool:
    """Whether a moment was printed with its zone."""
    return date.precision != "day" and _ZONE.search(date.raw) is not None


def with_zone(chosen: FoundDate, others: Iterable[FoundDate]) -> FoundDate:
    """Return a moment printed without a zone as it is printed elsewhere with one."""
    if says_zone(chosen):
        return chosen
    wall = chosen.as_printed()[:16]
    alike = (one for one in others if says_zone(one) and one.as_printed()[:16] == wall)
    return next(alike, chosen)
