"""The partitions of one run.

A partition is held, draining or another's, and may change hands while the run goes on. Of one that
drains nothing more is taken, and links into it go to its inbox. When none of its URLs is in flight any
more, or their time is up, what is known of it is written, every feature lets go of it, and it is free.
One that is lost (its lease has ended, the store was rolled back) goes at once: what was gathered of it is
forgotten but for links, which are sent on, and its URLs in flight end without a trace, since its next
holder fetches them again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.readers.links.admission import CROWDED
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.urls.sites import Partitions, partition_of

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping, Sequence

    from scrapy import Request

    from focuscrawl.kernel.run import Run
    from focuscrawl.stores.state.protocol import Fate, InboxBatch, StartUrl, WorkerState

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.05
"""Seconds after which a partition that drains, or a lease that has ended, is looked at again."""

HELD_BACK = 0.5
"""Seconds for which a site is left whose partition drains, or whose lease has ended; then it is asked for
again, and may be held."""


STARTS = "start hosts"
"""The kind of the facts that hold the hosts at which a spider without a topic begins."""

SITES_LOOKED_AT = 20_000
"""Sites that are looked at to find partitions that have something to do: where there are more, all have."""

LINKS_AGAIN = 86_400.0
"""Seconds after which links into others' partitions are sent once more: that a page has gone which they
lead to is known to its owner alone, who looks again at one that is still linked to, once a day."""


class HeldPartitions:
    """The partitions of one run; ``draining`` are held still, and about to be let go of.

    ``idle``: this process has nothing to do, which the others learn with the next beat.
    ``finished``: no process has anything to do, and nothing waits anywhere.
    """

    def __init__(self, run: Run) -> None:
        self.held = Partitions()
        self.draining = Partitions()
        self.idle = self.finished = False
        self._idle_since = 0.0
        self._links_since = run.clock.steady()
        self._handed_in: list[StartUrl] = []
        self._started: list[StartUrl] = []
        self._expected: dict[int, object] = {}
        self._early = Partitions()
        self._gone: Counter[str] = Counter()
        self._is_counting = False
        self._kept: defaultdict[int, list[InboxBatch]] = defaultdict(list)
        self._run = run
        run.frontier.ordered = self._take_order
        run.commits.fated = self.fated
        self._state: WorkerState | None = None
        if run.store.is_shared:
            run.commits.before_drain, run.commits.after_drain = self.start, self.tell
            run.commits.counted = self.tell_counts

    async def take(self, taken: Collection[int], *, anew: bool) -> bool:
        """Load what the store has of partitions that were taken, and begin to work on them.

        ``anew``: a run begins with them, and what has failed is tried again. Returns whether anything was
        ever there. Raises StoreError.
        """
        run, wanted = self._run, Partitions(taken)
        mine = object()  # what is lost meanwhile may be taken once more, and is that one's to load
        self._expected |= dict.fromkeys(wanted, mine)
        run.frontier.expect(wanted, hears_inboxes=run.store.is_shared)
        await run.commits.settled()
        loaded = await run.store.load(wanted)
        while left := [one for one in wanted if self._expected.get(one) is not mine]:
            wanted = Partitions(wanted - {*left})
            loaded = await run.store.load(wanted)
        await run.hooks.open_partitions(wanted, loaded.records)
        now, wall = run.clock.steady(), run.clock.wall()
        run.frontier.load(loaded, wall, now=now, partitions=wanted, anew=anew)
        for partition in wanted:
            del self._expected[partition]
        for host in await run.store.facts(STARTS):
            run.private_hosts.name(host)
        if loaded.unclean:  # results may have what a dead process did not acknowledge
            run.stored.in_step = False
        self.held = Partitions(self.held | wanted)
        self.idle = False
        self.arrived({partition: self._kept.pop(partition, []) for partition in wanted})
        return loaded.next_sequence > 1

    async def release(self, given: Collection[int], grace: float) -> None:
        """Let go of partitions in order; ``grace`` seconds are left to what is in flight."""
        run, partitions = self._run, Partitions(self.held & {*given})
        self.draining = Partitions(self.draining | partitions)
        run.frontier.close(partitions)
        until = run.clock.steady() + grace
        while run.frontier.is_busy(partitions) and run.clock.steady() < until:
            await asyncio.sleep(LOOK_EVERY)
        await run.commits.settled()
        partitions = Partitions(partitions & self.draining)  # some may have been lost
        run.frontier.lose_flights(
            partitions
        )  # whose end would tell features of what they have let go of
        run.hooks.release_partitions(partitions, run.frontier)
        run.commits.beside()
        await run.commits.settled()
        partitions = Partitions(partitions & self.draining)
        pauses = run.frontier.pauses_of(partitions, run.clock.steady())
        self._forget(partitions)
        await run.store.give_back(partitions, pauses)
        logger.info("Gave %d partitions to others, and holds %d", len(partitions), len(self.held))

    def lose(self, lost: Collection[int]) -> None:
        """Let go of partitions that others have by now."""
        self._early = Partitions(self._early - {*lost})
        expected = {*lost} & self._expected.keys()
        for partition in expected:
            del self._expected[partition]
        for partition in lost:
            self._kept.pop(partition, None)
        partitions = Partitions(self.held & {*lost})
        self._run.frontier.release(Partitions(partitions | expected))
        self._run.hooks.release_partitions(partitions, self._run.frontier)
        self._forget(partitions)

    def may_end(self) -> bool:
        """Whether a run that has nothing more to do may end; if not, others may send it something."""
        run, now = self._run, self._run.clock.steady()
        if not self.idle:
            self.idle, self._idle_since = True, now
        if not run.store.is_shared:
            return True
        stays = run.transport.settings.getfloat("MAX_IDLE_TIME_BEFORE_CLOSE")
        run.is_at_end = self.finished and now - self._idle_since >= stays
        return run.is_at_end

    # What the store reports ---------------------------------------------------------------------

    def fated(self, fate: Fate) -> None:
        """Follow what became of a window, and what others want or have sent."""
        if fate.rolled_back:
            self.lose(self.held | self._expected.keys() | self._early)
        elif fate.fenced:
            logger.warning("%d partitions have gone to other workers", len(fate.fenced))
            self.lose(fate.fenced)
        if self._run.clock.steady() - self._links_since >= LINKS_AGAIN:
            self._links_since = self._run.clock.steady()
            self._run.frontier.send_again()
            self._run.rules.known.clear()
        lacked = not self._run.totals.may_fetch()
        # Once the partitions of a worker that left are taken (JOIN), its message is gone; none are loaded at the end.
        self._run.totals.heard(
            fate, of_all=not (self._run.is_at_end and self._run.slots.is_closing)
        )
        if (
            lacked and self._run.totals.may_fetch() and self._run.is_open
        ):  # before an idle beat would give the tickets back
            self.idle = False
            self._run.slots.wake()
        self._run.frontier.number()
        # While a run opens it cannot go on with what it takes: with the next beat, then.
        self._early = Partitions(self._early | fate.taken)
        # Behind the last window nothing is written any more: what comes with it stays in the inboxes.
        if fate.inbox and not self._run.commits.closing:
            self.idle = False
            unread = sum(batch.unread for sent in fate.inbox.values() for batch in sent)
            self._run.tally.counters["links_unread"] += unread
            self.arrived(fate.inbox)
        self._handed_in += fate.starts
        self.finished = fate.finished
        self._gone.update(fate.gone)
        if (self._early or self._gone) and self._run.is_open:
            self._beside(self.go_on())
        if fate.wanted and self.held and not self.draining:
            self._beside(self.release(self._shared_out(fate.wanted), self._run.config.grace))

    async def go_on(self) -> None:
        """Go on with partitions of other processes, and with what is done once for all."""
        if self._is_counting:
            return
        left, self._gone = self._gone, Counter()
        self._is_counting = True
        try:
            for name in left:  # before anything else: loading takes longer than others wait for it
                for hear in self._run.hooks.worker_gone:
                    await hear(name)
        finally:
            self._is_counting = False
        # Only now, and with no wait until they are expected: links into them would be lost in between.
        taken, self._early = self._early, Partitions()
        if not taken:
            return
        led = self._run.leads
        await self.take(taken, anew=False)
        if left:
            logger.warning("%s", _taken_over(left, len(taken), len(self.held)))
        else:
            logger.info("Took %d partitions, and holds %d", len(taken), len(self.held))
        if self._run.is_open:
            await self._run.opening.go_on(leads=self._run.leads and not led)
            self._run.slots.wake()

    def _shared_out(self, count: int) -> list[int]:
        """Return so many partitions that others may have: of those with URLs as large a part as of all, those with
        the fewest in flight first, and what leads last.

        By what is in flight alone a crawl of few sites stayed with its first worker: three workers on an
        archive of five hosts fetched 581, 0 and 0 pages.
        """
        frontier = self._run.frontier
        flying, at_work = frontier.busy_partitions(), frontier.partitions_at_work(SITES_LOOKED_AT)
        first = sorted(self.held, key=lambda one: (one == WHOLE_TOPIC, flying[one], one))
        working = [one for one in first if one in at_work]
        resting = [one for one in first if one not in at_work]
        part = max(round(count * len(working) / len(first)), count - len(resting))
        return working[:part] + resting[: count - part]

    def _beside(self, work: Coroutine[Any, Any, object]) -> bool:
        async def done() -> None:
            try:
                await work
            except StoreError as error:
                if not self._run.slots.is_closing:  # what it took at the very end waits for others
                    self._run.commits.break_off(error)

        is_done = self._run.items.beside(done)
        if not is_done:  # the pipelines are closed: the run is about to begin, or to end
            work.close()
        return is_done

    def start(self) -> None:
        """Queue what users have handed in since the last time; what Scrapy makes no request of is marked as
        ``refused``. It is taken out with the window that has its rows.
        """
        if not self._run.is_open or self._run.slots.is_closing:
            return
        handed_in, self._handed_in = self._handed_in, []
        for start in handed_in:
            self.idle = False
            try:
                self._run.slots.crawl(start.url, start.method, start.form, start.meta)
                self._started.append(start)
            except ValueError as error:
                self._started.append(start._replace(refused=str(error)))

    def tell(self) -> None:
        """Report what this process is doing, with the window whose changes were just taken.

        It is idle with nothing to do, nothing in flight and nothing that is loaded or about to be: nothing then is
        in memory but this window. When it reported any other moment, workers that were done left while links into
        their partitions were still on their way.
        """
        run, closing = self._run, self._run.commits.closing
        if not (run.is_open or closing):
            return
        started, self._started = self._started, []
        busy = run.flights or self._expected or self._early or self._handed_in
        idle = closing or (self.idle and not busy)
        self._state = run.totals.state(idle=idle, started=started)
        run.store.tell(self._state)

    def tell_counts(self) -> None:
        """Report also the counts of the window that is in the results now: a process that dies next has counted it."""
        if self._state is not None:
            counted = self._run.totals.told()
            self._run.store.tell(self._state._replace(counted=counted, started=()))

    def arrived(self, batches: Mapping[int, Sequence[InboxBatch]]) -> None:
        """Take in the links that others have sent; those into a partition that drains wait there.

        Into one that is being loaded, or will be as soon as the run is open, they come only once: six crawls of 24
        lost whole chains of pages when four workers began together on a busy machine (benchmarks.results_server).
        """
        for partition, sent in batches.items():
            for batch in sent:
                if partition in self._expected or partition in self._early:
                    self._kept[partition].append(batch)
                else:
                    self._run.frontier.take_in(partition, batch)
        if crowded := self._run.frontier.crowded_out:
            self._run.tally.refused[CROWDED] += crowded
            self._run.frontier.crowded_out = 0

    def _take_order(self, order: str, site: str) -> None:
        """Follow a person's order about a site that is held here."""
        for take_order in self._run.hooks.take_order:
            take_order(order, site)

    # What may be asked --------------------------------------------------------------------------

    def seconds_to_wait(self, site: str) -> float:
        """Return how long a site is left: since its partition drains, or may be another process's by now."""
        if self._run.store.seconds_held() <= 0:
            return HELD_BACK
        if not self.draining or partition_of(site) not in self.draining:
            return 0.0
        return HELD_BACK

    async def is_sure(self, request: Request) -> bool:
        """Whether a request that is about to be sent is still this process's to send.

        It waits as long as that is unknown. A URL that waited for a robots.txt, say, is looked at again.
        """
        run = self._run
        while run.store.seconds_held() <= 0 and not (run.commits.broken or run.slots.is_closing):
            await asyncio.sleep(LOOK_EVERY)
        return not self._is_lost(request)

    def is_ours(self, request: Request) -> bool:
        """Whether a request is this process's to send, here and now."""
        return self._run.store.seconds_held() > 0 and not self._is_lost(request)

    def _is_lost(self, request: Request) -> bool:
        flight = self._run.flights.get(request)
        return self._run.frontier.is_lost(flight.sequence) if flight else False

    def ban_of(self, request: Request) -> str:
        """Return why a request that is about to be sent must not be: a person has banned its site since it was
        taken; "": it may."""
        run = self._run
        if not run.rules.explorer or request not in run.flights:  # a robots.txt has none
            return ""
        return run.rules.explorer.why_banned(run.flights[request].waiting, run.clock.wall())

    def _forget(self, partitions: Partitions) -> None:
        self._run.frontier.release(partitions)
        self._run.rules.known.clear()  # of links that were taken for known
        self.held = Partitions(self.held - partitions)
        self.draining = Partitions(self.draining - partitions)


def _taken_over(left: Mapping[str, int], taken: int, held: int) -> str:
    """Return in words whose work goes on here."""
    owners = ", ".join(f"{name} ({count} partitions)" for name, count in sorted(left.items()))
    verb = "is gone or stands still" if len(left) == 1 else "are gone or stand still"
    return f"{owners} {verb}: took {taken} partitions, holds {held}, and goes on with all of them"
