"""One key, or one setting of Scrapy, checked as the tables of the language describe it."""

from __future__ import annotations

import re
from datetime import date, time
from typing import Any

from focuscrawl.template.keys import Form, Key
from focuscrawl.template.kinds.kind import ELLIPSIS, Invalid
from focuscrawl.template.lists import ListError, expand
from focuscrawl.template.problems import Origin, Problem
from focuscrawl.template.toml import KeyPath, shortened
from focuscrawl.topic.suggestions import unknown
from focuscrawl.topic.tables import REFUSED_SETTINGS, TABLES
from focuscrawl.topic.template_layer import Layer

SETTING = re.compile(r"[A-Z][A-Z0-9_]*")
OURS = "FOCUSCRAWL_"
SET_BY = {
    setting: f"{'.'.join(table.path)}.{key.name}"
    for table in TABLES
    for key in table.keys
    for setting in key.sets
}


def check_key(
    layer: Layer,
    table: Form,
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
    for entry, place in expand(value, layer.folder, origin, groups=kind.groups, reach=layer.reach):
        try:
            plain.append(entry if entry == ELLIPSIS else kind.entry.read(entry))
        except Invalid as error:
            layer.problems.append(Problem(place, f"{where} = {shortened(error.value)}: {error}"))
    return plain


def check_setting(layer: Layer, name: str, value: Any) -> None:
    """Check one key of [settings]."""
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
