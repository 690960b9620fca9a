"""Policies to compare with, over arrays: what others do, and what one could do knowing the rates."""

from __future__ import annotations

import numpy as np

from benchmarks.parts.revisit_worlds import (
    DAY,
    PERIOD,
    PERIODS,
    SITE_CAP,
    Flags,
    Floats,
    Ints,
    World,
)

HOUR = 3600.0


def best(values: Floats, most: int, site: Ints) -> Ints:
    """Return the pages of the highest values, at most SITE_CAP of a site; -inf is never taken."""
    order = np.argsort(-values, kind="stable")
    order = order[: np.searchsorted(-values[order], np.inf)]
    sites = site[order]
    grouped = np.argsort(sites, kind="stable")
    starts = np.searchsorted(sites[grouped], sites[grouped])
    place = np.empty(len(order), np.int64)
    place[grouped] = np.arange(len(order)) - starts
    return order[place < SITE_CAP][:most]


class Oldest:
    """What visits are worth, told of every period and every visit: here, the age."""

    def __init__(self, world: World) -> None:
        self.rates = world.known_rates
        self.age = np.zeros(len(world.site))

    def next(self, period: int) -> Floats:
        """Return the values at the beginning of a period."""
        self.age += PERIOD
        return self.age.copy()

    def visited(self, pages: Ints) -> None:
        """Note visits."""
        self.age[pages] = 0


class FreshOracle(Oldest):
    """(1 - (1 + u)·e^-u)/rate, where u is the number of changes expected since the last visit."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.expected = np.zeros_like(self.age)

    def next(self, period: int) -> Floats:
        """Return what visits add to freshness."""
        self.expected += self.rates[max(0, period - 1)] * PERIOD
        u, rate = self.expected, np.maximum(self.rates[period], 1e-12)
        return np.asarray((1 - (1 + u) * np.exp(-u)) / rate)

    def visited(self, pages: Ints) -> None:
        """Note visits."""
        self.expected[pages] = 0


class StaleOracle(FreshOracle):
    """The expected time that a copy has been out of date."""

    def next(self, period: int) -> Floats:
        """Return the time that visits end."""
        super().next(period)
        self.age += PERIOD * -np.expm1(-self.expected)
        return self.age.copy()

    def visited(self, pages: Ints) -> None:
        """Note visits."""
        self.age[pages] = 0
        self.expected[pages] = 0


def by_value(world: World, budget: float, values: Oldest) -> Flags:
    """Visit the pages of the highest values, as many as the budget allows; return the visits."""
    visited = np.zeros(world.counts.shape, bool)
    known_dead = np.zeros(len(world.site), bool)
    left = 0.0
    for period in range(PERIODS):
        appeared = np.flatnonzero(world.appears == period)
        left += budget
        worth = values.next(period)
        worth[(world.appears >= period) | known_dead] = -np.inf
        taken = best(worth, int(left), world.site)
        left -= int(left)
        known_dead[taken] = world.dies[taken] <= period
        visited[period, taken] = visited[period, appeared] = True
        values.visited(taken)
        values.visited(appeared)
    return visited


class Adaptive:
    """Intervals that shrink when a page changed and grow when it did not."""

    def __init__(self, pages: int) -> None:
        self.interval = np.full(pages, DAY)

    def after(self, pages: Ints, changed: Flags, since_change: Floats) -> Floats:
        """Return the seconds until the next visit of pages just visited."""
        raise NotImplementedError


class NutchLike(Adaptive):
    """Nutch's adaptive schedule with a first interval of a day: × 0.8 or × 1.4, sync 0.3."""

    def after(self, pages: Ints, changed: Flags, since_change: Floats) -> Floats:
        """Return the interval, less 0.3 of the time since the last change seen."""
        interval = self.interval[pages] * np.where(changed, 0.8, 1.4)
        since = np.where(changed, 0.0, since_change)
        interval = np.clip(np.maximum(interval, since), 60.0, 90 * DAY)
        self.interval[pages] = interval
        return np.asarray(interval - 0.3 * since)


class StormCrawlerLike(Adaptive):
    """StormCrawler's adaptive scheduler: half-way to an hour, or × 1.5 up to 14 days."""

    def after(self, pages: Ints, changed: Flags, since_change: Floats) -> Floats:
        """Return the interval."""
        before = self.interval[pages]
        interval = np.where(changed, before / 2 + HOUR / 2, before * 1.5)
        self.interval[pages] = np.clip(interval, HOUR, 14 * DAY)
        return np.asarray(self.interval[pages])


def by_interval(world: World, budget: float, policy: Adaptive) -> Flags:
    """Visit what is due, the longest overdue first, within the budget; return the visits."""
    visited = np.zeros(world.counts.shape, bool)
    due = np.asarray(world.appears + DAY / PERIOD, np.float64)
    last = world.appears.copy()
    last_change = world.appears.copy()
    left = 0.0
    for period in range(PERIODS):
        visited[period] = world.appears == period
        left = min(left + budget, 2 * budget + 1)
        late = np.where((world.appears < period) & (due <= period), period - due, -np.inf)
        taken = best(late, int(left), world.site)
        left -= len(taken)
        changed = world.changes[period, taken] > world.changes[last[taken], taken]
        last_change[taken[changed]] = period
        last[taken] = period
        visited[period, taken] = True
        since = np.asarray((period - last_change[taken]) * PERIOD, np.float64)
        due[taken] = period + policy.after(taken, changed, since) / PERIOD
        due[taken[world.dies[taken] <= period]] = np.inf
    return visited
