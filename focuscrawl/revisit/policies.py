"""Policies: what a visit teaches, how long to wait, and which pages go first (B3, B4).

All four read and write the same two numbers of a page, so a topic may change from one to another
at any time. A policy knows nothing of bounds, leases or failures: see revisit.visits.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple, Protocol

from focuscrawl.revisit.formulas import MEASURES
from focuscrawl.revisit.rules import RevisitRules


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


class Policy(Protocol):
    """How visits are spread over time. Durations in seconds."""

    by_value: bool
    """Whether a period takes the best pages, due or not, and the price follows (needs a budget)."""

    def learn(
        self, watched: Watched, waited: float, changed: bool, *, told_after: float | None = None
    ) -> tuple[float, float]:
        """Return t and x after a visit ``waited`` seconds after the one before.

        ``told_after``: so many seconds after it a signal said that the page had changed.
        """

    def wait(self, watched: Watched, price: float) -> float:
        """Return the seconds from the last visit to the next; inf for no visit."""

    def worth(self, watched: Watched, age: float) -> float:
        """Return what a visit ``age`` seconds after the last is worth, in terms of the price."""

    def worth_signalled(self, watched: Watched, trust: float) -> float:
        """Return what a visit after a signal is worth that ``trust`` of the times is true."""


class PublishedPolicy:
    """``tx``, as published: t grows by the interval, x by one a change, the interval is t/x."""

    by_value = False

    def learn(
        self, watched: Watched, waited: float, changed: bool, *, told_after: float | None = None
    ) -> tuple[float, float]:
        """Return t + interval and x + 1 if changed."""
        return watched.observed + waited, watched.changes + (1 if changed else 0)

    def wait(self, watched: Watched, price: float) -> float:
        """Return t/x, before the second visit the first interval."""
        # A page that changes at every visit waits half its first interval for ever. Simulated over four
        # kinds of webs and three budgets that is worse than taking turns, in all twelve.
        if not watched.observed:
            return watched.first
        return watched.observed / watched.changes

    def worth(self, watched: Watched, age: float) -> float:
        """Return how late the page is: pages go in the order of their dates."""
        return age - self.wait(watched, 0.0)

    def worth_signalled(self, watched: Watched, trust: float) -> float:
        """Return a value that goes before others: the published method knows no signals."""
        return watched.first * trust


class IndexPolicy:
    """``index``: a visit is worth what staleness it is expected to end; all are worth one price.

    f = max(g, 2^(-waited/H)); t = f·t + waited; x = 1 + f·(x - 1) + changed; then the rate of
    change is Gamma(x, t + first), see revisit.formulas. Of a change that a signal has told, the
    time until then counts: more changes may have come while the page waited, and one change in all
    that time would make a fast page look slow, and each of its signals worth a visit.
    """

    by_value = True

    def __init__(self, rules: RevisitRules) -> None:
        self._measure = MEASURES[rules.objective]
        self._memory = rules.memory
        self._half_life = rules.half_life

    def learn(
        self, watched: Watched, waited: float, changed: bool, *, told_after: float | None = None
    ) -> tuple[float, float]:
        """Return t and x, forgetting a little of what was before."""
        kept = 2.0 ** (-waited / self._half_life)
        kept = max(kept, self._memory)
        changes = 1.0 + kept * (watched.changes - 1.0)
        if not changed:
            return kept * watched.observed + waited, changes
        waited = waited if told_after is None else min(waited, told_after)
        return kept * watched.observed + waited, changes + 1.0

    def wait(self, watched: Watched, price: float) -> float:
        """Return the age at which a visit is worth the price."""
        b = (watched.observed + watched.first) * watched.silence
        return self._measure.wait(price / watched.weight, watched.changes, b)

    def worth(self, watched: Watched, age: float) -> float:
        """Return the weighted value of a visit at this age."""
        b = (watched.observed + watched.first) * watched.silence
        return watched.weight * self._measure.value(age, watched.changes, b)

    def worth_signalled(self, watched: Watched, trust: float) -> float:
        """Return q·b/a: a true signal spares the mean time to the next change."""
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
        """Return how late the page is."""
        return age - watched.first


class NoPolicy(FixedPolicy):
    """``off``: no page twice."""

    def wait(self, watched: Watched, price: float) -> float:
        """Return inf: never."""
        return inf


def make_policy(rules: RevisitRules) -> Policy:
    """Return the policy of a topic."""
    if rules.name == "tx":
        return PublishedPolicy()
    kind = {"index": IndexPolicy, "fixed": FixedPolicy, "off": NoPolicy}[rules.name]
    return kind(rules)
