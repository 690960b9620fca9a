"""What search engines answered, in the results (C2): a row for each address by engine and query."""

from __future__ import annotations

from sqlalchemy import Index

from focuscrawl.stores.results.columns import (
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
from focuscrawl.stores.results.kind import RowKind

SEEDS = table(
    "seeds",
    key_column("engine", LineColumn(40), "The search engine, or list of addresses."),
    key_column("query", LineColumn(200), "What it was asked."),
    key_column("url_key", KEY_COLUMN, "The key of the address it answered."),
    must("url", TextColumn, "That address, without the engine's redirect."),
    may("rank", SMALL_COUNT, "Its place among the answers.", "from 1"),
    may("title", LineColumn(500), "Its title there."),
    may("snippet", TextColumn, "Its text there."),
    may("dated", Time, "The date the engine shows beside it.", "UTC"),
    must("first_found", Time, "When it was answered first.", "UTC"),
    must("last_found", Time, "When it was answered last.", "UTC"),
    may("missing_since", Time, "Since when it is not answered any more; empty: it is.", "UTC"),
    must(
        "state",
        LineColumn(12),
        "What became of it: waiting, skipped, taken, useful, useless, gone.",
    ),
    may("useful", SMALL_COUNT, "The relevant articles and records that it led to.", "items"),
    Index("seeds_url", "topic", "url_key"),
    about="What search engines answered.",
)

SEED_ROWS = RowKind(
    SEEDS, lambda seed, _: dict(seed), keep={"first_found"}, address="url_key", ages="last_found"
)
