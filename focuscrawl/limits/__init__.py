"""Limits of a run that are counted in what it finds: ``limits.articles`` is exact, over all processes of a crawl."""
