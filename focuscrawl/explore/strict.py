"""Sparse tunnelling exactly as published (E1–E5): links are dropped, not parked.

Tests of a link come in the order ban, K, R; what passes waits in one queue, the best predicted
relevance first.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from focuscrawl.explore.groups import STEP_BITS
from focuscrawl.explore.ledger import Ledger
from focuscrawl.values import MOST_STEPS, PROMISE_BITS, PROMISE_MASK

_SEQUENCE_BITS = 48
_SEQUENCE_MASK = (1 << _SEQUENCE_BITS) - 1


class StrictOrder:
    """The published queue and its three tests; ``ledger`` must have strict rules.

    ``steps`` is K (1 … 30), ``quota`` is R. An order in the sense of ``frontier.order.Order``.
    """

    def __init__(self, ledger: Ledger, *, steps: int = 10, quota: int = 15) -> None:
        self.ledger = ledger
        self.steps = steps
        self.quota = quota
        self._names: dict[int, str] = {}
        self._queues: dict[int, list[int]] = {}
        self._ready: list[tuple[int, int]] = []
        self._asleep: set[int] = set()
        self._limited: dict[str, int] = {}
        self._counted: dict[int, str] = {}
        self._flights: dict[int, str] = {}
        self._waiting = 0

    def refuses(self, url: str, site: str, step: int, wall: float) -> str | None:
        """Return why a link is dropped, or None; ``step`` is the step of the page it is on."""
        why = self.ledger.why_not(url, site, wall)
        if why is not None:
            return why
        if step > self.steps:
            return "steps"
        if self._is_limited(site, step) and self._limited.get(site, 0) >= self.quota:
            return "quota"
        return None

    def _is_limited(self, site: str, step: int) -> bool:
        """Whether R counts: the link is not on a relevant page and its site is unknown (E4)."""
        return step > 0 and not self.ledger.is_known(site)

    def add(self, sequence: int, site: int, name: str, folder: int, score: int, step: int) -> None:
        """Let a URL wait that was not refused."""
        self._names[site] = name
        if self._is_limited(name, step):
            self._limited[name] = self._limited.get(name, 0) + 1
            self._counted[sequence] = name
        code = (-score << _SEQUENCE_BITS) | sequence
        queue = self._queues.setdefault(site, [])
        heappush(queue, code)
        self._waiting += 1
        if queue[0] == code and site not in self._asleep:
            heappush(self._ready, (code, site))

    def extend(self, site: int, name: str, folder: int, promises: list[int]) -> None:
        """Let URLs wait that were not refused (``values.Lane.promise`` of each)."""
        for promise in sorted(promises, key=lambda promise: promise & PROMISE_MASK):
            score = promise >> PROMISE_BITS + STEP_BITS
            step = promise >> PROMISE_BITS & MOST_STEPS
            self.add(promise & PROMISE_MASK, site, name, folder, score, step)

    def pick(self, is_ready: Callable[[int], bool], wall: float) -> tuple[int, int] | None:
        """Take the best URL whose site is ready; a fetched one frees its place (E1, E4)."""
        site = self._head(is_ready)
        if site is None:
            return None
        sequence = heappop(self._queues[site]) & _SEQUENCE_MASK
        self._waiting -= 1
        self._asleep.add(site)
        self._flights[sequence] = self._names[site]
        name = self._counted.pop(sequence, None)
        if name is not None:
            self._limited[name] -= 1
        return sequence, site

    def waits(self, is_ready: Callable[[int], bool], wall: float) -> bool:
        """Whether ``pick`` would return a URL."""
        return self._head(is_ready) is not None

    def _head(self, is_ready: Callable[[int], bool]) -> int | None:
        while self._ready:
            code, site = self._ready[0]
            queue = self._queues[site]
            if site in self._asleep or not queue or queue[0] != code:
                heappop(self._ready)
            elif not is_ready(site):
                heappop(self._ready)
                self._asleep.add(site)
            else:
                return site
        return None

    def wake(self, site: int, *, busy: bool = False) -> None:
        """Hear that a site may be asked again, ``busy`` or not."""
        if site in self._asleep:
            self._asleep.discard(site)
            if self._queues[site]:
                heappush(self._ready, (self._queues[site][0], site))

    def judged(self, sequence: int, url: str, relevant: bool, wall: float) -> None:
        """Count a page that was picked here: too many irrelevant ones ban its site (E2)."""
        site = self._flights.pop(sequence, None)
        if site is not None:
            self.ledger.judged(url, site, relevant, wall)

    def ended(self, sequence: int) -> None:
        """Hear that a URL that was picked is no longer in flight."""
        self._flights.pop(sequence, None)

    def counts(self) -> tuple[int, int]:
        """Return how many URLs wait; none is ever parked."""
        return self._waiting, 0
