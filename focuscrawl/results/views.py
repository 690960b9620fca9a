"""Views for people: local times, made anew at each start (SQLite and PostgreSQL)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo

_VIEWS = ("today", "hot_stories", "what_changed", "site_health")
"""Names of the views, in the order they are made."""

TODAY = """
CREATE VIEW today AS
SELECT a.topic, {found} AS time, a.host AS site, a.source_name, a.title, a.score, a.hits,
       coalesce(s.articles, 1) AS story_size, a.url
FROM articles a
LEFT JOIN stories s ON s.topic = a.topic AND s.story_id = a.story_id
WHERE a.found >= {midnight} AND a.is_copy = {false}
ORDER BY a.found DESC
"""

HOT_STORIES = """
CREATE VIEW hot_stories AS
SELECT s.topic, s.title, s.hosts AS sites, s.articles, s.copies, s.first_host AS first_site,
       {first_at} AS first_time, {last_at} AS newest, s.story_id
FROM stories s
WHERE s.last_at >= {yesterday} AND s.merged_into IS NULL
ORDER BY s.hosts DESC, s.articles DESC, s.last_at DESC
"""

WHAT_CHANGED = """
CREATE VIEW what_changed AS
SELECT topic, {changed_at} AS time, kind, what, title, url, fields, diff, version
FROM changes
WHERE at >= {week_ago}
ORDER BY at DESC
"""

SITE_HEALTH = """
CREATE VIEW site_health AS
SELECT topic, host, state, {last_ok} AS last_ok,
       round(CAST(100.0 * coalesce(errors, 0)
             / (CASE WHEN coalesce(pages, 0) + coalesce(errors, 0) = 0 THEN 1
                     ELSE coalesce(pages, 0) + coalesce(errors, 0) END) AS numeric), 1)
           AS error_percent,
       CASE WHEN state = 'banned' THEN {until} END AS banned_until, last_error, delay_s
FROM sites
WHERE last_ok IS NULL OR last_ok < {two_days_ago} OR state IN ('banned', 'blocked', 'unreachable')
   OR coalesce(errors, 0) > coalesce(pages, 0)
ORDER BY last_ok
"""


_RECORD = """
CREATE VIEW {view} AS
SELECT topic, {columns}, url, host, complete, {found} AS found, {updated} AS updated, {gone_at} AS gone_at
FROM records
WHERE record_type = '{name}'
"""


def view_statements(
    dialect: str,
    timezone: str,
    now: float,
    records: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[str]:
    """Return the statements that drop and make the views; none for a database without them.

    ``records`` are the fields of each kind of record: ``record_NAME`` has a column for each, lists
    joined by 、. SQLite knows no time zones, so its views use the offset ``timezone`` has at ``now``.
    """
    if dialect == "sqlite":
        words = _sqlite_words(offset_minutes(timezone, now))
    elif dialect == "postgresql":
        words = _postgresql_words(timezone)
    else:
        return []
    drops = [f"DROP VIEW IF EXISTS {name}" for name in _VIEWS]
    words |= {one: words["local"].format(f"s.{one}") for one in ("first_at", "last_at")}
    words["changed_at"] = words["local"].format("at")
    made = [view.format_map(words) for view in (TODAY, HOT_STORIES, WHAT_CHANGED, SITE_HEALTH)]
    for name, fields in records.items():
        view = f"record_{name}"
        column = _sqlite_field if dialect == "sqlite" else _postgresql_field
        columns = ", ".join(f'{column(one)} AS "{one}"' for one in fields)
        times = {one: words["local"].format(one) for one in ("found", "updated", "gone_at")}
        drops.append(f"DROP VIEW IF EXISTS {view}")
        made.append(_RECORD.format(view=view, columns=columns, name=name, **times))
    return [*drops, *made]


def _sqlite_field(name: str) -> str:
    inside = f"json_each(data, '$.\"{name}\"')"
    return f"(SELECT group_concat(value, '、') FROM {inside})"  # noqa: S608 - a checked name


def _postgresql_field(name: str) -> str:
    value = f"data->'{name}'"
    elements = f"jsonb_array_elements_text({value}) AS one"
    joined = f"(SELECT string_agg(one, '、') FROM {elements})"  # noqa: S608 - a checked name
    return f"CASE jsonb_typeof({value}) WHEN 'array' THEN {joined} ELSE data->>'{name}' END"


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


def _sqlite_words(minutes: int) -> dict[str, str]:
    here, back = f"'{minutes:+d} minutes'", f"'{-minutes:+d} minutes'"
    text = "'%Y-%m-%dT%H:%M:%fZ'"
    return {
        "found": f"datetime(a.found, {here})",
        "local": f"datetime({{}}, {here})",
        "last_ok": f"datetime(last_ok, {here})",
        "until": f"datetime(until, {here})",
        "midnight": f"strftime({text}, 'now', {here}, 'start of day', {back})",
        "yesterday": f"strftime({text}, 'now', '-1 day')",
        "two_days_ago": f"strftime({text}, 'now', '-2 days')",
        "week_ago": f"strftime({text}, 'now', '-7 days')",
        "false": "0",
    }


def _postgresql_words(timezone: str) -> dict[str, str]:
    zone = "'" + timezone.replace("'", "''") + "'"
    return {
        "local": f"{{}} AT TIME ZONE {zone}",
        "found": f"a.found AT TIME ZONE {zone}",
        "last_ok": f"last_ok AT TIME ZONE {zone}",
        "until": f"until AT TIME ZONE {zone}",
        "midnight": f"(date_trunc('day', now() AT TIME ZONE {zone}) AT TIME ZONE {zone})",
        "yesterday": "now() - interval '1 day'",
        "two_days_ago": "now() - interval '2 days'",
        "week_ago": "now() - interval '7 days'",
        "false": "false",
    }
