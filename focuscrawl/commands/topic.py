"""``scrapy topic``: its verbs in words, and their options; the work is in ``verbs/``."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError


class Verb(NamedTuple):
    """``work`` is the function of a module of verbs/ that is imported when the verb is called."""

    work: str
    help: str


VERBS = {
    "new": Verb(
        "focuscrawl.verbs.template.new",
        "Copy a shipped template into the topics folder under a name of your own.",
    ),
    "check": Verb(
        "focuscrawl.verbs.template.check", "Say what is wrong with a topic, or what it will read."
    ),
    "show": Verb(
        "focuscrawl.verbs.template.show",
        "Print the topic that results, each value with where it comes from.",
    ),
    "schema": Verb(
        "focuscrawl.verbs.template.schema", "Print a JSON Schema of the language, for editors."
    ),
    "try": Verb(
        "focuscrawl.verbs.trial.try_out",
        "Read a few pages (-a limits.pages=10) into a store that is thrown away, and explain each.",
    ),
    "score": Verb(
        "focuscrawl.verbs.score.score",
        "Fetch pages (NAME URL…) and explain their scores; --near lists stored pages instead.",
    ),
    "train": Verb(
        "focuscrawl.verbs.score.learn_model",
        "Train relevance.model from labels in the results (extra ml); --fetch for missing texts.",
    ),
    "sites": Verb(
        "focuscrawl.verbs.sites.sites",
        "List the sites exploration has judged, worst first, with bans and what speaks for them.",
    ),
    "ban": Verb(
        "focuscrawl.verbs.sites.ban",
        "Ban sites (NAME HOST…) until they are unbanned: nothing of them is fetched.",
    ),
    "unban": Verb(
        "focuscrawl.verbs.sites.unban",
        "Lift the bans of sites (NAME HOST…); they have their whole patience again.",
    ),
    "patterns": Verb(
        "focuscrawl.verbs.sites.patterns",
        "List the address patterns learnt of sites (NAME [HOST…]), or --pin, --veto, --forget some.",
    ),
    "workers": Verb(
        "focuscrawl.verbs.shared.workers",
        "List who works on a crawl that several share (NAME), and what is left to do.",
    ),
    "status": Verb(
        "focuscrawl.verbs.many.status.status",
        "List topics ([NAME …]): running or not, the last run, what is left, next turn, late and why; --json.",
    ),
    "move": Verb(
        "focuscrawl.verbs.shared.move",
        "Move a crawl (NAME) with all it knows into a Redis (--to redis://…), or back (--to file).",
    ),
    "backup": Verb(
        "focuscrawl.verbs.data.backup",
        "Copy crawl and results of a topic (NAME [FILE]) as they are now into one file, running or"
        " not.",
    ),
    "check-data": Verb(
        "focuscrawl.verbs.data.check_data",
        "Look over crawl and results of a topic and say what is wrong; changes nothing (status 1:"
        " something is).",
    ),
    "forget": Verb(
        "focuscrawl.verbs.stored.forget_pages",
        "Delete what is stored of --url, --site or --before (NAME …); a dry run without --yes.",
    ),
    "rejudge": Verb(
        "focuscrawl.verbs.stored.rejudge_stored",
        "Judge stored articles (NAME) by the words and threshold the topic has now; deletes nothing.",
    ),
    "reread": Verb(
        "focuscrawl.verbs.stored.reread",
        "Let the next crawl read every stored article and record (NAME) once more, as after new"
        " fields.",
    ),
}
"""What ``scrapy topic`` can do."""


class TopicCommand(ScrapyCommand):
    """The command ``topic``; each verb is a function in VERBS."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Say how the command is called."""
        return "|".join(VERBS) + " [NAME] [-a key=value] [--template NAME] [--near] [--fetch]"

    def short_desc(self) -> str:
        """Say in one line what the command does."""
        return "Write, check and explain topic templates"

    def long_desc(self) -> str:
        """Say what the verbs do."""
        return "\n".join(f"{name}: {verb.help}" for name, verb in VERBS.items())

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of all verbs."""
        from focuscrawl.verbs.template import choices_text

        super().add_options(parser)
        parser.add_argument(
            "-a",
            dest="arguments",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="override a key for this run, as in -a limits.pages=100 (may be repeated)",
        )
        parser.add_argument(
            "--template",
            default="topic",
            metavar="NAME",
            help=f"new: the shipped template to copy ({choices_text()})",
        )
        _switch(parser, "--near", "score: list the stored pages nearest to relevance.threshold")
        _switch(parser, "--fetch", "train: fetch labelled pages whose text was not stored")
        _repeated(
            parser,
            "--pin",
            "CLASS=PATTERN",
            "patterns: what addresses of the hosts are, as in --pin article=/news/*.html",
        )
        _repeated(
            parser,
            "--veto",
            "PATTERN",
            "patterns: never class such addresses of the hosts by what was learnt",
        )
        _repeated(parser, "--forget", "PATTERN", "patterns: take a pin or veto of the hosts back")
        _repeated(parser, "--url", None, "forget: an address (may be repeated)")
        parser.add_argument("--site", help="forget: all addresses of a site")
        parser.add_argument(
            "--before", metavar="DATE", help="forget: what was last seen before, as 2026-11-20"
        )
        parser.add_argument(
            "--to", metavar="URL", help="move: the Redis, as redis://host:6379/0, or: file"
        )
        _switch(parser, "--json", "status: the same for programs")
        _switch(parser, "--again", "forget: fetch the addresses anew when they are found")
        _switch(parser, "--yes", "forget: do it; else it is only said what would be done")
        _switch(
            parser,
            "--refetch",
            "rejudge: fetch pages anew that were refused by the words of the topic",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a verb and print what it says."""
        if not args or args[0] not in VERBS:
            raise UsageError(f"which one: scrapy topic {'|'.join(VERBS)}?")
        from focuscrawl.verbs.call import Call

        assert self.settings  # Scrapy gives them to all commands
        call = Call(self.settings, opts)
        print(call.answer(VERBS[args[0]].work, args[1:]))
        self.exitcode = call.exit_status


def _switch(parser: argparse.ArgumentParser, name: str, help_text: str) -> None:
    parser.add_argument(name, action="store_true", help=help_text)


def _repeated(
    parser: argparse.ArgumentParser, name: str, value: str | None, help_text: str
) -> None:
    parser.add_argument(name, action="append", default=[], metavar=value, help=help_text)
