"""Kinds of values that are times: durations, time zones, ages, and the hours a site is asked in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from difflib import get_close_matches
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from focuscrawl.config import DURATION, DURATIONS, SECONDS
from focuscrawl.locale.messages import _
from focuscrawl.template.kinds.kind import (
    DECIMAL,
    Invalid,
    KeyPlace,
    Kind,
    as_written,
    checked,
    listed,
)

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
WINDOW = re.compile(
    r"(?:(?P<first>[A-Za-z]{3})(?:-(?P<last>[A-Za-z]{3}))?)?\s*"
    r"(?:(?P<h1>\d\d?):(?P<m1>\d\d)-(?P<h2>\d\d?):(?P<m2>\d\d))?"
)


_MINUTES_OF_DAY = 24 * 60


class Window(NamedTuple):
    """Days (0 = Monday) and minutes of the day; ``end`` past 1440 reaches into the next day."""

    days: frozenset[int]
    start: int
    end: int


class HoursError(ValueError):
    """A time window that cannot be read."""


def parse_window(text: str) -> Window:
    """Read ``22:00-06:00``, ``Mon-Fri 20:00-07:00`` or ``Sat-Sun``; raises HoursError."""
    wrong = HoursError(_('a time window looks like "22:00-06:00" or "Mon-Fri 20:00-07:00"'))
    found = WINDOW.fullmatch(text.strip())
    if not found or not text.strip():
        raise wrong
    days = frozenset(range(7))
    if found["first"]:
        try:
            first = WEEKDAYS.index(found["first"].capitalize())
            last = WEEKDAYS.index((found["last"] or found["first"]).capitalize())
        except ValueError:
            raise wrong from None
        days = frozenset(day % 7 for day in range(first, last + 1 + 7 * (last < first)))
    if found["h1"] is None:
        return Window(days, 0, _MINUTES_OF_DAY)
    hours, minutes = (int(found["h1"]), int(found["h2"])), (int(found["m1"]), int(found["m2"]))
    start, end = (60 * hour + minute for hour, minute in zip(hours, minutes, strict=True))
    if max(start, end) > _MINUTES_OF_DAY or max(minutes) > 59:
        raise wrong
    return Window(days, start, end if end > start else end + _MINUTES_OF_DAY)


class Hours:
    """When fetching is allowed; without windows always."""

    __slots__ = ("timezone", "windows")

    def __init__(self, windows: Iterable[Window], timezone: tzinfo) -> None:
        self.windows = tuple(windows)
        self.timezone = timezone

    def __bool__(self) -> bool:
        return bool(self.windows)

    def __repr__(self) -> str:
        return f"Hours({self.windows!r}, {self.timezone!r})"

    def open_at(self, moment: float) -> bool:
        """Whether fetching is allowed at a wall time (seconds since 1970 UTC)."""
        return not self.windows or any(a <= moment < b for a, b in self._spans(moment))

    def next_opening(self, moment: float) -> float:
        """Return ``moment`` if it is inside a window, else the start of the next window."""
        if self.open_at(moment):
            return moment
        return min(start for start, _ in self._spans(moment) if start > moment)

    def closing(self, moment: float) -> float | None:
        """Return when the open window ends that holds ``moment``; None: never, or not open.

        Windows that touch or overlap are one.
        """
        end: float | None = None
        for start, stop in sorted(self._spans(moment)):
            if start <= (moment if end is None else end) < stop:
                end = stop
        return None if end is None or end >= moment + 7 * 86400 else end

    def _spans(self, moment: float) -> list[tuple[float, float]]:
        """Return the windows from yesterday to eight days ahead as wall times."""
        today = datetime.fromtimestamp(moment, UTC).astimezone(self.timezone).date()
        spans = []
        for ahead in range(-1, 9):
            day = today + timedelta(days=ahead)
            midnight = datetime(day.year, day.month, day.day)
            spans += [
                (self._wall(midnight, window.start), self._wall(midnight, window.end))
                for window in self.windows
                if day.weekday() in window.days
            ]
        return spans

    def _wall(self, midnight: datetime, minute: int) -> float:
        local = midnight + timedelta(minutes=minute)
        return local.replace(tzinfo=self.timezone).timestamp()


def duration(least: float = 0.0) -> Kind:
    """A duration such as ``2s`` or ``1h30m``, of ``least`` seconds; built as seconds."""

    def read(value: object) -> str:
        if isinstance(value, str) and DURATIONS.fullmatch(value.strip()):
            if _seconds(value) < least:
                raise Invalid(_("at least {least:g}s").format(least=least), value)
            return value.strip()
        if not isinstance(value, bool) and DECIMAL.fullmatch(str(value)):
            raise Invalid(
                _('a duration needs a unit: "{value}s", "{value}m" or "{value}h"').format(
                    value=value
                ),
                value,
            )
        raise Invalid(_('a duration looks like "500ms", "2s", "15m", "6h", "7d" or "1h30m"'), value)

    return Kind("duration", read, {"type": "string", "pattern": f"^{DURATIONS.pattern}$"}, _seconds)


def _seconds(plain: str) -> float:
    return sum(float(count) * SECONDS[unit] for count, unit in DURATION.findall(plain))


def zone() -> Kind:
    """An IANA time zone; built as ZoneInfo."""

    def read(value: object) -> str:
        try:
            return ZoneInfo(str(value)).key
        except (ZoneInfoNotFoundError, ValueError, OSError):  # unknown, or no name at all
            pass
        near = get_close_matches(str(value), available_timezones(), 1)
        hint = _('; nearest: "{name}"').format(name=near[0]) if near else ""
        raise Invalid(
            _('a time zone looks like "Asia/Shanghai" or "UTC"{hint}').format(hint=hint), value
        )

    return Kind("IANA name", read, {"type": "string"}, ZoneInfo)


def since() -> Kind:
    """An age or a date; built as seconds of age or as a datetime (naive: local to the topic)."""

    def read(value: object) -> str:
        if isinstance(value, date):
            return value.isoformat()
        try:
            datetime.fromisoformat(str(value))
        except ValueError:
            pass
        else:
            return str(value)
        try:
            return str(duration().read(value))
        except Invalid as error:
            raise Invalid(_("{error}; or a date: 2026-11-20").format(error=error), value) from None

    def build(plain: str) -> float | datetime:
        return _seconds(plain) if DURATIONS.fullmatch(plain) else datetime.fromisoformat(plain)

    def located(plain: str | None, place: KeyPlace) -> float | datetime | None:
        built = None if plain is None else build(plain)
        if isinstance(built, datetime) and built.tzinfo is None:
            return built.replace(tzinfo=place.timezone)
        return built

    return Kind("duration | date", read, {"type": "string"}, build, located=located)


def windows() -> Kind:
    """Time windows; built as a tuple of Window."""

    entry = checked("time window", as_written(parse_window))
    found = listed(entry, "time windows", _windows)
    return replace(found, located=lambda plain, place: Hours(_windows(plain or []), place.timezone))


def _windows(plain: list[str]) -> tuple[Window, ...]:
    return tuple(parse_window(one) for one in plain)
