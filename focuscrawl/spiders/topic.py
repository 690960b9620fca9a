"""The one spider, driven by a template: ``scrapy crawl NAME`` or ``-a template=PATH|inline``."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast
from weakref import WeakKeyDictionary

from scrapy import Request, Spider
from scrapy.utils.misc import load_object

from focuscrawl.config import beside_reports, environment_in_use, project_dir, read_config
from focuscrawl.features.explore.explorer import step_of
from focuscrawl.kernel.flight import Flight, flight_of
from focuscrawl.kernel.judge import life_of_page, look_at_page
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.transport.requests import fetched_of
from focuscrawl.kernel.transport.site_turns import choose_handler
from focuscrawl.kernel.transport.slots import only_looks
from focuscrawl.output.feeds import switch_on_feeds
from focuscrawl.output.summary.logs import TOPIC
from focuscrawl.spiders.settings import scrapy_settings
from focuscrawl.template.load import is_inline, load, reach_of
from focuscrawl.template.template import language_in_use
from focuscrawl.values import Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.template.template import Template

TEMPLATE_ARGUMENT = "template"
_PORT_EXTENSIONS = {
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
}
"""Extensions that a setting switches off, but only once aiohttp or twisted.conch are imported for them:
6 % of the CPU that a crawl takes to its first request."""


CHECKED: WeakKeyDictionary[Crawler, LoadedTemplate] = WeakKeyDictionary()
"""Templates that ``scrapy crawl`` has loaded, to say what is wrong with them before a crawl begins."""


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
        language = language_in_use(crawler.settings, os.environ)
        environment = environment_in_use(crawler.settings, os.environ)
        loaded = CHECKED.pop(crawler, None) or load(
            source, arguments, environment, reach=reach, language=language
        )
        spider = cls(loaded.template.name)
        TOPIC.set(loaded.template.name)
        spider._set_crawler(crawler)
        template = loaded.template
        if not crawler.settings.frozen:  # as they are when scrapy shell makes a spider
            folder = reach.data if reach else project_dir() or Path.cwd()
            cls._tell_scrapy(template, crawler, folder)
        for warning in loaded.warnings:
            spider.logger.warning("%s", warning)
        spider.follow(template, Run.begin(crawler, template.name, template))
        return spider

    @staticmethod
    def _tell_scrapy(template: Template, crawler: Crawler, folder: Path) -> None:
        """Set what follows from the template; commands that only look at pages write no feed.

        Feeds lie in ``folder``, those without one beside the reports.
        """
        settings = scrapy_settings(template)
        feeds = cast("dict[str, dict[str, Any]]", settings.pop("FEEDS", {}))
        for name, value in settings.items():
            crawler.settings.set(name, value, priority="spider")
        choose_handler(crawler.settings, os.environ, "spider")
        for switch, extension in _PORT_EXTENSIONS.items():
            if not crawler.settings.getbool(switch):
                crawler.settings["EXTENSIONS_BASE"].set(extension, None, "spider")
        wanted = {}
        if feeds and not only_looks(crawler):
            data_dir = read_config(crawler.settings, os.environ, project_dir()).data_dir
            wanted = {beside_reports(uri, data_dir): options for uri, options in feeds.items()}
        switch_on_feeds(crawler.settings, wanted, folder)

    def follow(self, template: Template, run: Run) -> None:
        """Take the topic to follow."""
        self.template = template
        self.run = run
        self._feeds_want_pages = any("page" in feed.items for feed in template.output.feeds)

    async def start(self) -> AsyncIterator[Any]:
        """Queue the sources and the list pages of earlier runs; ask the search engines."""
        await self.run.opening.begin()
        for first in self.run.transport.ask.first():
            yield first

    def parse(self, response: Response, **arguments: Any) -> Iterator[Any]:
        """Read a page, by the template's own parser for its site when there is one."""
        site = self.template.site(self._flight(response).waiting.site)
        if site.parser:
            yield from load_object(site.parser.replace(":", "."))(self, response) or ()
        else:
            yield from self.read(response)

    def read(self, response: Response) -> Iterator[Any]:
        """Read a page as focuscrawl does; a site's own parser may call it."""
        run, flight = self.run, self._flight(response)
        fetched = fetched_of(response, run.clock.wall(), flight.encoding)
        if flight.request in run.flights:
            found = life_of_page(run.judge, run.hooks, flight, fetched, step_of)
        else:  # the user only looks: scrapy shell, scrapy parse
            found = look_at_page(run.judge, run.hooks, fetched, flight.waiting)
        for given in found:
            if self._feeds_want_pages or not isinstance(given, Page):
                yield given

    def _flight(self, response: Response) -> Flight:
        """Return what is known of a page; little, when it was fetched by scrapy shell or parse."""
        return flight_of(self.run, response.request or Request(response.url))
