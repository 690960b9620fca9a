"""Policies: what a visit teaches and is worth, how long to wait, and which pages go first (B3, B4).

All read and write the same two numbers of a page, so a topic may change from one to another at any
time. A policy knows nothing of bounds, reservations or failures: see features.revisit.visits.

By ``index``, the default, a page's rate of change is Gamma(a, b): a changes in b seconds (a = x,
b = t + first interval). ``age`` is the time since the last visit; it, values and prices are seconds.

    A(s) = b/(a-1) · (1 - (1 + s/b)^(1-a))    expected time for which the copy has been current
                                              (a = 1: b·ln(1 + s/b))
    V(s) = s - A(s)                           expected time it has been out of date: a visit's worth
"""

from __future__ import annotations

from math import expm1, inf, log, log1p, sqrt
from typing import NamedTuple

from focuscrawl.features.revisit.table import PolicyName, RevisitRules

NEARLY = 1e-6
"""Where Newton stops: the last step squares the error."""

_MOST_PRICE_STEPS = 64  # some five are usual
_SMALL_STEP = 1e-3
"""Ages, in b/a, under which the difference s - A(s) is taken from its series."""

RESTLESS_SHARE = 0.2
"""So much of a budget pages that change at every visit may take without a discount. A few such pages
take a tenth of it (benchmarks.freshness, worlds poisson and mixed), three pages in ten half of it."""

LARGEST_DISCOUNT = 1e6  # a bound only: where every page is restless nothing else would stop it


def _current(length: float, a: float) -> float:
    """Return A(s)/b; ``length`` is ln(1 + s/b)."""
    power = (1 - a) * length
    return length * expm1(power) / power if power else length


def chance_of_change(age: float, a: float, b: float) -> float:
    """Return the probability that a page has changed since its last visit: 1 - (1 + s/b)^(-a)."""
    return -expm1(-a * log1p(age / b)) if b > 0 else 1.0


def stale_value(age: float, a: float, b: float) -> float:
    """Return how long a copy of this age has been out of date, as expected: V(s)."""
    u = age / b
    if u * (a + 4) < _SMALL_STEP:
        # The difference of two nearly equal numbers: its series loses no digits.
        tail = 1 - (a + 2) * u / 4 * (1 - (a + 3) * u / 5 * (1 - (a + 4) * u / 6))
        return b * a * u * u / 2 * (1 - (a + 1) * u / 3 * tail)
    return b * (u - _current(log1p(u), a))


def stale_wait(price: float, a: float, b: float) -> float:
    """Return the age at which ``stale_value`` is ``price``; inf when that is out of reach.

    Newton: the value is convex (its slope is 1 - (1 + s/b)^(-a)), so every step but the first comes
    from the right. The first guess is right where the price is small or large, and near it between.
    """
    y = price / b
    u = sqrt(y * (y + 2 / a))
    for _ in range(_MOST_PRICE_STEPS):
        slope = -expm1(-a * log1p(u))
        if not slope > 0:
            return inf
        step = (stale_value(u, a, 1.0) - y) / slope
        u -= step
        if abs(step) <= NEARLY * u:
            break
    return u * b


def starting_price(first: float) -> float:
    """Return the price at which a page never visited again waits exactly ``first`` seconds."""
    return first * (1 - log(2))


LEAST_PRICE = 1e-3
"""Seconds of staleness: no price is lower."""


def moved_price(price: float, worst: float, step: float) -> float:
    """Return the price after a period whose worst page taken was worth ``worst``.

    price · (worst/price)^step, a running mean in logarithms; one period moves it by a factor of
    1000^step at most, so that a single odd page does not matter.
    """
    ratio = min(max(worst / price, 1e-3), 1e3)
    return float(min(max(price * ratio**step, LEAST_PRICE), 1e12))


def moved_discount(discount: float, share: float, step: float) -> float:
    """Return by what visits to restless pages are divided after a period.

    ``share`` of its visits went to them. What they ask for is about share · discount, and where that
    is so many times RESTLESS_SHARE they get as many times less than RESTLESS_SHARE: the discount
    comes to rest where share is RESTLESS_SHARE ÷ √discount.
    """
    # One odd period must not move it by more than a tenfold excess would.
    excess = min(share * sqrt(discount) / RESTLESS_SHARE, 10.0) - 1.0
    return min(max(discount * (1.0 + step * excess), 1.0), LARGEST_DISCOUNT)


