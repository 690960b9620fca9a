"""The arguments of one run, ``-a limits.pages=100``, checked as a layer of their own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from focuscrawl.template.check import Layer, check_key, check_tree, unknown
from focuscrawl.template.files import Reach
from focuscrawl.template.problems import ARGUMENT
from focuscrawl.template.toml import key_parts
from focuscrawl.topic.tables import LANGUAGE


def arguments_layer(
    overrides: Mapping[str, str], folder: Path, reach: Reach | None = None
) -> Layer:
    """Check the arguments of one run as a layer of its own."""
    layer = Layer(LANGUAGE, ARGUMENT, folder, reach=reach)
    for name, text in overrides.items():
        if not name.startswith("_"):
            _argument(layer, name, text)
    return layer


def _argument(layer: Layer, name: str, text: str) -> None:
    parts = key_parts(name)
    forms = [one for one in LANGUAGE.forms[1:] if parts[: len(one.path)] == one.path]
    form = max(forms, key=lambda one: len(one.path), default=None)
    if form is None or len(parts) < len(form.path) + 1:
        hint = unknown(LANGUAGE, LANGUAGE.at(), name) if len(parts) == 1 else "unknown table"
        layer.complain((), f"{name}: {hint}; an argument looks like limits.pages=100")
        return
    if form.shape == "repeated":
        layer.complain((), f"{name}: {form.title()} can only be set in the file")
        return
    if form.shape == "named" and form.called:  # names with dots, in quotes or not
        inner = [*parts[-2:]] if parts[-2] in LANGUAGE.inside(form) else [parts[-1]]
        middle = ".".join(parts[len(form.path) : -len(inner)])
        parts = (*form.path, *([middle] if middle else []), *inner)
    attempts = []
    for value in _readings(text):
        attempt = Layer(LANGUAGE, ARGUMENT, layer.folder, reach=layer.reach)
        if form.shape in {"named", "fields", "open"}:
            tree: Any = value
            for part in reversed(parts):
                tree = {part: tree}
            check_tree(attempt, tree)
        else:
            check_key(attempt, form, ".".join(parts[len(form.path) :]), value, parts)
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
