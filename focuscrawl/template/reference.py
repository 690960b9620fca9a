"""The language as a JSON Schema, for editors, and as tables for docs/template.md."""

from __future__ import annotations

from focuscrawl.template.keys import TableForm
from focuscrawl.template.language import LANGUAGE
from focuscrawl.template.toml import toml_text
from focuscrawl.values import Json


def json_schema() -> Json:
    """Return a JSON Schema of the language, for editors."""
    properties: Json = {}
    for table in LANGUAGE.forms:
        if table.shape == "top":
            properties |= _properties(table)
        elif table.shape == "fields":
            one = {"anyOf": [{"type": "string"}, {"type": "array"}, _object(table)]}
            fields = {"type": "object", "description": table.doc, "additionalProperties": one}
            properties["record"]["additionalProperties"]["properties"]["fields"] = fields
        elif table.shape == "inside":
            outer, inner = table.path
            properties[outer]["additionalProperties"]["properties"][inner] = _object(table)
        elif len(table.path) == 2:
            outer, inner = table.path
            within = properties[outer]["properties"]
            named = {"type": "object", "additionalProperties": _object(table)}
            within[inner] = named if table.shape == "named" else _object(table)
        elif table.shape == "repeated":
            properties[table.path[0]] = {"type": "array", "items": _object(table)}
        elif table.shape == "named":
            properties[table.path[0]] = {"type": "object", "additionalProperties": _object(table)}
        elif table.shape == "open":
            properties[table.path[0]] = {"type": "object", "description": table.doc}
        else:
            properties[table.path[0]] = _object(table)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "focuscrawl topic",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


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


def reference() -> str:
    """Return the section of docs/template.md that lists every table and key."""
    sections = [
        f"### {_heading(form)}\n\n{_borrowed(form) if form.general else _rows(form)}"
        for form in LANGUAGE.forms
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
