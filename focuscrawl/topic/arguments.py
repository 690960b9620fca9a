"""The arguments of one run, ``-a limits.pages=100``, checked as a layer of their own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from focuscrawl.template.files import Reach
from focuscrawl.template.problems import ARGUMENT
from focuscrawl.template.toml import key_parts
from focuscrawl.topic.check import check_tree
from focuscrawl.topic.key_checks import check_key
from focuscrawl.topic.suggestions import unknown
from focuscrawl.topic.tables import RECORD, TABLES
from focuscrawl.topic.template_layer import Layer


def arguments_layer(
    overrides: Mapping[str, str], folder: Path, reach: Reach | None = None
) -> Layer:
    """Check the arguments of one run as a layer of its own."""
    layer = Layer(ARGUMENT, folder, reach=reach)
    for name, text in overrides.items():
        if not name.startswith("_"):
            _argument(layer, name, text)
    return layer


def _argument(layer: Layer, name: str, text: str) -> None:
    parts = key_parts(name)
    table = next((one for one in TABLES[1:] if parts[: len(one.path)] == one.path), None)
    for one in TABLES[1:]:
        if parts[: len(one.path)] == one.path and table and len(one.path) > len(table.path):
            table = one
    if table is None or len(parts) < len(table.path) + 1:
        hint = unknown(TABLES[0], name) if len(parts) == 1 else "unknown table"
        layer.complain((), f"{name}: {hint}; an argument looks like limits.pages=100")
        return
    if table.shape == "repeated":
        layer.complain((), f"{name}: {table.title()} can only be set in the file")
        return
    attempts = []
    for value in _readings(text):
        attempt = Layer(ARGUMENT, layer.folder, reach=layer.reach)
        tree: Any = value
        if table.path == RECORD:
            tree = value
            for part in reversed(parts):
                tree = {part: tree}
            check_tree(attempt, tree)
        elif table.shape in {"named", "open"}:
            depth = len(table.path)
            middle = ".".join(parts[depth:-1])
            tree = {parts[-1]: value}
            for part in [*([middle] if table.shape == "named" else []), *reversed(table.path)]:
                tree = {part: tree}
            check_tree(attempt, tree)
        else:
            check_key(attempt, table, ".".join(parts[len(table.path) :]), value, parts)
        attempts.append(attempt)
        if not attempt.problems:
            break
    best = attempts[-1] if not attempts[-1].problems else attempts[0]
    layer.values |= best.values
    layer.origins |= best.origins
    layer.problems += best.problems


def _readings(text: str) -> Sequence[Any]:
    """Return what an argument may mean: the TOML value, else the text as it is."""
    try:
        return [tomllib.loads(f"value = {text}")["value"], text]
    except (tomllib.TOMLDecodeError, RecursionError):
        return [text]
