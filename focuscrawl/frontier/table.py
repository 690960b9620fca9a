"""The table [queues]: what is fetched first."""

from __future__ import annotations

from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import flag, whole


# fmt: off
class QueuesTable(Table, path="queues", doc="what is fetched first"):
    """[queues]: what first. ``in_flight`` is variant A5."""

    levels: int = key(whole(1, 10), 5,
        "How many levels there are; the highest is served first.",
        "levels = 5")
    in_flight: bool = key(flag(), False,
        "Whether a level's weight is divided by 1 + its requests in flight, so that no level holds all places.",
        "in_flight = true")
    waiting: int = key(whole(1_000, 100_000_000), 100_000,
        "How many URLs of one site wait at most, or as many as take 100 MB; further links are refused (`crowded`) until some were fetched. Not with `strict` here, in [explore] or [search].",
        "waiting = 500000")
    strict: bool = key(flag(), False,
        "Weights to the letter of the published method.",
        "strict = false")
# fmt: on
