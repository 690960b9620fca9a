"""Dates as Chinese, Japanese, Korean and English pages print them, turned into seconds since 1970 UTC.

A zone that is printed is kept; without one the topic's timezone holds. What is not certain is
refused: ``03/04/2026`` (whose order?), years not printed, dates in the future.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
ZONES: dict[str, float] = {
    "z": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    "bst": 1, "cet": 1, "cest": 2, "jst": 9, "kst": 9, "hkt": 8, "ist": 5.5, "sgt": 8, "awst": 8, "msk": 3,
    "wet": 0, "west": 1, "eet": 2, "eest": 3, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
}  # fmt: skip
# Zone names that hold in summer and winter.
_ZONE_NAMES = {"et": "America/New_York", "ct": "America/Chicago", "mt": "America/Denver", "pt": "America/Los_Angeles"}  # fmt: skip
_FULL_WIDTH = str.maketrans("０１２３４５６７８９：／．－，（）\u3000\xa0", "0123456789:/.-,()  ")
# A day in digits as Chinese pages print it, and the clock time behind one; for lines that hold it.
PRINTED_DAY = r"(?:19|20)\d\d\s*[年/.-]\s*\d{1,2}\s*[月/.-]\s*\d{1,2}\s*日?"
PRINTED_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?"
_TWO = str.maketrans("两兩", "二二")
# The round zero is typed as what looks like it: a circle, a Latin or a wide O.
HAN_DIGITS = str.maketrans("〇○零OＯo一二三四五六七八九", "000000123456789")

# Zones behind a clock that is printed with a dot; 15.26 alone is a number.
_CLOCK_ZONES = (
    "GMT|BST|UTC|[ECMP][SD]T|[ECMP]T|[CEW]ES?T|IST|JST|KST|HKT|SGT|MSK|A[EW][SD]T|NZ[SD]T"
)
CLOCK = (
    r"(?:(?P<half>上午|下午|晚上|凌晨|中午|早上|傍晚|晚间)?\s*(?P<hour>[01]?\d|2[0-4])"
    rf"\s*(?:[:时時點点]|\.(?=[0-5]\d\s*(?:(?:{_CLOCK_ZONES})\b|[AaPp]\.?[Mm]\b)))\s*"
    r"(?P<minute>[0-5]?\d)\s*(?:分|(?::\s*(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?)"
    r"(?:\s*(?P<half2>[AaPp]\.?[Mm])\b\.?)?)"
)
ZONE = r"(?:\s*\(?(?P<zone>Z\b|[ECMP]T\b|[A-Z]{3,4}\b(?:\s*[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d)\)?)"
_WEEKDAY = r"(?:\s*(?:\(?(?:星期|周|礼拜)[一二三四五六日天]\)?|\((?:[月火水木金土日](?:曜日?)?|[월화수목금토일](?:요일)?)\)))"
AFTER_DAY = rf"(?:{_WEEKDAY}?\s*(?:[T,|•·/]|[-—–]\s)?\s*(?:at\s+)?{CLOCK}{ZONE}?)?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:19|20)\d\d"
NUMERIC = re.compile(
    rf"(?<![\d./-])(?P<year>{_YEAR})\s*(?:年|(?P<mark>[-/.]))\s*(?P<month>0?[1-9]|1[0-2])\s*(?:月|(?P=mark))\s*"
    rf"(?P<day>0?[1-9]|[12]\d|3[01])(?!\d|\.\d)\s*[日号]?{AFTER_DAY}"
)
DAY_FIRST = re.compile(
    rf"(?i)(?<!\d)(?P<day>[0-3]?\d)(?:st|nd|rd|th)?[\s-]+(?:of\s+)?(?P<name>{_MONTH})[\s,-]+(?P<year>{_YEAR})(?!\d)\s*,?{AFTER_DAY}"
)
MONTH_FIRST = re.compile(
    rf"(?i)\b(?P<name>{_MONTH})\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(?:{CLOCK}{ZONE}?\s+)?(?P<year>{_YEAR})(?!\d)"
)
NAMED_LAST = re.compile(
    rf"(?i)(?<![\d./-])(?P<year>{_YEAR})[\s-]+(?P<name>{_MONTH})[\s-]+(?P<day>[0-3]?\d)(?!\d|:\d)\s*,?{AFTER_DAY}"
)
CLOCK_AFTER = re.compile(rf"\s*,?\s*(?:at\s+|[-—–|•·/]\s*)?{CLOCK}{ZONE}?", re.IGNORECASE)
# 10:20 GMT, 5 March 2019.
CLOCK_BEFORE = re.compile(
    rf"(?i)(?<![\d:.])(?=\d\d?[:.]\d\d){CLOCK}{ZONE}?\s*,?\s*(?:on\s+)?(?:[a-z]{{3,9}}day,?\s+)?$"
)
SLASHED = re.compile(
    rf"(?<![\d./-])(?P<first>[0-3]?\d)(?P<mark>[/.-])(?P<second_number>[0-3]?\d)(?P=mark)(?P<year>{_YEAR})(?![\d./-])"
    rf"\s*{AFTER_DAY}"
)
_HAN_DATE = re.compile(
    r"[一二]?[〇○零OＯo一二三四五六七八九]{3,4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]?"
)
# Years of the Republic as Taiwan prints them, 108 is 2019; of three digits also without its name.
REPUBLIC = re.compile(
    r"(?:(?:中[华華])?民[国國]\s*(?P<year>\d{2,3})|(?<=日期[:：])\s*(?P<labelled>1\d\d))\s*[年./-]\s*"
    r"(?P<month>0?[1-9]|1[0-2])\s*[月./-]\s*(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)\s*日?"
)
# 三月 5, 2019, as blogs print that only know the order of English.
YEAR_LAST = re.compile(
    rf"(?<![\d年])(?P<month>1[0-2]|0?[1-9]|[一二三四五六七八九十]{{1,2}})月\s*+(?P<day>[0-3]?\d)日?\s*+,?\s*+(?P<year>{_YEAR})(?![\d年])"
)
# Years of Japanese eras, and of which year of ours each is the year 0; its first is called 元.
ERA = re.compile(r"(?P<era>令和|平成|昭和)\s*(?P<year>元|\d{1,2})\s*年")
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
KOREAN_DAY = re.compile(r"(\d{4})\s*년\s*(\d{1,2})\s*월\s*(\d{1,2})\s*일")
KOREAN_CLOCK = re.compile(r"(\d{1,2})\s*시\s*(\d{1,2})\s*분")
HALVES = (("午前", "上午"), ("午後", "下午"), ("오전", "上午"), ("오후", "下午"))
DOT_BEHIND = re.compile(r"(?<=\.\d\d)\.\s+(?=[0-2]?\d:[0-5]\d)")  # 2026.05.02. 10:30
DASH = re.compile(r"(?<=\d)[—–‑](?=\d)")
# Before the date in 发布时间：19-03-05 10:20; without its label and its clock the order is not sure.
SHORT_YEAR = re.compile(
    r"((?:[发發][布佈表])(?:[时時][间間]|日期)?\s*+[:：于於]?\s*+)(?=[0-3]\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\s+\d{1,2}:\d\d)"
)
COMPACT = re.compile(
    rf"({_YEAR})(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T?([01]\d|2[0-3])([0-5]\d)([0-5]\d)(Z|[+-]\d\d:?\d\d)?)?"
)
WORTH_A_LOOK = re.compile(r"\d|年|前|[刚剛]|ago\b|just now", re.IGNORECASE)
# What stands before, or in brackets behind, a day of the lunar calendar: no day of ours has its number.
LUNAR_BEFORE = re.compile(r"(?:[农農阴陰旧舊夏][历曆]|(?i:lunar(?: calendar)?))[\s:：)）\]】,，]*$")
LUNAR_BEHIND = re.compile(r"\s*+[(（\[【]?\s*+(?:[农農阴陰旧舊夏][历曆]|(?i:lunar))\s*+[)）\]】]")
EPOCH = re.compile(r"1\d{9}(?:\d{3})?")
# What has passed, in one unit or several: 1小时20分钟前, 一个半小时前, 2 hours, 15 minutes ago.
_AMOUNT = (
    r"(?:\d{1,3}(?:\.\d)?|半|[一二两兩三四五六七八九十]{1,3}|\b(?:half an?|an?|one|two|three)(?=\s))\s*[个個]?\s*半?\s*"
    r"(?:秒[钟鐘]?|分[钟鐘]?|小[时時]|[钟鐘][头頭]|天|日|周|星期|礼拜|月|年"
    r"|(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[smhd])\b)"
)
AGO = re.compile(
    rf"(?i)(?<![\d.])(?P<amounts>{_AMOUNT}(?:\s*+(?:,|，|又|零|and\b)?\s*+{_AMOUNT}){{0,3}})\s*+(?:以?前|之前|ago\b)"
)
AMOUNT = re.compile(
    r"(?i)(?P<number>\d{1,3}(?:\.\d)?|半|[一二两兩三四五六七八九十]{1,3}|\b(?:half an?|an?|one|two|three)(?=\s))\s*+[个個]?\s*+(?P<half>半?)\s*+(?P<unit>[^\W\d_])(?P<more>[a-z]*)"
)
NEAR_DAY = re.compile(
    rf"(?i)(?P<word>[刚剛][刚剛才]|今天|今日|昨天|昨日|前天|just now|today|yesterday)(?:\s*,?\s*(?:at\s+)?{CLOCK})?"
)
_IN_ADDRESS = re.compile(
    r"[/_-]t?(?P<year>(?:19|20)\d\d)(?P<mark>[-/_]?)(?P<month>0[1-9]|1[0-2])(?:(?P=mark)|/)(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
)
YEAR_THEN_DAY = re.compile(
    r"/(?P<year>(?:19|20)\d\d)/(?:(?P<month>0[1-9]|1[0-2])-?(?P<day>0[1-9]|[12]\d|3[01])"
    r"|(?P<short_month>[1-9]|1[0-2])/(?P<short_day>[1-9]|[12]\d|3[01]))/"
)
_NOW = frozenset(("刚刚", "剛剛", "刚才", "剛才", "just now"))
DAYS_BACK = {"今天": 0, "今日": 0, "today": 0}
DAYS_BACK |= {"昨天": 1, "昨日": 1, "yesterday": 1, "前天": 2}
# Seconds of a unit by its first letter; weeks count with days beside them, months and years differ in length.
UNITS = {"秒": 1, "分": 60, "小": 3600, "钟": 3600, "鐘": 3600, "天": 86_400, "日": 86_400}
UNITS |= {
    "周": 604_800,
    "星": 604_800,
    "礼": 604_800,
    "s": 1,
    "m": 60,
    "h": 3600,
    "d": 86_400,
    "w": 604_800,
}
_NUMBER_WORDS = {
    "半": 0.5,
    "half a": 0.5,
    "half an": 0.5,
    "a": 1.0,
    "an": 1.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
}

EARLIEST_YEAR = 1985  # no page is older; what names such a year tells of it
LONGEST_CLOCK = 40  # characters before a day in which its clock time and weekday stand
# Seconds a date may lie ahead of the fetch: clocks and zones differ by less than a day.
FUTURE_SLACK = 86_400.0


# A date to the second with its zone, by ISO 8601.
_WHOLE_DATE = re.compile(r"(?:19|20)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", re.ASCII)
UNIT_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0}


def in_digits(text: str) -> str:
    """Write the dates of a text that are in Chinese numbers, of the Republic or an era, in Korean, end
    with their year or have two digits of it in the usual order and in digits.
    """
    if _HAN_DATE.search(text):
        text = _HAN_DATE.sub(lambda match: _han_date(match.group()), text)
    if "月" in text:
        text = YEAR_LAST.sub(_year_first, text)
    if "民" in text or "日期" in text:
        text = REPUBLIC.sub(
            lambda match: (
                f"{1911 + int(match['year'] or match['labelled'])}年{match['month']}月{match['day']}日"
            ),
            text,
        )
    if "和" in text or "平成" in text:
        text = ERA.sub(lambda match: f"{ERAS[match['era']] + _year_of_era(match['year'])}年", text)
    if "년" in text:
        text = KOREAN_CLOCK.sub(r"\1:\2", KOREAN_DAY.sub(r"\1年\2月\3日", text))
    if "午" in text or "오" in text:
        for half, chinese in HALVES:
            text = text.replace(half, chinese)
    text = DASH.sub("-", DOT_BEHIND.sub(" ", text))
    if "-" in text:
        text = SHORT_YEAR.sub(r"\g<1>20", text)
    return text


def _han_date(text: str) -> str:
    year, _, rest = text.partition("年")
    month, _, day = rest.partition("月")
    return (
        f"{year.translate(HAN_DIGITS)}年{_han_number(month)}月{_han_number(day.rstrip('日号'))}日"
    )


def _year_of_era(number: str) -> int:
    return 1 if number == "元" else int(number)


def _year_first(match: re.Match[str]) -> str:
    month = match["month"]
    number = int(month) if month.isascii() else _han_number(month)
    return f"{match['year']}年{number}月{match['day']}日"


def _han_number(text: str) -> int:
    tens, mark, ones = text.partition("十")
    if not mark:
        return int(text.translate(HAN_DIGITS))
    return int(tens.translate(HAN_DIGITS) or 1) * 10 + int(ones.translate(HAN_DIGITS) or 0)


class FoundDate(NamedTuple):
    """A moment in seconds since 1970 UTC, the words it was read from, where they stood.

    ``precision`` is second, minute, hour or day: what was printed, not what was filled up.
    ``offset`` is the zone it was printed in or read with, in seconds east of UTC.
    """

    seconds: float
    raw: str
    precision: str
    start: int = 0
    offset: float = 0.0

    @property
    def unit(self) -> float:
        """The precision in seconds."""
        return UNIT_SECONDS[self.precision]

    @property
    def day(self) -> str:
        """The day by ISO 8601 in its own zone."""
        return self.as_printed()[:10]

    def as_printed(self) -> str:
        """Write it by ISO 8601 in its own zone, no more precise than it was printed."""
        zone = timezone(timedelta(seconds=self.offset))
        moment = datetime.fromtimestamp(self.seconds, UTC).astimezone(zone)
        if self.precision == "day":
            return moment.date().isoformat()
        unit = {"hour": "hours", "minute": "minutes"}.get(self.precision, "seconds")
        return moment.isoformat(timespec=unit)


class DateReader(NamedTuple):
    """How the dates of a page are read: those without a zone are in ``timezone``, an IANA name.

    ``now`` is the wall time of the fetch: later dates are refused, relative ones (3小时前) count from
    it and are not read without it.
    """

    timezone: str
    now: float | None

    def read(self, text: str) -> FoundDate | None:
        """Read a text that is a date, as read_date."""
        return read_date(text, timezone=self.timezone, now=self.now)

    def find(self, text: str) -> Iterator[FoundDate]:
        """Go through the dates in a line, as find_dates."""
        return find_dates(text, timezone=self.timezone, now=self.now)


def zone_named(name: str) -> tzinfo:
    """Return a timezone by its IANA name; an unknown one is an error of the template: ValueError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(
            f'timezone = "{name}": write an IANA name such as "Asia/Shanghai"'
        ) from error


