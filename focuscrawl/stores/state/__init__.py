"""The crawl's own state: the protocol of a store, and the embedded one, a SQLite file.

A URL is waiting, in flight, failed, parked or done: one fact in one place. The invariant: a row leaves
the store in the transaction that brings the links found on it, or in a later one, never before.
"""
