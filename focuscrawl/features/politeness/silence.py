"""Hosts that do not answer: they are asked less, and hold up nothing else.

Each URL of such a host takes the time of all its tries, two minutes by default; three hosts that never answered took
six of the seven minutes of a first crawl. So one URL says it for all of them: the others wait.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice

UNANSWERED = 1
"""URLs of a host that has not answered in this run which get no answer, until it is left alone."""

ANSWERED = 3
"""The same in a row, of one that has answered before: a page may be slow, three one after another are not."""

RETRIES = 1
"""Times that Scrapy tries a request again at once at a host that has not answered yet, instead of RETRY_TIMES."""


class SilentHosts:
    """Which hosts of a run do not answer. ``waits`` are the seconds after which a URL that failed is tried again, by
    how often it has (FOCUSCRAWL_RETRY_WAITS).

    Where no host at all has answered, the fault may be this machine's: the first of the waits comes first. Else it is
    theirs, and the second one does, for which a run need not stay.
    """

    def __init__(self, waits: Sequence[float]) -> None:
        self._waits = waits
        self._answered: set[str] = set()
        self._proven: dict[str, None] = {}  # in order
        self._failures: dict[str, int] = {}
        self._until: dict[str, float] = {}

    def answered(self, site: str, *, is_page: bool = True) -> None:
        """Note any answer of a site; its robots.txt is no page."""
        self._answered.add(site)
        if is_page:
            self._proven[site] = None
        self._failures.pop(site, None)
        self._until.pop(site, None)

    def failed(self, site: str, now: float, *, is_known: bool = False) -> None:
        """Note a URL of a site that got no answer, all tries together; ``is_known``: the URL is known from before."""
        self._proven.pop(site, None)
        failures = self._failures[site] = self._failures.get(site, 0) + 1
        first = ANSWERED if is_known or site in self._answered else UNANSWERED
        if failures >= first and self._waits:
            place = failures - first + bool(self._answered)
            self._until[site] = now + self._waits[min(place, len(self._waits) - 1)]

    def left(self, site: str, now: float) -> float:
        """Return the seconds for which a site is left alone; 0: it is not."""
        return max(0.0, self._until.get(site, 0.0) - now)

    @property
    def proven(self) -> Collection[str]:
        """The sites that answer for their pages."""
        return self._proven

    def is_proven(self, site: str) -> bool:
        """Whether a site has answered for a page in this run, and for its latest one."""
        return site in self._proven

    def is_unknown(self, site: str) -> bool:
        """Whether a site has not answered in this run."""
        return site not in self._answered


UNPROVEN_PART = 4
"""The part of a run's places that hosts that have not answered share while one that answers could be asked, and that
is never theirs: a quarter."""

HELD = 30.0
"""Seconds for which such a host is held back at most; the end of any fetch lets the next ones come."""

LOOKED_THROUGH = 64
"""Hosts of those held back that one end of a fetch looks through."""

OPENED_AGAIN = 2
"""Hosts that are looked at again for each place given back: the first may not be ready. With a quarter of all places,
16, a first page of 200 new hosts cost .3 ms more, for each counts what is in flight."""


class UnprovenHosts:
    """Which hosts that have not answered wait for a place, so that they starve none that does.

    A place that such a host has taken may be lost for minutes: beside forty silent sources the twenty pages of a good
    one took 585 s of a test's clock, and 24 s with this. ``places`` is how many requests a run has under way at most.
    """

    def __init__(self, silence: SilentHosts, places: int) -> None:
        self._silence = silence
        self._places = places
        self._part = max(1, places // UNPROVEN_PART)
        self._held: dict[str, None] = {}
        self._ready = ""

    def hold(self, site: str, asked: Iterable[str], is_ready: Callable[[str], bool]) -> float:
        """Return the seconds for which a site is held back; 0: it may be asked.

        ``asked`` are the sites of all URLs in flight, ``is_ready`` says whether a site has a URL that could be
        fetched now.
        """
        proven = self._silence.proven
        if site in proven or not proven:
            return 0.0
        sites = [*asked]
        taken = len(sites) - sum(map(proven.__contains__, sites))
        if taken < self._part:
            return 0.0
        if taken < self._places - self._part and not self._is_one_ready(is_ready):
            return 0.0
        self._held[site] = None
        return HELD

    def _is_one_ready(self, is_ready: Callable[[str], bool]) -> bool:
        if not (self._ready and self._silence.is_proven(self._ready) and is_ready(self._ready)):
            self._ready = next(filter(is_ready, self._silence.proven), "")
        return bool(self._ready)

    def let_come(self, open_again: Callable[[str], bool], *, ended: int = 0) -> None:
        """Look again at those held back longest, as many as may have a place by now.

        ``ended`` fetches have given theirs back since the last call; 0: any number.
        """
        most = OPENED_AGAIN * ended or self._part
        opened = 0
        for site in [*islice(self._held, LOOKED_THROUGH)]:
            if opened >= most:
                return
            del self._held[site]
            opened += open_again(site)
