"""What a verb of ``scrapy topic`` is called with: the topic that is named, the options, the settings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from focuscrawl.config import (
    Config,
    ConfigError,
    environment_in_use,
    project_dir,
    read_config,
    topics_folders,
)
from focuscrawl.features import rows_in_use
from focuscrawl.locale.messages import _
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.keys import Language
from focuscrawl.template.load import (
    FoundTopics,
    LoadedTemplate,
    NoSuchTopic,
    find_topics,
    is_inline,
    load,
    reach_of,
    shown,
)
from focuscrawl.template.template import language_in_use
from focuscrawl.template.toml import TemplateErrors

USAGE_STATUS = 2


class CannotDo(Exception):
    """The command cannot do what was asked; the message is for people, the exit status 2."""


def write_error(path: Path, error: OSError) -> CannotDo:
    """Return what is raised where a file cannot be written."""
    told = _("{path} cannot be written: {reason}")
    return CannotDo(told.format(path=shown(path), reason=error.strerror or error))


@dataclass
class Call:
    """One call of a verb; ``exit_status`` is what the command ends with when the verb returns."""

    settings: BaseSettings
    options: argparse.Namespace
    exit_status: int = 0

    def answer(self, verb: str, args: Sequence[str]) -> str:
        """Return what a verb, a function of this folder, prints.

        An error of a template, the config or a store, and CannotDo, give their text and exit status 2.
        Raises UsageError.
        """
        work = load_object(verb)
        try:
            return str(work(self, args))
        except (TemplateErrors, NoSuchTopic, CannotDo, ConfigError, StoreError) as error:
            self.exit_status = USAGE_STATUS
            return str(error)

    def folders(self) -> tuple[Path, ...]:
        """Return the folders of topics."""
        return topics_folders(self.settings, os.environ, project_dir())

    def topics(self) -> list[str]:
        """Return the names of all topics, those whose file is wrong behind the others. Raises CannotDo."""
        if not (names := [*self._found.topics, *self._found.refused]):
            raise CannotDo(_("there is no topic yet: scrapy topic new NAME makes one"))
        return names

    @cached_property
    def _found(self) -> FoundTopics:
        """The topics there are, looked for once: each of their files is read for it."""
        return find_topics(self.folders())

    def config(self) -> Config:
        """Return the settings of ours. Raises ConfigError."""
        return read_config(self.settings, os.environ, project_dir())

    def kinds(self) -> Kinds:
        """Return the kinds of rows, with those of features of the user's own. Raises ConfigError."""
        return Kinds.load(rows_in_use(self.config().features))

    def language(self) -> Language:
        """Return the language, with the tables of features of the user's own. Raises ConfigError."""
        return language_in_use(self.settings, os.environ)

    def loaded(self, args: Sequence[str], *, secrets: bool) -> LoadedTemplate:
        """Load the topic that is named: a topic, a file or an inline template."""
        if len(args) != 1:
            raise UsageError(_("name one topic, or the path of a file"))
        source: str | Path = args[0]
        overrides = dict(_pair(argument) for argument in self.options.arguments)
        language, reach = self.language(), reach_of(self.settings, args[0])
        if not is_inline(args[0]):
            is_file = args[0].endswith(".toml") or "/" in args[0]
            source = Path(args[0]) if is_file else self._found.path_of(args[0])
        environment = environment_in_use(self.settings, os.environ) if secrets else None
        return load(source, overrides, environment, reach=reach, language=language)


def _pair(argument: str) -> tuple[str, str]:
    name, sign, value = argument.partition("=")
    if not sign:
        raise UsageError(
            _("-a {argument}: write KEY=VALUE, as in -a limits.pages=100").format(argument=argument)
        )
    return name, value
