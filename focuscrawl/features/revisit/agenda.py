"""Which pages are visited now (B4), how the price follows the budget, and what may be left out.

The first m pages by their date are looked at; with a budget due or not, without one only those that
are due. Pages of sites that must wait are skipped, and others looked at instead. The best are
taken, and get a reservation.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from math import ceil, inf
from operator import itemgetter
from typing import NamedTuple, Protocol

from focuscrawl.features.revisit.policies import moved_price
from focuscrawl.features.revisit.signals.signals import Signal
from focuscrawl.features.revisit.table import DAY, RevisitRules
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.values import Json, PageClass, PageState

CHOICE = 4
"""So many pages are looked at for each that may be taken, at least."""

MOST_LOOKS = 10
"""At most so many times m pages are read until half as many may be taken."""

NO_BURST = 3600.0
"""Seconds whose share of the budget may be spent at once, after a pause."""

VALUE = itemgetter(0)


class Taken(NamedTuple):
    """What a period took: ``pages`` with their reservations, best first, to be stored before fetching.

    ``visits`` of each is what ``Visits.visited`` asks for. ``skipped`` counts pages left out
    because their site has no room. ``moved``: the price was changed.
    """

    pages: list[PageState]
    skipped: int = 0
    moved: bool = False


class Bound:
    """How many of some pages a period takes, the first by their dates; the others stay due."""

    def __init__(self, is_meant: Callable[[PageState], bool], most: int) -> None:
        self._is_meant = is_meant
        self._left = most

    def refuses(self, page: PageState) -> bool:
        """Whether a page is one too many."""
        if not self._is_meant(page):
            return False
        self._left -= 1
        return self._left < 0


class Period:
    """A period under way: it is offered pages in the order of their dates until it has enough.

    ``most`` is how many may be taken; ``by_budget`` says that this is the budget's doing.
    ``room(site)`` is how many requests the site may get now, 0 while it must wait.
    """

    def __init__(
        self,
        visits: Visits,
        now: float,
        most: int,
        room: Callable[[str], int] = lambda site: 1_000_000,
        *,
        by_budget: bool = False,
        bounds: Sequence[Bound] = (),
    ) -> None:
        self._visits = visits
        self._now = now
        self._bounds = bounds
        self.most = most
        self._room = room
        self._rooms: dict[str, int] = {}
        self._usable: dict[str, int] = {}
        self._by_value = by_budget and visits.policy.by_value
        self._candidates: list[PageState] = []
        self._looked = self._found = self._skipped = 0
        self._ended = False
        self.batch = max(visits.rules.candidates, CHOICE * most)

    @property
    def horizon(self) -> float:
        """The date up to which pages are to be offered: now, or inf when they need not be due."""
        return inf if self._by_value else self._now

    def offer(self, pages: Sequence[PageState]) -> bool:
        """Look at the next pages; True when more are wanted. Fewer than ``batch`` are the last."""
        for page in pages:
            if self._is_early(page):
                continue
            site = page.site
            room = self._rooms.get(site)
            if room is None:
                room = self._rooms[site] = self._room(site)
                self._usable[site] = 0
            if room <= 0:
                self._skipped += 1
                continue
            if any(bound.refuses(page) for bound in self._bounds):
                continue
            self._candidates.append(page)
            if self._is_cheap(page):
                continue  # others are looked at besides
            if self._usable[site] < room:
                self._usable[site] += 1
                self._found += 1
        self._looked += len(pages)
        self._ended = len(pages) < self.batch
        enough = 2 * self._found >= self.batch or self._looked >= MOST_LOOKS * self.batch
        return not (self._ended or enough or self.most <= 0)

    def _is_early(self, page: PageState) -> bool:
        # A page that is due was given its date by a rule, even if sooner than the minimum.
        if self._by_value:
            return not self._visits.may_visit(page, self._now)
        return self._visits.is_reserved(page, self._now)

    def _is_cheap(self, page: PageState) -> bool:
        """Whether a restless page was looked at long before it is worth the price.

        Its date may be of a time when such pages were worth more; many of them stand before all
        others then.
        """
        visits = self._visits
        return visits.is_restless(page) and visits.value(page, self._now) < visits.price

    def close(self) -> Taken:
        """Take the best, give them their reservations and move the price when the budget says so."""
        value, now = self._visits.value, self._now
        ranked = [(value(page, now), page) for page in self._candidates]
        ranked.sort(key=VALUE, reverse=True)
        taken: list[PageState] = []
        worst, full, restless = inf, 0, 0
        for worth, page in ranked:
            if len(taken) >= self.most:
                break
            if self._rooms[page.site] <= 0:
                full += 1
                continue
            self._rooms[page.site] -= 1
            worst = worth
            restless += self._visits.is_restless(page)
            taken.append(self._visits.taken(page, now))
        spent = len(taken) >= self.most
        ran_out = self._ended and not full and not self._skipped
        moved = self._by_value and worst < inf and (spent or ran_out)
        if moved:
            step = self._visits.rules.price_step
            self._visits.price = moved_price(self._visits.price, worst, step)
            self._visits.is_priced = True
            self._visits.took(restless, len(taken))
        return Taken(taken, self._skipped + full, moved)


class Budget:
    """How many visits a rate allows in each period; what is not spent at once is kept a while."""

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._last = now
        self._left = 0.0

    def allowed(self, now: float, share: float = 1.0) -> int:
        """Return how many visits may be made now. ``now`` is steady time, in seconds; ``share`` is the part
        of the rate that is ours, where several processes visit."""
        passed = max(0.0, now - self._last)
        self._last = now
        rate = self._rate * share
        self._left = min(self._left + passed * rate, max(1.0, NO_BURST * rate))
        return int(self._left)

    @property
    def left(self) -> int:
        """How many visits are left of those that were allowed."""
        return int(self._left)

    def spend(self, visits: int) -> None:
        """Take visits off what is left."""
        self._left -= visits


# What has been silent for long ---------------------------------------------------------------------

# Pages past ``until`` are never visited again by their policy, and on a site that is not news they are most
# of it: a share of the visits looks back at them, the longest unseen first. A tenth of a budget of one visit
# a day for each of them sees every page within ten days, and a day without news costs a tenth of the site.

MOST_A_DAY = 5_000
"""Visits that are a day's budget at most where the template names none: an archive of a million pages
is not worth a tenth of them each day."""

DAYS_KEPT = 2.0
"""Days whose share of a budget may be spent at once, after a pause."""

MOST_OF_OLD = 0.3
"""Of the old pages of a topic so many are looked at in a run at most, by the time since the last: one that runs each
week has seen all of them after four runs, with two days' share each it takes five. More would make a run of looks. What
all looks of a run may take together goes by the shorter of the last two times between runs: one that has rested for five
days, once, was to ask for 40 to 60 % of what the first crawl asked for."""

FEWEST_LOOKS, FEWEST_OF_SMALL = 1 / 4, 2
"""What a run asks for anyway, its lists and young pages, is part of the tenth that a day without news may cost. So much of
the share is left for looks: of 70 pages two, where sources, feed, sitemaps and lists take six. Of a small site it is all
but one of the share, up to two: the 30 pages of a wiki with one list are seen within three weeks, by one look a day they
take a month. After a pause none need be, for
all that became due meanwhile comes at once, and the next run goes on: of a Nikola of 70 posts the seventh day, after
five without a run, cost 20 % of the first crawl, and costs 11 %."""

FRESH = 7 * DAY
"""How old an article is, in seconds, whose edits are to be expected: most come soon after it was published."""

FRESH_WITHIN, YOUNG_WITHIN, FEWEST_YOUNG = 2.0, 5.0, 3
"""Young pages that no sign speaks of are all seen within so many days, those that are fresh sooner, as long as none of
their site has changed; a run that comes sooner takes its part of those of either age that have become due, so many
anyway. Of a blog of 70 posts, 35 of them young, without a feed that shows them whole, a day without news took 34
requests after the first crawl; with all of them seen within two days, ten a run at least, 18. With three of either age
at least, six quiet days of an ABlog of 70 posts cost 57 requests; with three of both, and two lists a run, 50."""

SOONEST = 7 * DAY
"""No page is looked at again sooner, in seconds."""


def seen_within(age: float) -> float:
    """Return within how many days a young page of an age in seconds is seen when no sign speaks of it."""
    return FRESH_WITHIN if age <= FRESH else YOUNG_WITHIN


class LookBack:
    """How many visits of old pages are allowed by now.

    ``share`` is that of the budget, from 0 to 1; ``rate`` the budget in visits a second, None: one
    visit a day for each old page. ``kept`` is what ``to_json`` wrote in an earlier run; before the
    first nothing is allowed. ``began``: when the round began that this run begins or goes on with. Dates are wall time:
    what was saved up must outlast a run.
    """

    def __init__(
        self,
        share: float,
        rate: float | None,
        kept: Json | None,
        now: float,
        began: float | None = None,
    ) -> None:
        self._share = share
        self._rate = rate
        self._at: float = kept["at"] if kept else now
        self._left: float = kept["left"] if kept else 0.0
        before = kept.get("apart") if kept else 0.0
        self._apart = max(0.0, now - self._at) / DAY
        """Days between the round before and this one."""
        self._rhythm: float = self._apart if before is None else min(self._apart, before)
        """The shorter of the last two times."""
        if kept and began is not None and self._at >= began:  # a killed run of this round wrote it
            self._apart, self._rhythm = kept.get("apart", 0.0), kept.get("rhythm", 0.0)

    @property
    def is_after_pause(self) -> bool:
        """Whether the time since the last run was longer than that before by a day at least."""
        return self._apart - self._rhythm >= 1.0

    def young(self, late_in: Mapping[float, Collection[float]]) -> dict[float, int]:
        """Return how many young pages that have become due a run takes, by within how many days they are to be seen, the
        soonest first; of each page, in how many seconds a run is to take it.

        All runs until then share them evenly, if they are as far apart as this one is from the last.
        """
        taken = {within: self._part_of(late_in[within]) for within in sorted(late_in)}
        left = FEWEST_YOUNG - sum(taken.values())
        for within, most in taken.items():
            more = max(0, min(left, len(late_in[within]) - most))
            taken[within], left = most + more, left - more
        return taken

    def _part_of(self, late_in: Collection[float]) -> int:
        if not self._apart:
            return 0
        shares = (1 / (1 + ceil(seconds / (self._apart * DAY))) for seconds in late_in)
        return ceil(round(sum(shares), 6))

    def allowed(self, old: int, now: float, part: float = 1.0) -> int:
        """Return how many of so many old pages may be visited now. A clock set back allows none.

        ``part`` of the budget is ours, where several processes visit."""
        budget = self._rate * DAY * part if self._rate is not None else min(old, MOST_A_DAY * part)
        kept = self._share * DAYS_KEPT
        most = budget * (
            kept if self._rate is not None else max(kept, min(MOST_OF_OLD, 7 * self._share))
        )
        days = max(0.0, now - self._at) / DAY
        self._left = min(self._left + self._share * budget * days, most)
        self._at = now
        return int(self._left)

    def left(self, pages: int, asked: int) -> int:
        """Return what is left of the share of so many pages that a run may ask for, which asks for so many and a robots.txt.

        After a pause it is counted with the address to which it may lead, since nothing else makes up for that then.
        """
        return int(pages * self._of_a_run()) - asked - 1 - self.is_after_pause

    def quiet(self, pages: int, asked: int) -> int:
        """Return at how many of so many pages without a sign of a change a run may look that has ``asked`` for so many
        others.
        """
        share = pages * self._of_a_run()
        fewest = max(ceil(share * FEWEST_LOOKS), min(FEWEST_OF_SMALL, int(share) - 1))
        return max(0 if self.is_after_pause else fewest, self.left(pages, asked))

    def _of_a_run(self) -> float:
        """Return the share of the pages that one run looks at, by the time between the topic's runs."""
        return min(max(1.0, self._rhythm) * self._share, max(MOST_OF_OLD, self._share))

    def spend(self, visits: int) -> None:
        """Take visits off what is left."""
        self._left -= visits

    def to_json(self) -> Json:
        """Return what a later run goes on from."""
        days = {"apart": self._apart, "rhythm": self._rhythm}
        return {"at": self._at, "left": self._left, **days}


