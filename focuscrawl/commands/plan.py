"""``scrapy plan``: its arguments; the work is in ``verbs/explain/``."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from focuscrawl.locale.messages import _


class PlanCommand(ScrapyCommand):
    """Lists the next requests of a topic."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Describe the arguments."""
        return "NAME [-n 50] [--json]"

    def short_desc(self) -> str:
        """Describe the command in a line."""
        return _("List the next requests of a topic, each with when and why")

    def long_desc(self) -> str:
        """Say what the plan is."""
        return _(
            "In the order in which a crawl that began now would send them. Also while the topic"
            " is crawled; nothing is asked of any site, and nothing is changed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        parser.add_argument("-a", dest="arguments", action="append", default=[], metavar="KEY=VALUE", help=_("override a key of the topic"))  # fmt: skip
        parser.add_argument("-n", dest="number", type=int, default=50, metavar="COUNT", help=_("how many requests (50)"))  # fmt: skip
        parser.add_argument("--json", action="store_true", help=_("print plain values"))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the plan."""
        from focuscrawl.commands.console import while_read
        from focuscrawl.verbs.call import Call

        assert self.settings  # Scrapy gives them to all commands
        call = Call(self.settings, opts)
        with while_read():
            print(call.answer("focuscrawl.verbs.explain.plan.plan", args))
        self.exitcode = call.exit_status
