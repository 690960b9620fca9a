"""How a run begins and ends beside its URLs: its round, its results, the partitions that it holds.

A round is one run, or several that were cut off and gone on with soon after.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import platform
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from math import inf
from random import Random
from typing import TYPE_CHECKING
from urllib.request import getproxies

from focuscrawl import __version__
from focuscrawl.frontier.frontier import MEASURED, Frontier
from focuscrawl.frontier.lines import Politeness
from focuscrawl.frontier.retries import is_to_come
from focuscrawl.frontier.site_clock import SiteClock
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.kernel.commit import LOST_ROWS, NOTHING_LOST, Commits
from focuscrawl.kernel.feature import Round
from focuscrawl.kernel.template_changes import LastTemplate, apply_changes, compare, names_before
from focuscrawl.locale.messages import N_, _
from focuscrawl.output.summary.lines import first_line, proxy_of, results_missing
from focuscrawl.readers.links.sources import MISSING_SOURCES, seed, seed_again
from focuscrawl.stores.results.columns import time_text
from focuscrawl.stores.results.database import file_of
from focuscrawl.stores.results.forgetting import MOST_AT_ONCE
from focuscrawl.stores.results.kinds.runs import SECONDS_OF_DAY, RunStart, last_run
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.state.crawl_lock import process_name
from focuscrawl.stores.state.protocol import InCommon, StoreError
from focuscrawl.stores.state.topic_store import crawl_path
from focuscrawl.template.files import masked
from focuscrawl.urls.sites import Partitions, partition_of
from focuscrawl.values import Clock, SystemClock

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.frontier.levels import LevelOrder
    from focuscrawl.kernel.feature import RunFacts
    from focuscrawl.kernel.run import Run
    from focuscrawl.stores.results.kind import Kinds
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

ROUND = "round"
SAME_ROUND = 3600.0
"""Seconds after which a run that was cut off is not gone on with, but begun anew."""

SYSTEM = SystemClock()
"""Stands for all clocks of the machine, each of which shows the same time."""

FORGET_EVERY, MOST_MEANWHILE = 3600.0, 2_000
"""Seconds, and about so many rows (a second's work) that are deleted in the midst of a run."""


_site_clocks: dict[int, tuple[Clock, SiteClock]] = {}


def site_clock_of(clock: Clock) -> SiteClock:
    """Return the turns of sites that all crawls of this process share which go by the same clock."""
    shown = SYSTEM if isinstance(clock, SystemClock) else clock
    return _site_clocks.setdefault(id(shown), (shown, SiteClock(Random().random)))[1]


async def clock_ran_ahead(store: Store, now: float) -> bool:
    """Whether the last run was in a time that is still to come. Ask before begin_round."""
    return is_to_come((await store.facts(ROUND)).get("alive", 0.0), now)


async def begin_round(store: Store, frontier: Frontier, now: float) -> float:
    """Return when the round began that this run is part of (A6); ``now`` is wall time.

    A run that goes on with one that was cut off less than an hour ago does not fetch the pages of that again.
    """
    facts = await store.facts(ROUND)
    is_recent = abs(now - facts.get("alive", 0.0)) < SAME_ROUND
    cut_off = facts.get("open") and is_recent and not store.vanished  # else lists are read again
    began: float = facts["began"] if cut_off else now
    frontier.note_fact(ROUND, "began", began)
    frontier.note_fact(ROUND, "open", True)
    is_alive(frontier, now)
    return began


async def begin_anew(store: Store, frontier: Frontier, *, fresh: bool) -> bool:
    """Begin the round of a spider without a topic; True when the crawl file was emptied for it.

    With ``fresh`` it is when the last run ended by itself and left nothing waiting; one that was killed
    or stopped is gone on with. Ask before anything is loaded.
    """
    was_open = (await store.facts(ROUND)).get("open")
    is_over = fresh and was_open is False and not await store.is_left()
    if is_over:
        store.clear()
    frontier.note_fact(ROUND, "open", True)
    return is_over


def is_alive(frontier: Frontier, now: float) -> None:
    """Note that the round goes on."""
    frontier.note_fact(ROUND, "alive", now)


def end_round(frontier: Frontier, now: float, *, cut_off: bool) -> None:
    """Note that the run ends; ``cut_off``: its round is not over."""
    frontier.note_fact(ROUND, "open", cut_off)
    is_alive(frontier, now)


def open_results(config: Config, template: Template, clock: Clock, kinds: Kinds) -> Results:
    """Open the results of a topic, or of a user's own spider. Raises StoreError."""
    return Results.open(
        config.results_of(template.name),
        template.name,
        kinds=kinds,
        clock=clock,
        timezone=str(template.topic.timezone),
        text=template.output.text,
        history=template.output.history,
        text_index=config.text_index,
        synchronous="FULL",  # before the crawl file's own commit: a power cut leaves results that are whole
        records={
            name: [*record["fields"]]
            for name, record in template.resolved.get("record", {}).items()
        },
    )


def run_start(run: RunFacts, template: Template) -> RunStart:
    """Return what is known of a run when it begins."""
    return RunStart(
        run_id=run.run_id,
        template=json.dumps(template.resolved, ensure_ascii=False, sort_keys=True),
        versions={
            "focuscrawl": __version__,
            "scrapy": version("scrapy"),
            "python": platform.python_version(),
            "seed": run.seed,
        },
        job=os.environ.get("SCRAPY_JOB") or os.environ.get("SHUB_JOBKEY") or "",
        worker=process_name(),
    )


SOONEST, LATEST = 1_577_836_800.0, 3_471_292_800.0
"""Wall times from 2020 to 2080: a machine without a battery begins in 1970 or 2000, and a wrong one in any year."""

STOPPED_WITHIN = 0.5
"""Seconds until a user's stop is noticed in a crawl that has not begun yet."""

FILE_ADVICE = N_(
    "a file is for workers of one machine, who all name the same one; for several"
    " machines set FOCUSCRAWL_RESULTS of all to a server, as in"
    " postgresql+psycopg://user:password@host/database"
)


def common_of(template: Template, config: Config) -> dict[str, InCommon]:
    """Return what all processes on one crawl must have in common, each with what it is called."""
    place = config.results_of(template.name)
    path = file_of(place)
    if path:
        results = InCommon(f"{socket.gethostname()}:{path}", FILE_ADVICE)
    else:
        results = InCommon(masked(str(place)))
    return {
        "focuscrawl": InCommon(__version__),
        "template": InCommon(template.hash),
        "FOCUSCRAWL_RESULTS": results,
    }


async def open_to_look(run: Run, sites: Sequence[str]) -> None:
    """Load what is remembered of some sites, for a command that only looks: no URL waits, nothing is begun."""
    store, frontier = run.store, run.frontier
    partitions = Partitions(map(partition_of, sites))
    frontier.expect(partitions, hears_inboxes=False)
    last = await LastTemplate.read(run.template, store)
    records = await store.sites(sites)
    await run.hooks.open_partitions(partitions, records)
    frontier.restore_measures(await store.facts(MEASURED))
    names = names_before(run.template, last, frontier)
    known = {source.source_id: source for source in run.template.sources}
    run.sources.update((old, known[name]) for old, name in names.items() if name in known)


class Opening:
    """The beginning of one run and its end: the stores, the round, what is logged of both."""

    def __init__(self, run: Run) -> None:
        self.old_rows = OldRows(
            run.template, run.commits, run.clock, run.counters, lambda: run.leads
        )
        self._run = run
        self._continued = False
        self._lost = NOTHING_LOST
        self._is_over: Callable[[], None] = _nothing

    async def open(self, *, has_results: bool = True) -> None:
        """Take the store, read the frontier and open the results. Raises StoreError.

        Without ``has_results`` they are empty ones beside a copy of the crawl file, and lack nothing.
        """
        # A crawl makes millions of small values and hardly a cycle: looking for cycles seldom
        # saves a tenth of the CPU time of a page.
        gc.set_threshold(50_000, 20, 100)
        run = self._run
        alone = next(filter(None, (alone() for alone in run.hooks.alone)), "")
        await self._reach(alone)
        if not SOONEST <= (now := run.clock.wall()) < LATEST:
            logger.warning(
                _(
                    "the clock of this machine says %s: dates and visits go by it, and a run with the right time may find"
                    " them in its future; set it right (timedatectl, or a time server)"
                ),
                time_text(now),
            )
        partitions = run.store.own(alone)
        try:
            results = open_results(run.config, run.template, run.clock, run.commits.kinds)
            run.commits.results = results
            await self._load(partitions)
            lost = await run.stored.begin(run.store, results, run.run.run_id)
            if has_results and lost is not NOTHING_LOST:
                self._lost = lost
                crawl = crawl_path(run.config, run.run.name)
                logger.warning("%s", results_missing(results.place, str(crawl)))
                run.counters[LOST_ROWS] = lost.found
            if run.store.vanished:  # links to it may stand on any page
                self._lost = self._lost._replace(since=0.0)
            results.rewrite_templates(masked)  # they were stored whole once
            start = run_start(run.run, run.template)
            results.begin_run(start, alone=not run.store.is_shared)
            self.old_rows.thin(results)
            run.commits.now()
            await run.commits.settled()
        except BaseException:
            self.close_results()  # nothing is to be written of a run that has no row there
            run.store.release()
            raise
        results.wait_when_away()
        self._is_over = run.slots.before_exit(partial(results.stop_waiting, 0.0))
        run.is_open = True

    async def _reach(self, alone: str) -> None:
        """Wait until the store answers, or the process is to end: Scrapy stops no crawl that has not begun yet."""
        run = self._run
        wait_no_longer = run.slots.before_exit(run.store.release)
        reached = asyncio.ensure_future(run.store.reach(alone))
        while not (await asyncio.wait([reached], timeout=STOPPED_WITHIN))[0]:
            if run.slots.is_told_to_stop:
                run.store.release()
        wait_no_longer()
        await reached

    async def _load(self, partitions: Sequence[int]) -> None:
        run, store, frontier = self._run, self._run.store, self._run.frontier
        if not run.run.has_topic and await begin_anew(store, frontier, fresh=run.config.fresh):
            logger.info(_("The last crawl finished: this one begins anew (FOCUSCRAWL_FRESH)"))
        # Facts are noted before rows are loaded.
        frontier.expect(Partitions(partitions), hears_inboxes=store.is_shared)
        last = await LastTemplate.read(run.template, store)
        if last.resolved:
            changes = compare(last.resolved, run.template.resolved)
            if store.is_shared and last.facts.get("hash") != run.template.hash:
                await store.load(
                    Partitions(partitions)
                )  # features look at rows, which are not here yet
            for follow in run.hooks.changed:
                for line in await follow(changes, last):
                    logger.info("%s", line)
        self._continued = await run.partitions.take(partitions, anew=True)
        frontier.restore_measures(await store.facts(MEASURED))
        if run.run.has_topic:
            names = names_before(run.template, last, frontier)
            known = {source.source_id: source for source in run.template.sources}
            run.sources.update((old, known[name]) for old, name in names.items() if name in known)
            run.recheck_before = apply_changes(
                run.template, last, run.rules, store, frontier, run.run.started
            )

    async def begin(self) -> None:
        """Queue the sources, and the boards, feeds and sitemaps of earlier rounds once again (A6)."""
        run, now, queued = self._run, self._run.run.started, 0
        if not run.run.has_topic:
            return
        run.frontier.number()
        missing = await run.store.facts(MISSING_SOURCES)
        if run.leads:
            ran_ahead = await clock_ran_ahead(run.store, now)
            began = await begin_round(run.store, run.frontier, now)
            round_ = Round(began, ran_ahead, self._lost.since)
            queued = sum([await begin(round_) for begin in run.hooks.begin])
        else:  # what is due in the partitions that it has taken is its own to look at
            await self.go_on(leads=False)
        queued += seed_again(run.template, run.rules, run.frontier, missing, now)
        if run.leads:
            run.counters["sources_new"] += seed(run.template, run.rules, run.frontier, now)
        run.counters["visited_again"] += queued
        counts, results = run.frontier.counts(), run.commits.results
        logger.info(
            "%s",
            first_line(
                run.template,
                results.place if results else "",
                is_new=not self._continued,
                due=queued,
                waiting=counts.waiting + counts.in_flight,  # asked for while this was found out
                failed=counts.failed,
                now=now,
                proxy=proxy_of(
                    *(run.template, getproxies()),
                    is_on=run.transport.settings.getbool("HTTPPROXY_ENABLED"),
                ),
            ),
        )

    async def go_on(self, *, leads: bool) -> None:
        """Go on with partitions of another process; ``leads``: with what is done once for all, too."""
        run = self._run
        if not run.run.has_topic:
            return
        if leads:
            await self._lead()
        began = (await run.store.facts(ROUND)).get("began", run.run.started)
        for go_on in run.hooks.go_on:
            go_on(Round(began))

    async def _lead(self) -> None:
        """Go on with what is done once for all processes, since the one that did it has gone."""
        run = self._run
        run.frontier.restore_measures(await run.store.facts(MEASURED))
        now = run.clock.wall()
        round_ = Round(await begin_round(run.store, run.frontier, now))
        seed(run.template, run.rules, run.frontier, now)  # it may have gone before it did so
        for feature in run.hooks.features:
            if feature.scope == "topic":
                await feature.begin(round_)

    async def close(self, *, cut_off: bool) -> None:
        """Write what is left and give the store back; ``cut_off``: the round is not over."""
        run = self._run
        if not run.is_open:
            return
        run.is_open = False
        try:
            await self._hand_in(run.config.lease if run.store.is_shared else None, cut_off=cut_off)
        except TimeoutError:
            why = _("the store does not answer: what was done since it did is done again")
            run.commits.break_off(StoreError(why))
        finally:
            run.store.release()

    async def _hand_in(self, most: float | None, *, cut_off: bool) -> None:
        """Write the last window; the store is waited for ``most`` seconds. Raises TimeoutError."""
        run = self._run
        await run.commits.settled(most)
        with suppress(StoreError):  # it is logged
            await run.stored.ask(last_run)  # the last window is written here: it must not be away
        run.commits.closing = True
        end_round(run.frontier, run.clock.wall(), cut_off=cut_off)
        run.stored.end()
        run.commits.beside()
        await run.commits.settled(most)
        held, now = run.partitions.held, run.clock.steady()
        async with asyncio.timeout(most):
            await run.store.give_back(held, run.frontier.pauses_of(held, now))

    def end_results(self) -> None:
        """Write why the run ended."""
        commits, results, ending = self._run.commits, self._run.commits.results, self._run.ending
        if not results or commits.broken:
            return
        self._is_over()  # a process may crawl many topics, one after the other
        try:
            row, is_last = self._run.tally.run_row(), self._run.store.is_last
            if is_last:
                self.old_rows.forget(results)
            said = (ending.reason, ending.detail, ending.exit_code)
            results.end_run(*said, row, is_last=is_last)
        except StoreError as error:
            commits.break_off(error)

    def close_results(self) -> None:
        """Close the results."""
        if results := self._run.commits.results:
            results.close()
            self._run.commits.results = None


def _nothing() -> None:
    """Take nothing back: nothing was begun."""


class OldRows:
    """Deletes a little every hour, since a run that stays has no end, and the rest at the end; and thins
    numbers by minute each day. Of several processes the one that leads does so.
    """

    def __init__(
        self,
        template: Template,
        commits: Commits,
        clock: Clock,
        counters: Counter[str],
        leads: Callable[[], bool],
    ) -> None:
        self._keep = template.output.keep
        self._commits = commits
        self._clock = clock
        self._counters = counters
        self._leads = leads
        self._last = clock.wall()
        self._thinned = 0.0

    def meanwhile(self) -> None:
        """Delete some, when it is time."""
        now, commits = self._clock.wall(), self._commits
        if now - self._last < FORGET_EVERY or commits.broken or not commits.results:
            return
        if commits.is_held_up or not self._leads():
            return
        self._last = now
        try:
            self.forget(commits.results, MOST_MEANWHILE)
            self.thin(commits.results)
        except StoreError as error:
            commits.break_off(error)

    def thin(self, results: Results) -> None:
        """Let old numbers by minute become numbers by hour, when it is time. Raises StoreError."""
        now = self._clock.wall()
        if now - self._thinned >= SECONDS_OF_DAY and self._leads():
            self._thinned = now
            results.thin_series()

    def forget(self, results: Results, most: int = MOST_AT_ONCE) -> None:
        """Delete about so many rows. Raises StoreError."""
        if self._keep == inf:
            return
        deleted = results.forget_old(self._keep, most)
        if deleted:
            rows = ", ".join(f"{count} {table}" for table, count in deleted.most_common())
            logger.info("output.keep: deleted what was last seen longer ago: %s", rows)
            self._counters["deleted"] += deleted.total()


def frontier_of(
    template: Template,
    store: Store,
    config: Config,
    order: LevelOrder,
    politeness: Callable[[str], Politeness],
    dice: Random,
) -> Frontier:
    """Return the frontier of a topic, over its store; ``order`` are its weighted queues."""
    is_strict = any(getattr(table, "strict", False) is True for table in template.tables.values())
    return Frontier(
        order,
        politeness=politeness,
        partition_of=partition_of,
        stored=store.read,
        random=dice.random,
        retry_waits=config.retry_waits,
        numbers=store if store.is_shared else None,
        # The published method leaves out no link.
        most_waiting=inf if is_strict else template.of(QueuesTable).waiting,
    )
