"""``scrapy crawl``: Scrapy's own, with clear errors and an exit status that says how it ended."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from focuscrawl.config import ConfigError, read_config
from focuscrawl.running.ending import EXIT_USAGE
from focuscrawl.running.run import Run, project_dir, reach_of
from focuscrawl.spiders.topic import TEMPLATE_ARGUMENT, TopicSpider
from focuscrawl.template.problems import TemplateErrors
from focuscrawl.topic.load import is_inline, load


class Command(CrawlCommand):
    """Run a topic, or a spider of the project, by name."""

    def short_desc(self) -> str:
        """Return the line of ``scrapy --help``."""
        return "Run a topic or a spider, by name"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check everything that can be wrong beforehand, crawl, and set the exit status."""
        if len(args) != 1:
            raise UsageError("scrapy crawl takes one name: scrapy crawl NAME [-a key=value …]")
        process = self.crawler_process
        if process is None:
            raise UsageError("crawl needs a project")
        try:
            spider = process.spider_loader.load(args[0])
            if issubclass(spider, TopicSpider):
                check(spider, opts.spargs, process.settings)
            read_config(process.settings, os.environ, project_dir())
        except (KeyError, TemplateErrors, ConfigError) as error:
            print(error, file=sys.stderr)
            self.exitcode = EXIT_USAGE
            return
        crawler = process.create_crawler(spider)
        process.crawl(crawler, **opts.spargs)
        process.start()
        self.exitcode = 1 if process.bootstrap_failed else Run.exit_code_of(crawler)


def check(spider: type[TopicSpider], arguments: dict[str, Any], settings: BaseSettings) -> None:
    """Load a spider's template as the crawl will. Raises TemplateErrors, ConfigError."""
    values = dict(arguments)
    source: str | Path = values.pop(TEMPLATE_ARGUMENT, "") or spider.template_path
    if not source:
        raise ConfigError(
            "scrapy crawl topic needs -a template=PATH or an inline template;"
            " scrapy list shows the topics that have a name"
        )
    if not is_inline(str(source)):
        source = Path(source)
    load(source, values, os.environ, reach=reach_of(settings, source))