class Watched(NamedTuple):
    """What is known of a page: ``observed`` is t in seconds, ``changes`` is x.

    ``first`` is the first interval of its class. ``weight`` is w, what a second of staleness costs
    here: that of an article's page is 1. ``silence`` is 1/(1-r): how much longer than others a
    page may wait whose site would have signalled a change with probability r.
    """

    observed: float
    changes: float
    first: float
    weight: float = 1.0
    silence: float = 1.0


class IndexPolicy:
    """``index``: a visit is worth what staleness it is expected to end; all are worth one price.

    f = max(g, 2^(-waited/H)); t = f·t + waited; x = 1 + f·(x - 1) + changed; then the rate of
    change is Gamma(x, t + first). Of a change that a signal has told, the time until then counts:
    more changes may have come while the page waited, and one change in all that time would make a
    fast page look slow, and each of its signals worth a visit.
    """

    by_value = True
    """Whether a period takes the best pages, due or not, and the price follows (needs a budget)."""

    def __init__(self, rules: RevisitRules) -> None:
        self._memory = rules.memory
        self._half_life = rules.half_life

    def learn(
        self, watched: Watched, waited: float, changed: bool, *, told_after: float | None = None
    ) -> tuple[float, float]:
        """Return t and x after a visit ``waited`` seconds after the one before.

        ``told_after``: so many seconds after it a signal announced a change.
        """
        kept = 2.0 ** (-waited / self._half_life)
        kept = max(kept, self._memory)
        changes = 1.0 + kept * (watched.changes - 1.0)
        if not changed:
            return kept * watched.observed + waited, changes
        waited = waited if told_after is None else min(waited, told_after)
        return kept * watched.observed + waited, changes + 1.0

    def wait(self, watched: Watched, price: float) -> float:
        """Return the seconds from the last visit to the next; inf for no visit."""
        b = (watched.observed + watched.first) * watched.silence
        return stale_wait(price / watched.weight, watched.changes, b)

    def worth(self, watched: Watched, age: float) -> float:
        """Return what a visit ``age`` seconds after the last is worth, in terms of the price."""
        b = (watched.observed + watched.first) * watched.silence
        return watched.weight * stale_value(age, watched.changes, b)

    def worth_signalled(self, watched: Watched, trust: float) -> float:
        """Return what a visit after a signal is worth that ``trust`` of the times is true.

        q·b/a: a true signal spares the mean time to the next change.
        """
        # Were signalled pages simply first, fast ones always would be: simulated, .774 of all pages were
        # fresh then, and .827 without any signal.
        return watched.weight * trust * (watched.observed + watched.first) / watched.changes


class FixedPolicy(IndexPolicy):
    """``fixed``: always the first interval. It learns like ``index``, for a topic that changes."""

    by_value = False

    def wait(self, watched: Watched, price: float) -> float:
        """Return the first interval."""
        return watched.first

    def worth(self, watched: Watched, age: float) -> float:
        """Return how late the page is: pages go in the order of their dates."""
        return age - self.wait(watched, 0.0)


class NoPolicy(FixedPolicy):
    """``off``: no page twice."""

    def wait(self, watched: Watched, price: float) -> float:
        """Return inf: never."""
        return inf


class PublishedPolicy(FixedPolicy):
    """``tx``, as published: t grows by the interval, x by one a change, the interval is t/x."""

    def learn(
        self, watched: Watched, waited: float, changed: bool, *, told_after: float | None = None
    ) -> tuple[float, float]:
        """Return t + interval and x + 1 if changed."""
        return watched.observed + waited, watched.changes + (1 if changed else 0)

    def wait(self, watched: Watched, price: float) -> float:
        """Return t/x, before the second visit the first interval."""
        # A page that changes at every visit waits half its first interval for ever. Simulated over four
        # kinds of webs and three budgets that is worse than taking turns, in all twelve.
        return watched.observed / watched.changes if watched.observed else watched.first

    def worth_signalled(self, watched: Watched, trust: float) -> float:
        """Return a value that goes before others: the published method knows no signals."""
        return watched.first * trust


POLICIES: dict[PolicyName, type[IndexPolicy]] = {
    "index": IndexPolicy,
    "tx": PublishedPolicy,
    "fixed": FixedPolicy,
    "off": NoPolicy,
}
