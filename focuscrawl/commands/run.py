"""``focuscrawl run``: many topics in one process."""

from __future__ import annotations

import argparse
from math import inf

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from focuscrawl.locale.messages import _


class RunCommand(ScrapyCommand):
    """Crawl topics as one job; the work is in ``verbs/jobs/run.py``."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[--all | NAME …] [--jobs N]"

    def short_desc(self) -> str:
        """Return the line of ``scrapy --help``."""
        return _("Crawl many topics in one process, again and again where they say every = …")

    def long_desc(self) -> str:
        """Say what becomes of topics."""
        return _(
            "Crawl many topics in one process, each as scrapy crawl does. A topic with [topic]"
            " every comes again, one with revisit.continuous stays, any other is crawled once."
            " Sites that several topics share are asked as the strictest of them wants. The exit"
            " status is the gravest of all."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        parser.add_argument(
            "-a",
            dest="arguments",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help=_("override a key of all topics, as in -a limits.pages=100 (may be repeated)"),
        )
        parser.add_argument(
            "--all",
            action="store_true",
            dest="everything",
            help=_("all topics of the project, also those whose file comes later"),
        )
        parser.add_argument(
            "--jobs",
            type=int,
            default=inf,
            metavar="N",
            help=_("crawl at most so many at once (default: all)"),
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit status."""
        if bool(args) == opts.everything:
            raise UsageError(_("focuscrawl run NAME …, or focuscrawl run --all"))
        if opts.jobs < 1:
            raise UsageError(_("--jobs {jobs:g}: write 1 or more").format(jobs=opts.jobs))
        from focuscrawl.verbs.jobs.run import run_topics

        assert self.settings  # Scrapy gives them to all commands
        try:
            arguments = arglist_to_dict(opts.arguments)
        except ValueError:
            raise UsageError(_("-a: write KEY=VALUE, as in -a limits.pages=100")) from None
        self.exitcode = run_topics(self.settings, [*dict.fromkeys(args)], opts.jobs, arguments)
