"""What one run of one topic shares among the parts that Scrapy builds separately.

Scrapy makes scheduler, middlewares, pipelines and extensions on its own; each finds the run by
its crawler. The run owns the stores, the frontier and the flights, and writes everything in one
commit: results first, then the frontier's changes, so that a URL is never acknowledged before
what it gave is stored.
"""

from __future__ import annotations

import gc
import logging
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self
from weakref import WeakKeyDictionary

from scrapy.utils.misc import load_object

from focuscrawl.config import Config, project_dir, read_config
from focuscrawl.features import features_in_use, rows_in_use
from focuscrawl.frontier.frontier import MEASURED, Frontier
from focuscrawl.frontier.levels import Factor, LevelRules
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.kernel.changes import ChangeEvents
from focuscrawl.kernel.commit import Commits
from focuscrawl.kernel.feature import Feature, Hold, Hooks, Kernel, Round, RunFacts, in_order
from focuscrawl.kernel.figures import EXIT_DONE, RunEnding, Tally
from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.guard import Guard
from focuscrawl.kernel.items import Items
from focuscrawl.kernel.judge import Judge
from focuscrawl.kernel.opening import (
    OldRows,
    begin_anew,
    begin_round,
    clock_ran_ahead,
    end_round,
    open_results,
    run_start,
)
from focuscrawl.kernel.requests import Asks, Probe
from focuscrawl.kernel.slots import Slots
from focuscrawl.kernel.stored import StoredLookup
from focuscrawl.kernel.topic.again import judged_counts
from focuscrawl.kernel.topic.changes import (
    ChangedTemplate,
    apply_changes,
    compare_with_last,
    has_other_visits,
    names_before,
)
from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.links.criteria import Criteria
from focuscrawl.links.sources import MISSING_SOURCES, seed, seed_again
from focuscrawl.report.lines import first_line, offers, results_missing
from focuscrawl.results.kind import Kinds
from focuscrawl.results.kinds.runs import RunRow, new_run_id
from focuscrawl.results.results import Results
from focuscrawl.revisit.states import PageStates
from focuscrawl.running.learning import Learning
from focuscrawl.store.protocol import Store, StoreError
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.template.files import masked
from focuscrawl.template.load import plain_template
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.private import PrivateHosts
from focuscrawl.urls.sites import host_of, partition_of
from focuscrawl.values import PageState

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from focuscrawl.frontier.lines import Politeness
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

STARTS = "start hosts"
"""The kind of the facts that hold the hosts at which a spider without a topic begins."""


