"""Tables and keys of the language: a table is a frozen dataclass, a key is a field of it.

    class Queues(Table, path="queues", doc="what is fetched first"):
        levels: int = key(whole(1, 10), 5, "How many levels there are.", "levels = 5")

That is the only declaration: the values code works with, the checks of a file, the JSON Schema,
``scrapy topic show`` and the tables of docs/template.md follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    cast,
    dataclass_transform,
)

from focuscrawl.template.kinds.kind import KeyPlace, Kind
from focuscrawl.template.toml import KeyPath, Problem, toml_key, toml_text
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.template.merge import Entry

Shape = Literal["top", "table", "repeated", "named", "fields", "inside", "open"]
ANY = "*"
"""In the pattern of a place: whatever a table is called, or its number."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key. ``default`` is in the template's notation; None: required, none, or ``otherwise``.

    ``otherwise`` says in words what holds without the key. ``sets`` are the Scrapy settings that
    follow from it, which therefore cannot stand in [settings]. ``site`` tells that one site may
    have a value of its own.
    """

    name: str
    kind: Kind
    default: Any
    doc: str
    example: str
    otherwise: str
    sets: tuple[str, ...]
    site: bool


@dataclass(frozen=True)
class TableForm:
    """How a table is written. ``path`` is its place in the file; the shapes are:

    top (keys before any table), table, repeated ([[source]]), named ([site."HOST"]: one table per
    name), fields ([record.NAME.fields]: one table per field, or its labels alone), inside
    ([site."HOST".select]: a table in a named one), open (any key, [settings]). ``names`` returns a name in its
    normal form or raises ValueError, ``called`` says what names are when they need quotes. ``fixed``
    is what holds of keys that cannot be given here, ``spread`` makes of one repeated table, in which a file
    stands for many, those it stands for. ``elsewhere`` says of keys that users
    look for here what to write instead. ``general`` is the table that holds where this
    one, of one site, says nothing.
    """

    path: tuple[str, ...]
    doc: str
    keys: tuple[Key, ...]
    shape: Shape = "table"
    placeholder: str = ""
    names: Callable[[str], str] = str
    called: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    general: TableForm | None = None
    spread: Callable[[Json, Callable[[str], bytes]], list[Json]] | None = None

    def key(self, name: str) -> Key | None:
        """Return a key by its name."""
        return next((key for key in self.keys if key.name == name), None)

    @property
    def heading(self) -> str:
        """How the table is opened in a file, for messages about the language."""
        return self.title(self.placeholder)

    @property
    def pattern(self) -> tuple[str, ...]:
        """The places of its entries in a template: its path, ANY for names and numbers."""
        if self.shape in {"repeated", "named"}:
            return (*self.path, ANY)
        if self.shape in {"fields", "inside"}:
            *outer, own = self.path
            return (*outer, ANY, own, ANY) if self.shape == "fields" else (*outer, ANY, own)
        return self.path

    def title(self, name: str = "") -> str:
        """Return the line that opens the table; ``name`` is the one of the named table."""
        if self.shape == "top":
            return ""
        if self.shape == "repeated":
            return f"[[{'.'.join(self.path)}]]"
        if self.shape in {"named", "fields", "inside"}:
            quoted = self.called and (
                toml_text(name) if name == self.placeholder else _quoted(name)
            )
            inner = () if self.shape == "named" else self.path[-1:]
            outer = self.path[: len(self.path) - len(inner)]
            return f"[{'.'.join((*outer, quoted or name, *inner))}]"
        return f"[{'.'.join(self.path)}]"

    def of_site(self) -> TableForm | None:
        """Return the table in which a site gives values of its own; None: it can give none here."""
        if self.shape == "inside":
            return self
        keys = tuple(
            replace(one, default=None, otherwise=self.heading, sets=())
            for one in self.keys
            if one.site
        )
        path, doc = ("site", *self.path), f"as in {self.heading}, at one site"
        inside = TableForm(
            path,
            doc,
            keys,
            "inside",
            "HOST",
            called="a host name",
            elsewhere=self.elsewhere,
            general=self,
        )
        return inside if keys else None


def key(
    kind: Kind,
    default: Any = None,
    doc: str = "",
    example: str = "",
    otherwise: str = "",
    *,
    sets: tuple[str, ...] = (),
    site: bool = False,
    name: str = "",
    repr: bool = True,
) -> Any:
    """Declare a key of a table; ``name`` is what it is called where that is no name in Python."""
    declared = Key(name, kind, default, doc, example, otherwise, sets, site)
    return field(metadata={"key": declared}, repr=repr)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(key,))
class Table:
    """A table of the language: subclasses say in ``form`` where it stands, their fields are its keys.

    Fields that ``key`` has not made are filled in by the code that builds the table. A key as ClassVar is
    read, but no value: another key takes it in.
    """

    form: ClassVar[TableForm]

    def __init_subclass__(
        cls,
        *,
        path: str = "",
        doc: str = "",
        shape: Shape = "table",
        placeholder: str = "",
        names: Callable[[str], str] = str,
        called: str = "",
        defaults: Mapping[str, Any] | None = None,
        fixed: Mapping[str, Any] | None = None,
        elsewhere: Mapping[str, str] | None = None,
        spread: Callable[[Json, Callable[[str], bytes]], list[Json]] | None = None,
    ) -> None:
        """Note the form. ``defaults`` are those of inherited keys, ``fixed`` takes them out."""
        inherited = cls.form.keys if hasattr(cls, "form") else ()
        keys = [
            replace(one, default=default, example=f"{one.name} = {toml_text(default)}")
            for one in inherited
            if (default := (defaults or {}).get(one.name)) is not None
        ]
        for attribute, one in vars(cls).items():
            declared = one.metadata.get("key") if isinstance(one, Field) else None
            if declared is not None:
                keys.append(replace(declared, name=declared.name or attribute))
        place = tuple(path.split(".")) if path else ()
        rest = (placeholder, names, called, fixed or {}, elsewhere or {})
        cls.form = TableForm(place, doc, tuple(keys), shape, *rest, spread=spread)
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    def built(cls, plain: Json, place: KeyPlace, **others: Any) -> Self:
        """Build the table from plain values; ``others`` are fields that are no keys, or replace one."""
        given = {**cls.form.fixed, **plain}
        values = {
            one.name: one.metadata["key"].kind.value(
                given[one.metadata["key"].name or one.name], place
            )
            for one in fields(cast(Any, cls))
            if "key" in one.metadata and one.name not in others
        }
        return cls(**values, **others)

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Fill in the defaults that depend on other keys, in ``entry.plain``."""

    @classmethod
    def check(cls, entry: Entry) -> Iterable[Problem]:
        """Go through what is wrong between keys."""
        return ()

    @classmethod
    def warn(cls, entry: Entry) -> Iterable[Problem]:
        """Go through what works but is seldom meant."""
        return ()

    @classmethod
    def at_site(cls, general: Json, own: Json) -> Json:
        """Return what holds for a site that says something of its own; both are plain values."""
        return {**general, **own}

    def hosts(self) -> Iterable[str]:
        """Go through the hosts that it names: its author wants them asked."""
        return ()

    def on_links(self) -> Mapping[str, Any]:
        """Return what it adds to the rules of links, by the names of ``links.AdmissionRules``."""
        return {}


