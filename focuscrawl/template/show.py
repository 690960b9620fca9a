"""The template of a topic as it holds, and the language: as a JSON Schema and for docs/template.md."""

from __future__ import annotations

import unicodedata
from typing import Any

from focuscrawl.template.keys import ANY, Language, TableForm
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.template.merge import STRICT
from focuscrawl.template.toml import toml_key, toml_text
from focuscrawl.values import Json

LONG = 88
EFFECT_OF_NONE = "-"


def shown_template(loaded: LoadedTemplate) -> str:
    """Return the resolved template as TOML, each value with where it comes from."""
    resolved, language = loaded.template.resolved, loaded.template.language
    blocks: list[str] = []
    for form in language.forms:
        values: Any = resolved
        for part in form.path if form.shape not in {"fields", "inside"} else form.path[:1]:
            values = values[part]
        if form.shape == "table":
            blocks.append(_block(loaded, form, form.title(), form.path, values))
        elif form.shape == "repeated":
            blocks += [
                _block(loaded, form, form.title(), (*form.path, number), one)
                for number, one in enumerate(values)
            ]
        elif form.shape == "named":
            for name, one in values.items():
                blocks.append(_block(loaded, form, form.title(name), (*form.path, name), one))
                for key, inner in language.inside(form).items():
                    place, title = (*form.path, name, key), inner.title(name)
                    if inner.shape == "fields":
                        blocks.append(_fields(loaded, title, place, one[key]))
                    elif key in one:
                        blocks.append(_block(loaded, inner, title, place, one[key]))
        elif form.shape == "open" and values:
            blocks.append(_block(loaded, form, form.title(), form.path, values))
    return "\n\n".join(block for block in blocks if block)


def _block(
    loaded: LoadedTemplate, form: TableForm, title: str, path: tuple[str | int, ...], values: Json
) -> str:
    rows = [title]
    for name, value in values.items():
        key = form.key(name)
        if key is None and form.shape != "open":
            continue  # a block of its own
        if value is None:
            otherwise = key.otherwise if key and key.otherwise else EFFECT_OF_NONE
            rows.append(_aligned(f"# {name} =", f"default: {otherwise}"))
        else:
            rows.append(_assignment(name, value, _origin(loaded, path, name)))
    return "\n".join(rows) if len(rows) > 1 or form.shape == "named" else ""


def _fields(loaded: LoadedTemplate, title: str, path: tuple[str, ...], fields: Json) -> str:
    """Return the fields of a record, each in a line of what is not as without it."""
    rows = [title]
    for one, keys in fields.items():
        given = {}
        for key, value in keys.items():
            known = loaded.template.language.key_of((*path, one, key))
            if known is not None and value not in (None, known.default):
                given[key] = value
        origin = str(loaded.merged.origins.get((*path, one), "default"))
        rows.append(_aligned(f"{toml_key(one)} = {toml_text(given)}", origin))
    return "\n".join(rows)


def _origin(loaded: LoadedTemplate, path: tuple[str | int, ...], name: str) -> str:
    origins = loaded.merged.origins
    names = (name, "url") if name == "urls" else (name,)
    for one in names:
        if (*path, one) in origins:
            return str(origins[(*path, one)])
    if name == STRICT[-1] and STRICT in origins:
        return f"{origins[STRICT]} [topic] strict"
    return "default"


def _assignment(name: str, value: Any, origin: str) -> str:
    line = f"{toml_key(name)} = {toml_text(value)}"
    if len(line) <= LONG or not isinstance(value, list):
        return _aligned(line, origin)
    rows = [_aligned(f"{toml_key(name)} = [", origin)]
    rows += [f"    {toml_text(entry)}," for entry in value]
    return "\n".join([*rows, "]"])


def _aligned(text: str, comment: str) -> str:
    """Put a comment at a column of its own; Chinese characters are two columns wide."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return f"{text}{' ' * max(1, 56 - len(text) - wide)} # {comment}"


def json_schema(language: Language) -> Json:
    """Return a JSON Schema of the language, for editors."""
    whole: Json = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "focuscrawl topic",
    }
    for form in language.forms:
        node, is_list = whole, form.shape == "repeated"
        for part in form.pattern:
            if part == ANY:
                node = node.setdefault("items" if is_list else "additionalProperties", {})
            else:
                about = {"type": "array" if is_list else "object", "description": form.doc}
                node = node.setdefault("properties", {}).setdefault(part, about)
        if form.shape == "fields":
            node["anyOf"] = [{"type": "string"}, {"type": "array"}, _object(form)]
        elif form.shape != "open":
            node |= _object(form)
    return whole


def _object(table: TableForm) -> Json:
    return {
        "type": "object",
        "description": table.doc,
        "properties": _properties(table),
        "additionalProperties": False,
    }


def _properties(table: TableForm) -> Json:
    found: Json = {}
    for key in table.keys:
        found[key.name] = dict(key.kind.schema) | {"description": key.doc}
        if key.default is not None:
            found[key.name]["default"] = key.default
    return found


def reference(language: Language) -> str:
    """Return the section of docs/template.md that lists every table and key."""
    sections = [
        f"### {_heading(form)}\n\n{_borrowed(form) if form.general else _rows(form)}"
        for form in language.forms
        if form.keys
    ]
    return "\n\n".join(sections) + "\n"


def _heading(table: TableForm) -> str:
    return f"{table.heading}: {table.doc}" if table.path else table.doc


def _rows(table: TableForm) -> str:
    rows = ["| key | kind | without it | meaning | example |", "|---|---|---|---|---|"]
    for key in table.keys:
        default = key.otherwise or f"`{toml_text(key.default)}`"
        cells = (f"`{key.name}`", key.kind.words, default, key.doc, f"`{key.example}`")
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _borrowed(form: TableForm) -> str:
    """Return which keys of another table one site may set; they are described there."""
    assert form.general is not None
    names = ", ".join(f"`{one.name}`" for one in form.keys)
    return f"{names}: as in {form.general.heading}, which holds where they are not given."
