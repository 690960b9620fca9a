"""Dates as Chinese and English pages print them, turned into seconds since 1970 UTC.

A zone that is printed is kept; without one the topic's timezone holds. What is not certain is
refused: ``03/04/2026`` (whose order?), years not printed, dates in the future.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from focuscrawl.text.date_patterns import (
    AGO,
    CLOCK_AFTER,
    CLOCK_BEFORE,
    COMPACT,
    DAY_FIRST,
    DAYS_BACK,
    EPOCH,
    FULL_WIDTH,
    IN_ADDRESS,
    MONTH_FIRST,
    MONTHS,
    NAMED_LAST,
    NEAR_DAY,
    NUMERIC,
    PLACES,
    SLASHED,
    UNITS,
    WORTH_A_LOOK,
    YEAR_THEN_DAY,
    ZONES,
    in_digits,
)

EARLIEST_YEAR = 1985
LONGEST_CLOCK = 40
"""Characters before a day in which its clock time and weekday stand."""

FUTURE_SLACK = 86_400.0
"""Seconds a date may lie ahead of the fetch: clocks and zones differ by less than a day."""


WHOLE = re.compile(r"(?:19|20)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", re.ASCII)
"""A date to the second with its zone, by ISO 8601."""

UNIT_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0}


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

    def as_printed(self) -> str:
        """Write it by ISO 8601 in its own zone, no more precise than it was printed."""
        zone = timezone(timedelta(seconds=self.offset))
        moment = datetime.fromtimestamp(self.seconds, UTC).astimezone(zone)
        if self.precision == "day":
            return moment.date().isoformat()
        unit = {"hour": "hours", "minute": "minutes"}.get(self.precision, "seconds")
        return moment.isoformat(timespec=unit)


def zone_of(name: str) -> tzinfo:
    """Return a timezone by its IANA name; an unknown one is an error of the template: ValueError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(
            f'timezone = "{name}": write an IANA name such as "Asia/Shanghai"'
        ) from error


def in_zone(date: FoundDate, name: str) -> FoundDate:
    """Return the same moment as the clocks of a timezone show it."""
    moment = datetime.fromtimestamp(date.seconds, UTC).astimezone(zone_of(name))
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
    if WHOLE.fullmatch(text):  # as all dates of a sitemap are: a tenth of the time
        with suppress(ValueError):
            return _whole(text, now)
    for found in find_dates(text, timezone=timezone, now=now):
        return found
    zone = zone_of(timezone)
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
    plain = text.translate(FULL_WIDTH)
    if not WORTH_A_LOOK.search(plain):
        return
    zone = zone_of(timezone)
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
    for match in (*IN_ADDRESS.finditer(path), *YEAR_THEN_DAY.finditer(path)):
        groups = match.groupdict()
        month, day = groups["month"] or groups["short_month"], groups["day"] or groups["short_day"]
        parts = (int(groups["year"]), int(month), int(day), 0, 0, 0)
        raw = match.group().strip("/_-")
        if found := _checked(parts, zone_of(timezone), raw, "day", match.start(), now):
            return found
    return None


def _absolute(
    match: re.Match[str], plain: str, zone: tzinfo, now: float | None
) -> FoundDate | None:
    groups = match.groupdict()
    raw, start, end = match.group(), match.start(), match.end()
    if "first" in groups:
        month, day = int(groups["first"]), int(groups["second_number"])
        american = groups["half2"] and groups["half2"].isupper() and groups["second"]
        dotted = groups["mark"] == "."  # 05.03.2019 begins with the day wherever it is written
        if month <= 12 and day <= 12 and month != day and not american and not dotted:
            return None  # the order cannot be told, but for the stamp of servers set to US English
        if month > 12 or (dotted and day <= 12):
            month, day = day, month
    else:
        name = groups.get("name")
        month = MONTHS[name[:3].lower()] if name else int(groups["month"])
        day = int(groups["day"])
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
    parts = (int(groups["year"]), month, day, hour, minute, second)
    zone = _named_zone(groups["zone"], zone)
    return _checked(parts, zone, raw.strip(), precision, start, now)


def _hour_of_day(hour: int, half: str | None) -> int:
    if not half:
        return hour
    if half in {"下午", "晚上", "晚间", "傍晚"} or half[0] in "pP":
        return hour + 12 if hour < 12 else hour
    if half == "中午":
        return hour + 12 if hour < 3 else hour
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
        return timezone(timedelta(hours=8 if here == timedelta(hours=8) else -6))
    if letters in PLACES:
        return zone_of(PLACES[letters])
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
        number = match["number"].lower()
        count = 0.5 if number == "半" else float(number) if number.isdecimal() else 1.0
        unit = UNITS[match["unit"][0].lower()]
        precision = "day" if unit == 86_400 else "hour" if unit == 3600 else "minute"
        moment = datetime.fromtimestamp(now - count * unit, UTC).astimezone(zone)
        yield FoundDate(
            moment.timestamp(), match.group(), precision, match.start(), _offset(moment)
        )
    today = datetime.fromtimestamp(now, UTC).astimezone(zone)
    for match in NEAR_DAY.finditer(plain):
        word = match["word"].lower()
        if word in {"刚刚", "just now"}:
            yield FoundDate(now, match.group(), "minute", match.start(), _offset(today))
        elif match["hour"]:
            day = today.date() - timedelta(days=DAYS_BACK[word])
            hour = _hour_of_day(int(match["hour"]), match["half"] or match["half2"])
            parts = (day.year, day.month, day.day, hour, int(match["minute"]), 0)
            if found := _checked(parts, zone, match.group(), "minute", match.start(), now):
                yield found
