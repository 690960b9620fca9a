"""The table [queues]: what is fetched first."""

from __future__ import annotations

from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import either, flag, number, whole
from focuscrawl.template.kinds.times import duration


# fmt: off
class Queues(Table, path="queues", doc="what is fetched first"):
    """[queues]: what first. ``factor`` None means measured (A6); ``in_flight`` is variant A5."""

    levels: int = key(whole(1, 10), 5,
        "How many levels there are; the highest is served first.",
        "levels = 5")
    factor: float | None = key(either("measured", number(1.1, 100)), "measured",
        "Divisor between levels: the weight of a level is its length ÷ factor^(levels − level).",
        "factor = 3.5")
    max_wait: float = key(duration(), "1d",
        "The longest a URL of the lowest level waits while its site answers.",
        'max_wait = "12h"')
    in_flight: bool = key(flag(), False,
        "Whether a level's weight is divided by 1 + its requests in flight, so that no level holds all places.",
        "in_flight = true")
    strict: bool = key(flag(), False,
        "Weights to the letter of the published method.",
        "strict = false")
# fmt: on
