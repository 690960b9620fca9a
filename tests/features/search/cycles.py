"""A small web that is searched and walked in cycles, with restarts, kills and pages that vanish."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from focuscrawl.features.search.cycle import REACHED_FACT, SEARCH_FACT, SEED_FACT, Searches
from focuscrawl.features.search.walks import UrlEnd
from focuscrawl.readers.links.admission import admit
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.stores.state.protocol import WAITING
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import Json, Link, LinkBatch, PageClass, Waiting
from tests.clock import StandingClock
from tests.frontiers import frontier_over

DAY = 86_400.0
TOPIC = """
[topic]
name = "x"
keywords = ["食品"]
[search]
engines = ["own"]
queries = ["食品"]
every = "1d"
delay = "0s"
{search}
[search.engine.own]
url = "http://s.cn/s?q={{query}}"
results = "css:.r"
link = "css:a::attr(href)"
{more}
"""
LAYERS = '[follow]\nlayers = ["联系我们"]\n'
A, B = "http://a.cn/", "http://b.cn/"
ALL = [A, f"{A}1", f"{A}2", B, f"{B}1", f"{B}both"]


def opened(store: SQLiteStore) -> dict[str, dict[str, Json]]:
    """Return the facts of earlier runs."""
    kinds = (SEED_FACT, SEARCH_FACT, REACHED_FACT)
    return {kind: asyncio.run(store.facts(kind)) for kind in kinds}


class Killed(Exception):
    pass


class Crawl:
    """One topic over a web of pages and links; each cycle is a run of its own, a day later.

    ``shown`` is what the engine answers, ``down`` what does not answer; ``moved`` redirects,
    ``not_modified`` answers so once.
    """

    def __init__(self, folder: Path, more: str = "", search: str = "") -> None:
        self.template = load(TOPIC.format(more=more, search=search)).template
        self.clock = StandingClock(1.7e9)
        self.path = folder / "x.crawl.db"
        self.web: dict[str, list[str]] = {}
        self.shown: list[str] = []
        self.down: set[str] = set()
        self.moved: dict[str, str] = {}
        self.not_modified: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.asked: list[str] = []
        self.states: dict[str, str] = {}
        self.visits: set[bytes] = set()
        self.window = 1
        self.stopped = False

    def cycle(self, kill_after: int | None = None) -> list[str]:
        """Search and crawl to the end, or so many fetches; returns the paths asked for, in order."""
        self.asked, self.counts = [], Counter()
        self.store = SQLiteStore(self.path)
        try:
            self._run(kill_after)
        except Killed:
            pass
        finally:
            self.counts += self.searching.counts
            reached = asyncio.run(self.store.facts(REACHED_FACT)).values()
            self.gone = sorted(page["url"] for page in reached if page["gone"])
            self.store.release()
        return sorted(self.asked)

    def next_cycle(self, kill_after: int | None = None) -> list[str]:
        """The same a day later."""
        self.clock.now += DAY
        return self.cycle(kill_after)

    def _run(self, kill_after: int | None) -> None:
        frontier = self.frontier = frontier_over(self.store)
        frontier.load(asyncio.run(self.store.load(self.store.own())), self.clock.now)
        self.rules = AdmissionRules.from_template(self.template, self.clock.now)
        now = self.clock.now
        searching = self.searching = Searches(
            self.template, self.rules, frontier, opened(self.store), now, self.visits
        )
        body = "".join(f'<div class="r"><a href="{url}">食品</a></div>' for url in self.shown)
        empty = "<p>抱歉，没有找到相关的网页。</p>"
        page = f"<html><body>{body or empty}</body></html>".encode()
        waiting = (row.waiting for row in self.store.rows(WAITING))
        for asked in searching.begin(waiting, now).requests:
            if self.stopped:
                searching.take(searching.cycle.not_answered(asked.engine, "refused", now))
            answer = Fetched(asked.url, 200, page, "text/html; charset=utf-8", now)
            searching.take(searching.cycle.answered(asked, answer))
        self.commit()
        while (row := frontier.take(self.clock.now, self.clock.now)) is not None:
            if kill_after is not None and len(self.asked) >= kill_after:
                raise Killed
            self._fetch(row.waiting)
            frontier.acknowledge(row.sequence, self.clock.now)
            searching.ended(row.waiting, self.ending)
            if len(self.asked) % self.window == 0:
                self.commit()
        is_at_end = searching.is_at_end()
        unreached = searching.missing.unreached() if is_at_end else {}
        if is_at_end:
            searching.end_cycle(unreached)
        self.deleted = [*unreached.values()]
        self.commit()

    def commit(self) -> None:
        rows = self.searching.note()
        self.store.commit(self.frontier.drain())
        self.frontier.committed()
        for row in rows:
            self.states[row["url"]] = row["state"]

    def _fetch(self, waiting: Waiting) -> None:
        self.asked.append(waiting.url)
        address = self.rules.look(self.moved.get(waiting.url, waiting.url)).address
        links = self.web.get(address.url)
        self.ending = UrlEnd(address.url, address.key, PageClass.BOARD, tries=0)
        if waiting.url in self.down:
            self.ending = self.ending._replace(answered=False, read=False)
            return
        if waiting.url in self.not_modified:
            self.not_modified.remove(waiting.url)
            self.ending = self.ending._replace(read=False)
            return
        if links is None:
            self.ending = self.ending._replace(answered=False, read=False, gone=True)
            return
        batch = LinkBatch(
            PageClass.BOARD, tuple(Link(url, "联系我们") for url in links), title="联系我们"
        )
        walks = self.searching.walks
        walk = walks.links_of(batch, waiting)
        if walk is None:
            found = admit(batch, waiting, self.rules, self.frontier.add, self.frontier.add_again)
            walks.admitted(waiting, found.added)
        else:
            admit(walk[0], waiting, walk[1], walks.add, walks.again)
