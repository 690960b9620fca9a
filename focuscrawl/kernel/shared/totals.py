"""What all processes of a crawl have counted together, and how many pages this one may still fetch.

``limits.pages`` is never exceeded: each process draws tickets ahead, and gives back what it does not use. An
embedded crawl has all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from focuscrawl.kernel.feature import SharedNumber
from focuscrawl.locale.messages import _
from focuscrawl.store.protocol import STATE_NUMBER, WorkerState, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focuscrawl.kernel.run import Run
    from focuscrawl.store.protocol import Fate, StartUrl

ADDED_UP = ("pages", "requests", "articles_new", "articles_changed", "errors")
"""Counters that are limited, or said of the crawl as a whole."""

TICKETS_AHEAD = 16
"""Tickets that are drawn ahead at least: what is usually in flight at once."""


class Totals:
    """The counters of one crawl, over all its processes; ``seconds`` ago it began."""

    def __init__(self, run: Run) -> None:
        self.seconds = 0.0
        self._run = run
        self._tickets = self._asked_for = 0
        self._used_before = 0
        self._are_gone = False
        self._heard: Mapping[str, int] = {}
        self._told: Mapping[str, int] = {}
        factor = run.frontier.factor
        shared = [number for give in run.hooks.shared_numbers for number in give()]
        shared += (
            SharedNumber(
                "links_of_boards",
                lambda: round(factor.total),
                lambda others: factor.hear(total=others),
            ),
            SharedNumber(
                "boards", lambda: factor.boards, lambda others: factor.hear(boards=others)
            ),
        )
        self._shared = {STATE_NUMBER * number.is_state + number.name: number for number in shared}

    def __getitem__(self, name: str) -> int:
        """Return a counter: ours as it is now, the others' as they last said."""
        mine = self._run.tally.counters[name]
        return mine + max(0, self._heard.get(name, 0) - self._told.get(name, 0))

    def may_fetch(self) -> bool:
        """Whether one more page may be fetched (limits.pages)."""
        limit = self._run.template.limits.pages
        if not limit or not self._run.store.is_shared:
            return not limit or self._used() < limit
        return self._used() < self._tickets

    def _lacks(self) -> bool:
        """Whether something waits that no ticket is left for. A worker that has nothing to do needs none:
        one that drew some again and again never let a crawl with ``limits.pages`` end."""
        run = self._run
        if self.may_fetch():
            return False
        return run.frontier.next_wakeup(run.clock.steady(), run.clock.wall()) <= run.config.linger

    def is_over(self) -> bool:
        """Whether all pages there may be were fetched."""
        limit = self._run.template.limits.pages
        return bool(limit) and self["pages"] >= limit

    def _used(self) -> int:
        return self._run.tally.counters["pages"] + len(self._run.flights)

    def state(self, *, idle: bool, started: Sequence[StartUrl]) -> WorkerState:
        """Return what is told to the others."""
        counters, used, lacks = self._run.tally.counters, self._used(), self._lacks()
        # Twice as many as were used since the last beat: a fast crawl never waits for its tickets.
        ahead = max(TICKETS_AHEAD, 2 * (used - self._used_before)) if lacks or not idle else 0
        self._used_before, self._asked_for = used, used + ahead
        self._tickets = min(self._tickets, self._asked_for)  # others may have the rest at once
        idle = idle and (self._are_gone or not lacks)
        self._told = {name: counters[name] for name in ADDED_UP} | {
            name: number.own() for name, number in self._shared.items()
        }
        limit = self._run.template.limits.pages
        return WorkerState(idle, self._told, limit, self._asked_for, started, self._message())

    def _message(self) -> bytes:
        said = {give.__self__.name: give() for give in self._run.hooks.message}
        return packed(said) if said else b""

    def heard(self, fate: Fate, *, of_all: bool = True) -> None:
        """Hear what all have counted; ``of_all``: and what they tell who leads, else what they said before holds."""
        if fate.totals:
            self._heard, self._tickets, self.seconds = fate.totals, fate.tickets, fate.seconds
            self._are_gone = fate.tickets < self._asked_for
            for name, number in self._shared.items():
                number.hear(max(0, fate.totals.get(name, 0) - self._told.get(name, 0)))
            if self._run.leads and of_all:
                said = [msgspec.msgpack.decode(one) for one in fate.messages]
                for hear in self._run.hooks.hear:
                    name = hear.__self__.name
                    hear([one[name] for one in said if name in one])

    def in_words(self) -> str:
        """Return what is said of the crawl as a whole."""
        return _(
            "all workers together: {pages:,} pages, {new:,} articles new, {changed:,} changed, {errors:,}"
            " errors"
        ).format(
            pages=self["pages"],
            new=self["articles_new"],
            changed=self["articles_changed"],
            errors=self["errors"],
        )
