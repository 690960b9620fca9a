"""Exploration put on a run (E): which links wait in its lane, and what their pages turned out to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from focuscrawl.explore.explorer import Explorer, explorer_for
from focuscrawl.explore.ledger import BAN, BY_HAND
from focuscrawl.explore.portfolio import Portfolio
from focuscrawl.explore.table import ExploreTable
from focuscrawl.kernel.feature import Feature, Kernel
from focuscrawl.links.table import FollowTable
from focuscrawl.relevance.link_score import LinkScorer
from focuscrawl.values import Json, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.pages.content import Judged

BANDIT, ORDER = "bandit", "order"
"""The kind and the key of the fact that holds what is remembered beside URLs and bans."""


@dataclass(slots=True)
class _Answer:
    """What a page was judged for exploration; None: not at all."""

    relevant: bool | None = None


class Exploration(Feature):
    """Orders URLs that lead into the unknown, bans what gives too little, and counts both.

    Pages are counted when their URL ends, so that counts and end are in one commit: a page that is
    fetched again after a crash is not counted twice.
    """

    name = "explore"

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it for a topic that explores."""
        template, address = kernel.template, kernel.rules.canonicalizer.address
        known = {
            found.site
            for source in template.sources
            for url in source.urls
            if (found := address(url))
        }
        rules, trusted = template.of(ExploreTable), template.of(FollowTable).sites.written
        scorer = template.once(LinkScorer.of)
        explorer = explorer_for(rules, scorer, known, kernel.random, trusted)
        return cls(kernel, explorer) if explorer is not None else None

    def __init__(self, kernel: Kernel, explorer: Explorer) -> None:
        self._kernel = kernel
        self._explorer = explorer
        kernel.rules.explorer = explorer
        kernel.frontier.explore_by(explorer.order, kernel.template.of(ExploreTable).share)

    async def open(self, records: Mapping[str, Json]) -> None:
        """Go on with what was counted, before URLs are put into groups by it."""
        self._explorer.ledger.load(records)
        facts = await self._kernel.store.facts(BANDIT)
        if isinstance(self._explorer.order, Portfolio):
            self._explorer.order.restore(facts.get(ORDER, {}))

    def note(self, *, closing: bool) -> None:
        """Store what was counted since the last commit."""
        frontier, explorer = self._kernel.frontier, self._explorer
        changed = explorer.ledger.changed()
        for site, record in changed.items():
            frontier.note_site(site, BAN, record)
        if changed and isinstance(explorer.order, Portfolio):
            frontier.note_fact(BANDIT, ORDER, explorer.order.facts())

    def promised(self, waiting: Waiting, promise: float, words: list[tuple[str, str]]) -> Waiting:
        """Let a search result that does not name the topic itself wait in the lane."""
        return self._explorer.seed(waiting, promise, words)

    def ban(self, flight: Flight) -> str:
        """Return why a site must not be asked: banned by hand.

        A ban by count (published form) keeps links out when they are found: what waits by then is
        fetched. A ban by rate is a matter of the order.
        """
        waiting, wall = flight.waiting, self._kernel.clock.wall()
        why = self._explorer.ledger.why_not(waiting.url, waiting.site, wall)
        return why if why == f"ban:{BY_HAND}" else ""

    def judged(self, flight: Flight | None, judged: Judged) -> Iterable[Any]:
        """Note whether a page with links is relevant."""
        if flight is not None and judged.batch is not None:
            flight.of(_Answer).relevant = judged.batch.relevant
        return ()

    def acknowledged(self, flight: Flight) -> None:
        """Count a page: for the order that chose it, or outside of it for the ledger."""
        explorer, waiting, wall = self._explorer, flight.waiting, self._kernel.clock.wall()
        relevant = flight.of(_Answer).relevant
        if relevant is None or flight.before is not None:
            return  # pages are counted, not visits
        if waiting.explore:
            explorer.order.judged(flight.sequence, waiting.url, relevant, wall)
        elif waiting.page_class is PageClass.ARTICLE_PAGING and not explorer.strict:
            return  # its article was counted
        elif explorer.explores(waiting.site):
            explorer.ledger.judged(waiting.url, waiting.site, relevant, wall)

    def site(self, host: str) -> Mapping[str, Any]:
        """Return a site's ban as the results show it: until when, and what speaks for it."""
        record = self._explorer.ledger.record(host)
        ban = record.whole.ban if record is not None else None
        if ban is None:
            return {}
        evidence = {"why": ban.why, "pages": ban.pages, "irrelevant": list(ban.evidence)}
        return {"state": "banned", "until": ban.until, "evidence": evidence}
