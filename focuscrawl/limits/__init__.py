"""Limits that are exact, over all processes of a crawl: ``limits.pages`` and ``limits.articles``."""
