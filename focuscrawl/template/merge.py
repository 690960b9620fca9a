"""How layers become one: defaults, extended files, the template, its sites, arguments."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from focuscrawl.template.check import Layer
from focuscrawl.template.files import SecretError, is_secret
from focuscrawl.template.keys import ANY, Language, Table, TableForm
from focuscrawl.template.kinds.kind import ELLIPSIS, KeyPlace
from focuscrawl.template.toml import DEFAULT, KeyPath, Origin, Problem, toml_text
from focuscrawl.values import Json

STRICT = ("topic", "strict")
"""The key that every other ``strict`` follows."""

EVERYWHERE = KeyPlace()


class Merged:
    """Values and origins of all layers together, by path, without defaults."""

    def __init__(self, language: Language, layers: Iterable[Layer]) -> None:
        self.language = language
        self.values: dict[KeyPath, Any] = {}
        self.origins: dict[KeyPath, Origin] = {}
        entries: dict[str, int] = {}
        repeated = {form.path[0] for form in language.forms if form.shape == "repeated"}
        for layer in layers:
            before = dict(entries)
            for path, origin in layer.origins.items():
                if path[0] in repeated:  # those of several files add up
                    name, number = str(path[0]), int(path[1]) + before.get(str(path[0]), 0)
                    path = (name, number, *path[2:])
                    entries[name] = max(entries.get(name, 0), number + 1)
                self.origins[path] = origin
            for path, value in layer.values.items():
                if path[0] in repeated:
                    path = (path[0], int(path[1]) + before.get(str(path[0]), 0), *path[2:])
                self.values[path] = self._joined(path, value)
        self.entries = entries
        for path, value in self.values.items():
            if path[0] == "site" and isinstance(value, list) and ELLIPSIS in value:
                self.values[path] = _spliced(value, self.get(*path[2:]))

    def origin(self, *path: str | int) -> Origin:
        """Return where a value comes from; a default's place is none."""
        return self.origins.get(path, DEFAULT)

    def get(self, *path: str | int) -> Any:
        """Return a value as given, else its default: of every ``strict`` it is that of [topic]."""
        if path in self.values:
            return self.values[path]
        key = self.language.key_of(path)
        if path[-1] == STRICT[-1] and STRICT in self.values:
            return self.values[STRICT]
        return key.default if key else None

    def names(self, *path: str) -> list[str]:
        """Return the names of the named tables below a path, in order."""
        depth = len(path)
        return list(
            dict.fromkeys(
                str(one[depth]) for one in self.origins if one[:depth] == path and len(one) > depth
            )
        )

    def filled(self, form: TableForm, *path: str | int) -> Json:
        """Return the values of a table at a path, defaults filled in."""
        return {key.name: self.get(*path, key.name) for key in form.keys}

    def _joined(self, path: KeyPath, value: Any) -> Any:
        """Join a value with the weaker one it meets."""
        weaker = self.values.get(path)
        if isinstance(value, dict) and isinstance(weaker, dict):
            key = self.language.key_of(path)
            return weaker | value if key and key.kind.table else value
        if isinstance(value, list) and ELLIPSIS in value:
            if weaker is None and path[0] == "site" and len(path) > 3:
                return value  # stands for the general list, which is known at the end
            return _spliced(value, self.get(*path) if weaker is None else weaker)
        return value


def _spliced(value: list[Any], inherited: Any) -> list[Any]:
    """Put the inherited list in the place of "..."."""
    around = inherited if isinstance(inherited, list) else []
    joined: list[Any] = []
    for entry in value:
        joined += around if entry == ELLIPSIS else [entry]
    return joined


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of a template that is resolved: what ``fill``, ``check`` and ``warn`` see.

    ``place`` is its path with its name or number. ``plain`` are its values in the template's
    notation, ``whole`` those of all tables. ``around`` is where the template lies and what it may read;
    without an ``environment`` no crawl is about to begin. ``complete`` is false when lines of a file
    were left out: then nothing is called missing.
    """

    form: TableForm
    place: KeyPath
    plain: Json
    whole: Json
    merged: Merged
    around: KeyPlace = EVERYWHERE
    complete: bool = True

    @property
    def name(self) -> str:
        """What a named table is called."""
        return str(self.place[-1])

    def given(self, name: str) -> bool:
        """Whether a key is given here."""
        return (*self.place, name) in self.merged.values

    def has(self, table: str) -> bool:
        """Whether anything is given in another table."""
        return any(path[0] == table for path in self.merged.values)

    def problem(self, name: str, text: str, *, at: KeyPath = ()) -> Problem:
        """Return a problem of a key, "" for the table; ``text`` goes on behind both.

        It stands where the key does, else the table, else ``at``.
        """
        title = f"{self.form.title(self.name)} {name}".rstrip()
        return Problem(self.origin(name, at), title + text)

    def origin(self, name: str = "", at: KeyPath = ()) -> Origin:
        """Return where a key stands, else the table, else ``at``."""
        places = ((*self.place, name), self.place, at)
        return next((found for one in places if (found := self.merged.origin(*one)).file), DEFAULT)


def resolve(merged: Merged, fallback_name: str) -> Json:
    """Return the whole template as plain JSON, defaults filled in, in the template's notation."""
    resolved: Json = {}
    language = merged.language
    for form in language.forms:
        *outer, own = form.path or ("",)
        if form.shape in {"top", "fields", "inside"} or form.path[:1] == ("site",):
            continue
        holder = resolved
        for name in outer:
            holder = holder[name]
        if form.shape == "repeated":
            numbers = range(merged.entries.get(own, 0))
            holder[own] = [merged.filled(form, own, number) for number in numbers]
        elif form.shape == "named":
            names = merged.names(*form.path)
            holder[own] = {name: merged.filled(form, *form.path, name) for name in names}
            for inner in language.inside(form):
                for name, table in holder[own].items():
                    below = language.at(*form.path, inner)
                    place = (*form.path, name, inner)
                    table[inner] = {
                        one: merged.filled(below, *place, one) for one in merged.names(*place)
                    }
        elif form.shape == "open":
            given = merged.values.items()
            holder[own] = {str(path[1]): value for path, value in given if path[0] == own}
        else:
            holder[own] = merged.filled(form, *form.path)
    resolved["topic"]["name"] = resolved["topic"]["name"] or fallback_name
    resolved["site"] = {host: _given(merged, "site", host) for host in merged.names("site")}
    for table, entry in entries(merged, resolved):
        table.fill(entry)
    return resolved