def in_zone(date: FoundDate, name: str) -> FoundDate:
    """Return the same moment as the clocks of a timezone show it."""
    moment = datetime.fromtimestamp(date.seconds, UTC).astimezone(zone_named(name))
    return date._replace(offset=_offset(moment))


def is_midnight(date: FoundDate, name: str) -> bool:
    """Whether a date has a time that is midnight in a timezone: programs fill up days so."""
    return date.precision != "day" and in_zone(date, name).as_printed()[11:16] == "00:00"


def read_date(text: str, *, timezone: str = "UTC", now: float | None = None) -> FoundDate | None:
    """Read a text that is a date (a meta element, a feed's pubDate), None when it is none.

    ``now`` is the moment of the fetch: later dates are refused, relative ones count from it.
    """
    text = text.strip()[:200]
    if not text:
        return None
    if _WHOLE_DATE.fullmatch(text):  # as all dates of a sitemap are: a tenth of the time
        with suppress(ValueError):
            return _whole(text, now)
    for found in find_dates(text, timezone=timezone, now=now):
        return found
    zone = zone_named(timezone)
    if match := COMPACT.fullmatch(text):
        parts = tuple(int(part) for part in match.groups(default="0")[:6])
        precision = "second" if match.group(4) else "day"
        return _checked(parts, _named_zone(match.group(7), zone), text, precision, 0, now)
    if EPOCH.fullmatch(text):
        seconds = int(text) / (1000 if len(text) == 13 else 1)
        found = FoundDate(seconds, text, "second")
        return None if _refused(seconds, now) else in_zone(found, timezone)
    try:
        moment = parsedate_to_datetime(text)
        seconds = moment.timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return (
        None if _refused(seconds, now) else FoundDate(seconds, text, "second", 0, _offset(moment))
    )


