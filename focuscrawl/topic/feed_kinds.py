"""The kinds of values of [output.feeds."URI"]."""

from __future__ import annotations

import re

from focuscrawl.template.kinds.kind import Invalid, Kind, checked, listed, partly
from focuscrawl.topic.record_kinds import RECORD_NAME
from focuscrawl.values import Json

FORMATS = ("csv", "jsonl", "json", "xml")
LATER_FORMATS = ("xlsx", "parquet")
ITEMS = ("article", "page", "change", "thread", "post")
LATER_ITEMS = ("story",)
DELIVERING = "exports for people"
SUFFIXES = {"csv": "csv", "jsonl": "jsonl", "jl": "jsonl", "json": "json", "xml": "xml"}
ENCODINGS = {"csv": "utf-8-sig"}
"""What a format is written in without ``encoding``; the others in UTF-8."""


def feed_format() -> Kind:
    """A format of Scrapy's exporters."""
    return partly(FORMATS, LATER_FORMATS, DELIVERING)


def feed_items() -> Kind:
    """Names of items; those of records are the template's own, and checked with it."""
    known = partly(ITEMS, LATER_ITEMS, "the work that fills them")

    def check(value: str) -> str:
        if re.fullmatch(RECORD_NAME, value) and value not in {*ITEMS, *LATER_ITEMS}:
            return value
        return str(known.read(value))

    return listed(checked(f"{known.words}, a record's NAME", check), "names")


def feed_fields() -> Kind:
    """Columns in order, or a table that renames them."""
    message = 'a list of columns, or a table that renames them: { title = "标题" }'

    def read(value: object) -> list[str] | dict[str, str]:
        entries = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(entries, list) or not all(isinstance(one, str) for one in entries):
            raise Invalid(message, value)
        if len(set(entries)) < len(entries):
            raise Invalid("two columns have the same name", value)
        return dict(value) if isinstance(value, dict) else list(entries)

    schema: Json = {
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ]
    }
    return Kind("texts | table", read, schema)


def format_of(uri: str) -> str | None:
    """Return the format a URI's suffix stands for."""
    suffix = uri.removesuffix(".gz").rpartition(".")[2].lower()
    return suffix if suffix in LATER_FORMATS else SUFFIXES.get(suffix)
