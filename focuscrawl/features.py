"""The features of a crawl, as dotted names in the order of their turns: the only file that names them.

It imports nothing, so that commands that load no feature pay for none.
"""

FEATURES = (
    "focuscrawl.running.forums.Forums",
    "focuscrawl.running.signals.Signals",
    "focuscrawl.running.unrecognised.Unrecognised",
)
