"""``scrapy topic``: its verbs in words, and their options; the work is in ``verbs/``.

The help is ordered by what a user wants to do; ``scrapy topic VERB --help`` shows the options of one verb
(``options.py``).
"""

from __future__ import annotations

import argparse
import textwrap
from difflib import get_close_matches
from typing import NamedTuple

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.locale.messages import N_, _

WRITE, TRY, CRAWL, LOOK, MEND, MOVE = "write", "try", "crawl", "look", "mend", "move"
AIMS = {
    WRITE: N_("Write a topic"),
    TRY: N_("Try it, before it crawls"),
    CRAWL: N_("Crawl"),
    LOOK: N_("Look at what it does and has found"),
    MEND: N_("Mend"),
    MOVE: N_("Move and keep"),
}
"""What a user wants to do, in the order in which it comes up."""


class Verb(NamedTuple):
    """``work`` is the function of a module of verbs/ that is imported when the verb is called.

    ``aim`` is a key of AIMS, ``takes`` what stands behind the verb.
    """

    work: str
    help: str
    aim: str = LOOK
    takes: str = "NAME"


VERBS = {
    "new": Verb(
        "focuscrawl.verbs.template.new",
        N_("Copy a shipped template into the topics folder under a name of your own."),
        WRITE,
    ),
    "check": Verb(
        "focuscrawl.verbs.template.check",
        N_("Say what is wrong with a topic, or what it will read."),
        TRY,
    ),
    "show": Verb(
        "focuscrawl.verbs.template.show",
        N_("Print the topic that results, each value with where it comes from."),
        TRY,
    ),
    "schema": Verb(
        "focuscrawl.verbs.template.schema",
        N_("Print a JSON Schema of the language, for editors."),
        WRITE,
        "",
    ),
    "try": Verb(
        "focuscrawl.verbs.explain.deep_trial.try_out",
        N_(
            "Read one list a site and its likeliest articles (or -a limits.pages=10) into a"
            " store that is thrown away, and explain each: score, words that hit, whether it"
            " would be stored."
        ),
        TRY,
    ),
    "score": Verb(
        "focuscrawl.verbs.score.score",
        N_("Fetch pages and explain their scores; --near lists stored pages instead."),
        TRY,
        "NAME URL… | NAME --near",
    ),
    "train": Verb(
        "focuscrawl.verbs.score.learn_model",
        N_(
            "Train relevance.model from labels in the results (extra ml); --fetch for missing"
            " texts."
        ),
        MEND,
    ),
    "sites": Verb(
        "focuscrawl.verbs.sites.sites",
        N_(
            "List the sites exploration has judged, worst first, with bans and what speaks for"
            " them; of a HOST say what its pages have taught: layouts, boilerplate, redesigns, what"
            " is withheld; --json."
        ),
        LOOK,
        "NAME [HOST…]",
    ),
    "ban": Verb(
        "focuscrawl.verbs.sites.ban",
        N_("Ban sites until they are unbanned: nothing of them is fetched."),
        MEND,
        "NAME HOST…",
    ),
    "unban": Verb(
        "focuscrawl.verbs.sites.unban",
        N_("Lift the bans of sites; they have their whole patience again."),
        MEND,
        "NAME HOST…",
    ),
    "patterns": Verb(
        "focuscrawl.verbs.sites.patterns",
        N_("List the address patterns learnt of sites, or --pin, --veto, --forget some."),
        LOOK,
        "NAME [HOST…]",
    ),
    "workers": Verb(
        "focuscrawl.verbs.shared.workers",
        N_("List who works on a crawl that several share, and what is left to do."),
        LOOK,
    ),
    "status": Verb(
        "focuscrawl.verbs.jobs.status.status",
        N_(
            "List topics: running or not, the last run, what is left, next turn, late and why;"
            " --json."
        ),
        LOOK,
        "[NAME…]",
    ),
    "move": Verb(
        "focuscrawl.verbs.shared.move",
        N_("Move a crawl with all it knows into a Redis (--to redis://…), or back (--to file)."),
        MOVE,
        "NAME --to URL",
    ),
    "export": Verb(
        "focuscrawl.verbs.output.export.export",
        N_(
            "Write what is stored of topics as .xlsx, .csv, .jsonl or .atom; --table, --columns,"
            " --where, --since, --lang choose."
        ),
        LOOK,
        "NAME… -o FILE",
    ),
    "notify": Verb(
        "focuscrawl.verbs.output.notify.notify",
        N_(
            "Send what [[notify]] of a topic has due now; --test sends a test message and says"
            " what happened."
        ),
        LOOK,
    ),
    "backup": Verb(
        "focuscrawl.verbs.data.backup",
        N_("Copy crawl and results of a topic as they are now into one file, running or not."),
        MOVE,
        "NAME [FILE]",
    ),
    "check-data": Verb(
        "focuscrawl.verbs.data.check_data",
        N_(
            "Look over crawl and results of a topic and say what is wrong; changes nothing"
            " (status 1: something is)."
        ),
        LOOK,
    ),
    "forget": Verb(
        "focuscrawl.verbs.stored.forget_pages",
        N_("Delete what is stored of --url, --site or --before; a dry run without --yes."),
        MEND,
        "NAME --url URL | --site HOST | --before DATE",
    ),
    "rejudge": Verb(
        "focuscrawl.verbs.stored.rejudge_stored",
        N_("Judge stored articles by the words and threshold the topic has now; deletes nothing."),
        MEND,
    ),
    "reread": Verb(
        "focuscrawl.verbs.stored.reread",
        N_(
            "Let the next crawl read every stored article and record once more, as after new"
            " fields."
        ),
        MEND,
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
        return "VERB [NAME] [options]"

    def short_desc(self) -> str:
        """Say in one line what the command does."""
        return _("Write, check and explain topic templates")

    def long_desc(self) -> str:
        """Say what the verbs do."""
        return help_text()

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add --help, which waits until the verb is known; each verb has a parser of its own for its options."""
        super().add_options(parser)
        words = _("show the verbs, or behind a verb what it takes")
        parser.add_argument("-h", "--help", action="store_true", help=words)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a verb and print what it says."""
        from focuscrawl.commands.console import while_read

        verb = _verb_in(args)
        if verb and verb not in VERBS:
            raise UsageError(_unknown(verb))
        with while_read():
            if opts.help or not verb:
                print(verb_help(verb) if verb else help_text())
                return
            from focuscrawl.commands.options import read_options
            from focuscrawl.verbs.call import Call

            args.remove(verb)
            names = read_options(verb, args, opts)
            assert self.settings  # Scrapy gives them to all commands
            call = Call(self.settings, opts)
            if said := call.answer(VERBS[verb].work, names):  # a file on stdout has no line more
                print(said)
            self.exitcode = call.exit_status


def _verb_in(args: list[str]) -> str:
    """Return the verb, which options may stand before."""
    if args and args[0].startswith("-"):
        return next((one for one in args if one in VERBS), "")
    return args[0] if args else ""


def verb_help(verb: str) -> str:
    """Say what a verb does and takes, with the options that are its own."""
    from focuscrawl.commands.options import parser_of

    takes = f"scrapy topic {verb} {VERBS[verb].takes}".rstrip()
    shown = parser_of(verb, usage=f"{takes} [options]", description=_(VERBS[verb].help))
    others = _("Scrapy's options, such as -s NAME=value: scrapy version --help")
    return f"{shown.format_help()}\n{others}"


def help_text() -> str:
    """Return all verbs by what a user wants to do."""
    crawls = {
        "scrapy crawl NAME": _("Run it; again: it goes on, and comes back for news."),
        "scrapy crawl NAME -a limits.pages=100": _("Any key of the topic, for one run."),
    }
    lines = ["scrapy topic VERB [NAME] [options]"]
    for aim, title in AIMS.items():
        lines += ["", _(title)]
        shown = {
            f"{name} {verb.takes}".rstrip(): _(verb.help)
            for name, verb in VERBS.items()
            if verb.aim == aim
        }
        for takes, words in (crawls if aim == CRAWL else shown).items():
            lines += [
                f"  {takes}",
                *textwrap.wrap(
                    words, 88, initial_indent=_HELP_INDENT, subsequent_indent=_HELP_INDENT
                ),
            ]
    return "\n".join([*lines, "", _("scrapy topic VERB --help: what one of them takes")])


_HELP_INDENT = 8 * " "


def _unknown(verb: str) -> str:
    near = get_close_matches(verb, VERBS, 1)
    nearest = _("; nearest: {name}").format(name=near[0]) if near else ""
    return _("no verb {verb!r}{nearest}; scrapy topic shows them all").format(
        verb=verb, nearest=nearest
    )
