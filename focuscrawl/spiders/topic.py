"""The one spider, driven by a template: ``scrapy crawl NAME`` or ``-a template=PATH|inline``."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, Spider
from scrapy.utils.misc import load_object

from focuscrawl.config import project_dir
from focuscrawl.crawl.fetched import Judging
from focuscrawl.crawl.judge import judge
from focuscrawl.crawl.links.learned import learn_likeness, learn_pattern
from focuscrawl.crawl.template.settings import scrapy_settings
from focuscrawl.explore.explorer import step_of
from focuscrawl.feed_settings import switch_on_feeds
from focuscrawl.kernel.slots import only_looks
from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.running.engines import search_meta
from focuscrawl.running.forums import Forums
from focuscrawl.running.run import Run
from focuscrawl.search.plan import SearchRequest
from focuscrawl.template.load import is_inline, load, reach_of
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Waiting

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from focuscrawl.kernel.flight import Flight
    from focuscrawl.running.doubting import Doubt
    from focuscrawl.template.template import Template

TEMPLATE_ARGUMENT = "template"
_PORTS = {
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
}
"""Extensions that a setting switches off, but only once aiohttp or twisted.conch are imported for them:
6 % of the CPU that a crawl takes to its first request."""


class TopicSpider(Spider):
    """Follows a topic. The spider loader makes a subclass for each template file."""

    name = "topic"
    template_path = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **arguments: Any) -> Self:
        """Load the template and let it set Scrapy's settings. Raises TemplateErrors."""
        source: Path | str = arguments.pop(TEMPLATE_ARGUMENT, "") or cls.template_path
        if isinstance(source, str) and not is_inline(source):
            source = Path(source)
        reach = reach_of(crawler.settings, source)
        loaded = load(source, arguments, os.environ, reach=reach)
        spider = cls(loaded.template.name)
        spider._set_crawler(crawler)
        template = loaded.template
        if not crawler.settings.frozen:  # as they are when scrapy shell makes a spider
            folder = reach.data if reach is not None else project_dir() or Path.cwd()
            cls._tell_scrapy(template, crawler, folder)
        for warning in loaded.warnings:
            spider.logger.warning("%s", warning)
        spider.follow(template, Run.begin(crawler, template.name, template))
        return spider

    @staticmethod
    def _tell_scrapy(template: Template, crawler: Crawler, folder: Path) -> None:
        """Set what follows from the template; commands that only look at pages write no feed.

        Feeds lie in ``folder``.
        """
        settings = scrapy_settings(template)
        feeds = cast("dict[str, dict[str, Any]]", settings.pop("FEEDS", {}))
        for name, value in settings.items():
            crawler.settings.set(name, value, priority="spider")
        for switch, extension in _PORTS.items():
            if not crawler.settings.getbool(switch):
                crawler.settings["EXTENSIONS_BASE"].set(extension, None, "spider")
        wanted = {} if only_looks(crawler) else feeds
        switch_on_feeds(crawler.settings, wanted, folder)

    def follow(self, template: Template, run: Run) -> None:
        """Take the topic to follow."""
        self.template = template
        self.run = run
        run.ask = self._search
        self.judging = Judging(
            template,
            run.rules or AdmissionRules.from_template(template, run.started),
            run.sources,
            walks=run.hooks.feature(Forums).readings.walks,
        )
        run.doubt(self.judging)
        self._feeds_want_pages = any("page" in feed.items for feed in template.output.feeds)

    async def start(self) -> AsyncIterator[Any]:
        """Queue the sources and the list pages of earlier runs; ask the search engines."""
        searching = self.run.searching
        asked = await searching.begin(self.run.store, self.run.visited) if searching else ()
        await self.run.seed()
        for request in asked:
            yield self._search(request)

    def _search(self, asked: SearchRequest) -> Request:
        return Request(
            asked.url,
            callback=self.parse_search,
            errback=self.search_failed,
            cb_kwargs={"asked": asked},
            meta=search_meta(self.template, asked, self.template.queues.levels),
            dont_filter=True,
        )

    def parse_search(self, response: Response, asked: SearchRequest) -> Iterator[Any]:
        """Read what a search engine answered; its results become seeds."""
        searching = self.run.searching
        if searching is None:
            return
        response.meta["depth"] = 0  # follow.depth counts clicks, not pages of results
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        following = searching.answered(
            asked, response.url, response.status, response.body, content_type
        )
        flight = self.run.flights.get(response.request) if response.request else None
        if flight is not None:
            flight.outcome, flight.reason = "list", ""
        for request in following:
            yield self._search(request)

    def search_failed(self, failure: Failure) -> None:
        """A search engine could not be asked."""
        if self.run.searching is not None:
            request: Any = failure.request  # type: ignore[attr-defined]
            reason = str(failure.value) or type(failure.value).__name__
            self.run.searching.failed(request.cb_kwargs["asked"], reason)

    def parse(self, response: Response, **arguments: Any) -> Iterator[Any]:
        """Read a page, by the template's own parser for its site when there is one."""
        site = self.template.site(self._waiting(response).site)
        if site.parser:
            yield from load_object(site.parser.replace(":", "."))(self, response) or ()
        else:
            yield from self.read(response)

    def read(self, response: Response) -> Iterator[Any]:
        """Read a page as focuscrawl does; a site's own parser may call it."""
        flight = self.run.flights.get(response.request) if response.request else None
        waiting = self._waiting(response)
        if flight is not None and self.run.gathering is not None:
            flight.waiting = waiting = self.run.gathering.part_of(waiting)
        fetched = self._fetched(response)
        judged = self._judge(fetched, waiting)
        if flight is not None and (yield from self._is_missing(flight, judged, fetched)):
            return
        if flight is not None and judged.piece is not None:
            if judged.part is not None and self.run.gathering is not None:
                self.run.gathering.expect(judged.part.first_key)
                flight.waiting = waiting = judged.part
            elif alone := self.run.keeping.alone(flight, judged.piece):
                flight.waiting = waiting = alone
                judged = self._judge(fetched, waiting)
        if flight is not None:
            flight.page, flight.file = judged.page, judged.file
            if told := learn_likeness(judged, fetched, waiting, self.judging.rules):
                self.logger.warning("%s", told)
            if waiting.first_walk and not judged.by_pattern:
                learn_pattern(judged.page, waiting, self.judging.rules)
            if self.run.revisiting is not None:
                flight.ignored = judged.ignored
                judged = self.run.revisiting.comparing.read(flight, judged)
            if judged.batch is not None:
                judged.page.step = step_of(judged.batch.relevant, waiting.step)
                flight.relevant = judged.batch.relevant
            found = judged.article or (judged.piece and judged.piece.article)
            flight.useful = bool(judged.records) or (
                found is not None and bool(judged.page.relevant)
            )
        article = judged.article
        if article is not None and flight is not None and flight.mark == "truncated":
            article.complete = False
        if judged.piece is not None:
            article = self.run.keeping.take(judged.piece, anew=not waiting.first_walk)
        if article is not None:
            yield article
        if judged.records:
            self.run.recording.expect(judged.records)
        yield from judged.records
        for give_out in self.run.hooks.judged:
            yield from give_out(flight, judged)
        if self._feeds_want_pages:
            yield judged.page
        if judged.batch is not None:
            yield judged.batch

    def _is_missing(
        self, flight: Flight, judged: Judged, fetched: Fetched
    ) -> Generator[Doubt, None, bool]:
        """Say whether a page is an error page; a doubt holds it until its site was asked."""
        doubting = self.run.doubting
        doubt = doubting.doubt(flight, judged, fetched) if doubting else None
        if doubting is None or doubt is None:
            return False
        yield doubt
        return doubting.settle(doubt, judged)

    def _judge(self, fetched: Fetched, waiting: Waiting) -> Judged:
        judged = judge(fetched, waiting, self.judging)
        for name in judged.missed:
            self._count_missed(name, waiting.site, fetched.url)
        for name in judged.beyond:
            self._count_beyond(name, fetched.url)
        return judged

    def _fetched(self, response: Response) -> Fetched:
        flight = self.run.flights.get(response.request) if response.request else None
        return Fetched(
            url=response.url,
            status=response.status,
            body=response.body,
            content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
            at=self.run.clock.wall(),
            encoding=flight.encoding if flight is not None else None,
            robots=b"\n".join(response.headers.getlist("X-Robots-Tag")).decode("latin-1"),
        )

    def _count_missed(self, name: str, site: str, url: str) -> None:
        """Count a page on which a site's selector found nothing, and say it the first time."""
        host = self.template.site(host_of(site)).host
        counter = f"selector/{host}/{name}"
        self.run.tally.counters[counter] += 1
        if self.run.tally.counters[counter] == 1:
            self.logger.warning(
                '[site."%s".select] %s finds nothing on %s: it is found out instead, there and wherever '
                "else it finds nothing; pages are counted as %s",
                host,
                name,
                url,
                counter,
            )

    def _count_beyond(self, name: str, url: str) -> None:
        """Count a page that counts to what nothing can be, and say it the first time."""
        counter = f"unknown/{name}"
        self.run.tally.counters[counter] += 1
        if self.run.tally.counters[counter] == 1:
            self.logger.warning(
                "%s counts %s beyond 2^53: they are unknown; pages are counted as %s",
                url,
                name,
                counter,
            )

    def _waiting(self, response: Response) -> Waiting:
        """Return what is known of a page; little, when it was fetched by scrapy shell or parse."""
        flight = self.run.flights.get(response.request) if response.request else None
        if flight is not None:
            return flight.waiting
        address = self.run.canonicalizer.address(response.url)
        top = self.run.frontier.rules.levels
        if address is None:
            return Waiting(response.url, b"", "", top, top)
        return Waiting(address.url, address.key, address.site, top, top)
