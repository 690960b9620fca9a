"""``scrapy topic new|check|show|schema|try|score|train``: write a topic and see what it means."""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from focuscrawl.commands import (
    topic_backup,
    topic_checking,
    topic_forget,
    topic_judging,
    topic_patterns,
    topic_score,
    topic_sites,
)
from focuscrawl.commands.trial import CannotDo, crawl_into
from focuscrawl.config import ConfigError, topics_folders
from focuscrawl.running.run import project_dir, reach_of
from focuscrawl.show.tried import tried_text
from focuscrawl.template.problems import TemplateErrors
from focuscrawl.topic.finding import NoSuchTopic, find_topics
from focuscrawl.topic.load import Loaded, is_inline, load, shipped_names, shipped_text, shown
from focuscrawl.topic.reference import json_schema
from focuscrawl.topic.show import check_text, shown_template
from focuscrawl.topic.topic_tables import NAME, NAME_ADVICE

USAGE_STATUS = 2
TRIED_PAGES = 10
"""Pages of a trial when nothing else is said."""


class Command(ScrapyCommand):
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
        return "\n".join(f"{verb}: {function.__doc__}" for verb, function in VERBS.items())

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of all verbs."""
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
            help=f"new: the shipped template to copy ({', '.join(shipped_names())})",
        )

        topic_score.add_options(parser)
        topic_patterns.add_options(parser)
        topic_forget.add_options(parser)
        topic_judging.add_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a verb; what is wrong with a template ends with exit status 2, no traceback."""
        if not args or args[0] not in VERBS:
            raise UsageError(f"which one: scrapy topic {'|'.join(VERBS)}?")
        try:
            print(VERBS[args[0]](self, args[1:], opts))
        except (TemplateErrors, NoSuchTopic, CannotDo, ConfigError) as error:
            print(error)
            self.exitcode = USAGE_STATUS

    def folders(self) -> tuple[Path, ...]:
        """Return the folders of topics."""
        assert self.settings is not None
        return topics_folders(self.settings, os.environ, project_dir())

    def loaded(self, args: Sequence[str], opts: argparse.Namespace, *, secrets: bool) -> Loaded:
        """Load the topic that is named: a topic, a file or an inline template."""
        if len(args) != 1:
            raise UsageError("name one topic, or the path of a file")
        name = args[0]
        overrides = dict(_pair(argument) for argument in opts.arguments)
        environment = os.environ if secrets else None
        if is_inline(name):
            assert self.settings is not None
            reach = reach_of(self.settings, name)
            return load(name, overrides, environment, reach=reach)
        if name.endswith(".toml") or "/" in name:
            return load(Path(name), overrides, environment)
        return load(find_topics(self.folders()).path_of(name), overrides, environment)


def _pair(argument: str) -> tuple[str, str]:
    name, sign, value = argument.partition("=")
    if not sign:
        raise UsageError(f"-a {argument}: write KEY=VALUE, as in -a limits.pages=100")
    return name, value


def new(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Copy a shipped template into the topics folder under a name of your own."""
    if len(args) != 1:
        raise UsageError("name the new topic: scrapy topic new my-topic")
    name = args[0].removesuffix(".toml")
    if not re.fullmatch(NAME, name) or name == "topic":
        reserved = "; topic itself is taken by scrapy crawl topic" if name == "topic" else ""
        raise CannotDo(f"{name!r}: {NAME_ADVICE}{reserved}")
    if opts.template not in shipped_names():
        raise CannotDo(
            f"no shipped template {opts.template!r}; shipped: {', '.join(shipped_names())}"
        )
    path = command.folders()[0] / f"{name}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(shipped_text(opts.template))
    except FileExistsError:
        raise CannotDo(f"{shown(path)} is already there; choose another name") from None
    except OSError as error:
        raise CannotDo(f"{shown(path)} cannot be written: {error.strerror}") from None
    return (
        f"{shown(path)} written. Put your own words and addresses into it, then:\n"
        f"  scrapy topic check {name}\n"
        f"  scrapy crawl {name}"
    )


def check(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Say what is wrong with a topic, or what it will read."""
    return check_text(command.loaded(args, opts, secrets=True))


def show(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Print the topic that results, each value with where it comes from."""
    return shown_template(command.loaded(args, opts, secrets=False))


def schema(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Print a JSON Schema of the language, for editors."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False)


def try_out(command: Command, args: Sequence[str], opts: argparse.Namespace) -> str:
    """Read a few pages (-a limits.pages=10) into a store that is thrown away, and explain each."""
    loaded = command.loaded(args, opts, secrets=True)
    source = args[0] if is_inline(args[0]) else str(loaded.template.path)
    arguments = [f"limits.pages={TRIED_PAGES}", *opts.arguments]
    with tempfile.TemporaryDirectory(prefix="focuscrawl-try-") as folder:
        status = crawl_into(Path(folder), source, arguments)
        database = Path(folder) / f"{loaded.template.name}.db"
        if not database.exists():
            raise CannotDo(f"the trial crawl did not begin (exit status {status})")
        return tried_text(database, loaded.template.topic.timezone)


VERBS: dict[str, Callable[[Command, Sequence[str], argparse.Namespace], str]] = {
    "new": new,
    "check": check,
    "show": show,
    "schema": schema,
    "try": try_out,
    "score": topic_score.score,
    "train": topic_score.learn,
    "sites": topic_sites.sites,
    "ban": topic_sites.ban,
    "unban": topic_sites.unban,
    "patterns": topic_patterns.patterns,
    "backup": topic_backup.backup,
    "check-data": topic_checking.check_data,
    "forget": topic_forget.forget,
    "rejudge": topic_judging.rejudge_stored,
    "reread": topic_judging.reread,
}
"""What ``scrapy topic`` can do; each function returns what is printed."""
