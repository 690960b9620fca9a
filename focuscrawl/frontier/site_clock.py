"""One politeness for a site, whatever crawls of a process ask for it: whose turn it is, and when.

Each crawl has a frontier of its own, which keeps the pauses that its topic wants. Where several ask one
site, the strictest of them holds for all: the longest delay, the fewest requests at once. A frontier
*takes* a site from when it picks a URL until that request has left the downloader; others stand in line
meanwhile and take turns. Whatever is really sent (pages, robots.txt, probes) *begins* and *ends* here
as well, so that no two requests are closer than the delay even where no frontier was asked.

Times are steady time, in seconds. Nothing is kept of a site that no crawl asks any more.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Protocol

from focuscrawl.frontier.lines import Politeness

GRACE = 1.0
"""Seconds after its appointed time in which the first crawl in line must come; then the next may. An engine
comes within milliseconds when its timer rings; an engine that has nothing left to ask never does."""

LONGEST_LOOK = 5.0
"""Seconds after which a crawl that waits for the end of a request looks again; that end wakes it, as a rule."""

SHORTEST_TURN = 0.02
"""Seconds between two turns in line at a site without a delay: the first in line must have come by then."""

LONGEST_DELAY = 600.0
"""Seconds after which it no longer matters when a site was asked, to a crawl that asks it for the first time."""

FORGET_FROM = 10_000
"""Known sites from which on those that no crawl asks are forgotten: some megabytes."""


ANY_NUMBER = Politeness(concurrency=1_000_000)
"""How a site is treated that no frontier has to do with: its slot in the downloader is all that counts."""


class Asker(Protocol):
    """A crawl that asks sites."""

    def wish(self, site: str) -> Politeness | None:
        """Return how it would treat a site; None when it has nothing to ask there."""

    def may_come(self, site: str) -> object:
        """Look again at a site that it stands in line for."""


class SiteTurn:
    """What is known of one site: the crawls that have ``taken`` it, once for each URL; ``sent`` requests on their way.

    ``asked_at`` is when a request last began, or ended where only one may be on its way; the next may be
    sent the delay later, but not before ``ready_at``, and the next URL be taken at ``open_at``. ``left_until``
    is when it may be asked at all again (Retry-After). ``line`` are the crawls that wait, in their order,
    each with the time it is to come.
    """

    __slots__ = ("asked_at", "left_until", "line", "open_at", "ready_at", "sent", "taken")

    def __init__(self) -> None:
        self.taken: list[Asker] = []
        self.sent = 0
        self.asked_at = -inf
        self.ready_at = self.open_at = self.left_until = -inf
        self.line: dict[Asker, float] = {}

    def ready(self, politeness: Politeness) -> float:
        """Return when the next request may be sent, by the crawls that ask it now and those that did."""
        return max(self.ready_at, self.asked_at + politeness.delay)

    def asked(self, now: float, politeness: Politeness) -> None:
        """Let a pause begin."""
        self.asked_at = now
        self.ready_at = max(self.ready_at, now + politeness.delay)

    def is_over(self, now: float) -> bool:
        """Whether nothing of it matters any more."""
        times = (self.ready_at, self.open_at, self.left_until, self.asked_at + LONGEST_DELAY)
        return not (self.taken or self.sent or self.line) and max(times) <= now


class SiteClock:
    """The turns of all sites. ``random`` draws from 0 … 1, for pauses that are not all alike."""

    def __init__(self, random: Callable[[], float] = lambda: 0.0) -> None:
        self._random = random
        self._askers: dict[Asker, None] = {}
        self._turns: dict[str, SiteTurn] = {}
        self._forget_from = FORGET_FROM

    # Who asks -----------------------------------------------------------------------------------

    def join(self, asker: Asker) -> None:
        """Let a crawl ask."""
        self._askers[asker] = None

    def leave(self, asker: Asker, now: float) -> None:
        """Drop a crawl that has ended; the sites it took are free, and their pauses go on."""
        self._askers.pop(asker, None)
        for site, turn in self._turns.items():
            turn.line.pop(asker, None)
            if asker in turn.taken:
                turn.taken = [one for one in turn.taken if one is not asker]
                self._call_next(site, turn, now)

    @property
    def number(self) -> int:
        """How many crawls ask."""
        return len(self._askers)

    def politeness(self, site: str) -> Politeness:
        """Return how a site is treated now: as strictly as the strictest crawl that asks it."""
        wishes = [wish for asker in self._askers if (wish := asker.wish(site))]
        if len(wishes) < 2:
            return wishes[0] if wishes else ANY_NUMBER
        slowest = max(wishes, key=lambda wish: wish.delay)
        return slowest._replace(concurrency=min(wish.concurrency for wish in wishes))

    # URLs are picked ----------------------------------------------------------------------------

    def wait(self, asker: Asker, site: str, now: float) -> float:
        """Return in how many seconds a crawl may take a site; 0: now. If it must wait, it stands in line."""
        turn = self._turns.get(site)
        if turn is None:
            return 0.0
        politeness = self.politeness(site)
        line = turn.line
        self._drop_absent(site, turn, now)
        if len(turn.taken) >= politeness.concurrency:
            line[asker] = now + LONGEST_LOOK
            return LONGEST_LOOK
        before = _place(line, asker)
        opens = max(turn.ready(politeness), turn.open_at, turn.left_until)
        at = max(now, opens) + before * max(politeness.delay, SHORTEST_TURN)
        if at <= now:
            if line:
                line[asker] = now  # first in line until it has taken the site
            return 0.0
        line[asker] = at
        return at - now

    def take(self, asker: Asker, site: str) -> None:
        """Count a URL of a site that a crawl has picked."""
        turn = self._turn(site)
        turn.taken.append(asker)
        turn.line.pop(asker, None)

    def give_back(self, asker: Asker, site: str, now: float) -> None:
        """Take a site back whose picked URL needs it no more."""
        turn = self._turns.get(site)
        if turn is None or asker not in turn.taken:
            return
        turn.taken.remove(asker)
        self._drop_absent(site, turn, now)
        if turn.line:
            politeness = self.politeness(site)
            if politeness.concurrency == 1:
                # Its own next pause is drawn by its frontier; that of another crawl is drawn here.
                pause = politeness.pause(self._random())
                turn.open_at = max(turn.open_at, turn.asked_at + pause)
            self._call_next(site, turn, now)

    def block(self, site: str, until: float) -> None:
        """Leave a site alone, for all crawls: it has asked one of them for that."""
        turn = self._turn(site)
        turn.left_until = max(turn.left_until, until)

    def is_left_alone(self, site: str, now: float) -> bool:
        """Whether a site is left alone, since it has asked for that."""
        turn = self._turns.get(site)
        return turn is not None and turn.left_until > now

    # Requests are sent --------------------------------------------------------------------------

    def begin(self, site: str, now: float) -> float:
        """Begin a request, or return in how many seconds it may begin: then ask again.

        Infinity: when one of those on their way has ended.
        """
        turn = self._turn(site)
        politeness = self.politeness(site)
        if len(self._askers) > 1:  # else the crawl's own slots keep its pauses
            if turn.sent >= politeness.concurrency:
                return inf
            if (ready := turn.ready(politeness)) > now:
                return ready - now
        turn.sent += 1
        turn.asked(now, politeness)
        return 0.0

    def end(self, site: str, now: float) -> None:
        """End a request that has begun. With one at a time the pause counts from here."""
        turn = self._turn(site)
        turn.sent -= 1
        politeness = self.politeness(site)
        if politeness.concurrency == 1:
            turn.asked(now, politeness)
        if len(self._turns) >= self._forget_from:
            over = [name for name, one in self._turns.items() if one.is_over(now)]
            for name in over:
                del self._turns[name]
            self._forget_from = max(FORGET_FROM, 2 * len(self._turns))

    # Inside -------------------------------------------------------------------------------------

    def _turn(self, site: str) -> SiteTurn:
        turn = self._turns.get(site)
        if turn is None:
            turn = self._turns[site] = SiteTurn()
        return turn

    def _drop_absent(self, site: str, turn: SiteTurn, now: float) -> None:
        """Take crawls out of the line that did not come, or have nothing to ask any more."""
        for asker, at in [*turn.line.items()]:
            if at + GRACE < now or asker.wish(site) is None:
                del turn.line[asker]

    def _call_next(self, site: str, turn: SiteTurn, now: float) -> None:
        """Let the first crawl in line look at the site, and set its time."""
        first = next(iter(turn.line), None)
        if first is not None:
            ready = turn.ready(self.politeness(site))
            turn.line[first] = max(now, ready, turn.open_at, turn.left_until)
            first.may_come(site)


def _place(line: dict[Asker, float], asker: Asker) -> int:
    """Return how many crawls stand before this one in line, or before its end."""
    return next((place for place, one in enumerate(line) if one is asker), len(line))
