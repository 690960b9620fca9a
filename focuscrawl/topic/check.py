"""One file or the arguments of a run, checked against the tables of the language."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, time
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Any

from focuscrawl.topic.content_tables import RECORD, RECORD_FIELDS
from focuscrawl.topic.kinds import ELLIPSIS, Invalid
from focuscrawl.topic.lines import Lines
from focuscrawl.topic.lines import Path as KeyPath
from focuscrawl.topic.lists import ListError, expand
from focuscrawl.topic.problems import Origin, Problem
from focuscrawl.topic.record_kinds import (
    COLUMNS,
    FIELD_ADVICE,
    FIELD_NAME,
    RECORD_ADVICE,
    RECORD_NAME,
    TAKEN_NAMES,
)
from focuscrawl.topic.schema import Key, Table, table_at
from focuscrawl.topic.tables import LATER_TABLES, REFUSED_SETTINGS, TABLES
from focuscrawl.topic.toml import shortened
from focuscrawl.topic.web_kinds import check_host
from focuscrawl.values import Json

SETTING = re.compile(r"[A-Z][A-Z0-9_]*")
OURS = "FOCUSCRAWL_"
SET_BY = {
    setting: f"{'.'.join(table.path)}.{key.name}"
    for table in TABLES
    for key in table.keys
    for setting in key.sets
}

NAMED = {
    ("site",): "a host name",
    ("output", "feeds"): "an address",
    ("search", "engine"): "a name with dots",
}
"""What the names of named tables are."""


@dataclass(slots=True)
class Layer:
    """What one file (or the arguments) says: plain values and origins by path.

    Paths: ("topic", "title"), ("source", 0, "urls"), ("site", HOST, "delay"),
    ("output", "feeds", URI, "format"), ("settings", NAME).
    """

    file: str
    folder: Path
    lines: Lines = field(default_factory=Lines)
    values: dict[KeyPath, Any] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def complain(self, path: KeyPath, text: str) -> None:
        """Note a problem at the line of a path."""
        self.problems.append(Problem(self.origin(path), text))

    def origin(self, path: KeyPath) -> Origin:
        """Return where a path stands."""
        return Origin(self.file, self.lines.of(path))


def check_tree(layer: Layer, tree: Json) -> None:
    """Check everything a file holds; values and problems go into the layer."""
    _unquoted_names(layer, tree)
    top = TABLES[0]
    for name, value in tree.items():
        if top.key(name):
            check_key(layer, top, name, value, (name,))
        elif name in LATER_TABLES:
            title = f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            reason = f"not built yet; it comes with {LATER_TABLES[name]}"
            layer.complain(
                (name, 0) if (name, 0) in layer.lines.tables else (name,), f"{title}: {reason}"
            )
        elif table := table_at(TABLES, (name,)):
            check_table(layer, table, value, (name,))
        elif isinstance(value, dict | list) and not (name,) in layer.lines.keys:
            layer.complain((name,), f"[{name}]: {unknown_table(name)}")
        else:
            layer.complain((name,), f"{name}: {unknown(top, name)}")


def check_table(layer: Layer, table: Table, value: Any, path: KeyPath) -> None:
    """Check a table in the form it must have."""
    if table.shape == "repeated":
        entries = value if isinstance(value, list) else [value]
        if not all(isinstance(entry, dict) for entry in entries):
            layer.complain(path, f"{path[0]}: repeatable: {table.title()}")
            return
        for number, entry in enumerate(entries):
            layer.origins[(*path, number)] = layer.origin((*path, number))
            for name, content in entry.items():
                check_key(layer, table, name, content, (*path, number, name))
        return
    if not isinstance(value, dict):
        title = table.title()
        wrong = (
            f"[[{path[0]}]]: once only: {title}"
            if isinstance(value, list)
            else f"{path[0]}: a table: {title}"
        )
        layer.complain((*path, 0) if isinstance(value, list) else path, wrong)
        return
    for name, content in value.items():
        inner = table_at(TABLES, (*table.path, name))
        if table.shape == "named":
            _check_named(layer, table, name, content, path)
        elif table.shape == "open":
            _check_setting(layer, name, content)
        elif inner:
            check_table(layer, inner, content, inner.path)
        else:
            check_key(layer, table, name, content, (*path, name))


def _check_named(layer: Layer, table: Table, name: str, content: Any, path: KeyPath) -> None:
    """Check [site."HOST"] or [output.feeds."URI"]."""
    given = (*path, name)
    if not isinstance(content, dict):
        if table.key(name) or name in table.later:
            layer.complain(
                given, f"[{'.'.join(table.path)}] {name}: it belongs into {table.heading}"
            )
        else:
            layer.complain(given, f"{'.'.join(table.path)}.{name}: a table: {table.title(name)}")
        return
    known = name
    if table.path == ("site",):
        try:
            known = check_host(name).removeprefix("=")
        except ValueError as error:
            layer.complain(given, f"{table.title(name)}: {error}")
            return
    if table.path == RECORD and not _check_record(layer, table, name, content, given):
        return
    for key, value in content.items():
        if (table.path, key) != (RECORD, "fields"):
            check_key(layer, table, key, value, (*given, key), (*table.path, known, key))
    layer.origins.setdefault((*table.path, known), layer.origin(given))


def _check_record(layer: Layer, table: Table, name: str, content: Json, given: KeyPath) -> bool:
    """Check the name of a record and its fields; False when nothing in it can be used."""
    if name in TAKEN_NAMES or not re.fullmatch(RECORD_NAME, name):
        reason = "an item of this name is there already" if name in TAKEN_NAMES else RECORD_ADVICE
        layer.complain(given, f"{table.title(name)}: {reason}")
        return False
    inner = table_at(TABLES, RECORD_FIELDS)
    assert inner is not None
    fields, place = content.get("fields", {}), (*given, "fields")
    title = inner.title(name)
    if not isinstance(fields, dict):
        layer.complain(place, f"{table.title(name)} fields: a table: {title}")
        return True
    for one, value in fields.items():
        here = (*place, one)
        if one in COLUMNS:
            taken = ", ".join(COLUMNS)
            layer.complain(here, f"{title} {one}: every record has columns {taken}; choose another")
        elif not FIELD_NAME.fullmatch(one):
            layer.complain(here, f"{title} {one}: {FIELD_ADVICE}")
        else:
            layer.origins[here] = layer.origin(here)
            keys = value if isinstance(value, dict) else {"labels": value}
            for key, plain in keys.items():
                at = (*here, key) if keys is value else here
                check_key(layer, inner, key, plain, at, (*here, key), f"{title} {one}")
    return True


def _unquoted_names(layer: Layer, tree: Json) -> None:
    """Tell [site.example.cn], which TOML reads as tables inside tables, and read what was meant."""
    for heading in layer.lines.headings:
        for table in TABLES:
            depth = len(table.path)
            names = heading.names
            if (
                table.shape != "named"
                or table.path == RECORD
                or names[:depth] != table.path
                or len(names) <= depth + 1
            ):
                continue
            name = ".".join(names[depth:])
            what = NAMED[table.path]
            title = "[" + ".".join(names) + "]"
            message = f"{title}: {what} needs quotes: {table.title(name)}"
            layer.problems.append(Problem(Origin(layer.file, heading.line), message))
            layer.lines.tables[(*names[:depth], name)] = heading.line
            _check_named(layer, table, name, _take(tree, names), names[:depth])


def _take(tree: Json, names: tuple[str, ...]) -> Any:
    """Take a nested table out of the tree, with the tables around it that are then empty."""
    around = [tree]
    for name in names[:-1]:
        inner = around[-1].get(name, {})
        around.append(inner if isinstance(inner, dict) else {})
    taken = around[-1].pop(names[-1], {})
    for table, name in zip(reversed(around[:-1]), reversed(names[:-1]), strict=True):
        if not table.get(name):
            table.pop(name, None)
    return taken


def check_key(
    layer: Layer,
    table: Table,
    name: str,
    value: Any,
    path: KeyPath,
    known: KeyPath | None = None,
    title: str = "",
) -> None:
    """Check one key; ``path`` is where it stands, ``known`` the path in normal form.

    ``title`` is how messages call the table, when its own heading does not say enough.
    """
    where = (
        f"{title} {name}"
        if title
        else f"{table.title(str((known or path)[-2])) if table.shape == 'named' else table.title()} {name}".strip()
    )
    key = table.key(name)
    if key is None:
        layer.complain(path, f"{where}: {unknown(table, name)}")
        return
    try:
        plain = _read(layer, key, value, layer.origin(path), where)
    except (Invalid, ListError) as error:
        wrong = error.value if isinstance(error, Invalid) else value
        layer.complain(path, f"{where} = {shortened(wrong)}: {error}")
        return
    layer.values[known or path] = plain
    layer.origins[known or path] = layer.origin(path)


def _read(layer: Layer, key: Key, value: Any, origin: Origin, where: str) -> Any:
    kind = key.kind
    if kind.entry is None:
        return kind.read(value)
    plain = []
    for entry, place in expand(value, layer.folder, origin, groups=kind.groups):
        try:
            plain.append(entry if entry == ELLIPSIS else kind.entry.read(entry))
        except Invalid as error:
            layer.problems.append(Problem(place, f"{where} = {shortened(error.value)}: {error}"))
    return plain


def _check_setting(layer: Layer, name: str, value: Any) -> None:
    path = ("settings", name)
    if not SETTING.fullmatch(name):
        layer.complain(path, f"[settings] {name}: {unknown(TABLES[-1], name)}")
    elif name in REFUSED_SETTINGS:
        layer.complain(path, f"[settings] {name}: not here: {REFUSED_SETTINGS[name]}")
    elif name in SET_BY:
        layer.complain(path, f"[settings] {name}: not here: write {SET_BY[name]}")
    elif name.startswith(OURS):
        reason = "it says where, not what; set it in settings.py, the environment or with -s"
        layer.complain(path, f"[settings] {name}: not here: {reason}")
    else:
        layer.values[path] = _plain(value)
        layer.origins[path] = layer.origin(path)


def _plain(value: Any) -> Any:
    """Return a TOML value as JSON: dates become text."""
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value.isoformat() if isinstance(value, date | time) else value


def unknown(table: Table, name: str) -> str:
    """Say what is known instead of a key: the table it is in, the nearest, or all."""
    if name in table.later:
        return f"not built yet; it comes with {table.later[name]}"
    holding = [one for one in TABLES if one.key(name) or name in one.later]
    plain = [one.heading for one in holding if one.shape != "named"]
    if holding:
        places = plain or [one.heading for one in holding]
        return "unknown key here; it exists in " + " and ".join(places)
    own = [key.name for key in table.keys]
    others: dict[str, list[str]] = {}
    for one in sorted(TABLES, key=lambda one: one.shape == "named"):
        for key in one.keys:
            others.setdefault(key.name, []).append(one.heading or "the top of the file")
    near = get_close_matches(name.lower(), own, 1)
    far = get_close_matches(name.lower(), others, 1, 0.75)
    if near and not (far and _likeness(name, far[0]) > _likeness(name, near[0]) + 0.1):
        return f"unknown key; nearest: {near[0]}"
    if far:
        places = [place for place in others[far[0]] if not place.endswith('"]')]
        return f"unknown key; nearest: {far[0]} in {' or '.join(places or others[far[0]])}"
    if table.shape == "open":
        return "unknown key; here stand settings of Scrapy, in capitals"
    return "unknown key; allowed: " + ", ".join([*own, *(["the tables"] if not table.path else [])])


def _likeness(name: str, other: str) -> float:
    return SequenceMatcher(None, name.lower(), other).ratio()


def unknown_table(name: str) -> str:
    """Say which table comes nearest."""
    tables = {one.path[0]: one.heading for one in TABLES if len(one.path) == 1}
    tables |= {later: f"[{later}]" for later in LATER_TABLES}
    near = get_close_matches(name.lower(), tables, 1)
    if near:
        return f"unknown table; nearest: {tables[near[0]]}"
    allowed = ", ".join(one.heading for one in TABLES if one.path)
    return f"unknown table; allowed: {allowed}"
