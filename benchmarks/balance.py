"""How even the work of several workers is when a few sites have most of the pages.

Nothing is crawled. Sites are drawn whose numbers of pages follow a power law: the one of rank k has as many as a
Pareto law of that exponent says (1.0 is Zipf's law; the smaller, the more of all pages lie on a few sites), at
most LARGEST. Their partition is that of a crawl (``urls.sites.partition_of``), and partitions are shared as by
``stores.redis.scripts.JOIN``: by count. A site gives a page every DELAY seconds, a worker reads RATE pages a second at most,
and its sites take turns. So a worker is held up by its own speed while many of its sites have pages left,
and by the pauses of the last ones when few have.

For each exponent, number of sites and number of workers, median of several draws:

- ``sites``: sites of the worker that has most, over the mean; ``pages``: the same of pages.
- ``hour``: how many times as many pages are read in the first hour as by one worker; ``most``: how many times sooner nine
  tenths of the pages are read; ``all``: all of them.
- ``ideal``: the time to the end over the least possible, which is all pages at the speed of all workers, or the
  largest site at its pauses, whichever is longer. 1 means that no other way to share could be sooner.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.urls.sites import partition_of

DELAY = 2.0
"""Seconds between two pages of a site, with what it takes to answer."""

RATE = 25.0
"""Pages a second that one core reads when they are articles: 36 ms each (benchmarks/results.md, ``reading``)."""

LARGEST = 1_000_000
EXPONENTS = (0.8, 1.0, 1.2, 1.5)
SITES = (300, 3_000, 30_000, 300_000)
WORKERS = (1, 2, 4, 8, 16, 32, 64)
DRAWS, QUICK_DRAWS = 7, 3
MOST, HOUR = 0.9, 3_600.0

_Floats = NDArray[np.float64]
_Numbers = NDArray[np.int64]


class Balance(NamedTuple):
    """What one draw gave; see above."""

    sites: float
    pages: float
    hour: float
    most: float
    all: float
    ideal: float


class Progress(NamedTuple):
    """How many pages a worker has read by when; both grow, and between two moments evenly."""

    seconds: _Floats
    pages: _Floats


def page_counts(sites: int, exponent: float, random: np.random.Generator) -> _Numbers:
    """Draw how many pages sites have."""
    drawn = np.minimum(1.0 + random.pareto(exponent, sites), LARGEST)
    return np.floor(drawn).astype(np.int64)


@cache
def partitions(sites: int) -> _Numbers:
    """Return the partitions of made-up sites, each of its own domain."""
    return np.array([partition_of(f"www.site{number}.cn") for number in range(sites)])


def owners(workers: int, random: np.random.Generator) -> _Numbers:
    """Return which worker holds each partition: as many each, or one more; which ones is chance."""
    return random.permutation(np.arange(PARTITIONS) % workers)


def progress(counts: _Numbers, rate: float = RATE, delay: float = DELAY) -> Progress:
    """Return how a worker comes on with its sites, which take turns.

    While n of them have pages left each is asked ``min(rate / n, 1 / delay)`` times a second, so they end in the order of
    their size.
    """
    sizes, ends = np.unique(counts, return_counts=True)
    left = len(counts) - np.concatenate([[0], np.cumsum(ends)[:-1]])
    more = np.diff(sizes, prepend=0)
    speed = np.minimum(rate, left / delay)
    pages = np.cumsum(more * left)
    seconds = np.cumsum(more * left / speed)
    start = np.zeros(1)
    return Progress(np.concatenate([start, seconds]), np.concatenate([start, pages]))


def pages_until(workers: Sequence[Progress], seconds: float) -> float:
    """Return how many pages have been read by all together until then."""
    return sum(float(np.interp(seconds, one.seconds, one.pages)) for one in workers)


def time_until(workers: Sequence[Progress], pages: float) -> float:
    """Return when so many pages have been read by all together, in seconds."""
    low, high = 0.0, max(float(one.seconds[-1]) for one in workers)
    for _ in range(60):
        middle = (low + high) / 2
        is_enough = pages_until(workers, middle) >= pages
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def balance(sites: int, exponent: float, workers: int, draw: int) -> Balance:
    """Draw sites, and share them."""
    random = np.random.default_rng([draw, sites, round(10 * exponent)])
    counts = page_counts(sites, exponent, random)
    place = partitions(sites)
    owner = owners(workers, random)[place]
    shares = [counts[owner == one] for one in range(workers)]
    runs = [progress(share) for share in shares]
    alone = [progress(counts)]
    total = int(counts.sum())
    pauses = float(counts.max()) * DELAY
    end = max(float(one.seconds[-1]) for one in runs)
    return Balance(
        sites=max(map(len, shares)) * workers / sites,
        pages=max(int(share.sum()) for share in shares) * workers / total,
        hour=pages_until(runs, HOUR) / pages_until(alone, HOUR),
        most=time_until(alone, MOST * total) / time_until(runs, MOST * total),
        all=float(alone[0].seconds[-1]) / end,
        ideal=end / max(total / (RATE * workers), pauses),
    )


def median_balance(sites: int, exponent: float, workers: int, draws: int) -> Balance:
    """Return the medians of several draws."""
    found = [balance(sites, exponent, workers, draw) for draw in range(draws)]
    return Balance(*(round(statistics.median(column), 2) for column in zip(*found, strict=True)))


def main() -> None:
    """Print a table, and all of it as one object by exponent, sites and workers."""
    draws = QUICK_DRAWS if arguments(__doc__).quick else DRAWS
    rows = {
        (exponent, sites, workers): median_balance(sites, exponent, workers, draws)
        for exponent in EXPONENTS
        for sites in SITES
        for workers in WORKERS
    }
    table(
        ["exponent", "all sites", "workers", *Balance._fields],
        [[*key, *found] for key, found in rows.items()],
    )
    finish({"-".join(map(str, key)): found._asdict() for key, found in rows.items()})


if __name__ == "__main__":
    main()
