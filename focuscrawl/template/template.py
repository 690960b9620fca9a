"""The template as code sees it, frozen values whose attributes are named as the keys; and the whole language.

Durations are float seconds, sizes int bytes, shares float; *words* are Words, *match* is Matches,
*hosts* are Hosts. What a template leaves out is None, an empty tuple or an empty set of patterns.

The language is the tables that belong to no feature, and those that features bring: they stand in a
feature's ``table.py``, which imports the language and nothing of a crawl, so that listing topics,
checking one and describing the language load these modules alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from focuscrawl.config import (
    ConfigError,
    SettingsReader,
    feature_named,
    own_contact,
    own_features,
)
from focuscrawl.features import FEATURES, TABLES, features_in_use
from focuscrawl.locale.messages import N_, _
from focuscrawl.readers.text.words import Splitter, splitter
from focuscrawl.template.files import masked
from focuscrawl.template.keys import Language, Table
from focuscrawl.template.kinds.addresses import contact, host_of_checked
from focuscrawl.template.kinds.kind import KeyPlace
from focuscrawl.template.merge import hash_of
from focuscrawl.template.output import FeedTable, Output
from focuscrawl.template.table import Limits, Settings, SiteTable, Source, Top, Topic, source_ids
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Json

HOSTS_KEPT = 50_000
"""So many hosts' rules are kept; a crawl of the whole web begins anew then."""

