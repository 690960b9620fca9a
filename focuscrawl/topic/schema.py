"""The shape of the language: tables and keys. The one description is in ``tables``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from focuscrawl.template.kinds.kind import Kind
from focuscrawl.template.toml import toml_key, toml_text

Shape = Literal["top", "table", "repeated", "named", "fields", "open"]


@dataclass(frozen=True, slots=True)
class Key:
    """One key. ``default`` is in the template's notation; None: required, none, or ``otherwise``.

    ``otherwise`` says in words what holds without the key. ``sets`` are the Scrapy settings that
    follow from it, which therefore cannot stand in [settings].
    """

    name: str
    kind: Kind
    default: Any = None
    doc: str = ""
    example: str = ""
    otherwise: str = ""
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One table. ``path`` is its place in the file; the shapes are:

    top (keys before any table), table, repeated ([[source]]), named ([site."HOST"]: one table per
    name), fields ([record.NAME.fields]: one table per field, or its labels alone), open (any key,
    [settings]). ``later`` are keys of the language that are not built yet,
    with what they come with.
    """

    path: tuple[str, ...]
    doc: str
    keys: tuple[Key, ...]
    shape: Shape = "table"
    placeholder: str = ""
    later: dict[str, str] = field(default_factory=dict)

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


def _quoted(name: str) -> str:
    key = toml_key(name)
    return toml_text(name) if key == name else key


def table_at(tables: tuple[Table, ...], path: tuple[str, ...]) -> Table | None:
    """Return the table with a path."""
    return next((table for table in tables if table.path == path), None)
