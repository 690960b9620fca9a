"""The life of a URL: queued, fetched, read, settled; it knows nothing of what a page may hold.

A URL is in exactly one of four states. *Waiting*: its row stands in the frontier. *In flight*: a Flight
carries it; its row stays until the flight has ended. *Held*: what failed waits for its time and what a
site's share refused is parked, under the same row. *Ended*: its row is gone and its page's is in the log
book. Invariant: whatever a URL gave is committed before or with the end of its row, results first, so
that a kill at any moment fetches some pages again and loses none.
"""
