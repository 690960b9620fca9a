"""The lines of waiting URLs by site and level: who is first among those that may be asked now.

A site is *listed* under the head of each of its queues while it may be asked, else it has a timer,
or the end of a fetch lists it again. Entries that are out of date are dropped when they come up.
Times are steady time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from focuscrawl.frontier.queue import SEQUENCE_MASK, Queue, order_of
from focuscrawl.stores.state.protocol import Loaded
from focuscrawl.values import PROMISE_MASK, Lane

# An entry of a ready heap is a URL's order above the number of its site: 16 million sites.
SITE_BITS = 24
SITE_MASK = (1 << SITE_BITS) - 1
UNKNOWN_PARTITION = -1
"""The partition of a site before it is asked for."""


JITTER = 0.5
"""A pause is drawn from delay … delay · (1 + JITTER), unless RANDOMIZE_DOWNLOAD_DELAY is off; so no pause
is ever shorter than what is written."""


class Politeness(NamedTuple):
    """How one site is treated. The pause is drawn from delay … delay · (1 + jitter), in seconds.

    What a delay means stands here, and in ``site_clock`` where several crawls ask one site. Which delays a topic and
    a site want says ``features.politeness``.
    """

    delay: float = 0.0
    jitter: float = 0.0
    concurrency: int = 1

    def is_short_of(self, asked: float) -> bool:
        """Whether a site asks for a longer delay."""
        return asked > self.delay

    def with_asked(self, asked: float) -> Politeness:
        """Return how a site is treated that asks for a delay itself: the longer one counts.

        A site that asks for a longer one is asked one request at a time.
        """
        return self._replace(delay=asked, concurrency=1) if self.is_short_of(asked) else self

    def pause(self, random: float) -> float:
        """Return the pause before the next request; ``random`` is drawn from 0 … 1."""
        return self.delay * (1.0 + self.jitter * random)


WAITING_BYTES = 100_000_000
FEW_PART, AGAIN_PART = 0.25, 0.9
"""Rows take 4 kB at most, so that a quarter of 100,000 cannot have 100 MB: of a smaller site nothing is counted."""

ROW_BYTES = 100
"""What a row takes besides its address and the text of its link (a character of it is up to three bytes)."""


class Site:
    """One site's queues and its politeness. ``ready_at`` is steady time.

    ``waiting`` counts its URLs in the level queues, ``exploring`` those in the order.
    ``partition`` is where its rows live, UNKNOWN until it is asked for.
    """

    __slots__ = (
        "active",
        "exploring",
        "name",
        "number",
        "partition",
        "politeness",
        "queues",
        "ready_at",
        "timer",
        "waiting",
    )

    def __init__(self, name: str, number: int, politeness: Politeness, levels: int) -> None:
        self.name = name
        self.number = number
        self.partition = UNKNOWN_PARTITION
        self.politeness = politeness
        self.queues: list[Queue | None] = [None] * levels
        self.waiting = 0
        self.exploring = 0
        self.active = 0
        self.ready_at = 0.0
        self.timer: float | None = None

    def queue_of(self, level: int) -> Queue:
        """Return the queue of a level, an index; made when there is none."""
        queue = self.queues[level]
        if queue is None:
            queue = self.queues[level] = Queue()
        return queue


class CrowdedSites(set[str]):
    """Sites of which no more URLs are to wait: ``most`` wait, or so many that their rows take ``WAITING_BYTES``.

    A site leaves it when a tenth of that is gone. It counts a site only once ``few`` of its URLs wait.
    """

    def __init__(self, most: float) -> None:
        super().__init__()
        self.few = most * FEW_PART
        self._most = most
        self._lengths: dict[str, list[int]] = {}  # by site: bytes of rows, how many of them

    def grew(self, site: Site, length: int) -> None:
        """Count one more URL that is about to wait, with the bytes that its row takes."""
        measured = self._lengths.setdefault(site.name, [0, 0])
        measured[0] += length
        measured[1] += 1
        if self._fullness(site, site.waiting + site.exploring + 1) >= 1:
            self.add(site.name)

    def shrank(self, site: Site) -> None:
        """Forget a crowded site when enough of its URLs were taken."""
        if self._fullness(site, site.waiting + site.exploring) < AGAIN_PART:
            self.leave(site)

    def leave(self, site: Site) -> None:
        """Forget a site."""
        self.discard(site.name)
        self._lengths.pop(site.name, None)

    def _fullness(self, site: Site, waiting: int) -> float:
        length, count = self._lengths.get(site.name, (0, 0))
        return max(waiting / self._most, waiting * length / max(1, count) / WAITING_BYTES)


class Order(Protocol):
    """The lane of exploration: its waiting URLs as numbers, and which of them is next.

    Known sources and what belongs to them wait in the level queues (method A). URLs that lead into
    the unknown wait in an order that the caller passes in: the frontier knows nothing of relevance.

    Sites are the frontier's numbers; the name is passed for orders that keep books by name. A site
    for which ``is_ready`` returned False is left alone until ``wake``; after a pick its site counts as
    not ready. ``ended`` is called once for every URL picked.
    """

    def add(self, sequence: int, site: int, name: str, folder: int, score: int, step: int) -> None:
        """Let a URL wait; ``folder``, ``score``, ``step`` as in ``values.Lane``."""

    def extend(self, site: int, name: str, folder: int, promises: list[int]) -> None:
        """Let URLs of one folder wait, as ``values.Lane.promise`` has them: at a start, many."""

    def pick(self, is_ready: Callable[[int], bool], wall: float) -> tuple[int, int] | None:
        """Take the next URL of a ready site: (sequence, site); None when there is none."""

    def waits(self, is_ready: Callable[[int], bool], wall: float) -> bool:
        """Whether ``pick`` would return a URL."""

    def wake(self, site: int, *, busy: bool) -> None:
        """Let a site be picked again; ``busy``: an earlier request to it has not ended."""

    def ended(self, sequence: int) -> None:
        """Note that a URL that was picked is no longer in flight."""

    def leave(self, site: int) -> None:
        """Let go of all URLs of a site, none of which is in flight; it may come again."""

    def counts(self) -> tuple[int, int]:
        """Return how many URLs wait, and how many are kept back for now (parked)."""


def no_gate(site: str) -> float:
    """Let every site pass: the gate of a frontier without a guard."""
    return 0.0


def ignore_taken(site: str) -> None:
    """Do nothing when a site is taken."""


def ignore_given_back(site: str, now: float) -> None:
    """Do nothing when a site is given back."""


class Lines:
    """Queues of all sites and ``levels``; a level is an index here, 0 = level 1.

    ``lengths`` count the URLs that wait in each level, ``busy`` those in flight; ``ready`` are heaps
    of what ``head`` has to look at. ``politeness`` returns how a new site is treated, ``random`` draws from
    0 … 1. ``gate`` may hold a site back that looks ready: it returns the seconds to wait. ``took`` is called
    with a site when a URL of it is taken, ``gave_back`` when that request has ended. ``exploration`` is woken
    when one of its sites is ready. ``asked_before`` returns until when a new site is left, since another
    process may have asked it.
    """

    def __init__(
        self,
        levels: int,
        *,
        politeness: Callable[[str], Politeness],
        random: Callable[[], float],
        gate: Callable[[str], float] = no_gate,
    ) -> None:
        self.lengths = [0] * levels
        self.busy = [0] * levels
        self.gate = gate
        self.took: Callable[[str], None] = ignore_taken
        self.gave_back: Callable[[str, float], None] = ignore_given_back
        self._held: dict[int, float] = {}
        self.by_name: dict[str, Site] = {}
        self.by_number: list[Site] = []
        self.exploration: Order | None = None
        self.asked_before: Callable[[str, Politeness], float] | None = None
        self._politeness = politeness
        self._random = random
        self._now = 0.0
        self.ready: list[list[int]] = [[] for _ in range(levels)]
        self._timers: list[tuple[float, int]] = []

    def index(self, level: int) -> int:
        """Return a level's index; levels that do not exist are the nearest one."""
        top = len(self.lengths)
        return level - 1 if 0 < level <= top else min(max(level, 1), top) - 1

    def site(self, name: str) -> Site:
        """Return a site, new when it was never named."""
        site = self.by_name.get(name)
        if site is None:
            site = Site(name, len(self.by_number), self._politeness(name), len(self.lengths))
            self.by_number.append(site)
            self.by_name[name] = site
            if self.asked_before:
                site.ready_at = self.asked_before(name, site.politeness)
        return site

    # Waiting ------------------------------------------------------------------------------------

    def load(self, loaded: Loaded) -> list[Site]:
        """Take in what waits in a store, and return the store's sites in its order.

        They are not listed yet: ``schedule`` each when all is there.
        """
        sites = [self.site(name) for name in loaded.sites]
        order = self.exploration
        for number, level, sequences in loaded.runs:
            self._extend(sites[number], self.index(level), sequences)
        for number, folder, level, promises in loaded.folders:
            site = sites[number]
            if order:
                site.exploring += len(promises)
                order.extend(site.number, site.name, folder, promises)
            else:
                ascending = sorted(promise & PROMISE_MASK for promise in promises)
                self._extend(site, self.index(level), ascending)
        for sequence, number, level, priority, lane in loaded.places:
            site = sites[number]
            if lane and order:
                site.exploring += 1
                order.add(sequence, site.number, site.name, *Lane.unpacked(lane))
            else:
                index = self.index(level)
                site.queue_of(index).push(order_of(sequence, priority))
                site.waiting += 1
                self.lengths[index] += 1
        return sites

    def _extend(self, site: Site, level: int, orders: list[int]) -> None:
        site.queue_of(level).extend(orders)
        site.waiting += len(orders)
        self.lengths[level] += len(orders)

    def leave(self, site: Site) -> None:
        """Let go of all URLs of a site, none of which is in flight.

        Its pause stays: this process may take the site next.
        """
        for level, queue in enumerate(site.queues):
            if queue is not None:
                self.lengths[level] -= len(queue)
                site.queues[level] = None
        if site.exploring and self.exploration:
            self.exploration.leave(site.number)
        site.waiting = site.exploring = 0

    def push(self, site: Site, level: int, order: int) -> None:
        """Let a URL wait."""
        queue = site.queues[level]
        if queue is None:
            queue = site.queues[level] = Queue()
        queue.push(order)
        site.waiting += 1
        self.lengths[level] += 1
        # Else the one before it is listed, or will be.
        if queue.head == order and self.may_be_asked(site):
            self._list(site, level, queue)

    def remove(self, site: Site, level: int, order: int) -> bool:
        """Take a URL out of the middle of its line; False when it does not wait there."""
        queue = site.queues[level]
        if queue is None or not queue.remove(order):
            return False
        if not queue:
            site.queues[level] = None
        site.waiting -= 1
        self.lengths[level] -= 1
        return True

    def explore(self, site: Site, sequence: int, lane: Lane, order: Order) -> None:
        """Let a URL wait in the order."""
        order.add(sequence, site.number, site.name, *lane)
        site.exploring += 1
        # Else its site is awake, or will be woken.
        if site.exploring == 1 and self.may_be_asked(site):
            order.wake(site.number, busy=site.active > 0)

    # Picking ------------------------------------------------------------------------------------

    def head(self, level: int) -> Site | None:
        """Return the ready site whose URL of this level came first, dropping stale entries."""
        ready = self.ready[level]
        now = self._now
        while ready:
            code = ready[0]
            site = self.by_number[code & SITE_MASK]
            queue = site.queues[level]
            order = code >> SITE_BITS
            if queue is None or queue.head != order:
                heappop(ready)
                if queue is not None and queue.listed == order:
                    queue.listed = None
                    if self.may_be_asked(site):
                        self._list(site, level, queue)
                continue
            if site.active >= site.politeness.concurrency or site.ready_at > now:
                heappop(ready)
                queue.listed = None
                self._set_timer(site)
                continue
            held = self.gate(site.name)
            if held > 0:
                site.ready_at = self._held[site.number] = now + held
                continue
            return site
        return None

    def pop(self, site: Site, level: int) -> int:
        """Take the URL out for which ``head`` has just named this site; its sequence number."""
        order = heappop(self.ready[level]) >> SITE_BITS
        queue = site.queues[level]
        if queue is None:
            raise IndexError("no URL waits")
        queue.listed = None
        queue.pop()
        if queue.head is None:
            site.queues[level] = None
        site.waiting -= 1
        self.lengths[level] -= 1
        return order & SEQUENCE_MASK

    def is_ready(self, number: int) -> bool:
        """Whether a site may be asked now; when not, the order is woken once it may be."""
        site = self.by_number[number]
        if not self.may_be_asked(site):
            return False
        held = self.gate(site.name)
        if held > 0:
            site.ready_at = self._held[site.number] = self._now + held
            self._set_timer(site)
            return False
        return True

    def open_again(self, name: str) -> bool:
        """Look again at a site that was held back by the gate, and by nothing since; False: there is none."""
        site = self.by_name.get(name)
        if site is None or self._held.pop(site.number, None) != site.ready_at:
            return False
        site.ready_at = self._now
        self.schedule(site)
        return True

    # Time and politeness ------------------------------------------------------------------------

    def occupy(self, site: Site, level: int) -> None:
        """A request goes to a site now: it is asked nothing more for a while."""
        politeness = site.politeness
        site.active += 1
        self.busy[level] += 1
        self._held.pop(site.number, None)
        self.took(site.name)
        if politeness.delay:
            site.ready_at = self._now + politeness.pause(self._random())
        if site.active < politeness.concurrency and (site.waiting or site.exploring):
            self.schedule(site)

    def free(self, site: Site, level: int, now: float, unasked_since: float | None) -> None:
        """A request to a site has ended; a site that was never asked is ready as it was before.

        With one request at a time the pause counts from the end of the answer, so that two
        requests never arrive closer than the delay however long the first one was on its way.
        """
        site.active -= 1
        self.busy[level] -= 1
        self._now = max(self._now, now)
        self.gave_back(site.name, now)
        politeness = site.politeness
        if politeness.concurrency == 1:
            if unasked_since is not None:
                site.ready_at = unasked_since
            elif politeness.delay:
                site.ready_at = max(site.ready_at, now + politeness.pause(self._random()))
        if site.waiting or site.exploring:
            self.schedule(site)

    def block(self, site: Site, until: float) -> None:
        """Ask a site nothing before ``until``."""
        site.ready_at = max(site.ready_at, until)
        self.schedule(site)

    def advance(self, now: float) -> None:
        """Let time pass: sites whose pause is over are listed."""
        self._now = max(self._now, now)
        timers = self._timers
        while timers:
            at, number = timers[0]
            site = self.by_number[number]
            if site.timer != at or not (site.waiting or site.exploring):
                heappop(timers)
                if site.timer == at:
                    site.timer = None
                continue
            if at > self._now:
                break
            heappop(timers)
            site.timer = None
            self.schedule(site)

    def next_timer(self) -> float | None:
        """Return when the next site's pause is over, after ``advance``; None: no site pauses."""
        return self._timers[0][0] if self._timers else None

    def pausing(self) -> Iterator[Site]:
        """Go through the sites whose pause is not over, after ``advance``."""
        for at, number in self._timers:
            site = self.by_number[number]
            if site.timer == at and (site.waiting or site.exploring):
                yield site

    def is_free(self, site: Site) -> bool:
        """Whether a site is ready."""
        return site.active < site.politeness.concurrency and site.ready_at <= self._now

    def may_be_asked(self, site: Site) -> bool:
        """Whether a site is ready; sets its timer when it will be by waiting."""
        if site.active >= site.politeness.concurrency:
            return False
        if site.ready_at > self._now:
            self._set_timer(site)
            return False
        return True

    def schedule(self, site: Site) -> None:
        """List the heads of a site's queues as ready, or see to it that they will be."""
        if not (site.waiting or site.exploring) or not self.may_be_asked(site):
            return
        if site.exploring and self.exploration:
            self.exploration.wake(site.number, busy=site.active > 0)
        for level, queue in enumerate(site.queues):
            if queue is not None and (queue.listed is None or queue.head != queue.listed):
                self._list(site, level, queue)

    def _list(self, site: Site, level: int, queue: Queue) -> None:
        head = queue.head
        if head is not None and (queue.listed is None or head < queue.listed):
            queue.listed = head
            heappush(self.ready[level], (head << SITE_BITS) | site.number)

    def _set_timer(self, site: Site) -> None:
        if site.active >= site.politeness.concurrency:
            return
        if site.timer is None or site.ready_at < site.timer:
            site.timer = site.ready_at
            heappush(self._timers, (site.ready_at, site.number))
