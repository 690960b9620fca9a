"""One run of one topic, or of a user's own spider: the parts that Scrapy builds separately share it.

Each finds it by its crawler. It owns the stores, the frontier and the flights of its features.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

from focuscrawl.config import Config, ConfigError, feature_named, project_dir, read_config
from focuscrawl.features import features_in_use, rows_in_use
from focuscrawl.frontier.rows import PageStates
from focuscrawl.kernel.commit import Commits, StoredLookup
from focuscrawl.kernel.feature import Hooks, Kernel, Transport, in_order, usable
from focuscrawl.kernel.figures import EXIT_DONE, RunEnding, Tally, run_facts
from focuscrawl.kernel.items import ChangeEvents, Items
from focuscrawl.kernel.judge import Judge
from focuscrawl.kernel.opening import Opening, common_of, frontier_of
from focuscrawl.kernel.ports import Hold
from focuscrawl.kernel.shared.partitions import HeldPartitions
from focuscrawl.kernel.shared.totals import Totals
from focuscrawl.kernel.transport.guard import Guard
from focuscrawl.kernel.transport.requests import Asks, Probe
from focuscrawl.kernel.transport.slots import Slots, scheduler_of
from focuscrawl.locale.messages import _
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.state.protocol import Store, StoreError
from focuscrawl.stores.state.topic_store import store_of
from focuscrawl.template.load import plain_template
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.private import PrivateHosts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focuscrawl.frontier.lines import Politeness
    from focuscrawl.template.template import Template


class Run(Kernel):
    """A run: the kernel, what it asks of Scrapy, what pages are judged by, how it ends.

    ``private_hosts`` may be asked though they are private; URLs before ``recheck_before`` were let in by
    other rules. With a ``store`` that is only read nothing is asked and nothing is written.
    """

    _runs: ClassVar[WeakKeyDictionary[Crawler, Run]] = WeakKeyDictionary()

    def __init__(
        self,
        crawler: Crawler,
        config: Config,
        name: str,
        template: Template | None,
        store: Store | None = None,
    ) -> None:
        clock, has_topic = config.clock, bool(template)
        facts = run_facts(name, config, has_topic=has_topic)
        scheduler = scheduler_of(crawler)
        template = template or plain_template(name)
        self.config, self.ending, self.is_open, self.recheck_before = config, RunEnding(), False, 0
        named = template.named_hosts() if has_topic else ()
        self.private_hosts = PrivateHosts.of(named, config.private)
        self.guard, self.slots = Guard(self.private_hosts), Slots(crawler)
        rules = AdmissionRules.from_template(template, facts.started, self.private_hosts)
        rules = rules if has_topic else replace(rules, canonicalizer=Canonicalizer())
        given = (name, config, crawler.settings, common_of(template, config), self._store_failed)
        store = store or store_of(*given)
        queues = scheduler.queues(template)  # the method is described in scheduler.py
        frontier = frontier_of(template, store, config, queues, self.politeness_of, facts.random)
        hooks, tally, kinds = Hooks(), Tally(), Kinds.load(rows_in_use(config.features))
        commits = Commits(
            *(store, frontier, clock, tally.counters, kinds), hooks=hooks, broke=self.ending.broke
        )
        stored = StoredLookup(commits, frontier)
        changes = ChangeEvents(self.slots, commits, stored.title, quietly=not has_topic)
        sources = {source.source_id: source for source in template.sources}
        super().__init__(
            run=facts,
            criteria=Criteria(template, rules, sources),
            frontier=frontier,
            commits=commits,
            stored=stored,
            pages=PageStates(frontier, clock),
            items=Items(self.slots, commits, changes, hooks),
            transport=Transport(
                settings=crawler.settings,
                flights={},
                probe=Probe(self.slots, hooks, frontier, clock),
                ask=Asks(crawler, clock, frontier.rules.levels),
                mirror=self.slots.mirror,
                tunnel=scheduler.tunnel,
            ),
            clock=clock,
            tally=tally,
            hooks=hooks,
        )
        self._collect_hooks()
        self.partitions, self.totals = HeldPartitions(self), Totals(self)
        self.opening = Opening(self)
        self.judge = Judge(self.criteria, [one for each in hooks.readers for one in each()])

    def _collect_hooks(self) -> None:
        """Let all features of the run hook themselves in. Raises ConfigError."""
        features = in_order(map(feature_named, features_in_use(self.config.features)))
        wanted = (one.of(self) for one in usable(features, has_topic=self.run.has_topic))
        self.hooks.collect(filter(None, wanted))
        if not hasattr(self.hooks, "sites"):
            told = _("FOCUSCRAWL_FEATURES: politeness may be replaced, not switched off")
            raise ConfigError(told)

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

    def politeness_of(self, site: str) -> Politeness:
        """Return how a site is treated: one feature says so."""
        return self.hooks.sites.politeness(site)

    def holds(self) -> Iterator[Hold]:
        """Go through what sites that cannot be asked now, though URLs wait for them, ask for."""
        now, wall = self.clock.steady(), self.clock.wall()
        for site, wait in self.frontier.pauses(now, wall):
            yield self.hooks.sites.hold(site, wait, wall)

    def _store_failed(self, error: StoreError) -> None:
        """Break off when the crawl file cannot be read or written, whichever call finds that."""
        if self.is_open:
            self.commits.break_off(error)
