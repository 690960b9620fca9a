"""Numbered steps from one version of the crawl file to the next.

``STEPS[n]`` holds the SQL statements that turn version n into version n + 1. Each change of the
schema raises VERSION, adds its step, and comes with a test that opens a file of the old version.
"""

VERSION = 1

STEPS: dict[int, str] = {}