# Over a store ------------------------------------------------------------------------------------


class DuePages(Protocol):
    """What is needed of a store (stores.state.protocol.Store has it)."""

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first pages by date and key, up to ``now``, behind ``after``."""


async def take(store: DuePages, period: Period) -> Taken:
    """Run one period over a store; the caller stores ``Taken.pages`` before it fetches them."""
    after = None
    while period.most > 0:
        pages = await store.due(period.horizon, period.batch, after)
        if not period.offer(pages):
            break
        after = place_by_date(pages[-1])
    return period.close()


async def pages_due(
    store: DuePages, until: float, batch: int, after: tuple[float, bytes] | None = None
) -> AsyncIterator[PageState]:
    """Go through all pages up to a date, in their order, reading so many at a time."""
    while pages := await store.due(until, batch, after):
        for page in pages:
            yield page
        after = place_by_date(pages[-1])


async def pulled_back(store: DuePages, visits: Visits, now: float) -> AsyncIterator[PageState]:
    """Go through the pages planned later than any rule plans, with dates within reach.

    There are none, but when a clock ran ahead or longest intervals were shortened. To be stored.
    """
    after = (now + visits.rules.horizon, b"")
    async for page in pages_due(store, inf, visits.rules.candidates, after):
        if page.every is None or (page.next_visit or 0.0) > now + page.every:
            yield visits.replanned(page, now)


def place_by_date(page: PageState) -> tuple[float, bytes]:
    """Return where a page stands in the order of dates, for ``DuePages.due``."""
    return (inf if page.next_visit is None else page.next_visit, page.key)


class Agenda:
    """Method B page by page, in memory: for trying policies out and for small programs.

    first seen → take → fetched or failed → take …; times are seconds of one clock.
    """

    def __init__(self, rules: RevisitRules | None = None) -> None:
        self.visits = Visits(rules or RevisitRules())
        self.pages: dict[bytes, PageState] = {}
        self._order: list[tuple[float, bytes]] = []

    def first_seen(
        self, key: bytes, now: float, *, site: str = "", page_class: PageClass = PageClass.ARTICLE
    ) -> PageState:
        """Note a page that was fetched for the first time; a known one stays as it is."""
        if key not in self.pages:
            self._put(self.visits.first_seen(key, "", site, page_class, now))
        return self.pages[key]

    def take(
        self,
        most: int,
        now: float,
        room: Callable[[str], int] = lambda site: 1_000_000,
        *,
        by_budget: bool = False,
    ) -> list[PageState]:
        """Return at most ``most`` pages to fetch now; each has a reservation until it is answered."""
        period = Period(self.visits, now, most, room, by_budget=by_budget)
        after = None
        while period.offer(pages := self._due(period.horizon, period.batch, after)):
            after = place_by_date(pages[-1])
        taken = period.close().pages
        for page in taken:
            self._put(page)
        return taken

    def fetched(self, page: PageState, now: float, *, changed: bool) -> PageState:
        """Note an answer to a page as ``take`` returned it; a second answer counts nothing."""
        return self._put(self.visits.visited(self.pages[page.key], page.visits, now, changed))

    def failed(
        self, page: PageState, now: float, *, says_gone: bool = False, confirms: bool = False
    ) -> PageState:
        """Note a fetch that brought no page."""
        return self._put(
            self.visits.failed(
                *(self.pages[page.key], page.visits, now, "failed"),
                says_gone=says_gone,
                confirms=confirms,
            )
        )

    def gone(self, key: bytes, now: float, reason: str = "gone") -> PageState:
        """Bury a page."""
        return self._put(self.visits.gone(self.pages[key], now, reason))

    def signalled(self, key: bytes, signal: Signal, now: float) -> PageState:
        """Note a signal about a page."""
        return self._put(self.visits.signalled(self.pages[key], signal, now))

    def _put(self, page: PageState) -> PageState:
        old = self.pages.get(page.key)
        if old is not None and old.next_visit is not None:
            del self._order[bisect_left(self._order, (old.next_visit, old.key))]
        self.pages[page.key] = page
        if page.next_visit is not None:
            insort(self._order, (page.next_visit, page.key))
        return page

    def _due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        start = 0 if after is None else bisect_right(self._order, after)
        found = []
        for date, key in self._order[start : start + most]:
            if date > now:
                break
            found.append(self.pages[key])
        return found
