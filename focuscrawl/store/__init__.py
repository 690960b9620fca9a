"""The crawl's own state: the protocol of a store, and the embedded one, a SQLite file."""