_T = TypeVar("_T", bound=Table)
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Template:
    """A topic, resolved: defaults, extended files, the file, arguments.

    ``tables`` has the tables of all features by class: ask ``of(table)``; ``entries`` those that have names,
    by class and name, ``lists`` those that may be repeated. ``sites`` is what holds by the HOST of a table,
    ``elsewhere`` what does where none fits; ask ``site(host)``. ``settings`` are Scrapy's as written.
    ``resolved`` is the whole as plain JSON in the template's notation, secrets only by name, passwords
    of addresses masked; ``hash`` its MD5. ``path`` is None for an inline template.
    """

    topic: Topic
    sources: tuple[Source, ...]
    limits: Limits
    output: Output
    tables: Mapping[type[Table], Any]
    entries: Mapping[type[Table], dict[str, Any]]
    lists: Mapping[type[Table], tuple[Any, ...]]
    sites: dict[str, SiteTable] = field(repr=False)
    elsewhere: SiteTable = field(repr=False)
    settings: Json
    path: Path | None
    resolved: Json = field(repr=False)
    hash: str
    language: Language = field(repr=False, compare=False)
    _rules: dict[str, SiteTable] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What the topic is called."""
        return self.topic.name

    def of(self, table: type[_T]) -> _T:
        """Return the values of a table that stands once in a template."""
        found: _T = self.tables[table]
        return found

    def named(self, table: type[_T]) -> dict[str, _T]:
        """Return the values of a table that stands there by names, such as [record.NAME]."""
        return self.entries[table]

    def each(self, table: type[_T]) -> tuple[_T, ...]:
        """Return the values of a table that may be repeated, such as [[notify]]."""
        return self.lists[table]

    def once(self, make: Callable[[Template], _Made]) -> _Made:
        """Return what is made of this template, the same for all callers."""
        if make not in self._made:
            self._made[make] = make(self)
        made: _Made = self._made[make]
        return made

    def site(self, host: str) -> SiteTable:
        """Return what holds for a host; its own table or the one of the nearest domain above."""
        rules = self._rules.get(host)
        if rules is None:
            if len(self._rules) >= HOSTS_KEPT:
                self._rules.clear()
            near = self._tables.nearest(self.aliases.get(host, host)) or ""
            rules = self._rules[host] = self.sites[near] if near else self.elsewhere
        return rules

    @property
    def splitter(self) -> Splitter:
        """What cuts the topic's texts into words, with its own names (topic.dictionary)."""
        return splitter(self.topic.dictionary)

    @cached_property
    def _tables(self) -> Hosts:
        return Hosts(self.sites)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Other names of sites → the HOST of their table."""
        return {
            alias.removeprefix("="): host
            for host, site in self.sites.items()
            for alias in site.aliases.written
        }

    def named_hosts(self) -> Iterator[str]:
        """Go through all hosts that the topic names: its author wants them asked."""
        for source in self.sources:
            yield from map(host_of_checked, source.urls)
        yield from (host.removeprefix("=") for host in (*self.sites, *self.aliases))
        for table in self.tables.values():
            yield from table.hosts()


def build(resolved: Json, path: Path | None, language: Language, place: KeyPlace) -> Template:
    """Compile a resolved template that has no problems. Raises SecretError."""
    shown = masked(resolved)
    by_shape: dict[str, list[type[Table]]] = {}
    for table in language.tables:
        if len(table.form.path) == 1:  # others stand inside one, which builds them
            by_shape.setdefault(table.form.shape, []).append(table)
    tables: dict[type[Table], Any] = {
        one: one.built(resolved[one.form.path[0]], place) for one in by_shape["table"]
    }
    named = [one for one in by_shape["named"] if one is not SiteTable] + _beside(language.tables)
    entries = {
        one: {
            name: one.built(plain, place, name=name)
            for name, plain in _at(resolved, one.form.path).items()
        }
        for one in named
    }
    lists = {
        one: tuple(one.built(plain, place) for plain in resolved[one.form.path[0]])
        for one in by_shape["repeated"]
        if one is not Source
    }
    return Template(
        topic=tables[Topic],
        sources=tuple(_sources(resolved, place)),
        limits=tables[Limits],
        output=tables[Output],
        tables=tables,
        entries=entries,
        lists=lists,
        sites={host: _site(resolved, host, language, place) for host in resolved["site"]},
        elsewhere=_site(resolved, "", language, place),
        settings=dict(resolved["settings"]),
        path=path,
        resolved=shown,
        hash=hash_of(shown),
        language=language,
    )


def _beside(tables: Iterable[type[Table]]) -> list[type[Table]]:
    """Return the tables with names that features have put into [output]."""
    below = (one for one in tables if len(one.form.path) > 1 and one.form.shape == "named")
    return [one for one in below if one.form.path[:1] == Output.form.path and one is not FeedTable]


def _at(resolved: Json, path: Sequence[str]) -> Json:
    for name in path:
        resolved = resolved[name]
    return resolved


def _sources(resolved: Json, place: KeyPlace) -> Iterator[Source]:
    """Build all sources; one without a level stands below the top."""
    below_top = max(1, resolved["queues"]["levels"] - 1)
    sources = resolved["source"]
    for name, plain in zip(source_ids(sources), sources, strict=True):
        yield Source.built(plain, place, source_id=name, level=plain["level"] or below_top)


def _site(resolved: Json, host: str, language: Language, place: KeyPlace) -> SiteTable:
    """Build what holds for a site, "" for those without a table: the general tables with its own."""
    given: Json = resolved["site"].get(host, {})
    own = {key.name: given.get(key.name, key.default) for key in SiteTable.form.keys}
    own["quota"] = resolved["limits"]["per_site"] if own["quota"] is None else own["quota"]
    tables = {}
    for table in language.of_sites:
        name = table.form.path[-1]
        general = {one.name: None for one in table.form.keys}
        if table.form.shape != "inside":
            general = resolved[name]
        tables[table] = table.built(table.at_site(general, given.get(name, {})), place)
    return SiteTable.built(own, place, host=host, tables=tables)


# The language ----------------------------------------------------------------------------------

_FIRST: tuple[type[Table], ...] = (Top, Topic, Source)
_LAST: tuple[type[Table], ...] = (Limits, Output, FeedTable, SiteTable, Settings)
_TOO_EARLY = N_("it is read before a topic is; set it in settings.py")


@cache
def language_of(others: tuple[str, ...] = ()) -> Language:
    """Return the language with the tables of ``others``, a user's features by their dotted names.

    Raises ConfigError.
    """
    found = [table for name in (*TABLES, *others) for table in tables_of(name)]
    kinds = (kind for name in others for kind in getattr(feature_named(name), "rows", ()))
    beside = _beside(found)  # what is around a table comes before it
    found = [one for one in found if one not in beside]
    tables = (*_FIRST, *found, *_LAST[:3], *beside, *_LAST[3:])
    declared: dict[tuple[str, ...], type[Table]] = {}
    for one in tables:
        if (other := declared.setdefault(one.form.path, one)) is not one:
            raise ConfigError(
                _(
                    "FOCUSCRAWL_FEATURES: the table [{path}] of {own} is that of {other}, too: give it another name"
                ).format(path=".".join(one.form.path), own=_place(one), other=_place(other))
            )
    return Language(
        tables,
        refused={
            "SCHEDULER": N_("focuscrawl is its scheduler"),
            "SPIDER_MODULES": _TOO_EARLY,
            "SPIDER_LOADER_CLASS": _TOO_EARLY,
            "COMMANDS_MODULE": _TOO_EARLY,
        },
        feed_items=tuple(kind.feed for kind in kinds if kind.feed),
    )


def _place(table: type[Table]) -> str:
    return f"{table.__module__}.{table.__qualname__}"


def language_in_use(settings: SettingsReader, environment: Mapping[str, str]) -> Language:
    """Return the language with the tables of the features that FOCUSCRAWL_FEATURES adds, and with
    FOCUSCRAWL_CONTACT.

    Raises ConfigError.
    """
    names = features_in_use(own_features(settings, environment))
    language = language_of(tuple(name for name in names if name not in FEATURES))
    whom = own_contact(settings, environment)
    if not whom:
        return language
    try:
        contact().read(whom)
    except ValueError as error:
        raise ConfigError(
            _("FOCUSCRAWL_CONTACT = {whom!r}: write {error}").format(whom=whom, error=error)
        ) from None
    return replace(language, contact=whom)


def tables_of(name: str) -> tuple[type[Table], ...]:
    """Return the tables of a feature: a class or module with ``tables``, or a module of tables, those
    around others first. Raises ConfigError.
    """
    found = feature_named(name)
    if hasattr(found, "tables"):
        return tuple(found.tables)
    own = (one for one in vars(found).values() if getattr(one, "__module__", "") == name)
    declared = (
        one for one in own if isinstance(one, type) and issubclass(one, Table) and one.form.doc
    )
    return tuple(sorted(declared, key=lambda table: len(table.form.path)))
