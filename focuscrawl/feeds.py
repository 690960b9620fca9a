"""Scrapy feeds as people and programs want them: CSV for spreadsheets, JSON, JSON lines, XML.

A feed is the stream of one run. What must not be missed is in the results database. In settings.py
stands ``FEED_EXPORTERS``; ``feed_settings`` says which feeds there are.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterable, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any
from xml.sax.xmlreader import AttributesImpl

import msgspec
from itemadapter import ItemAdapter, is_item
from scrapy.exporters import (
    BaseItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)

from focuscrawl.results.columns import json_text
from focuscrawl.results.schema import SCHEMA_VERSION
from focuscrawl.show.cells import (
    cell,
    csv_head,
    element_name,
    mend,
    whole_csv_row,
    whole_json,
    xml_text,
)
from focuscrawl.show.plain_items import plain_item
from focuscrawl.topic.feed_kinds import ENCODINGS

logger = logging.getLogger(__name__)

FEED_EXPORTERS = {
    "csv": "focuscrawl.feeds.CsvExporter",
    "json": "focuscrawl.feeds.JsonExporter",
    "jsonl": "focuscrawl.feeds.JsonLinesExporter",
    "jsonlines": "focuscrawl.feeds.JsonLinesExporter",
    "jl": "focuscrawl.feeds.JsonLinesExporter",
    "xml": "focuscrawl.feeds.XmlExporter",
}
"""For the setting of the same name."""


def _nested(value: Any) -> Any:
    if is_item(value):
        return ItemAdapter(value).asdict()
    return [_nested(part) for part in value] if isinstance(value, (list, tuple)) else value


def _continued(file: IO[bytes]) -> Path | None:
    """Return the path of a local file that is appended to; None for all other targets."""
    target = getattr(file, "file", None) or file  # what post-processing writes to
    name, mode = getattr(target, "name", None), getattr(target, "mode", "")
    return Path(name) if isinstance(name, str) and "a" in str(mode) else None


class CsvExporter(BaseItemExporter):
    """CSV for spreadsheets: byte order mark, CRLF, one head even when a later run appends.

    A file that exists keeps its columns: rows that would not fit under its head are the one thing
    nobody can repair. Columns it lacks are left out, with a warning.
    """

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        encoding = self.encoding or ENCODINGS["csv"]
        path = _continued(file)
        self._path = path
        self._head = csv_head(path, encoding) if path is not None else []
        if self._head:
            encoding = encoding.removesuffix("-sig")
        self._encoding = encoding
        self._stream = TextIOWrapper(
            file,
            encoding=encoding,
            errors="replace",
            newline="",
            write_through=True,
        )
        self._writer = csv.writer(self._stream, lineterminator="\r\n")
        self._columns: list[str] = []

    def export_item(self, item: Any) -> None:
        """Write an item as a row, after the head when it is the first."""
        item = plain_item(item)
        if not self._columns:
            self._begin(item)
        values = dict(self.get_serialized_fields(item, default_value="", include_empty=True))
        self._writer.writerow([cell(_nested(values.get(name))) for name in self._columns])
        self._stream.flush()

    def finish_exporting(self) -> None:
        """Let the file go without closing it: it belongs to the feed's storage."""
        self._stream.detach()

    def _begin(self, item: Any) -> None:
        if not self.fields_to_export:
            self.fields_to_export = list(ItemAdapter(item).field_names())
        wanted = self.fields_to_export
        names = list(wanted.values() if isinstance(wanted, Mapping) else wanted)
        if self._path is None or not self._head:
            self._columns = names
            self._writer.writerow([cell(name) for name in names])
            return
        mend(
            self._path,
            b"\r\n",
            lambda line: whole_csv_row(line, self._encoding, len(self._head)),
        )
        by_head = {cell(name): name for name in names}
        self._columns = [by_head.get(head, head) for head in self._head]
        missing = [name for name in names if name not in self._columns]
        if missing:
            logger.warning(
                "Feed %s has no column %s, which is left out: rename the file, or set overwrite ="
                " true, and the next run begins a new one",
                self._path,
                ", ".join(missing),
            )


class JsonLinesExporter(JsonLinesItemExporter):
    """One JSON object a line, UTF-8 without mark, with the schema's number as ``_schema``."""

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file, **options)  # type: ignore[arg-type]
        self._path = _continued(file)

    def export_item(self, item: Any) -> None:
        """Write an item as a line."""
        if self._path is not None:
            mend(self._path, b"\n", whole_json)
            self._path = None
        row = _json_row(self.get_serialized_fields(plain_item(item)))
        text = json_text({**row, "_schema": SCHEMA_VERSION}) + "\n"
        self.file.write(text.encode(self.encoding or "utf-8", "replace"))
        self.file.flush()


class JsonExporter(JsonItemExporter):
    """One JSON array; only complete when the run ended in peace."""

    def export_item(self, item: Any) -> None:
        """Write an item as an object of the array."""
        text = json_text(_json_row(self.get_serialized_fields(plain_item(item))))
        if self.indent:
            text = msgspec.json.format(text, indent=self.indent)
        self.file.write(b"\n" if self.first_item else b",\n")
        self.first_item = False
        self.file.write(text.encode(self.encoding or "utf-8", "replace"))


def _json_row(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: _nested(value) for name, value in values}


class XmlExporter(XmlItemExporter):
    """XML whose element names are ours alone: the keys of dicts become attributes."""

    def export_item(self, item: Any) -> None:
        """Write an item as an element."""
        self.xg.startElement(self.item_element, AttributesImpl({}))
        for name, value in self.get_serialized_fields(plain_item(item), default_value=""):
            self._element(element_name(name), _nested(value))
        self.xg.endElement(self.item_element)
        self.xg.characters("\n")

    def _element(self, name: str, value: Any, key: str | None = None) -> None:
        attributes = {} if key is None else {"key": xml_text(key)}
        self.xg.startElement(name, AttributesImpl(attributes))
        if isinstance(value, Mapping):
            for inner, part in value.items():
                self._element("entry", part, str(inner))
        elif isinstance(value, (list, tuple, set, frozenset)):
            for part in value:
                self._element("value", part)
        else:
            self.xg.characters(xml_text(value))
        self.xg.endElement(name)
