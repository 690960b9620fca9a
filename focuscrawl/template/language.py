"""The language: the tables that belong to no feature, and those that features bring.

A feature's tables stand in its ``table.py``, which imports the language and nothing of a crawl, so that
listing topics, checking one and describing the language load these modules alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from focuscrawl.config import ConfigError, SettingsReader, own_features
from focuscrawl.features import FEATURES, TABLES, features_in_use
from focuscrawl.template.keys import Language, Table
from focuscrawl.template.output import FeedTable, Output
from focuscrawl.template.table import Limits, Settings, SiteTable, Source, Top, Topic

_FIRST: tuple[type[Table], ...] = (Top, Topic, Source)
_LAST: tuple[type[Table], ...] = (Limits, Output, FeedTable, SiteTable, Settings)
_TOO_EARLY = "it is read before a topic is; set it in settings.py"


@cache
def language_of(others: tuple[str, ...] = ()) -> Language:
    """Return the language with the tables of ``others``, a user's features by their dotted names.

    Raises FeatureError.
    """
    found = [table for name in (*TABLES, *others) for table in tables_of(name)]
    return Language(
        (*_FIRST, *found, *_LAST),
        refused={
            "SCHEDULER": "focuscrawl is its scheduler",
            "SPIDER_MODULES": _TOO_EARLY,
            "SPIDER_LOADER_CLASS": _TOO_EARLY,
            "COMMANDS_MODULE": _TOO_EARLY,
        },
    )


def language_in_use(settings: SettingsReader, environment: Mapping[str, str]) -> Language:
    """Return the language with the tables of the features that FOCUSCRAWL_FEATURES adds.

    Raises ConfigError, FeatureError.
    """
    names = features_in_use(own_features(settings, environment))
    return language_of(tuple(name for name in names if name not in FEATURES))


class FeatureError(ConfigError):
    """A feature that cannot be used; the message names it and says why."""


def tables_of(name: str) -> tuple[type[Table], ...]:
    """Return the tables of a feature: a class or module with ``tables``, or a module of tables.

    Raises FeatureError.
    """
    module, _, attribute = name.rpartition(".")
    try:
        try:
            found = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name and error.name != module:  # found, but it needs what is not there
                raise
            found = getattr(import_module(module), attribute)
    except Exception as error:
        raise FeatureError(
            f"FOCUSCRAWL_FEATURES: {name!r} cannot be loaded ({error}): write the dotted name of a class"
            " that can be imported"
        ) from error
    if hasattr(found, "tables"):
        return tuple(found.tables)
    own = (one for one in vars(found).values() if getattr(one, "__module__", "") == name)
    declared = [
        one for one in own if isinstance(one, type) and issubclass(one, Table) and one.form.doc
    ]
    return tuple(
        sorted(declared, key=lambda table: len(table.form.path))
    )  # those around others first
