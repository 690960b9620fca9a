"""``focuscrawl run``: many topics in one process, each crawled as ``scrapy crawl`` does it.

What belongs to all crawls of a process is Scrapy's (reactor, threads, names that were looked up), ours
where words are cut and numbers are read (dictionaries), and the turns of sites (``frontier.site_clock``).
The rest is each crawl's own: a template with mistakes or a store that fails ends one of them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from scrapy.crawler import AsyncCrawlerProcess

from focuscrawl.config import Config, ConfigError, project_dir, read_config, topics_folders
from focuscrawl.kernel.figures import EXIT_STORE, EXIT_USAGE, rows_new
from focuscrawl.kernel.run import Run
from focuscrawl.locale.messages import _
from focuscrawl.output.jobs.timetable import Timetable, TurnPlan, gravest_status, next_turn
from focuscrawl.output.notify.start_failures import mistakes_of
from focuscrawl.output.summary import logs
from focuscrawl.output.summary.lines import counted, duration_text, listed_words
from focuscrawl.spiders.loader import TopicLoader
from focuscrawl.spiders.topic import TopicSpider
from focuscrawl.stores.results.kinds.last_run import NEVER, last_run_in
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.load import find_topics
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.verbs.crawl import checked_template
from focuscrawl.verbs.jobs.status import turn_plan
from focuscrawl.verbs.start_notices import StartNotices

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

FIND_EVERY = 30.0
"""Seconds after which ``--all`` looks for topics whose file has come or gone."""

BROKEN_AGAIN = 60.0
"""Seconds after which a topic that could not be begun is tried again, where others come again anyway."""

CANNOT_BEGIN = (KeyError, TemplateErrors, ConfigError, OSError)
"""What is raised by a topic that there is not, or that cannot be read."""

NAMED = 5
"""Topics that the first line names."""

_OF_THE_LOG = ("LOG_ENABLED", "LOG_FILE", "LOG_LEVEL", "LOG_FORMAT", "LOG_DATEFORMAT")
"""There is one log: what a topic says of it in [settings] would change that of all others."""


def run_topics(
    settings: Settings, names: list[str], most: float, arguments: Mapping[str, Any]
) -> int:
    """Crawl topics (without names all of the project), at most so many at once; return the gravest exit status."""
    try:
        logs.check_log()
        logs.name_topics(settings, os.environ)
        config = read_config(settings, os.environ, project_dir())
    except ConfigError as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    logs.set_live(settings)
    process = TopicsProcess(settings)
    settings.set("LOG_FILE_APPEND", True, "cmdline")  # each crawler opens it anew
    for name in _OF_THE_LOG:
        settings.set(name, settings[name], "cmdline")
    topics = Topics(process, config, names, most, arguments)
    process.begin(topics.work)
    process.start(stop_after_crawl=False)
    topics.tell()
    topics.notices.wait()
    process.end()
    if topics.refusal:
        return EXIT_USAGE
    return gravest_status([end.status for end in topics.ends.values()])


class TopicsProcess(AsyncCrawlerProcess):
    """A process that goes on between crawls, and ends all of them at the first ``stop``."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.is_told_to_stop = asyncio.Event()
        self._is_done = asyncio.Event()

    def begin(self, work: Callable[[], Any]) -> None:
        """Run ``work``, then let ``start`` return."""
        self._task = asyncio.get_event_loop().create_task(self._until_done(work))

    async def _until_done(self, work: Callable[[], Any]) -> None:
        try:
            await work()
        finally:
            self._is_done.set()
            self._end_loop()

    def _end_loop(self) -> None:
        """Let ``start`` return: the reactor's loop, or the one that Scrapy has without a reactor."""
        if main := self._reactorless_main_task:
            main.cancel()
        else:
            self._stop_reactor()

    def end(self) -> None:
        """Raise the error of the work, if it failed."""
        if self._task.done():
            self._task.result()

    async def stop(self) -> None:
        """End all crawls, and wait until the work is done; a second call returns at once."""
        if self.is_told_to_stop.is_set():
            return
        self.is_told_to_stop.set()
        await super().stop()
        await self._is_done.wait()


@dataclass(slots=True)
class TopicEnd:
    """How the last crawl of a topic ended; ``runs`` counts them."""

    status: int
    reason: str
    pages: int = 0
    new: int = 0
    seconds: float = 0.0
    runs: int = 0

    def in_words(self) -> str:
        """Say it in a line."""
        told = _("exit {status}, {reason}, {pages}, {new:,} new, {duration}")
        if self.runs > 1:
            told = _("exit {status}, {reason}, {pages}, {new:,} new, {duration}, run {runs} times")
        return told.format(
            status=self.status,
            reason=self.reason,
            pages=counted(self.pages, "page"),
            new=self.new,
            duration=duration_text(self.seconds),
            runs=self.runs,
        )


