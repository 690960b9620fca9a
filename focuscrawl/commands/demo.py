"""``focuscrawl demo``: its options; the bundled web and its tours are imported when it runs."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.locale.messages import _


class DemoCommand(ScrapyCommand):
    """Runs the demo; exit status 0: nothing was lost, 1: something was, or the crawl failed."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Describe the arguments."""
        return "[options]"

    def short_desc(self) -> str:
        """Describe the command in a line."""
        return _("Crawl a bundled small web, killed once on purpose, and compare with its truth")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the demo."""
        from focuscrawl.verbs.demo import add_options

        super().add_options(parser)
        add_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the demo and print the report."""
        if args:
            raise UsageError(
                _("demo takes no arguments, only options: {args}").format(args=" ".join(args))
            )
        if opts.days is not None and opts.days < 1:
            raise UsageError(_("--days {days}: at least 1").format(days=opts.days))
        from focuscrawl.commands.console import while_read
        from focuscrawl.verbs.demo import demo

        with while_read():
            self.exitcode = demo(opts.seed, opts.size, opts.days, keep=opts.keep)