def _whole(text: str, now: float | None) -> FoundDate | None:
    moment = datetime.fromisoformat(text)
    seconds = moment.timestamp()
    if moment.year < EARLIEST_YEAR or _refused(seconds, now):
        return None
    return FoundDate(seconds, text, "second", 0, _offset(moment))


def find_dates(
    text: str, *, timezone: str = "UTC", now: float | None = None
) -> Iterator[FoundDate]:
    """Go through the dates in a line of text, those of each form in order of place."""
    plain = text.translate(_FULL_WIDTH)
    if not WORTH_A_LOOK.search(plain):
        return
    zone = zone_named(timezone)
    plain = in_digits(plain)
    for pattern in (NUMERIC, DAY_FIRST, MONTH_FIRST, NAMED_LAST, SLASHED):
        for match in pattern.finditer(plain):
            if found := _absolute(match, plain, zone, now):
                yield found
    if now is not None:
        yield from _relative(plain, zone, now)


def date_in_address(
    url: str, *, timezone: str = "UTC", now: float | None = None
) -> FoundDate | None:
    """Return the day an address names (/2026/11/20/, /20261120/, /2026/1120/, t20261120_1.html)."""
    path = url.partition("?")[0]
    for match in (*_IN_ADDRESS.finditer(path), *YEAR_THEN_DAY.finditer(path)):
        groups = match.groupdict()
        month, day = groups["month"] or groups["short_month"], groups["day"] or groups["short_day"]
        parts = (int(groups["year"]), int(month), int(day), 0, 0, 0)
        raw = match.group().strip("/_-")
        if found := _checked(parts, zone_named(timezone), raw, "day", match.start(), now):
            return found
    return None


