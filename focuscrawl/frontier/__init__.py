"""What to fetch next: weighted multi-level URL queues (method A).

A URL is waiting, in flight, failed, parked or done; it is in one of these at any time, and what a crash
finds in flight is waiting again. Level i of ``top`` weighs

    waiting_i ÷ factor^(top − i)

and the heaviest level with a URL whose site may be asked is served; ``factor`` is the mean number of new
links on a board that is read again. URLs that lead into the unknown wait beside the levels, in an order
that the caller passes in (``lines.Order``), and get a share of the picks.
"""
