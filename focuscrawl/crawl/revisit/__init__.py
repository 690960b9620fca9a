"""Visits put on a crawl (B): which pages are watched, what tells that they changed or are missing."""
