"""``scrapy report``: its help and options; the work is in ``verbs/output/report.py``."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from focuscrawl.locale.messages import _


class ReportCommand(ScrapyCommand):
    """Writes what is new in topics and how their crawls went; nothing is fetched, and a crawl may run meanwhile."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[NAME …|--all] [--since last|24h|DATE] [--lang zh|en] [--output FILE]"

    def short_desc(self) -> str:
        """Say in one line what the command does."""
        return _("Write what is new in topics, and how their crawls went, as one page")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        parser.set_defaults(arguments=[])
        parser.add_argument(
            "--all",
            action="store_true",
            help=_("all topics: a table of them, then what is new in each"),
        )
        parser.add_argument(
            "--since",
            default="last",
            metavar="WHEN",
            help=_(
                "what is new since the last run began (last), for so long (24h, 7d) or since a date"
            ),
        )
        parser.add_argument(
            "--lang",
            choices=["zh", "en"],
            help=_("its language; without it that of the environment"),
        )
        parser.add_argument(
            "--output",
            metavar="FILE",
            help=_("where it is written (- prints it); without it beside the results"),
        )
        parser.add_argument("--text", action="store_true", help=_("print it as a text"))
        parser.add_argument("--json", action="store_true", help=_("print it as JSON"))
        parser.add_argument(
            "--list",
            metavar="LISTING",
            help=_("print all rows of one of its listings, cells apart by tabs"),
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the report and say where it is."""
        from focuscrawl.commands.console import while_read
        from focuscrawl.verbs.call import Call

        assert self.settings  # Scrapy gives them to all commands
        call = Call(self.settings, opts)
        with while_read():
            print(call.answer("focuscrawl.verbs.output.report.report", args))
        self.exitcode = call.exit_status