class Topics:
    """The topics of one process. ``ends`` says how the last turn of each ended, ``refusal`` why no topic
    is crawled."""

    def __init__(
        self,
        process: TopicsProcess,
        config: Config,
        names: list[str],
        most: float,
        arguments: Mapping[str, Any],
    ) -> None:
        self.ends: dict[str, TopicEnd] = {}
        self.refusal = ""
        self._process = process
        self._config = config
        self._names = names
        self._arguments = dict(arguments)
        self._table = Timetable(most)
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._told: dict[str, str] = {}
        self.notices = StartNotices(config, process.settings, os.environ)

    # Which there are ----------------------------------------------------------------------------

    async def _look(self) -> None:
        """Take in topics that are new, and let go of those whose file has gone."""
        names = self._names
        if not names:
            folders = topics_folders(self._process.settings, os.environ, project_dir())
            found = find_topics(folders)
            for name in {*self._table.plans} - {*found.topics} - {*found.refused}:
                self._table.drop(name)
            for name, error in found.refused.items():
                self._cannot_begin(name, error)
            names = [*found.topics]
        for name in names:
            if not self._table.knows(name):
                await self._take_in(name)

    async def _take_in(self, name: str) -> None:
        """Plan a topic's first turn in this process: by its last run, if it is crawled at intervals."""
        now = self._config.clock.wall()
        try:
            template = self._template(self._spider(name))
        except CANNOT_BEGIN as error:
            self._cannot_begin(name, error)
            return
        plan, at = _plan(template), now
        if plan.every:
            last, place = NEVER, self._config.results_of(name)
            with suppress(StoreError):  # its crawl will report it
                last = await asyncio.to_thread(last_run_in, place, name, now)
            if last.has_begun:
                at = next_turn(plan, last.started, now, was_cut_off=last.was_cut_off)
        self._table.expect(name, plan, at)

    def _spider(self, name: str) -> type[Spider]:
        """Return a spider, its template as it is now. Raises KeyError."""
        return TopicLoader(self._process.settings).load(name)

    def _template(self, spider: type[Spider]) -> Template | None:
        """Return a topic's template; None for a spider of the user's own. Raises TemplateErrors, ConfigError."""
        if not issubclass(spider, TopicSpider):
            return None
        return checked_template(spider, self._arguments, self._process.settings).template

    def _cannot_begin(self, name: str, error: Exception) -> None:
        """Report once why a topic cannot be crawled, and look again later."""
        text = str(error)
        if self._told.get(name) != text:
            logger.error(_("topic %s: cannot be crawled, the others go on\n%s"), name, text)
        self._told[name] = text
        if mistakes := mistakes_of(error):
            self.notices.fail_aside(name, mistakes)
        if name in self._table.running:  # with the file that it was begun with
            return
        runs = self.ends[name].runs if name in self.ends else 0
        self.ends[name] = TopicEnd(EXIT_USAGE, "cannot_begin", runs=runs)
        if self._goes_on():
            plan = self._table.plans.get(name, TurnPlan())
            self._table.expect(name, plan, self._config.clock.wall() + BROKEN_AGAIN)

    def _goes_on(self) -> bool:
        """Whether the process goes on when all that are crawled now have ended."""
        return any(plan.comes_again for plan in self._table.plans.values())

    # Their turns --------------------------------------------------------------------------------

    async def work(self) -> None:
        """Crawl until nothing is left to do, or the process is stopped."""
        await self._look()
        self.refusal = self._none_there() or self._too_few_places()
        if self.refusal:
            logger.error("%s", self.refusal)
            return
        logger.info("%s", self._first_line())
        stop = asyncio.create_task(self._process.is_told_to_stop.wait())
        try:
            while not self._process.is_told_to_stop.is_set():
                while name := self._table.begin(self._config.clock.wall()):
                    self._begin(name)
                if self._table.is_over() and not self._tasks:
                    break
                await self._wait(stop)
                await self._look()
            if self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            stop.cancel()

    async def _wait(self, stop: asyncio.Task[Any]) -> None:
        seconds = self._table.seconds(self._config.clock.wall())
        if not self._names:
            seconds = min(seconds, FIND_EVERY)
        await asyncio.wait(
            [*self._tasks, stop],
            timeout=None if seconds == inf else seconds,
            return_when=asyncio.FIRST_COMPLETED,
        )

    def _begin(self, name: str) -> None:
        now = self._config.clock.wall()
        try:
            spider = self._spider(name)
            plan = _plan(self._template(spider))
            crawler = self._process.create_crawler(spider)
        except CANNOT_BEGIN as error:
            # An editor may be writing its file: it comes back by its earlier plan.
            self._table.ended(name, now)
            self._cannot_begin(name, error)
            return
        self._told.pop(name, None)
        self.notices.watch(crawler, spider, name)
        task = self._process.crawl(crawler, **self._arguments)
        self._tasks[task] = name
        task.add_done_callback(partial(self._ended, name, crawler, plan, now))

    def _ended(
        self, name: str, crawler: Crawler, plan: TurnPlan, began: float, task: asyncio.Task[None]
    ) -> None:
        """Note how a crawl ended, and plan when to try again."""
        del self._tasks[task]
        now = self._config.clock.wall()
        runs = self.ends[name].runs if name in self.ends else 0
        error = None if task.cancelled() else task.exception()
        if error:
            logger.error(_("topic %s: crashed, the others go on"), name, exc_info=error)
            end = TopicEnd(EXIT_STORE, "crashed")
        else:
            end = _end_of(crawler)
        end.seconds, end.runs = now - began, runs + 1
        self.ends[name] = end
        self._table.ended(name, now, plan)
        is_broken = end.status == EXIT_STORE or (plan.stays and end.status)
        if is_broken and self._table.knows(name) and self._goes_on():
            again = min(now + BROKEN_AGAIN, next_turn(plan, began, now))
            self._table.expect(name, plan, again)

    # Messages -----------------------------------------------------------------------------------

    def _none_there(self) -> str:
        """Say that there is no topic, not even one that cannot be crawled; "": there is one."""
        if self._table.plans or self.ends:
            return ""
        folders = topics_folders(self._process.settings, os.environ, project_dir())
        told = _("there is no topic in {folders}: scrapy topic new NAME makes one")
        return told.format(folders=listed_words([str(folder) for folder in folders]))

    def _too_few_places(self) -> str:
        """Say that topics which stay would take all places; "": there are enough."""
        most, plans = self._table.most, self._table.plans
        stay = [name for name, plan in plans.items() if plan.stays]
        needed = len(stay) + (len(stay) < len(plans))
        if most >= needed:
            return ""
        told = _(
            "--jobs {jobs:g}: {topics} with revisit.continuous keep their places for good ({names}): write"
            " --jobs {needed} or more"
        )
        topics, names = counted(len(stay), "topic"), listed_words(stay)
        return told.format(jobs=most, topics=topics, names=names, needed=needed)

    def _first_line(self) -> str:
        plans = self._table.plans
        each = _("{name} every {duration}")
        again = [
            each.format(name=name, duration=duration_text(plan.every))
            for name, plan in plans.items()
            if plan.every and not plan.stays
        ]
        stay = [name for name, plan in plans.items() if plan.stays]
        told = _("run: {topics}, {number:g} at once")
        if self._table.most == inf:
            told = _("run: {topics}, all at once")
        parts = [told.format(topics=counted(len(plans), "topic"), number=self._table.most)]
        for told, some in (
            (_("{number} come again ({names})"), again),
            (_("{number} stay ({names})"), stay),
        ):
            if some:
                parts.append(told.format(number=len(some), names=_some(some)))
        ends = _("ends when each has been crawled once")
        parts.append(_("ends when it is stopped") if again or stay else ends)
        return _("; ").join(parts)

    def tell(self) -> None:
        """Say how each topic ended."""
        if not self.ends:
            return
        width = max(map(len, self.ends))
        ends = sorted(self.ends.items(), key=lambda one: (-one[1].status, one[0]))
        lines = [f"  {name:<{width}}  {end.in_words()}" for name, end in ends]
        logger.info(_("run: how each topic ended\n%s"), "\n".join(lines))


def _plan(template: Template | None) -> TurnPlan:
    return turn_plan(template) if template else TurnPlan()


def _end_of(crawler: Crawler) -> TopicEnd:
    """Return how a crawl ended that did not crash."""
    if not crawler.spider:
        return TopicEnd(EXIT_STORE, "crashed")
    run = Run.of(crawler)
    return TopicEnd(
        run.ending.exit_code,
        run.ending.reason or "crashed",
        run.tally.counters["pages"],
        rows_new(run),
    )


def _some(words: list[str], most: int = NAMED) -> str:
    return listed_words([*words[:most], *(["…"] if len(words) > most else [])])
