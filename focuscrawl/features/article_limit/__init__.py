"""`limits.articles`, exact over all processes of a crawl."""
