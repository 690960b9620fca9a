"""The kinds of values that are times: durations, time zones, ages."""

from __future__ import annotations

from datetime import date, datetime
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from focuscrawl.config import DURATION, DURATIONS, SECONDS
from focuscrawl.topic.kinds import NUMBER, Invalid, Kind


def duration() -> Kind:
    """A duration such as ``2s`` or ``1h30m``; built as seconds."""

    def read(value: object) -> str:
        if isinstance(value, str) and DURATIONS.fullmatch(value.strip()):
            return value.strip()
        if not isinstance(value, bool) and NUMBER.fullmatch(str(value)):
            raise Invalid(f'a duration needs a unit: "{value}s", "{value}m" or "{value}h"', value)
        raise Invalid('a duration looks like "500ms", "2s", "15m", "6h", "7d" or "1h30m"', value)

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
        hint = f'; nearest: "{near[0]}"' if near else ""
        raise Invalid(f'a time zone looks like "Asia/Shanghai" or "UTC"{hint}', value)

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
            raise Invalid(f"{error}; or a date: 2026-11-20", value) from None

    def build(plain: str) -> float | datetime:
        return _seconds(plain) if DURATIONS.fullmatch(plain) else datetime.fromisoformat(plain)

    return Kind("duration | date", read, {"type": "string"}, build)
