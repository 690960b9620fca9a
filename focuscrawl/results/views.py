"""Views for people: local times, made anew at each start (SQLite and PostgreSQL).

A kind of rows gives the text of each view behind ``CREATE VIEW name AS``. In it ``{local:column}`` is a
time of the topic's zone; ``{midnight}``, ``{yesterday}``, ``{two_days_ago}`` and ``{week_ago}`` are
moments, ``{false}`` is a truth value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from focuscrawl.results.kind import Kinds

Fields = Mapping[str, Sequence[str]]
"""The fields of each kind of record."""

Views = Callable[["ViewWords", Fields], Mapping[str, str]]
"""Gives the views of a kind by their names."""


class ViewWords:
    """How one database says what views are made of. SQLite knows no time zones: its views use the
    offset that ``timezone`` has at ``now``.
    """

    def __init__(self, dialect: str, timezone: str, now: float) -> None:
        self.is_sqlite = dialect == "sqlite"
        if self.is_sqlite:
            self._words = _sqlite_words(offset_minutes(timezone, now))
        else:
            self._words = _postgresql_words(timezone)

    def fill(self, view: str, **more: str) -> str:
        """Return the text of a view with the words of this database."""
        return view.format_map({**self._words, **more})


class _Local:
    """A column as a local time: ``{local:column}``."""

    def __init__(self, form: str) -> None:
        self._form = form

    def __format__(self, column: str) -> str:
        return self._form.format(column)


def views(**texts: str) -> Views:
    """Return what gives these views, by name."""
    return lambda words, _: {name: words.fill(text) for name, text in texts.items()}


def view_statements(
    kinds: Kinds,
    dialect: str,
    timezone: str,
    now: float,
    records: Fields = MappingProxyType({}),
) -> list[str]:
    """Return the statements that drop and make the views; none for a database without them."""
    if dialect not in {"sqlite", "postgresql"}:
        return []
    words = ViewWords(dialect, timezone, now)
    made = {
        name: text
        for kind in kinds
        if kind.views is not None
        for name, text in kind.views(words, records).items()
    }
    return [
        *(f"DROP VIEW IF EXISTS {name}" for name in made),
        *(f"CREATE VIEW {name} AS {text}" for name, text in made.items()),
    ]


def zone_of_views(dialect: str, timezone: str, now: float) -> str:
    """Return what ``meta.time_zone_of_views`` says."""
    if dialect == "sqlite":
        minutes = offset_minutes(timezone, now)
        sign = "-" if minutes < 0 else "+"
        return f"{timezone} (UTC{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02})"
    return timezone if dialect == "postgresql" else "no views"


def offset_minutes(timezone: str, now: float) -> int:
    """Return how many minutes ``timezone`` is ahead of UTC at ``now`` (seconds since 1970)."""
    offset = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(timezone)).utcoffset()
    return 0 if offset is None else round(offset.total_seconds() / 60)


def _sqlite_words(minutes: int) -> dict[str, Any]:
    here, back = f"'{minutes:+d} minutes'", f"'{-minutes:+d} minutes'"
    text = "'%Y-%m-%dT%H:%M:%fZ'"
    return {
        "local": _Local(f"datetime({{}}, {here})"),
        "midnight": f"strftime({text}, 'now', {here}, 'start of day', {back})",
        "yesterday": f"strftime({text}, 'now', '-1 day')",
        "two_days_ago": f"strftime({text}, 'now', '-2 days')",
        "week_ago": f"strftime({text}, 'now', '-7 days')",
        "false": "0",
    }


def _postgresql_words(timezone: str) -> dict[str, Any]:
    zone = "'" + timezone.replace("'", "''") + "'"
    return {
        "local": _Local(f"{{}} AT TIME ZONE {zone}"),
        "midnight": f"(date_trunc('day', now() AT TIME ZONE {zone}) AT TIME ZONE {zone})",
        "yesterday": "now() - interval '1 day'",
        "two_days_ago": "now() - interval '2 days'",
        "week_ago": "now() - interval '7 days'",
        "false": "false",
    }