class Run:
    """One run of one topic, or of a user's own spider (then there is no template)."""

    _runs: ClassVar[WeakKeyDictionary[Crawler, Run]] = WeakKeyDictionary()

    def __init__(
        self, name: str, config: Config, crawler: Crawler, template: Template | None
    ) -> None:
        self.name = name
        self.config = config
        self.template = template
        self.clock = config.clock
        self.random = random.Random()
        self.run_id = new_run_id(self.clock.wall(), self.random.getrandbits(24))
        self.started = self.clock.wall()
        self.slots = Slots(crawler)
        self.settings = crawler.settings
        self.private_hosts = PrivateHosts.of(
            template.named_hosts() if template else (), config.private
        )
        self.guard = Guard(self.private_hosts)
        self.has_topic = template is not None
        self.topic = template if template is not None else plain_template(name)
        self.rules = AdmissionRules.from_template(self.topic, self.started, self.private_hosts)
        if not self.has_topic:
            self.rules = replace(self.rules, canonicalizer=Canonicalizer())
        self.page_limit = self.topic.limits.pages
        self.store: Store = SQLiteStore(
            config.data_dir / f"{name}.crawl.db",
            synchronous=config.synchronous,
            failed=self._store_failed,
        )
        levels = self.level_rules()
        factor = Factor(strict=levels.strict)
        self.source_sites = {
            address.site
            for source in self.topic.sources
            for url in source.urls
            if (address := self.rules.canonicalizer.address(url))
        }
        self.frontier = Frontier(
            levels,
            factor=factor,
            politeness=self.politeness,
            partition_of=partition_of,
            stored=self.store.read,
            random=self.random.random,
            retry_waits=config.retry_waits,
        )
        self.flights: dict[Request, Flight] = {}
        self.hooks = Hooks()
        self.ask = Asks(crawler, self.clock, levels.levels)
        self.probe = Probe(self.slots, self.dress, self.frontier, self.clock)
        self.tally = Tally()
        self.ending = RunEnding()
        self.learning = Learning(self.frontier, self.rules)
        self.commits = Commits(
            self.store,
            self.frontier,
            self.clock,
            self.tally.counters,
            Kinds.load(rows_in_use(config.features)),
            hooks=self.hooks,
            before=self._note_what_was_learnt,
            broke=self.ending.broke,
        )
        self.forgetting = OldRows(self.topic, self.commits, self.clock, self.tally.counters)
        self.knowing = StoredLookup(self.commits, self.frontier)
        self.announcing = ChangeEvents(
            self.slots, self.commits, self.knowing.title, quietly=not self.has_topic
        )
        self.items = Items(self.slots, self.commits, self.announcing, self.hooks)
        self.sources = {source.source_id: source for source in self.topic.sources}
        self.visited: dict[bytes, PageState] = {}
        self.criteria = Criteria(self.topic, self.rules, self.sources)
        if self.has_topic:
            self._come_again(self.topic, self.rules)
        else:
            states = PageStates(self.topic, self.frontier, self.clock, {})
            self.hooks.collect(self._features(self.topic, self.rules, states))
        self.is_open = False
        self.continued = False
        self.visits_changed = False
        self.recheck_before = 0

    def _features(
        self, template: Template, rules: AdmissionRules, pages: PageStates
    ) -> list[Feature]:
        """Make the features that this topic wants; a spider without a topic has none."""
        kernel = Kernel(
            run=RunFacts(self.run_id, self.name, self.started, self.config.linger, self.has_topic),
            settings=self.settings,
            template=template,
            rules=rules,
            sources=self.sources,
            criteria=self.criteria,
            frontier=self.frontier,
            store=self.store,
            commits=self.commits,
            stored=self.knowing,
            pages=pages,
            items=self.items,
            changes=self.announcing,
            probe=self.probe,
            ask=self.ask,
            flights=self.flights,
            closed_for=self.closed_for,
            mirror=self.mirror,
            clock=self.clock,
            random=self.random,
            tally=self.tally,
            hooks=self.hooks,
        )
        kinds = in_order(load_object(name) for name in features_in_use(self.config.features))
        wanted = (kind for kind in kinds if kernel.run.has_topic or not kind.needs_topic)
        return [made for kind in wanted if (made := kind.of(kernel)) is not None]

    def _come_again(self, template: Template, rules: AdmissionRules) -> None:
        """Put method B on the run."""
        pages = PageStates(template, self.frontier, self.clock, self.visited)
        self.hooks.collect(self._features(template, rules, pages))
        readers = [one for readers in self.hooks.readers for one in readers()]
        self.judge = Judge(self.criteria, readers)

    def closed_for(self, site: str, wall: float) -> float:
        """Return in how many seconds a site may be asked; 0: now."""
        waits = [gate(site, wall) for gate in self.hooks.gate]
        return max(waits, default=0.0)

    def politeness(self, site: str) -> Politeness:
        """Return how a site is treated."""
        for politeness in self.hooks.politeness:
            return politeness(site)  # type: ignore[no-any-return]
        raise LookupError("no feature says how sites are treated")

    def mirror(self, request: Request, politeness: Politeness) -> None:
        """Give a host's slot another politeness."""
        self.slots.mirror(request, politeness.delay, politeness.concurrency, anew=True)

    def holds(self) -> Iterator[Hold]:
        """Go through what sites that cannot be asked now, though URLs wait for them, ask for."""
        now, wall = self.clock.steady(), self.clock.wall()
        for site, wait in self.frontier.pauses(now, wall):
            yield from (hold(site, wait, wall) for hold in self.hooks.hold)

    def dress(self, request: Request, site: str) -> None:
        """Give a request to a site what it carries beside Scrapy's settings."""
        for dress in self.hooks.dress:
            dress(request, site)

    # Finding it ---------------------------------------------------------------------------------

    @classmethod
    def of(cls, crawler: Crawler) -> Run:
        """Return the crawler's run, making one for a spider without a topic."""
        run = cls._runs.get(crawler)
        if run is None:
            spider = crawler.spider
            run = cls.begin(crawler, spider.name if spider else "spider", None)
        return run

    @classmethod
    def exit_code_of(cls, crawler: Crawler) -> int:
        """Return what the process is to return after a crawl."""
        run = cls._runs.get(crawler)
        return run.ending.exit_code if run is not None else EXIT_DONE

    @classmethod
    def begin(cls, crawler: Crawler, name: str, template: Template | None) -> Run:
        """Make the crawler's run. Raises ConfigError."""
        config = read_config(crawler.settings, os.environ, project_dir())
        run = cls._runs[crawler] = cls(name, config, crawler, template)
        return run

    def name_start(self, site: str) -> None:
        """Note that a spider without a topic begins at a site: it is meant, private or not.

        It is kept, since a run that goes on takes what waits before the spider asks for it again.
        """
        host = host_of(site)
        if not self.has_topic and self.private_hosts.name(host):
            self.frontier.note_fact(STARTS, host, True)

    def level_rules(self) -> LevelRules:
        """Return how levels are ordered in this run."""
        queues = self.topic.of(QueuesTable)
        return LevelRules(
            levels=queues.levels,
            strict=queues.strict,
            count_in_flight=queues.in_flight,
        )

    # Opening and closing ------------------------------------------------------------------------

    async def open(self) -> None:
        """Take the store, read the frontier and open the results. Raises StoreError."""
        # A crawl makes millions of small values and hardly a cycle: looking for cycles seldom
        # saves a tenth of the CPU time of a page.
        gc.set_threshold(50_000, 20, 100)
        partitions = self.store.own()
        try:
            if not self.has_topic and await begin_anew(
                self.store, self.frontier, fresh=self.config.fresh
            ):
                logger.info("The last crawl had finished: this one begins anew (FOCUSCRAWL_FRESH)")
            otherwise = await compare_with_last(self.template, self.store)
            loaded = await self.store.load(partitions)
            self.continued = loaded.next_sequence > 1
            self.learning.load(loaded.records)
            for load in self.hooks.open:
                await load(loaded.records)
            self.frontier.load(loaded, self.clock.wall())
            if not self.has_topic:
                for host in await self.store.facts(STARTS):
                    self.private_hosts.name(host)
            self.frontier.restore_measures(await self.store.facts(MEASURED))
            self.visits_changed = await has_other_visits(self.template, self.store)
            if self.has_topic:
                names = await names_before(self.topic, self.store, self.frontier)
                known = {source.source_id: source for source in self.topic.sources}
                self.sources |= {old: known[name] for old, name in names.items() if name in known}
                self.recheck_before = await apply_changes(
                    self.topic, self.rules, self.store, self.frontier
                )
            results = open_results(
                self.config, self.name, self.topic, self.clock, self.commits.kinds
            )
            self.commits.results = results
            missing = await self.knowing.begin(self.store, results, self.run_id)
            if missing:
                crawl = self.config.data_dir / f"{self.name}.crawl.db"
                logger.warning("%s", results_missing(results.place, str(crawl)))
            results.rewrite_templates(masked)  # they were stored whole once
            results.begin_run(run_start(self.run_id, self.topic))
            self._say_what_changed(results, otherwise)
            self.commits.now()
        except BaseException:
            self.store.release()
            raise
        self.is_open = True

    async def close(self, *, cut_off: bool = False) -> None:
        """Write what is left and give the store back; ``cut_off``: the round is not over."""
        if not self.is_open:
            return
        self.is_open = False
        await self.commits.settled()
        self.commits.closing = True
        end_round(self.frontier, self.clock.wall(), cut_off=cut_off)
        self.knowing.end()
        self.commits.now()
        self.store.release()

    def close_results(self, run: RunRow | None) -> None:
        """Write why the run ended and close the results."""
        commits, results = self.commits, self.commits.results
        if results is None:
            return
        try:
            if not commits.broken:
                self.forgetting.forget(results)
                ending = self.ending
                results.end_run(ending.reason, ending.detail, ending.exit_code, run)
        except StoreError as error:
            commits.break_off(error)
        finally:
            results.close()
            commits.results = None

    def _store_failed(self, error: StoreError) -> None:
        """Hear that the crawl file cannot be read or written, whoever has asked for it."""
        if self.is_open:
            self.commits.break_off(error)

    def _say_what_changed(self, results: Results, otherwise: ChangedTemplate) -> None:
        """Say what another template does to what is stored, and what can be asked for."""
        changes, rescored = otherwise
        if changes.words or changes.records:
            for line in offers(self.name, changes, results.ask(judged_counts), rescored):
                logger.info("%s", line)

    def _note_what_was_learnt(self) -> None:
        """Put into the commit what the run has learnt of sites."""
        self.learning.note(all_of_it=not self.is_open)

    async def seed(self) -> None:
        """Queue the sources, and the boards, feeds and sitemaps of earlier rounds once again (A6)."""
        if not self.has_topic:
            return
        ran_ahead = await clock_ran_ahead(self.store, self.started)
        began = await begin_round(self.store, self.frontier, self.started)
        round_ = Round(began, self.visits_changed, ran_ahead)
        queued = sum([await begin(round_) for begin in self.hooks.begin])
        missing = await self.store.facts(MISSING_SOURCES)
        queued += seed_again(self.topic, self.rules, self.frontier, missing)
        self.tally.counters["sources_new"] += seed(self.topic, self.rules, self.frontier)
        self.tally.counters["visited_again"] += queued
        place = self.config.data_dir.absolute() / f"{self.name}.db"
        logger.info(
            "%s",
            first_line(
                self.topic,
                str(place),
                is_new=not self.continued,
                due=queued,
                waiting=self.frontier.counts().waiting,
                failed=self.frontier.counts().failed,
                now=self.started,
            ),
        )


class OfRun:
    """A part that Scrapy makes for a crawler, and finds its run."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawler."""
        return cls(crawler)
