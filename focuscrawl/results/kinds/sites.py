"""What is known besides what was found: of each site, and what people say of pages."""

from __future__ import annotations

from dataclasses import dataclass

from focuscrawl.results.columns import (
    JSON_COLUMN,
    SMALL_COUNT,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.results.kind import RowContext, RowKind, RowValues, row_by_names
from focuscrawl.results.schema import views
from focuscrawl.results.upsert import last
from focuscrawl.values import Json

SITES = table(
    "sites",
    key_column("host", LineColumn(255)),
    must("state", LineColumn(12)),
    may("evidence", JSON_COLUMN),
    may("until", Time),
    may("pages", SMALL_COUNT),
    may("relevant", SMALL_COUNT),
    may("articles", SMALL_COUNT),
    may("errors", SMALL_COUNT),
    may("delay_s", Figure),
    may("delay_from", LineColumn(16)),
    may("last_ok", Time),
    may("last_error", LineColumn(200)),
    may("updated", Time),
    about="What is known of each site.",
)

LABELS = table(
    "labels",
    key_column("target", LineColumn(16)),
    key_column("target_key", LineColumn(255)),
    must("label", LineColumn(16)),
    may("note", TextColumn),
    may("who", LineColumn(80)),
    must("at", Time),
    about="Judgements and notes by people; input for training.",
)

SITE_HEALTH = """
SELECT topic, host, state, {local:last_ok} AS last_ok,
       round(CAST(100.0 * coalesce(errors, 0)
             / (CASE WHEN coalesce(pages, 0) + coalesce(errors, 0) = 0 THEN 1
                     ELSE coalesce(pages, 0) + coalesce(errors, 0) END) AS numeric), 1)
           AS error_percent,
       CASE WHEN state = 'banned' THEN {local:until} END AS banned_until, last_error, delay_s
FROM sites
WHERE last_ok IS NULL OR last_ok < {two_days_ago} OR state IN ('banned', 'blocked', 'unreachable')
   OR coalesce(errors, 0) > coalesce(pages, 0)
ORDER BY last_ok
"""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """What is known of a site. Counters are totals; None leaves what is stored."""

    host: str
    state: str = "unknown"
    evidence: Json | None = None
    until: float | None = None
    pages: int | None = None
    relevant: int | None = None
    articles: int | None = None
    errors: int | None = None
    delay_s: float | None = None
    delay_from: str | None = None
    last_ok: float | None = None
    last_error: str | None = None
    updated: float | None = None


_by_names = row_by_names(SITES)


def site_row(site: SiteRow, context: RowContext) -> RowValues:
    """Return the row of a site."""
    return {**_by_names(site, context), "updated": site.updated or context.now}


SITE_ROWS = RowKind(
    SITES,
    site_row,
    item=SiteRow,
    latest=True,
    merge={
        one.name: last(one.name)
        for one in SITES.columns
        if one.name not in {"topic", "host", "state", "until"}
    },
    views=views(site_health=SITE_HEALTH),
)

LABEL_ROWS = RowKind(LABELS, address="target_key")
