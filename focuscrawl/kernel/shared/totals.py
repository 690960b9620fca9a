"""What all processes of a crawl have counted together, and whether this one may go on.

``limits.pages`` and ``limits.articles`` are never exceeded, by tickets (kernel.tickets).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from focuscrawl.kernel.feature import SharedNumber
from focuscrawl.kernel.tickets import Tickets
from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import STATE_NUMBER, WorkerState, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focuscrawl.kernel.run import Run
    from focuscrawl.stores.state.protocol import Fate, StartUrl

ADDED_UP = ("pages", "requests", "articles_new", "articles_changed", "errors")
"""Counters that are limited, or reported of the crawl as a whole."""

LONGEST_FETCH = 180.0
"""Seconds for which the tickets of a process that is gone are kept: one that only stood still may have a page on
its way as long as Scrapy waits for one (DOWNLOAD_TIMEOUT)."""


class Totals:
    """The counters of one crawl, over all its processes; ``seconds`` ago it began. ``waiting_elsewhere``: URLs that wait
    with other workers, as they last reported.
    """

    def __init__(self, run: Run) -> None:
        self.seconds = 0.0
        self.waiting_elsewhere = 0
        self._run = run
        limit, is_shared = run.template.limits.pages, run.store.is_shared
        self._pages = Tickets(
            *("pages", limit, "limit_pages", self._fetched), kept=LONGEST_FETCH, is_shared=is_shared
        )
        self.tickets: tuple[Tickets, ...] = (
            self._pages,
            *(one for give in run.hooks.tickets for one in give()),
        )
        for one in self.tickets:
            one.counted = partial(self.__getitem__, one.counter)
        self._pages.counted = lambda: self["pages"] + run.tally.held
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
            SharedNumber(
                "waiting",
                lambda: run.frontier.counts().waiting,
                partial(setattr, self, "waiting_elsewhere"),
                is_state=True,
            ),
        )
        self._shared = {STATE_NUMBER * number.is_state + number.name: number for number in shared}

    def __getitem__(self, name: str) -> int:
        """Return a counter: ours as it is now, the others' as they last reported."""
        mine = self._run.tally.counters[name]
        return mine + max(0, self._heard.get(name, 0) - self._told.get(name, 0))

    def may_fetch(self) -> bool:
        """Whether one more page may be fetched, by all that is limited."""
        return all(one.may_go_on for one in self.tickets)

    def _lacks(self) -> bool:
        """Whether something waits that no ticket is left for. A worker that has nothing to do needs none:
        one that drew some again and again never let a crawl with ``limits.pages`` end."""
        run = self._run
        if self._pages.left > 0:
            return False
        return run.frontier.next_wakeup(run.clock.steady(), run.clock.wall()) <= run.config.linger

    def limit_reached(self) -> Tickets | None:
        """Return the tickets that all together have used up; None: there is something left of each."""
        return next((one for one in self.tickets if one.are_used_up), None)

    def _fetched(self) -> int:
        tally = self._run.tally
        return tally.counters["pages"] + tally.held + len(self._run.flights)

    def state(self, *, idle: bool, started: Sequence[StartUrl]) -> WorkerState:
        """Return what this process reports to the others."""
        lacks = self._lacks()
        tickets = [one.wanted(ahead=lacks or not idle) for one in self.tickets if one.limit]
        idle = idle and (self._pages.are_gone or not lacks)
        return WorkerState(idle, self.told(), tickets, started, self._message())

    def told(self) -> Mapping[str, int]:
        """Return what this process has counted, which it is about to report to the others."""
        counters = self._run.tally.counters
        self._told = {name: counters[name] for name in ADDED_UP} | {
            name: number.own() for name, number in self._shared.items()
        }
        return self._told

    def _message(self) -> bytes:
        said = self._run.hooks.search.message()
        return packed(said) if said else b""

    def heard(self, fate: Fate, *, of_all: bool = True) -> None:
        """Take what all have counted; ``of_all``: and, if it leads, their messages, else their earlier ones hold."""
        if fate.totals:
            self._heard, self.seconds = fate.totals, fate.seconds
            for one in self.tickets:  # none were asked for while the run opened
                if one.counter in fate.tickets:
                    one.grant(fate.tickets[one.counter])
            for name, number in self._shared.items():
                number.hear(max(0, fate.totals.get(name, 0) - self._told.get(name, 0)))
            if self._run.leads and of_all:
                said = [msgspec.msgpack.decode(one) for one in fate.messages]
                self._run.hooks.search.hear(said)

    def in_words(self) -> str:
        """Return the counts of the crawl as a whole."""
        return _(
            "all workers together: {pages:,} pages, {new:,} articles new, {changed:,} changed, {errors:,}"
            " errors"
        ).format(
            pages=self["pages"],
            new=self["articles_new"],
            changed=self["articles_changed"],
            errors=self["errors"],
        )
