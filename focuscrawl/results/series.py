"""Numbers by minute for charts: kept 14 days, then one mean an hour."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, extract, func, select

from focuscrawl.results.schema import SERIES

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from focuscrawl.results.upsert import Upsert

_MINUTE, _HOUR, SECONDS_OF_DAY = 60, 3600, 86400
KEPT_BY_MINUTE = 14 * SECONDS_OF_DAY
MINUTE_IN_TEXT = 15
"""Where the minutes stand in ``2026-11-20T01:30:00.000Z``, counted from 1."""


def minute_of(moment: float) -> float:
    """Return the beginning of the minute."""
    return float(moment // _MINUTE * _MINUTE)


def thin_series(connection: Connection, topic: str, now: float, series: Upsert) -> int:
    """Replace the minutes of all hours older than 14 days by their mean; return how many went.

    Harmless when repeated: an hour that has one row at its beginning stays as it is.
    """
    end = (now - KEPT_BY_MINUTE) // _HOUR * _HOUR
    old = and_(SERIES.c.topic == topic, SERIES.c.minute < end)
    within = and_(old, _inside_an_hour(connection.dialect.name))
    first = connection.scalar(select(func.min(SERIES.c.minute)).where(within))
    if first is None:
        return 0
    span = and_(old, SERIES.c.minute >= first // _HOUR * _HOUR)
    found = connection.execute(
        select(SERIES.c.name, SERIES.c.minute, SERIES.c.value)
        .where(span)
        .order_by(SERIES.c.name, SERIES.c.minute)
    ).all()
    means = []
    for (name, hour), rows in groupby(found, lambda row: (row.name, row.minute // _HOUR * _HOUR)):
        values = [row.value for row in rows]
        mean = sum(values) / len(values)
        means.append({"topic": topic, "minute": hour, "name": name, "value": mean})
    connection.execute(delete(SERIES).where(span))
    series.write(connection, means)
    return len(found) - len(means)


def _inside_an_hour(dialect: str) -> ColumnElement[bool]:
    if dialect == "postgresql":
        return extract("minute", SERIES.c.minute) != 0
    return func.substr(SERIES.c.minute, MINUTE_IN_TEXT, 2) != "00"