def _absolute(
    match: re.Match[str], plain: str, zone: tzinfo, now: float | None
) -> FoundDate | None:
    groups = match.groupdict()
    raw, start, end = match.group(), match.start(), match.end()
    if _is_lunar(match, plain):
        return None
    if (month_and_day := _month_and_day(groups)) is None:
        return None
    without_clock = match.re is MONTH_FIRST and groups["hour"] is None
    if without_clock and (after := CLOCK_AFTER.match(plain, end)):
        groups |= after.groupdict()
        raw = plain[start : after.end()]
    if "name" in groups and groups["hour"] is None:
        first = max(0, start - LONGEST_CLOCK)
        if before := CLOCK_BEFORE.search(plain[first:start]):
            groups |= before.groupdict()
            start = first + before.start()
            raw = plain[start:end]
    hour, minute, second = (int(groups[part] or 0) for part in ("hour", "minute", "second"))
    hour = _hour_of_day(hour, groups["half"] or groups["half2"])
    precision = "second" if groups["second"] else "minute" if groups["hour"] else "day"
    parts = (int(groups["year"]), *month_and_day, hour, minute, second)
    zone = _named_zone(groups["zone"], zone)
    return _checked(parts, zone, raw.strip(), precision, start, now)


def _month_and_day(groups: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return month and day of a date; None where two numbers may be either, as in 05/03/2019.

    05.03.2019 begins with the day wherever it is written, the stamp of servers set to US English
    (PM in capitals, behind seconds) with the month.
    """
    if "first" not in groups:
        name = groups.get("name")
        month = MONTHS[name[:3].lower()] if name else int(groups["month"])
        return month, int(groups["day"])
    month, day = int(groups["first"]), int(groups["second_number"])
    american = groups["half2"] and groups["half2"].isupper() and groups["second"]
    dotted = groups["mark"] == "."
    if month <= 12 and day <= 12 and month != day and not american and not dotted:
        return None
    return (day, month) if month > 12 or (dotted and day <= 12) else (month, day)


def _is_lunar(match: re.Match[str], plain: str) -> bool:
    """Whether a day is marked as one of the lunar calendar."""
    if "历" not in plain and "曆" not in plain and "unar" not in plain:
        return False
    before = plain[max(0, match.start() - LONGEST_CLOCK) : match.start()]
    return bool(LUNAR_BEFORE.search(before) or LUNAR_BEHIND.match(plain, match.end()))


def _hour_of_day(hour: int, half: str | None) -> int:
    if not half:
        return hour
    if half in {"下午", "晚上", "晚间", "傍晚"} or half[0] in "pP":
        return hour + 12 if hour < 12 else hour
    if half == "中午":
        return hour + 12 if hour < 3 else hour  # 中午 is from eleven to two
    return 0 if hour == 12 and (half == "凌晨" or half[0] in "aA") else hour


def _named_zone(name: str | None, zone: tzinfo) -> tzinfo:
    if not name:
        return zone
    word = re.match(r"[A-Za-z]*", name)
    letters = word.group().lower() if word else ""
    offset = re.search(r"([+-])(\d{1,2}):?(\d\d)?$", name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        if minutes < 24 * 60:
            return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    if letters == "cst":
        here = zone.utcoffset(datetime(2026, 1, 1))
        # China's and Chicago's share the name: it is China's where the topic keeps its time.
        return timezone(timedelta(hours=8 if here == timedelta(hours=8) else -6))
    if letters in _ZONE_NAMES:
        return zone_named(_ZONE_NAMES[letters])
    return timezone(timedelta(hours=ZONES[letters])) if letters in ZONES else zone


def _checked(
    parts: tuple[int, ...], zone: tzinfo, raw: str, precision: str, start: int, now: float | None
) -> FoundDate | None:
    year, month, day, hour, minute, second = parts
    try:
        moment = datetime(year, month, day, tzinfo=zone)
        moment += timedelta(hours=hour, minutes=minute, seconds=second)
        seconds = moment.timestamp()
    except (ValueError, OverflowError):
        return None
    if year < EARLIEST_YEAR or _refused(seconds, now):
        return None
    return FoundDate(seconds, raw, precision, start, _offset(moment))


def _offset(moment: datetime) -> float:
    offset = moment.utcoffset()
    return offset.total_seconds() if offset is not None else 0.0


def _refused(seconds: float, now: float | None) -> bool:
    return now is not None and seconds > now + FUTURE_SLACK


def _relative(plain: str, zone: tzinfo, now: float) -> Iterator[FoundDate]:
    for match in AGO.finditer(plain):
        passed = _passed(match["amounts"])
        if passed is None:
            continue
        seconds, unit = passed
        precision = "day" if unit >= 86_400 else "hour" if unit == 3600 else "minute"
        moment = datetime.fromtimestamp(now - seconds, UTC).astimezone(zone)
        yield FoundDate(
            moment.timestamp(), match.group(), precision, match.start(), _offset(moment)
        )
    today = datetime.fromtimestamp(now, UTC).astimezone(zone)
    for match in NEAR_DAY.finditer(plain):
        word = match["word"].lower()
        if word in _NOW:
            yield FoundDate(now, match.group(), "minute", match.start(), _offset(today))
        elif match["hour"]:
            day = today.date() - timedelta(days=DAYS_BACK[word])
            hour = _hour_of_day(int(match["hour"]), match["half"] or match["half2"])
            parts = (day.year, day.month, day.day, hour, int(match["minute"]), 0)
            if found := _checked(parts, zone, match.group(), "minute", match.start(), now):
                yield found


def _passed(amounts: str) -> tuple[float, float] | None:
    """Return the seconds that amounts are together, and those of the smallest unit.

    None for months and years, whose length differs, for weeks alone, and where a larger unit comes last.
    """
    whole, smallest = 0.0, 0.0
    for match in AMOUNT.finditer(amounts):
        unit = UNITS.get(match["unit"].lower())
        if unit is None or match["more"].lower().startswith("on"):  # months
            return None
        if smallest and unit >= smallest:
            return None
        whole += unit * (_number_of(match["number"].lower()) + (0.5 if match["half"] else 0.0))
        smallest = 60.0 if match["half"] and unit == 3600 else unit
    return (whole, smallest) if 0 < smallest < 604_800 else None


def _number_of(number: str) -> float:
    if number in _NUMBER_WORDS:
        return _NUMBER_WORDS[number]
    return (
        float(number)
        if number[0].isdigit() and number.isascii()
        else float(_han_number(number.translate(_TWO)))
    )