def _given(merged: Merged, *place: str) -> Json:
    """Return what is given in a table and the tables in it, without defaults."""
    found: Json = {}
    for path, value in merged.values.items():
        if path[: len(place)] == place:
            *inner, name = map(str, path[len(place) :])
            holder = found
            for one in inner:
                holder = holder.setdefault(one, {})
            holder[name] = value
    return found


def entries(
    merged: Merged, resolved: Json, around: KeyPlace = EVERYWHERE, *, complete: bool = True
) -> Iterator[tuple[type[Table], Entry]]:
    """Go through all tables that a resolved template has, each with what its rules see."""
    for table in merged.language.tables:
        form = table.form
        if form.shape in {"top", "fields", "inside", "open"}:
            continue
        plain: Any = resolved
        for name in form.path:
            plain = plain[name]
        places: Iterable[tuple[KeyPath, Json]] = [(form.path, plain)]
        if form.shape == "named":
            places = [((*form.path, name), one) for name, one in plain.items()]
        elif form.shape == "repeated":
            places = [((*form.path, number), one) for number, one in enumerate(plain)]
        for place, one in places:
            yield table, Entry(form, place, one, resolved, merged, around, complete)


def problems(
    merged: Merged, resolved: Json, around: KeyPlace, *, complete: bool
) -> Iterator[Problem]:
    """Go through what is wrong between keys; without ``complete`` nothing is called missing."""
    for table, entry in entries(merged, resolved, around, complete=complete):
        yield from table.check(entry)
    if around.environment is not None:
        yield from _missing_secrets(merged, around)
    if around.reach is not None:
        for name, why in around.reach.setting_problems(resolved["settings"]):
            yield Problem(merged.origin("settings", name), f"[settings] {name}: {why}")


def _missing_secrets(merged: Merged, around: KeyPlace) -> Iterator[Problem]:
    """Go through the secrets that cannot be read."""
    for path, plain in merged.values.items():
        form = merged.language.form_of(path)
        key = form.key(str(path[-1])) if form else None
        if form is None or key is None or not key.kind.secret:
            continue
        entries: list[tuple[Any, Any]] = [
            (plain, plain)
        ]  # what is written, and what is built of it
        if isinstance(plain, dict):
            entries = [(one, {name: one}) for name, one in plain.items()]
        elif isinstance(plain, list):
            entries = [(one, [one]) for one in plain]
        behind = (
            form.shape == "named"
        )  # as in [search.engine.NAME]; [site.NAME.request] has it within
        title = form.title(str(path[len(form.path) if behind else len(form.path) - 1]))
        for written, alone in entries:
            try:
                if is_secret(written):
                    key.kind.value(alone, around)
            except SecretError as error:
                where = f"{title} {path[-1]} = {toml_text(written)}"
                yield Problem(merged.origin(*path), f"{where}: {error}")


def warnings(merged: Merged, resolved: Json, around: KeyPlace) -> Iterator[Problem]:
    """Go through what works but is seldom meant."""
    for table, entry in entries(merged, resolved, around):
        yield from table.warn(entry)


def hash_of(resolved: Json) -> str:
    """Return the MD5 of a resolved template, in hexadecimal."""
    text = json.dumps(resolved, sort_keys=True, ensure_ascii=False)
    return hashlib.md5(text.encode()).hexdigest()


def completed(language: Language, stored: Json) -> Json:
    """Return a template that an earlier version has stored with the defaults of keys that came since."""
    found: Json = copy.deepcopy(stored)
    for form in language.forms:
        for table in _tables_at(found, form.pattern) if form.shape == "table" else ():
            for one in form.keys:
                table.setdefault(one.name, one.default)
    return found


def _tables_at(tree: Json, pattern: tuple[str, ...]) -> Iterator[Json]:
    """Go through the tables of a template at a place."""
    nodes: list[Any] = [tree]
    for part in pattern:
        if part == ANY:
            nodes = [
                one for node in nodes for one in (node if isinstance(node, list) else node.values())
            ]
        else:
            nodes = [node[part] for node in nodes if isinstance(node, dict) and part in node]
    return (node for node in nodes if isinstance(node, dict))
