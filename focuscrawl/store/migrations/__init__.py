"""Numbered steps from one version of the crawl file to the next.

``STEPS[n]`` holds the SQL statements that turn version n into version n + 1. Each change of the
schema raises VERSION, adds its step, and comes with a test that opens a file of the old version.
"""

VERSION = 4

STEPS: dict[int, str] = {
    # Version 2 keeps the lane of exploration beside a row: step, score and folder of its URL.
    1: "ALTER TABLE urls ADD COLUMN lane INTEGER NOT NULL DEFAULT 0",
    # Version 3 has the index of stories.
    2: """
        CREATE TABLE story_articles (
            number INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, body BLOB NOT NULL);
        CREATE TABLE story_terms (
            term INTEGER, at INTEGER, article INTEGER, PRIMARY KEY (term, at, article)
        ) WITHOUT ROWID;
        CREATE TABLE stories (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID
    """,
    # Version 4 knows how long pages without a next visit were not seen; last_seen reads a state.
    3: """
        ALTER TABLE pages ADD COLUMN unseen REAL;
        UPDATE pages SET unseen = last_seen(body) WHERE next_visit IS NULL;
        CREATE INDEX pages_unseen ON pages (unseen) WHERE unseen IS NOT NULL
    """,
}
