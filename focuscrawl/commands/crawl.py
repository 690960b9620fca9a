"""``scrapy crawl``: Scrapy's own, with clear errors and an exit status that says how it ended."""

from __future__ import annotations

import argparse

from scrapy.commands.crawl import Command
from scrapy.exceptions import UsageError

from focuscrawl.locale.messages import _


class CrawlCommand(Command):
    """Run a topic, or a spider of the project, by name."""

    def short_desc(self) -> str:
        """Return the line of ``scrapy --help``."""
        return _("Run a topic or a spider, by name")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check everything that can be wrong beforehand, crawl, and set the exit status."""
        if len(args) != 1:
            raise UsageError(_("scrapy crawl takes one name: scrapy crawl NAME [-a key=value …]"))
        from focuscrawl.verbs.crawl import crawl

        assert self.crawler_process  # Scrapy gives it to all commands that fetch pages
        self.exitcode = crawl(self.crawler_process, args[0], opts.spargs)