@dataclass(frozen=True)
class Language:
    """All tables that a template may hold, in the order of their documentation.

    ``refused`` are settings of Scrapy that make no sense in a template, with the reason; ``feed_items``
    what a user's features call the items that they give to feeds; ``contact`` is where site owners reach
    the crawl's operator, for topics that name none (FOCUSCRAWL_CONTACT).
    """

    tables: tuple[type[Table], ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    feed_items: tuple[str, ...] = ()
    contact: str = ""

    @cached_property
    def forms(self) -> tuple[TableForm, ...]:
        """The forms of all tables, and of those that a site holds."""
        found = []
        for table in self.tables:
            if table.form.shape != "inside":
                found.append(table.form)
            if table.form.path == ("site",):
                inner = (other.form.of_site() for other in self.of_sites)
                found += [one for one in inner if one is not None]
        return tuple(found)

    @cached_property
    def _by_pattern(self) -> Mapping[KeyPath, TableForm]:
        return {form.pattern: form for form in self.forms if ANY not in form.pattern}

    @cached_property
    def of_sites(self) -> tuple[type[Table], ...]:
        """The tables in which a site may have values of its own, those it alone has last."""
        inside = [table for table in self.tables if table.form.shape == "inside"]
        general = [table for table in self.tables if table not in inside and table.form.of_site()]
        return (*general, *inside)

    @cached_property
    def repeatable(self) -> frozenset[tuple[str, ...]]:
        """The paths of tables that stand in double brackets."""
        return frozenset(form.path for form in self.forms if form.shape == "repeated")

    @cached_property
    def set_by(self) -> Mapping[str, str]:
        """Setting of Scrapy → the key that sets it."""
        return {
            setting: ".".join((*form.path, one.name))
            for form in self.forms
            for one in form.keys
            for setting in one.sets
        }

    def at(self, *path: str) -> TableForm:
        """Return the table with a path; raises KeyError."""
        found = self.find(*path)
        if found is None:
            raise KeyError(path)
        return found

    def find(self, *path: str) -> TableForm | None:
        """Return the table with a path."""
        return next((form for form in self.forms if form.path == path), None)

    def inside(self, form: TableForm) -> dict[str, TableForm]:
        """Return the tables inside a named one by their names."""
        depth = len(form.path)
        return {
            one.path[-1]: one
            for one in self.forms
            if one.shape in {"fields", "inside"} and one.path[:depth] == form.path
        }

    def form_of(self, path: KeyPath) -> TableForm | None:
        """Return the table of a key's path, such as ("site", HOST, "politeness", "delay")."""
        place = path[:-1]
        if place in self._by_pattern:
            return self._by_pattern[place]
        for form in self.forms:
            pattern = form.pattern
            if len(pattern) == len(place) and all(
                one in (ANY, part) for one, part in zip(pattern, place, strict=True)
            ):
                return form
        return None

    def key_of(self, path: KeyPath) -> Key | None:
        """Return the key at a path of a template."""
        form = self.form_of(path)
        return form.key(str(path[-1])) if form else None


def _quoted(name: str) -> str:
    written = toml_key(name)
    return toml_text(name) if written == name else written
