"""``scrapy plan NAME``: the next requests in order, each with its reason and when; no site is asked anything.

A run is begun as a crawl begins one, on copies of what there is, under a clock of its own; where a crawl
would send a request, the plan notes it and takes it for answered at once, with no new link on its page.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, Spider
from scrapy.crawler import Crawler

from focuscrawl.frontier.rows import is_list
from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.flights import rule_against
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.transport.requests import number_of
from focuscrawl.locale.messages import _
from focuscrawl.output.explain.facts import Question
from focuscrawl.output.explain.log_book import LogBook
from focuscrawl.output.explain.reasons import class_name
from focuscrawl.output.summary.lines import duration_text
from focuscrawl.readers.links.sources import is_source
from focuscrawl.readers.text.characters import width_of
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import copy_database
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.explain.look import crawl_to_read, settings_of, topic_places

if TYPE_CHECKING:
    from focuscrawl.stores.state.protocol import Row
    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.values import Waiting
    from focuscrawl.verbs.data import Places

MOST_PLANNED = 10_000
"""Requests of one plan; what is found on the first of them changes the order of the rest anyway."""

LONGEST_PLAN = 100_000
"""Looks at the frontier before a plan ends though nothing more comes of it."""


AT_ONCE, AS_DURATION = 0.05, 60.0
"""Seconds below which a request is sent now, and from which on the plan shows minutes."""

WHEN_WIDTH, WHY_INDENT = 8, 18
"""Columns of when a request is sent, and before why: it stands below the address."""


class PlannedRequest(NamedTuple):
    """A request to come: ``seconds`` from now, ``why`` in words; ``level`` 0: it explores."""

    seconds: float
    url: str
    level: int
    why: str


@dataclass(slots=True)
class PlanClock:
    """The clock of a plan, which the plan moves on."""

    began: float
    passed: float = 0.0

    def wall(self) -> float:
        """Return wall time."""
        return self.began + self.passed

    def steady(self) -> float:
        """Return steady time."""
        return self.passed


def plan(call: Call, args: Sequence[str]) -> str:
    """List the next requests of a topic in order, with when and why."""
    most = call.options.number
    if not 1 <= most <= MOST_PLANNED:
        told = _("-n {number}: from 1 to {most:,}")
        raise CannotDo(told.format(number=most, most=MOST_PLANNED))
    loaded = call.loaded(args, secrets=False)
    drafts = tempfile.TemporaryDirectory(prefix="focuscrawl-plan-")
    with topic_places(call, loaded, may_be_new=True) as (places, log_book), drafts as folder:
        runs = _copied(places, Path(folder))
        found = _planned(call, loaded, places, Path(folder), log_book, most)
    if call.options.json:
        return json.dumps([one._asdict() for one in found], ensure_ascii=False, indent=2)
    lines = [
        plan_line(number, one.seconds, one.url, one.why) for number, one in enumerate(found, 1)
    ]
    return "\n".join([*lines, end_of_plan(places.name, len(found), most, runs=runs)])


def plan_line(number: int, seconds: float, url: str, why: str) -> str:
    """Say which request is the next but so many, when, and why."""
    when = _("now")
    if seconds >= AS_DURATION:
        when = f"+{duration_text(seconds)}"
    elif seconds >= AT_ONCE:
        when = _("+{seconds:.1f} s").format(seconds=seconds)
    room = " " * (WHEN_WIDTH - width_of(when))
    return f"{number:>4}  {room}{when}  {url}\n{' ' * WHY_INDENT}{why}"


def end_of_plan(name: str, found: int, most: int, *, runs: bool) -> str:
    """Say what the plan is worth."""
    told = _("and so on. What is found on these pages joins them.")
    if not found:
        told = _(
            "nothing is due, and nothing waits: scrapy crawl {name} would end at once. What is found on"
            " these pages joins them."
        )
    elif found < most:
        told = _(
            "then a run would end: nothing else is due or waits for less than it lingers. What is found"
            " on these pages joins them."
        )
    now = _(" A crawl runs just now: what it has in flight stands here, too.") if runs else ""
    return told.format(name=name) + now


def _copied(places: Places, folder: Path) -> bool:
    """Copy a crawl as it is into a folder, if there is one; returns whether it is being crawled."""
    if not (places.settings or places.crawl.exists()):
        return False
    runs, file = crawl_to_read(places, folder)
    copy = folder / f"{places.name}.crawl.db"
    if not places.settings:
        copy_database(file, copy)
    elif file.exists():
        file.replace(copy)
    return runs


def _planned(
    call: Call, loaded: LoadedTemplate, places: Places, folder: Path, log_book: LogBook, most: int
) -> list[PlannedRequest]:
    clock = PlanClock(places.config.clock.wall())
    config = replace(places.config, data_dir=folder, results="", clock=clock)
    settings = settings_of(call, loaded.template)
    crawler = Crawler(Spider, settings)  # type: ignore[arg-type]
    store = SQLiteStore(folder / f"{places.name}.crawl.db", synchronous="OFF")
    run = Run(crawler, config, places.name, loaded.template, store)
    return asyncio.run(Plan(run, clock, log_book).first(most))


class Plan:
    """The requests that a run would send."""

    def __init__(self, run: Run, clock: PlanClock, log_book: LogBook) -> None:
        self._run = run
        self._clock = clock
        self._log_book = log_book
        self._ticked = 0.0
        self._work: list[Callable[[], Coroutine[Any, Any, None]]] = []
        run.items.beside = self._later  # there is no engine to do it

    def _later(self, work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        self._work.append(work)
        return True

    async def _done(self) -> None:
        """Do what features have begun: looking at what is due."""
        while self._work:
            await self._work.pop(0)()

    async def first(self, most: int) -> list[PlannedRequest]:
        """Return the first requests."""
        run = self._run
        await run.opening.open(has_results=False)
        try:
            run.frontier.gate = lambda site: run.hooks.sites.seconds_closed(
                site, self._clock.wall()
            )
            await run.opening.begin()
            found = [*self._searches()][:most]
            for _ in range(LONGEST_PLAN):
                if len(found) >= most:
                    break
                row = run.frontier.take(self._clock.steady(), self._clock.wall())
                if not row:
                    if not await self._wait():
                        break
                elif one := await self._request(row):
                    found.append(one)
        finally:
            if run.commits.results:
                run.commits.results.close()
            run.store.release()
        if run.commits.broken:
            raise StoreError(run.commits.broken)
        return found

    def _searches(self) -> Iterator[PlannedRequest]:
        """Go through what search engines are asked first."""
        top = self._run.frontier.rules.levels
        for request in self._run.transport.ask.first():
            why = _("asked of a search engine, or a list of seeds")
            yield PlannedRequest(0.0, request.url, top, why)

    async def _wait(self) -> bool:
        """Let time pass until a site may be asked; False: a run would end before."""
        run, clock = self._run, self._clock
        wait, linger = run.frontier.next_wakeup(clock.steady(), clock.wall()), run.run.linger
        stays = wait <= linger or (
            wait < inf and any(hold.seconds <= linger for hold in run.holds())
        )
        if not stays:
            return await self._comes()
        clock.passed += max(wait, 0.001)
        if clock.passed - self._ticked >= 1.0:  # what is due by then is queued meanwhile
            self._ticked = clock.passed
            for tick in run.hooks.tick:
                tick()
            await self._done()
        return True

    async def _comes(self) -> bool:
        """Whether something comes of a run that has nothing else to do: as when a crawl is idle."""
        run, clock = self._run, self._clock
        for idle in run.hooks.idle:
            idle(is_over=False)
        await self._done()
        wait = run.frontier.next_wakeup(clock.steady(), clock.wall())
        if wait <= run.run.linger:
            return True
        due = run.pages.next_due
        if not (run.pages.stays and due):
            return False
        clock.passed += max(min(wait, due - clock.wall()), 1.0)
        return True

    async def _request(self, row: Row) -> PlannedRequest | None:
        """Return the request of a row that was taken; None: it would be set aside."""
        run, now = self._run, self._clock.steady()
        waiting = row.waiting
        run.frontier.free(row.sequence, now)
        if rule_against(row, run) or await self._is_kept_back(row):
            run.frontier.acknowledge(row.sequence, now)
            return None
        why = self._why(row)
        run.frontier.acknowledge(row.sequence, now)
        level = 0 if waiting.explore and run.frontier.exploration else waiting.level
        return PlannedRequest(round(self._clock.passed, 3), waiting.url, level, why)

    async def _is_kept_back(self, row: Row) -> bool:
        """Whether a ban, a quota or a robots.txt that is known would stop a request."""
        run, waiting = self._run, row.waiting
        request = Request(waiting.url)
        flight = Flight(request, row.sequence, number_of(waiting), waiting, row.tries)
        flight.before = run.pages.visited.get(waiting.key)
        if (explorer := run.rules.explorer) and (
            explorer.why_banned(waiting, self._clock.wall())
            or explorer.over_quota(waiting, row.sequence)
        ):
            return True
        if run.hooks.sites.quota(flight):
            return True
        address = (waiting.url, waiting.key, flight.number, waiting.site)
        question = Question(*address, self._clock.wall(), row=row)
        known = [fact for explain in run.hooks.explain for fact in await explain(question)]
        if any(fact.kind == "robots" for fact in known):
            return True
        run.flights[request] = flight  # quotas count it from now on
        return False

    def _why(self, row: Row) -> str:
        """Say why a URL is asked for, and why now."""
        run, waiting = self._run, row.waiting
        frontier = run.frontier
        told = _("{reason}; level {level} of {levels}")
        if waiting.explore and frontier.exploration:
            told = _("{reason}; explores, predicted relevance {score:.2f}")
        return told.format(
            reason=self._reason(row, waiting),
            level=waiting.level,
            levels=frontier.rules.levels,
            score=waiting.score,
        )

    def _reason(self, row: Row, waiting: Waiting) -> str:
        state = self._run.pages.visited.get(waiting.key)
        if row.tries:
            return _("tried again after {reason}").format(reason=row.reason)
        if state:
            told = _("visit of a known {page_class}, last read {ago} ago")
            if is_list(state):
                told = _("list, read again, last read {ago} ago")
            ago = self._ago(state.last_fetched)
            return told.format(page_class=class_name(state.page_class), ago=ago)
        if is_source(waiting, self._run.sources) or not waiting.parent_key:
            return _("source")
        parent = self._log_book.page(waiting.parent_key.hex()).get("url", "")
        told = _("{page} found on {parent}") if parent else "{page}"
        anchor = f" {waiting.anchor!r}" if waiting.anchor else ""
        return told.format(page=f"{class_name(waiting.page_class)}{anchor}", parent=parent)

    def _ago(self, at: float) -> str:
        return duration_text(self._clock.wall() - at)
