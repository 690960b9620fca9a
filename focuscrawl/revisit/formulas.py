"""What a visit is worth, and when it is worth a price: the index of method B's default form.

A page's rate of change is taken as Gamma(a, b): a changes in b seconds (a = x, b = t + first
interval). ``age`` is the time since the last visit, in seconds; so are values and prices.

    survival   S(s) = (1 + s/b)^(-a)                         the copy is still current
    current    A(s) = b/(a-1) · (1 - (1 + s/b)^(1-a))        expected time it has been (the integral
                                                             of S; a = 1: b·ln(1 + s/b))
    stale      V(s) = s - A(s)                               expected time it has been out of date
    fresh      V(s) = A(s) - s·S(s)                          what a visit adds to freshness; bounded
    delay      V(s) = a/b · s²/2                             expected sum of the changes' delays
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log1p, sqrt
from typing import NamedTuple

from focuscrawl.revisit.rules import Objective

NEARLY = 1e-6
"""Where Newton stops: the last step squares the error."""

_MOST_STEPS = 64  # some five are usual
_SMALL = 1e-3
"""Ages, in b/a, under which the difference s - A(s) is taken from its series."""


RESTLESS_SHARE = 0.2
"""So much of a budget pages that change at every visit may take without a discount. A few such pages
take a tenth of it (benchmarks.freshness, worlds poisson and mixed), three pages in ten half of it."""

LARGEST_DISCOUNT = 1e6  # a bound only: where every page is restless nothing else would stop it


def survival(age: float, a: float, b: float) -> float:
    """Return the probability that a copy of this age is still current."""
    return exp(-a * log1p(age / b))


def time_current(age: float, a: float, b: float) -> float:
    """Return how long a copy of this age has been current, as expected."""
    return b * _current(log1p(age / b), a)


def _current(length: float, a: float) -> float:
    """Return A(s)/b; ``length`` is ln(1 + s/b)."""
    power = (1 - a) * length
    return length * expm1(power) / power if power else length


def stale_value(age: float, a: float, b: float) -> float:
    """Return how long a copy of this age has been out of date, as expected."""
    u = age / b
    if u * (a + 4) < _SMALL:
        # The difference of two nearly equal numbers: its series loses no digits.
        tail = 1 - (a + 2) * u / 4 * (1 - (a + 3) * u / 5 * (1 - (a + 4) * u / 6))
        return b * a * u * u / 2 * (1 - (a + 1) * u / 3 * tail)
    return b * (u - _current(log1p(u), a))


def stale_wait(price: float, a: float, b: float) -> float:
    """Return the age at which ``stale_value`` is ``price``; inf when that is out of reach.

    Newton: the value is convex (its slope is 1 - S), so every step but the first comes from the
    right. The first guess is right where the price is small or large, and near it between.
    """
    y = price / b
    u = sqrt(y * (y + 2 / a))
    for _ in range(_MOST_STEPS):
        length = log1p(u)
        if u * (a + 4) < _SMALL:
            excess = stale_value(u, a, 1.0)
        else:
            power = (1 - a) * length
            excess = u - (length * expm1(power) / power if power else length)
        slope = -expm1(-a * length)
        if not slope > 0:
            return inf
        step = (excess - y) / slope
        u -= step
        if abs(step) <= NEARLY * u:
            break
    return u * b


def fresh_value(age: float, a: float, b: float) -> float:
    """Return what visiting a copy of this age adds to freshness, in seconds; under b/(a-1)."""
    u = age / b
    if u * (a + 4) < _SMALL:
        return b * a * u * u / 2 * (1 - 2 * (a + 1) * u / 3 * (1 - 3 * (a + 2) * u / 8))
    length = log1p(u)
    return b * (_current(length, a) - u * exp(-a * length))


def fresh_wait(price: float, a: float, b: float) -> float:
    """Return the age at which ``fresh_value`` is ``price``; inf when it never is.

    The value grows but is not convex: the root is closed in from both sides.
    """
    y = price / b
    if a > 1 and y * (a - 1) >= 1:
        return inf
    low, high = 0.0, max(1.0, y)
    while fresh_value(high, a, 1.0) < y:
        low, high = high, high * 4
        if high > 1e18:  # in b: no page is ever that old
            return inf
    u = (low + high) / 2
    for _ in range(4 * _MOST_STEPS):
        excess = fresh_value(u, a, 1.0) - y
        if excess > 0:
            high = u
        else:
            low = u
        slope = a * u * exp(-(a + 1) * log1p(u))
        guess = u - excess / slope if slope > 0 else -1.0  # Newton, where it stays inside
        inside = low < guess < high
        before, u = u, guess if inside else (low + high) / 2
        if inside and abs(u - before) <= NEARLY * u:
            break
    return u * b


def delay_value(age: float, a: float, b: float) -> float:
    """Return the sum of the delays of all changes since the last visit, as expected."""
    return a / b * age * age / 2


def delay_wait(price: float, a: float, b: float) -> float:
    """Return the age at which ``delay_value`` is ``price``."""
    return sqrt(2 * price * b / a)


class Measure(NamedTuple):
    """An objective: what a visit is worth at an age, and the age at which it is worth a price."""

    value: Callable[[float, float, float], float]
    wait: Callable[[float, float, float], float]


MEASURES: dict[Objective, Measure] = {
    "stale": Measure(stale_value, stale_wait),
    "fresh": Measure(fresh_value, fresh_wait),
    "delay": Measure(delay_value, delay_wait),
}


def starting_price(objective: Objective, first: float) -> float:
    """Return the price at which a page never visited again waits exactly ``first`` seconds.

    For stale it is first · (1 - ln 2).
    """
    return MEASURES[objective].value(first, 1.0, first)


def moved_discount(discount: float, share: float, step: float) -> float:
    """Return by what visits to restless pages are divided after a period.

    ``share`` of its visits went to them. What they ask for is about share · discount, and where that
    is so many times RESTLESS_SHARE they get as many times less than RESTLESS_SHARE: the discount
    comes to rest where share is RESTLESS_SHARE ÷ √discount.
    """
    # One odd period must not move it by more than a tenfold excess would.
    excess = min(share * sqrt(discount) / RESTLESS_SHARE, 10.0) - 1.0
    return min(max(discount * (1.0 + step * excess), 1.0), LARGEST_DISCOUNT)


def moved_price(price: float, worst: float, step: float) -> float:
    """Return the price after a period whose worst page taken was worth ``worst``.

    price · (worst/price)^step, a running mean in logarithms; one period moves it by a factor of
    1000^step at most, so that a single odd page does not matter.
    """
    ratio = min(max(worst / price, 1e-3), 1e3)
    return float(min(max(price * ratio**step, 1e-3), 1e12))
