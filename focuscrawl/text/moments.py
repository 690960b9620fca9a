"""Moments as people write them and read them, by the clocks of a zone. Moments are seconds since 1970 UTC."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo

NO_MOMENT = "–"
"""What is shown of a moment that no calendar has: pages print any date."""


def read_moment(text: str, zone: tzinfo) -> float:
    """Read a date or a time by ISO 8601, of ``zone`` where it names none. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


def read_day(text: str, zone: tzinfo) -> tuple[float, float] | None:
    """Return when a day begins and when the next one does; None for all but a day by ISO 8601: 2026-11-20."""
    if len(text) != len("2026-11-20"):
        return None
    try:
        day = date.fromisoformat(text)
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


def day_text(day: str, *, short: bool) -> str:
    """Return a day by ISO 8601 as it is shown: 2026-11-20, or of these months 11-20."""
    return day[len("2026-") :] if short else day


def _written(at: float, zone: tzinfo, form: str) -> str:
    try:
        return f"{datetime.fromtimestamp(at, zone):{form}}"
    except (ValueError, OverflowError, OSError):
        return NO_MOMENT


def day_began(now: float, zone: tzinfo) -> float:
    """Return when the day of a moment began."""
    here = datetime.fromtimestamp(now, zone)
    return here.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
