"""Every topic is a spider: ``scrapy list`` shows topics, ``scrapy crawl NAME`` runs one.

Set by ``SPIDER_LOADER_CLASS = "focuscrawl.spiders.loader.TopicLoader"``. Spiders of SPIDER_MODULES
are loaded as Scrapy does and stand beside the topics. Our one spider is no such module: it is imported
when a crawl asks for it, so that listing topics costs reading their templates and no more.
"""

from __future__ import annotations

import builtins
import logging
import os
import sys

from scrapy import Spider
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils import log

from focuscrawl.config import ConfigError, project_dir, topics_folders
from focuscrawl.output.summary.logs import keep_lines_plain, write_by
from focuscrawl.template.load import NoSuchTopic, find_topics, load
from focuscrawl.template.table import RESERVED
from focuscrawl.template.template import language_in_use, language_of
from focuscrawl.template.toml import TemplateErrors

_START_LINES = ("Versions:", "Overridden settings:", "Enabled ")
_START_LOGGERS = ("scrapy.utils.log", "scrapy.crawler", "scrapy.addons", "scrapy.middleware")
"""How the sixty lines begin with which Scrapy lists its parts, and who writes them."""


def _as_detail(record: logging.LogRecord) -> bool:
    """Move the lists that Scrapy logs at its start to DEBUG: the same each morning, they hide what is new."""
    if record.levelno == logging.INFO and str(record.msg).startswith(_START_LINES):
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
    return True


class UnusableTopic(KeyError):
    """A spider that cannot be loaded; unlike other KeyErrors its text is for people. ``mistakes`` are those of its
    template, where it is they.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.mistakes = error if isinstance(error, TemplateErrors) else None

    def __str__(self) -> str:
        return str(self.args[0])


class TopicLoader(SpiderLoader):
    """Finds topics in FOCUSCRAWL_TOPICS, the spider ``topic``, and the spiders of SPIDER_MODULES.

    A spider hides a topic of the same name. Topics are loaded when they are asked for, so a bad
    one hides no other.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        for name in _START_LOGGERS:
            logging.getLogger(name).addFilter(_as_detail)
        self._problems: builtins.list[Exception] = []
        try:
            # No code of ours runs earlier: the first line of the log is yet to come.
            keep_lines_plain()
            write_by(settings, os.environ, log)
        except ConfigError as error:
            self._problems.append(error)
        try:
            self._language = language_in_use(settings, os.environ)
        except ConfigError as error:
            self._problems.append(error)
            self._language = language_of()
        self._topics = find_topics(topics_folders(settings, os.environ, project_dir()))

    def list(self) -> builtins.list[str]:
        """Return the names of all spiders and of the topics that can be used.

        What is wrong with the others goes to stderr, since ``scrapy list`` switches logging off.
        """
        problems = [*self._problems, *self._topics.refused.values()]
        names = [*super().list(), RESERVED]
        for name, path in self._topics.topics.items():
            try:
                load(path, language=self._language)
            except TemplateErrors as error:
                problems.append(error)
            else:
                names.append(name)
        for problem in problems:
            print(problem, file=sys.stderr)
        return list(dict.fromkeys(names))

    def load(self, spider_name: str) -> type[Spider]:
        """Return a spider, or the TopicSpider of a topic.

        Raises UnusableTopic, a KeyError: there is none of this name, or its template has errors.
        """
        if spider_name in self._spiders:
            return super().load(spider_name)
        from focuscrawl.spiders.topic import TopicSpider  # noqa: PLC0415 - it brings the whole run

        if spider_name == RESERVED:
            return TopicSpider
        try:
            path = self._topics.path_of(spider_name, [*self._spiders, RESERVED])
            for problem in self._problems:
                raise problem
            load(path, language=self._language)
        except (ConfigError, NoSuchTopic, TemplateErrors) as error:
            raise UnusableTopic(error) from None
        title = "".join(part.capitalize() for part in spider_name.replace("_", "-").split("-"))
        attributes = {"name": spider_name, "template_path": str(path), "__module__": __name__}
        return type(f"{title}Spider", (TopicSpider,), attributes)
