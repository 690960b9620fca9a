"""One run of one topic, or of a user's own spider: the parts that Scrapy builds separately share it.

Scrapy makes scheduler, middlewares, pipelines and extensions on its own; each finds the run by its
crawler. The run owns the stores, the frontier and the flights, and is the kernel of its features.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self
from weakref import WeakKeyDictionary

from scrapy.utils.misc import load_object

from focuscrawl.config import Config, project_dir, read_config
from focuscrawl.features import features_in_use, rows_in_use
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelRules
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.kernel.commit import Commits
from focuscrawl.kernel.feature import Hold, Hooks, Kernel, RunFacts, in_order
from focuscrawl.kernel.figures import EXIT_DONE, RunEnding, Tally
from focuscrawl.kernel.guard import Guard
from focuscrawl.kernel.items import ChangeEvents, Items
from focuscrawl.kernel.judge import Judge
from focuscrawl.kernel.opening import Opening
from focuscrawl.kernel.requests import Asks, Probe
from focuscrawl.kernel.slots import Slots
from focuscrawl.kernel.stored import StoredLookup
from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.links.criteria import Criteria
from focuscrawl.results.kind import Kinds
from focuscrawl.results.kinds.runs import new_run_id
from focuscrawl.revisit.states import PageStates
from focuscrawl.store.protocol import StoreError
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.template.load import plain_template
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.private import PrivateHosts
from focuscrawl.urls.sites import partition_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from focuscrawl.frontier.lines import Politeness
    from focuscrawl.template.template import Template


class Run(Kernel):
    """A run: the kernel, what it asks of Scrapy, what pages are judged by, how it ends.

    ``private_hosts`` are those that may be asked though they are private. URLs that were queued before
    ``recheck_before`` were admitted by other rules. Opening is in kernel/opening.py.
    """

    _runs: ClassVar[WeakKeyDictionary[Crawler, Run]] = WeakKeyDictionary()

    def __init__(
        self, crawler: Crawler, config: Config, name: str, template: Template | None
    ) -> None:
        clock, dice, has_topic = config.clock, random.Random(), template is not None
        facts = RunFacts(
            run_id=new_run_id(clock.wall(), dice.getrandbits(24)),
            name=name,
            started=clock.wall(),
            linger=config.linger,
            has_topic=has_topic,
        )
        template = template or plain_template(name)
        named = template.named_hosts() if has_topic else ()
        self.config = config
        self.private_hosts = PrivateHosts.of(named, config.private)
        self.guard = Guard(self.private_hosts)
        self.slots = Slots(crawler)
        self.ending = RunEnding()
        self.is_open = False
        self.recheck_before = 0
        rules = AdmissionRules.from_template(template, facts.started, self.private_hosts)
        if not has_topic:
            rules = replace(rules, canonicalizer=Canonicalizer())
        queues = template.of(QueuesTable)
        levels = LevelRules(
            levels=queues.levels, strict=queues.strict, count_in_flight=queues.in_flight
        )
        store = SQLiteStore(
            config.data_dir / f"{name}.crawl.db",
            synchronous=config.synchronous,
            failed=self._store_failed,
        )
        frontier = Frontier(
            levels,
            factor=Factor(strict=levels.strict),
            politeness=self.politeness_of,
            partition_of=partition_of,
            stored=store.read,
            random=dice.random,
            retry_waits=config.retry_waits,
        )
        hooks, tally = Hooks(), Tally()
        kinds = Kinds.load(rows_in_use(config.features))
        commits = Commits(
            *(store, frontier, clock, tally.counters, kinds), hooks=hooks, broke=self.ending.broke
        )
        stored = StoredLookup(commits, frontier)
        changes = ChangeEvents(self.slots, commits, stored.title, quietly=not has_topic)
        sources = {source.source_id: source for source in template.sources}
        super().__init__(
            run=facts,
            settings=crawler.settings,
            template=template,
            rules=rules,
            sources=sources,
            criteria=Criteria(template, rules, sources),
            frontier=frontier,
            store=store,
            commits=commits,
            stored=stored,
            pages=PageStates(template, frontier, clock, {}),
            items=Items(self.slots, commits, changes, hooks),
            changes=changes,
            probe=Probe(self.slots, self.dress, frontier, clock),
            ask=Asks(crawler, clock, levels.levels),
            flights={},
            closed_for=self.seconds_closed,
            mirror=self.slots.mirror,
            clock=clock,
            random=dice,
            tally=tally,
            hooks=hooks,
        )
        kinds_of_features = in_order(map(load_object, features_in_use(config.features)))
        wanted = (one for one in kinds_of_features if has_topic or not one.needs_topic)
        hooks.collect(made for one in wanted if (made := one.of(self)) is not None)
        self.opening = Opening(self)
        self.judge = Judge(self.criteria, [one for each in hooks.readers for one in each()])

    # Finding it ---------------------------------------------------------------------------------

    @classmethod
    def of(cls, crawler: Crawler) -> Run:
        """Return the crawler's run, making one for a spider without a topic."""
        name = crawler.spider.name if crawler.spider else "spider"
        return cls._runs.get(crawler) or cls.begin(crawler, name, None)

    @classmethod
    def exit_code_of(cls, crawler: Crawler) -> int:
        """Return what the process is to return after a crawl."""
        return cls._runs[crawler].ending.exit_code if crawler in cls._runs else EXIT_DONE

    @classmethod
    def begin(cls, crawler: Crawler, name: str, template: Template | None) -> Run:
        """Make the crawler's run. Raises ConfigError."""
        config = read_config(crawler.settings, os.environ, project_dir())
        run = cls._runs[crawler] = cls(crawler, config, name, template)
        return run

    # What its hooks say -------------------------------------------------------------------------

    def politeness_of(self, site: str) -> Politeness:
        """Return how a site is treated: one feature says so."""
        politeness: Politeness = self.hooks.politeness[0](site)
        return politeness

    def seconds_closed(self, site: str, wall: float) -> float:
        """Return in how many seconds a site may be asked; 0: now."""
        return max((gate(site, wall) for gate in self.hooks.gate), default=0.0)

    def holds(self) -> Iterator[Hold]:
        """Go through what sites that cannot be asked now, though URLs wait for them, ask for."""
        now, wall = self.clock.steady(), self.clock.wall()
        for site, wait in self.frontier.pauses(now, wall):
            yield from (hold(site, wait, wall) for hold in self.hooks.hold)

    def dress(self, request: Request, site: str) -> None:
        """Give a request to a site what it carries beside Scrapy's settings."""
        for dress in self.hooks.dress:
            dress(request, site)

    def _store_failed(self, error: StoreError) -> None:
        """Hear that the crawl file cannot be read or written, whoever has asked for it."""
        if self.is_open:
            self.commits.break_off(error)


class OfRun:
    """A part that Scrapy makes for a crawler, and finds its run."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawler."""
        return cls(crawler)
