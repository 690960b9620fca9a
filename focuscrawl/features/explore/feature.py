"""Exploration put on a run (E): which links wait in its lane, and what their pages turned out to be."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from focuscrawl.features.explore.explorer import Explorer, explorer_for
from focuscrawl.features.explore.ledger import BAN_ORDER, UNBAN_ORDER
from focuscrawl.features.explore.portfolio import TOTALS, Portfolio
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.kernel.feature import Feature, Kernel, SharedNumber
from focuscrawl.kernel.template_changes import KIND
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.readers.relevance.scores import PARENT_SHARE, LinkScorer
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING, Changes
from focuscrawl.template.merge import completed
from focuscrawl.urls.sites import folder_number, folder_of, partition_of
from focuscrawl.values import Json, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.template_changes import LastTemplate, TemplateChanges
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions

logger = logging.getLogger(__name__)

BANDIT, ORDER = "bandit", "order"
"""The kind and the key of the fact that holds what is remembered beside URLs and bans."""

SCORED_BY = "scored by"
"""The fact that holds the words by which waiting links are scored."""

EVIDENCE_TOLD = 3
"""Irrelevant pages that are named as evidence of a ban."""

_KEYS_OF_WORDS = {"topic": ("keywords", "require", "exclude"), "relevance": ("threshold", "model")}  # fmt: skip


@dataclass(slots=True)
class _Answer:
    """What a page was judged for exploration; None: not at all."""

    relevant: bool | None = None


def scored_by(resolved: Json) -> Json:
    """Return of a template the tables by which links are scored."""
    return {table: resolved[table] for table in ("topic", "relevance") if table in resolved}


def words_of(tables: Json) -> list[Any]:
    """Return of these tables the keys that decide scores."""
    return [
        tables.get(table, {}).get(key) for table, keys in _KEYS_OF_WORDS.items() for key in keys
    ]


def score_again(waiting: Waiting, old: LinkScorer | None, new: LinkScorer) -> float:
    """Return the score of a waiting link by other words: what is its own anew, the rest as it was."""
    own = old.link_score(waiting.anchor, waiting.url) if old else 0.0
    parent = min(max((waiting.score - own) / PARENT_SHARE, 0.0), 1.0)
    return new.link_score(waiting.anchor, waiting.url, parent)


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
        tunnel = partial(kernel.transport.tunnel, random=kernel.run.random)
        explorer = explorer_for(rules, scorer, known, tunnel, trusted)
        return cls(kernel, explorer) if explorer is not None else None

    def __init__(self, kernel: Kernel, explorer: Explorer) -> None:
        self._kernel = kernel
        self._explorer = explorer
        kernel.rules.explorer = explorer
        kernel.frontier.explore_by(explorer.order, kernel.template.of(ExploreTable).share)

    async def changed(self, changes: TemplateChanges, last: LastTemplate) -> Iterable[str]:
        """Score links that wait by the words the topic has now."""
        count = await self.rescore(last)
        line = f"the words of the topic have changed: {count:,} waiting links have another score"
        return (line,) if changes.words else ()

    async def rescore(self, last: LastTemplate) -> int:
        """Score waiting links by other words than the last run's; returns how many scores changed.

        What the page of a link was worth to it stays: that page was not read anew. A run that is
        killed on the way has scored none or all of them.
        """
        template, store = self._kernel.template, self._kernel.store
        stored = last.facts.get(SCORED_BY)
        before = scored_by(completed(template.language, stored) if stored else last.resolved)
        now = scored_by(template.resolved)
        if template.of(ExploreTable).order == "breadth-first" or words_of(before) == words_of(now):
            return 0
        old, new = LinkScorer.of_stored(before), template.once(LinkScorer.of)
        written: dict[int, Changes] = {0: Changes(facts={(KIND, SCORED_BY): now})}
        count = 0
        for row in (row for state in (WAITING, FAILED, PARKED) for row in store.rows(state)):
            waiting = row.waiting
            score = score_again(waiting, old, new) if waiting.explore else waiting.score
            if score != waiting.score:
                count += 1
                part = written.setdefault(partition_of(waiting.site), Changes())
                part.moved.append(row._replace(waiting=waiting._replace(score=score)))
        await self._kernel.commits.store_alone(written)
        return count

    def alone(self) -> str:
        """Say that the published form has one order of all links."""
        if not self._kernel.template.of(ExploreTable).strict:
            return ""
        return (
            "[explore] strict keeps one order of all links: take it out, or crawl with one worker"
        )

    def shared_numbers(self) -> Iterable[SharedNumber]:
        """Return by what folders are measured, and whether there is anything to take."""
        ledger, order = self._explorer.ledger, self._explorer.order
        yield SharedNumber(
            "judged", lambda: ledger.pages, lambda others: ledger.hear(pages=others), is_state=True
        )
        yield SharedNumber(
            "relevant",
            lambda: ledger.relevant,
            lambda others: ledger.hear(relevant=others),
            is_state=True,
        )
        if isinstance(order, Portfolio):
            yield SharedNumber("offered", lambda: order.offered, order.hear, is_state=True)

    def idle(self, *, is_over: bool) -> bool:
        """Stay while others have something to explore: then what is parked has its turn."""
        order = self._explorer.order
        return not is_over and isinstance(order, Portfolio) and order.is_held_back

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Go on with what the bandit learnt before."""
        if WHOLE_TOPIC in partitions and isinstance(self._explorer.order, Portfolio):
            facts = (await self._kernel.store.facts(BANDIT)).get(ORDER, {})
            if (
                self._kernel.store.is_shared
            ):  # these were one worker's; the ledger adds up all sites
                facts = {name: value for name, value in facts.items() if name != TOTALS}
            self._explorer.order.restore(facts)

    def memories(self) -> tuple[SiteMemory]:
        """Remember what was counted of sites."""
        return (self._explorer.ledger,)

    def note(self, *, closing: bool) -> None:
        """Store what the bandit has learnt since the last commit."""
        explorer = self._explorer
        if explorer.ledger.has_changed and isinstance(explorer.order, Portfolio):
            self._kernel.frontier.note_fact(BANDIT, ORDER, explorer.order.facts())

    def take_order(self, order: str, site: str) -> None:
        """Ban a site by hand while the crawl runs, or lift its ban."""
        explorer, wall = self._explorer, self._kernel.clock.wall()
        if order == BAN_ORDER:
            explorer.ledger.ban(site)
            logger.info("%s is banned by hand: nothing of it is asked for", site)
        elif order == UNBAN_ORDER and explorer.ledger.lift(site):
            logger.info("%s is banned no longer", site)
            if isinstance(explorer.order, Portfolio):
                explorer.order.unblock(site, wall)

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

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Say what exploration holds of its site: banned or not, and of a link that waits its promise."""
        explorer, site, wall = self._explorer, question.site, question.now
        if not explorer.explores(site) and not explorer.ledger.is_named(site):
            return ()
        facts = []
        folder = folder_of(question.url)
        pages, relevant = explorer.ledger.counts(site)
        if ban := explorer.ledger.ban_of(site, folder_number(folder), wall):
            told = {
                "why": ban.why,
                "until": ban.until,
                "evidence": [*ban.evidence][-EVIDENCE_TOLD:],
            }
            counts = {"pages": ban.pages, "irrelevant": ban.pages - ban.relevant}
            facts.append(Fact("ban", {**told, **counts}, stops=not question.is_source))
        elif pages:
            facts.append(Fact("explored", {"pages": pages, "relevant": relevant}))
        if (row := question.row) and row.waiting.explore:
            rules = self._kernel.template.of(ExploreTable)
            steps, quota = rules.steps, rules.site_quota
            promise = {"score": row.waiting.score, "step": row.waiting.step, "steps": steps}
            facts.append(Fact("parked_lane" if row.waiting.step > steps else "lane", promise))
            ahead = question.place.before_in_site if question.place else 0
            if ahead >= quota and not explorer.ledger.is_known(site):
                facts.append(Fact("site_quota", {"ahead": ahead, "most": quota}))
        return facts

    def site(self, host: str) -> Mapping[str, Any]:
        """Return a site's ban as the results show it: until when, and what speaks for it."""
        record = self._explorer.ledger.get(host)
        ban = record.whole.ban if record is not None else None
        if ban is None:
            return {}
        evidence = {"why": ban.why, "pages": ban.pages, "irrelevant": list(ban.evidence)}
        return {"state": "banned", "until": ban.until, "evidence": evidence}
