"""Numbered steps from one version of the crawl file to the next.

``STEPS[n]`` holds the SQL statements that turn version n into version n + 1. Each change of the
schema raises VERSION, adds its step, and comes with a test that opens a file of the old version.
"""

VERSION = 2

STEPS: dict[int, str] = {
    # Version 2 keeps the lane of exploration beside a row: step, score and folder of its URL.
    1: "ALTER TABLE urls ADD COLUMN lane INTEGER NOT NULL DEFAULT 0",
}
