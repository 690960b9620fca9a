"""The orders that are compared, each handed to a real frontier."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import inf
from typing import NamedTuple

from focuscrawl.features.explore.explorer import StrictOrder
from focuscrawl.features.explore.groups import ALL_ALIKE, NEAREST_FIRST
from focuscrawl.features.explore.ledger import BanRules, Ledger
from focuscrawl.features.explore.offers import BY_FOLDER, BY_SITE
from focuscrawl.features.explore.portfolio import Arms, Portfolio, PortfolioRules

MANY = 10**9


class Strategy(NamedTuple):
    """An order and how it is fed. ``scored``: by predicted relevance, else first come first served.

    ``by_chance``: it draws, so that one crawl of a world says little.
    """

    name: str
    make: Callable[[random.Random], Portfolio | StrictOrder]
    scored: bool = True
    by_chance: bool = False


def plain(luck: random.Random) -> StrictOrder:
    """Return one queue by score, first come first served among equals; nothing is dropped."""
    return StrictOrder(Ledger(BanRules(after=MANY, strict=True)), steps=MANY, quota=MANY)


def _single(order: int) -> Callable[[random.Random], Portfolio]:
    """Return a maker of one order alone: nothing is parked, nothing banned, no distance counts."""
    rules = PortfolioRules(MANY, MANY, orders=(order,), trust=ALL_ALIKE, ties=NEAREST_FIRST)

    def make(luck: random.Random) -> Portfolio:
        return Portfolio(rules, Ledger(BanRules(after=MANY)), Arms(1, luck))

    return make


def _strict(after: int, quota: int) -> Callable[[random.Random], StrictOrder]:
    def make(luck: random.Random) -> StrictOrder:
        ledger = Ledger(BanRules(after=after, lasting=inf, strict=True))
        return StrictOrder(ledger, steps=10, quota=quota)

    return make


def portfolio(luck: random.Random) -> Portfolio:
    """Return the default order as a crawl has it."""
    rules = PortfolioRules()
    return Portfolio(rules, Ledger(BanRules()), Arms(len(rules.orders), luck))


STRATEGIES = (
    Strategy("bfs", plain, scored=False),
    Strategy("best_first", plain),
    Strategy("tunnel", _strict(MANY, MANY)),
    Strategy("strict", _strict(20, 15)),
    Strategy("host_bandit", _single(BY_SITE)),
    Strategy("dir_bandit", _single(BY_FOLDER)),
    Strategy("ours", portfolio, by_chance=True),
)
