"""The web of a crawl that several workers share: many sites, and a log of who asked for what and when.

Pages stand in chains: each names the next one, which is on another site, and some that came before it.
So until its end every page leads to one that nobody else names: a link that is lost is a page that is
never fetched, and so are all behind it. Where each page stands is drawn by ``seed``.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple, Self

from benchmarks.parts.tree import article, path
from benchmarks.parts.web import NOT_FOUND, Web, answer

NAMED_BEFORE = 8
"""Pages of its chain that a page names besides; they are known already."""


class Answered(NamedTuple):
    """An answer: ``at`` in seconds of the steady clock, which worker had asked, and the page's number."""

    at: float
    worker: str
    page: int


class Gap(NamedTuple):
    """Two answers of one site that follow one another."""

    sooner: Answered
    later: Answered

    @property
    def seconds(self) -> float:
        """How much later the second came."""
        return self.later.at - self.sooner.at

    @property
    def is_across(self) -> bool:
        """Whether two workers had asked."""
        return self.sooner.worker != self.later.worker


class SharedWeb:
    """``pages`` articles in ``chains`` on ``sites``; page 0 stands before them and names the first of each.

    ``delay`` are the seconds after which all is answered. Every worker has a door of its own, by which it
    is known: ``door`` returns its address as a proxy. With ``texts`` pages have so many different ones, else
    each its own. Use it as a context manager.
    """

    def __init__(
        self, pages: int, sites: int, chains: int, seed: int, delay: float, texts: int = 0
    ) -> None:
        luck = random.Random(seed)
        self.delay = delay
        self.log: list[Answered] = []
        self._chains = chains
        self._doors: list[Web] = []
        self.hosts = [f"s{luck.randrange(sites)}.test" for _ in range(pages)]
        self.urls = [f"http://{host}{path(page)}" for page, host in enumerate(self.hosts)]
        self._made = {
            url: (page, answer(article(page % (texts or pages), self._links(page))))
            for page, url in enumerate(self.urls)
        }

    def _links(self, page: int) -> Iterator[tuple[str, str]]:
        chains = self._chains
        after = range(1, chains + 1) if page == 0 else (page + chains,)
        before = range(page - chains, 0, -chains)[:NAMED_BEFORE]
        for other in (*after, *before):
            if other < len(self.urls):
                yield self.urls[other], f"第{other}号食品抽检通告"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for door in self._doors:
            door.__exit__(*error)

    def door(self, worker: str) -> str:
        """Open a door for a worker, and return where it is."""
        door = Web(partial(self._answer, worker), delay=self.delay).__enter__()
        self._doors.append(door)
        return f"http://127.0.0.1:{door.port}"

    def _answer(self, worker: str, asked: str) -> bytes:
        if asked not in self._made:
            return NOT_FOUND
        page, made = self._made[asked]
        self.log.append(Answered(time.monotonic(), worker, page))
        return made

    def answered(self) -> Counter[int]:
        """Count the answers by page."""
        return Counter(one.page for one in self.log)

    def gaps(self) -> list[Gap]:
        """Return what lies between two answers of one site, by site."""
        by_host: defaultdict[str, list[Answered]] = defaultdict(list)
        for one in sorted(self.log):
            by_host[self.hosts[one.page]].append(one)
        return [Gap(*both) for found in by_host.values() for both in pairwise(found)]

    def count(self, since: float, until: float, worker: str = "") -> int:
        """Count the answers between two moments, to one worker or to all."""
        return sum(since < one.at <= until and worker in ("", one.worker) for one in self.log)
