"""The options of the verbs of ``scrapy topic``: each names the verbs that it is for, and no other takes it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from scrapy.exceptions import UsageError

from focuscrawl.locale.messages import N_, _


class Option(NamedTuple):
    """An option: its ``names``, the ``verbs`` that take it (none named: all), what it does, and its settings as
    argparse has them.
    """

    names: tuple[str, ...]
    verbs: tuple[str, ...]
    help: str
    settings: Mapping[str, Any] = {}


SWITCH = {"action": "store_true"}
EACH = {"action": "append", "default": []}

# fmt: off
OPTIONS = (
    Option(("-a",), (),
        N_("override a key for this run, as in -a limits.pages=100 (may be repeated)"),
        {**EACH, "dest": "arguments", "metavar": "KEY=VALUE"}),
    Option(("--template",), ("new",),
        N_("the shipped template to copy ({choices})"), {"default": "topic", "metavar": "NAME"}),
    Option(("--sites",), ("try",),
        N_("look at each source, and print a line for each"), SWITCH),
    Option(("--near",), ("score",),
        N_("list the stored pages nearest to relevance.threshold"), SWITCH),
    Option(("--fetch",), ("train",),
        N_("fetch labelled pages whose text was not stored"), SWITCH),
    Option(("--against-stored",), ("check",),
        N_("say what the topic as it is now would admit or drop of what is stored"), SWITCH),
    Option(("--list",), ("check",),
        N_("with --against-stored, list all of them"), SWITCH),
    Option(("--pin",), ("patterns",),
        N_("what addresses of the hosts are, as in --pin article=/news/*.html"),
        {**EACH, "metavar": "CLASS=PATTERN"}),
    Option(("--veto",), ("patterns",),
        N_("never class such addresses of the hosts by what was learnt"),
        {**EACH, "metavar": "PATTERN"}),
    Option(("--forget",), ("patterns",),
        N_("take a pin or veto of the hosts back"), {**EACH, "metavar": "PATTERN"}),
    Option(("--url",), ("forget",),
        N_("an address (may be repeated)"), EACH),
    Option(("--site",), ("forget",),
        N_("all addresses of a site")),
    Option(("--before",), ("forget",),
        N_("what was last seen before, as 2026-11-20"), {"metavar": "DATE"}),
    Option(("--again",), ("forget",),
        N_("fetch the addresses anew when they are found"), SWITCH),
    Option(("--yes",), ("forget",),
        N_("do it; else it is only said what would be done"), SWITCH),
    Option(("--to",), ("move",),
        N_("the Redis, as redis://host:6379/0, or: file"), {"metavar": "URL"}),
    Option(("-o", "--output"), ("export",),
        N_("the file, written by its suffix ({date}, {topic}, for Atom {tag} and {story} are filled in; -"
           " is the standard output), a name without a folder beside the reports"),
        {"metavar": "FILE"}),
    Option(("--form",), ("export",),
        N_("what is written to the standard output"), {"choices": ("csv", "jsonl")}),
    Option(("--table",), ("export",),
        N_("articles, stories, changes, records, sources, threads")),
    Option(("--columns",), ("export",),
        N_("columns, in order"), {"metavar": "A,B"}),
    Option(("--one-per",), ("export",),
        N_("records that have the same in this column are one row (name, host)"),
        {"metavar": "COLUMN"}),
    Option(("--where",), ("export",),
        N_("rows, as score >= 0.5 and title contains 地铁"), {"metavar": "CONDITION"}),
    Option(("--since",), ("export",),
        N_("what is new or changed (last-export, run, 24h, 7d, 2026-11-20)")),
    Option(("--lang",), ("export",),
        N_("the language of heads"), {"choices": ("zh", "en")}),
    Option(("--test",), ("notify",),
        N_("send a test message"), SWITCH),
    Option(("--json",), ("status", "sites"),
        N_("the same for programs"), SWITCH),
    Option(("--refetch",), ("rejudge",),
        N_("fetch pages anew that were refused by the words of the topic"), SWITCH),
)
# fmt: on


class VerbParser(argparse.ArgumentParser):
    """Reads the options of one verb; what it cannot read is an error as Scrapy reports it."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(message)


def parser_of(verb: str, **others: str) -> VerbParser:
    """Return what reads the options of a verb."""
    from focuscrawl.verbs.template import choices_text

    parser = VerbParser(add_help=False, **others)  # type: ignore[arg-type]
    for option in OPTIONS:
        if not option.verbs or verb in option.verbs:
            words = _(option.help)
            if option.verbs == ("new",):
                words = words.format(choices=choices_text())
            parser.add_argument(*option.names, help=words, **option.settings)
    return parser


def read_options(verb: str, args: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Put the options of a verb into ``options``, those of others with their defaults; returns the other words.
    Raises UsageError for an option that the verb does not have.
    """
    unsaid = argparse.ArgumentParser(add_help=False)
    for option in OPTIONS:
        unsaid.add_argument(*option.names, **option.settings)
    unsaid.parse_args([], options)
    _options, words = parser_of(verb).parse_known_args(args, options)
    for word in words:
        if word.startswith("-") and word != "-":
            raise UsageError(_unknown(word.partition("=")[0], verb))
    return words


def _unknown(name: str, verb: str) -> str:
    """Say where an option belongs that a verb does not have."""
    verbs = next((option.verbs for option in OPTIONS if name in option.names), ())
    if verbs:
        told = _("{option} is an option of scrapy topic {verbs}, not of {verb}")
        return told.format(option=name, verbs=", ".join(verbs), verb=verb)
    told = _("no option {option}: scrapy topic {verb} --help shows those there are")
    return told.format(option=name, verb=verb)
