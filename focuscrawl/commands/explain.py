"""``scrapy explain``: its arguments; the work is in ``verbs/explain/``."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from focuscrawl.locale.messages import _


class ExplainCommand(ScrapyCommand):
    """Says why a page is in the results of a topic, or is not."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Describe the arguments."""
        return "NAME WHAT [--fetch] [--json]"

    def short_desc(self) -> str:
        """Describe the command in a line."""
        return _("Say why a page is in the results of a topic, or is not")

    def long_desc(self) -> str:
        """Say what may be asked."""
        return _(
            "WHAT is an address in any form, seen or never seen, a host, or a part of a title."
            " Also while the topic is crawled; nothing is asked of any site without --fetch."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        parser.add_argument("-a", dest="arguments", action="append", default=[], metavar="KEY=VALUE", help=_("override a key of the topic"))  # fmt: skip
        parser.add_argument("--fetch", action="store_true", help=_("ask for the page, and for the lists that should show it, and say what would be made of it now"))  # fmt: skip
        parser.add_argument("--json", action="store_true", help=_("print plain values"))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the answer."""
        from focuscrawl.commands.console import while_read
        from focuscrawl.verbs.call import Call

        assert self.settings  # Scrapy gives them to all commands
        call = Call(self.settings, opts)
        with while_read():
            print(call.answer("focuscrawl.verbs.explain.address.explain", args))
        self.exitcode = call.exit_status
