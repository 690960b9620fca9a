"""How sites are treated: delays, hours, quotas, robots.txt, and what is sent to them.

A site may be asked now, pauses, is held (Retry-After, a long Crawl-delay), is closed for the hour, or has
given its share of pages. The invariant: of all pauses that the template, Scrapy's settings and a site name
the longest counts, and what a site has asked for holds over restarts. A pause is drawn from delay …
delay · (1 + jitter). The frontier draws and keeps it (``frontier.lines.Politeness``); this feature brings the
delays that are written and asked for.
"""
