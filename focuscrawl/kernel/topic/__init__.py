"""What a topic does to a crawl under way: its sources are queued, its changes are applied.

A template is as it was, or another one: of other words (links and stored pages are scored anew), of other
rules (what is queued is checked when it is taken), of other levels, of other dates. The invariant: no
change deletes data, and one that a kill cut short is applied whole by the next run.
"""
