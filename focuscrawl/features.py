"""The features of a crawl, as dotted names in the order of their turns: the only file that names them.

It imports nothing, so that commands that load no feature pay for none.
"""

FEATURES = (
    "focuscrawl.articles.feature.Articles",
    "focuscrawl.running.forums.Forums",
    "focuscrawl.running.signals.Signals",
    "focuscrawl.running.unrecognised.Unrecognised",
)

ROWS = (
    "focuscrawl.results.kinds.pages",
    "focuscrawl.articles.rows.articles",
    "focuscrawl.results.kinds.versions",
    "focuscrawl.results.kinds.sites",
    "focuscrawl.search.rows",
    "focuscrawl.forums.rows",
    "focuscrawl.stories.rows",
    "focuscrawl.records.rows",
    "focuscrawl.results.kinds.runs",
    "focuscrawl.results.kinds.changes",
)
"""Modules with kinds of rows, in the order in which a commit window writes them: changes
come last, since writing the others decides what has changed."""
