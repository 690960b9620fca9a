"""What search engines answered, in the results (C2): a row for each address by engine and query."""

from __future__ import annotations

from sqlalchemy import Index

from focuscrawl.results.columns import (
    KEY_COLUMN,
    SMALL_COUNT,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.results.kind import RowKind

SEEDS = table(
    "seeds",
    key_column("engine", LineColumn(40)),
    key_column("query", LineColumn(200)),
    key_column("url_key", KEY_COLUMN),
    must("url", TextColumn),
    may("rank", SMALL_COUNT),
    may("title", LineColumn(500)),
    may("snippet", TextColumn),
    may("dated", Time),
    must("first_found", Time),
    must("last_found", Time),
    may("missing_since", Time),
    must("state", LineColumn(12)),
    may("useful", SMALL_COUNT),
    Index("seeds_url", "topic", "url_key"),
    about="What search engines answered.",
)

SEED_ROWS = RowKind(
    SEEDS, lambda seed, _: dict(seed), keep={"first_found"}, address="url_key", ages="last_found"
)
