"""One file or the arguments of a run, checked against the tables of the language."""

from __future__ import annotations

from typing import Any

from focuscrawl.template.keys import Form, table_at
from focuscrawl.template.toml import KeyPath
from focuscrawl.topic.key_checks import check_key, check_setting
from focuscrawl.topic.named_checks import check_named, check_unquoted_names
from focuscrawl.topic.suggestions import unknown, unknown_table
from focuscrawl.topic.tables import LATER_TABLES, TABLES
from focuscrawl.topic.template_layer import Layer
from focuscrawl.values import Json


def check_tree(layer: Layer, tree: Json) -> None:
    """Check everything a file holds; values and problems go into the layer."""
    check_unquoted_names(layer, tree)
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


def check_table(layer: Layer, table: Form, value: Any, path: KeyPath) -> None:
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
            check_named(layer, table, name, content, path)
        elif table.shape == "open":
            check_setting(layer, name, content)
        elif inner:
            check_table(layer, inner, content, inner.path)
        else:
            check_key(layer, table, name, content, (*path, name))
