"""Tables and keys of the language: a table is a frozen dataclass, a key is a field of it.

    class Queues(Table, path="queues", doc="what is fetched first"):
        levels: int = key(whole(1, 10), 5, "How many levels there are.", "levels = 5")

That is the only declaration: the values code works with, the checks of a file, the JSON Schema,
``scrapy topic show`` and the tables of docs/template.md follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, dataclass_transform

from focuscrawl.template.kinds.kind import Kind, Place
from focuscrawl.template.toml import toml_key, toml_text
from focuscrawl.values import Json

Shape = Literal["top", "table", "repeated", "named", "fields", "open"]


@dataclass(frozen=True, slots=True)
class Key:
    """One key. ``default`` is in the template's notation; None: required, none, or ``otherwise``.

    ``otherwise`` says in words what holds without the key. ``sets`` are the Scrapy settings that
    follow from it, which therefore cannot stand in [settings]. ``site`` tells that one site may
    have a value of its own. ``attribute`` is its name in the values, "" where it has none there.
    """

    name: str
    kind: Kind
    default: Any = None
    doc: str = ""
    example: str = ""
    otherwise: str = ""
    sets: tuple[str, ...] = ()
    site: bool = False
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """How a table is written. ``path`` is its place in the file; the shapes are:

    top (keys before any table), table, repeated ([[source]]), named ([site."HOST"]: one table per
    name), fields ([record.NAME.fields]: one table per field, or its labels alone), open (any key,
    [settings]). ``later`` are keys of the language that are not built yet, with what they come
    with.
    """

    path: tuple[str, ...]
    doc: str
    keys: tuple[Key, ...]
    shape: Shape = "table"
    placeholder: str = ""
    later: Mapping[str, str] = field(default_factory=dict)

    def key(self, name: str) -> Key | None:
        """Return a key by its name."""
        return next((key for key in self.keys if key.name == name), None)

    @property
    def heading(self) -> str:
        """How the table is opened in a file, for messages about the language."""
        return self.title(self.placeholder)

    def title(self, name: str = "") -> str:
        """Return the line that opens the table; ``name`` is the one of a named table."""
        if self.shape == "top":
            return ""
        dotted = ".".join(self.path)
        if self.shape == "repeated":
            return f"[[{dotted}]]"
        if self.shape == "fields":
            return f"[{self.path[0]}.{name}.{self.path[1]}]"
        if self.shape == "named" and self.path == ("record",):
            return f"[{dotted}.{name}]"
        if self.shape == "named":
            quoted = toml_text(name) if name == self.placeholder else _quoted(name)
            return f"[{dotted}.{quoted}]"
        return f"[{dotted}]"


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

    Fields that ``key`` has not made are filled in by whoever builds the table. A key as ClassVar is
    read, but no value: another key takes it in.
    """

    form: ClassVar[Form]

    def __init_subclass__(
        cls,
        *,
        path: str = "",
        doc: str = "",
        shape: Shape = "table",
        placeholder: str = "",
        later: Mapping[str, str] | None = None,
    ) -> None:
        keys = []
        for attribute, one in vars(cls).items():
            declared = one.metadata.get("key") if isinstance(one, Field) else None
            if declared is not None:
                held = "ClassVar" not in str(cls.__annotations__[attribute])
                name = declared.name or attribute
                keys.append(replace(declared, name=name, attribute=attribute if held else ""))
        names = tuple(path.split(".")) if path else ()
        cls.form = Form(names, doc, tuple(keys), shape, placeholder, later or {})
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    def built(cls, plain: Json, place: Place, **others: Any) -> Self:
        """Build the table from plain values; ``others`` are fields that are no keys, or replace one."""
        values = {
            one.attribute: one.kind.value(plain[one.name], place)
            for one in cls.form.keys
            if one.attribute and one.attribute not in others
        }
        return cls(**values, **others)


def _quoted(name: str) -> str:
    written = toml_key(name)
    return toml_text(name) if written == name else written


def table_at(tables: tuple[Form, ...], path: tuple[str, ...]) -> Form | None:
    """Return the table with a path."""
    return next((table for table in tables if table.path == path), None)
