"""The baseline: what stood there when it was looked at first is known, and no news.

Whether something is known goes with its URL: ``Waiting.baseline`` is the moment at which what led to it was
looked at first, 0 for what was found later. The sources of a template wait with the moment at which they were
queued, their links inherit it, and those of pages that are visited again have none. So it holds through kills,
limits and any number of processes, for a run that stays as for one that ends, and needs no end: a baseline is
over when the last URL that bears it was read. What a page says to be dated behind that moment is new all the
same; what has no date is known.

A URL of three kinds gets its baseline when it is read (``baseline_of``): one that waited in a crawl file of an
earlier version, one that is visited for the first time since the template admits or judges otherwise, and a
feed or sitemap that a site has named.
"""
