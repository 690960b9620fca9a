"""``focuscrawl start``: a project of one's own."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.locale.messages import _


class StartCommand(ScrapyCommand):
    """Writes the files of a project; nothing that is there is written over."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Describe the arguments."""
        return "PROJECT [--template NAME]"

    def short_desc(self) -> str:
        """Describe the command in a line."""
        return _("Make a project of your own that can be deployed, with a topic to begin with")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the option for the topic."""
        super().add_options(parser)
        parser.add_argument(
            "--template",
            default="topic",
            metavar="NAME",
            help=_("the shipped template of the first topic (topic, news, directory, forum)"),
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the project and say what to do next."""
        if len(args) != 1:
            raise UsageError(_("name the project: focuscrawl start news"))
        from focuscrawl.commands.console import while_read
        from focuscrawl.verbs.call import Call

        assert self.settings  # Scrapy gives them to all commands
        call = Call(self.settings, opts)
        with while_read():
            print(call.answer("focuscrawl.verbs.template.start", args))
        self.exitcode = call.exit_status
