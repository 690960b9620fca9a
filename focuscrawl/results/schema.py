"""The schema of the results database: names and meanings are an interface for people.

A new version only adds tables and columns and raises SCHEMA_VERSION.
"""

from __future__ import annotations

from focuscrawl.results.columns import METADATA, MYSQL
from focuscrawl.results.tables_content import (
    ARTICLES,
    CHANGES,
    FILES,
    POSTS,
    RECORDS,
    STORIES,
    STORY_MEMBERS,
    THREADS,
    VERSIONS,
)
from focuscrawl.results.tables_crawl import (
    CRAWL_RUNS,
    LABELS,
    META,
    NOTICES,
    PAGES,
    SEEDS,
    SERIES,
    SITES,
)

SCHEMA_VERSION = 1
"""Kept as ``schema`` in the table meta."""

for _table in METADATA.tables.values():
    for _dialect in MYSQL:
        # a collation that tells A from a: keys such as a search query must not fall together
        _table.dialect_options[_dialect].update(
            {"engine": "InnoDB", "charset": "utf8mb4", "collate": "utf8mb4_bin"}
        )

__all__ = [
    "ARTICLES",
    "CHANGES",
    "CRAWL_RUNS",
    "FILES",
    "LABELS",
    "META",
    "METADATA",
    "NOTICES",
    "PAGES",
    "POSTS",
    "RECORDS",
    "SCHEMA_VERSION",
    "SEEDS",
    "SERIES",
    "SITES",
    "STORIES",
    "STORY_MEMBERS",
    "THREADS",
    "VERSIONS",
]
