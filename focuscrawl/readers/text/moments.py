"""Moments as people write them and read them, by the clocks of a zone. Moments are seconds since 1970 UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

NO_MOMENT = "–"
"""What is shown of a moment that no calendar has: pages print any date."""


def read_moment(text: str, zone: tzinfo) -> float:
    """Read a date or a time by ISO 8601, of ``zone`` where it names none. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


LENGTH_OF_DAY = 10
"""Characters of 2026-11-20."""

_WIDEST_ZONE = timedelta(hours=14)  # no place's clocks are further from UTC


def day_only(printed: str) -> str:
    """Return a date by ISO 8601 if it is a day without a time; "" for all others."""
    return printed if len(printed) == LENGTH_OF_DAY else ""


def midnight_of(printed: str, at: float) -> str:
    """Return the first second of a day without a time as a whole ISO 8601 time, whose date is that day: "" where
    there is none. ``at`` is that second, which shows the zone that the day is of.
    """
    try:
        began = datetime.fromisoformat(day_only(printed)).replace(tzinfo=UTC)
    except ValueError:
        return ""
    ahead = timedelta(seconds=began.timestamp() - at)
    if abs(ahead) > _WIDEST_ZONE:
        return ""
    return began.replace(tzinfo=timezone(ahead)).isoformat(timespec="seconds")


def read_day(text: str, zone: tzinfo) -> tuple[float, float] | None:
    """Return when a day begins and when the next one does; None for all but a day by ISO 8601: 2026-11-20."""
    try:
        day = date.fromisoformat(day_only(text))
    except ValueError:
        return None
    began = read_moment(text, zone)
    if day == date.max:  # there is no next one
        return began, began + 86_400.0
    return began, read_moment((day + timedelta(days=1)).isoformat(), zone)


def moment_text(at: float, zone: tzinfo) -> str:
    """Return a moment to the minute: 2026-11-20 09:30."""
    return _written(at, zone, "%Y-%m-%d %H:%M")


def short_moment_text(at: float, zone: tzinfo) -> str:
    """Return a moment of these months to the minute: 11-20 09:30."""
    return _written(at, zone, "%m-%d %H:%M")


def _written(at: float, zone: tzinfo, form: str) -> str:
    try:
        return f"{datetime.fromtimestamp(at, zone):{form}}"
    except (ValueError, OverflowError, OSError):
        return NO_MOMENT


def day_began(now: float, zone: tzinfo) -> float:
    """Return when the day of a moment began."""
    here = datetime.fromtimestamp(now, zone)
    return here.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
