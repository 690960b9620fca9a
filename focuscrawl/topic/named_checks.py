"""Tables with a name of their own, checked: sites, feeds, search engines, records."""

from __future__ import annotations

import re
from typing import Any

from focuscrawl.records.table import (
    COLUMNS,
    FIELD_ADVICE,
    FIELD_NAME,
    RECORD_ADVICE,
    RECORD_NAME,
    TAKEN_NAMES,
)
from focuscrawl.template.keys import Form, table_at
from focuscrawl.template.kinds.addresses import check_host
from focuscrawl.template.problems import Origin, Problem
from focuscrawl.template.toml import KeyPath
from focuscrawl.topic.key_checks import check_key
from focuscrawl.topic.tables import RECORD, RECORD_FIELDS, TABLES
from focuscrawl.topic.template_layer import Layer
from focuscrawl.values import Json

NAMED = {
    ("site",): "a host name",
    ("output", "feeds"): "an address",
    ("search", "engine"): "a name with dots",
}
"""What the names of named tables are."""


def check_named(layer: Layer, table: Form, name: str, content: Any, path: KeyPath) -> None:
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


def _check_record(layer: Layer, table: Form, name: str, content: Json, given: KeyPath) -> bool:
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


def check_unquoted_names(layer: Layer, tree: Json) -> None:
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
            check_named(layer, table, name, _take(tree, names), names[:depth])


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
