"""Scrapy feeds as people and programs want them: CSV for spreadsheets, JSON, JSON lines, XML.

A feed is the stream of one run. What must not be missed is in the results database.

In settings.py stands ``FEED_EXPORTERS``; the spider calls ``switch_on_feeds`` in its
``from_crawler`` with what the template says.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import Enum
from io import TextIOWrapper
from pathlib import Path, PureWindowsPath
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlparse
from xml.sax.xmlreader import AttributesImpl

import msgspec
from itemadapter import ItemAdapter, is_item
from scrapy.exporters import (
    BaseItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)
from scrapy.extensions.feedexport import ItemFilter

from focuscrawl.show.cells import (
    cell,
    csv_head,
    element_name,
    mend,
    whole_csv_row,
    whole_json,
    xml_text,
)
from focuscrawl.stores.results_columns import Time, json_text, time_or_none, time_text
from focuscrawl.stores.results_schema import (
    ARTICLES,
    CHANGES,
    PAGES,
    POSTS,
    SCHEMA_VERSION,
    THREADS,
)
from focuscrawl.topic.feed_kinds import format_of
from focuscrawl.values import Article, Page, PageChange, Post, Record, Thread, record_class

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

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

FEED_ITEMS: dict[str, type[Any]] = {
    "article": Article,
    "page": Page,
    "change": PageChange,
    "thread": Thread,
    "post": Post,
}
"""Item classes by their names in a template; any other name is that of a record."""

TIMES = {
    kind: frozenset(column.name for column in table.columns if isinstance(column.type, Time))
    for kind, table in (
        (Article, ARTICLES),
        (Page, PAGES),
        (PageChange, CHANGES),
        (Thread, THREADS),
        (Post, POSTS),
    )
}
ENCODINGS = {"csv": "utf-8-sig"}
GZIP_PLUGIN = "scrapy.extensions.postprocessing.GzipPlugin"


class WithoutPages(ItemFilter):
    """All items but what is about pages, their rows of the log book and their changes: for feeds that
    name no items (``-o``)."""

    def accepts(self, item: Any) -> bool:
        """Say whether an item goes out."""
        return not isinstance(item, Page | PageChange) and super().accepts(item)


def switch_on_feeds(
    settings: BaseSettings, feeds: Mapping[str, Mapping[str, Any]], folder: Path
) -> None:
    """Set FEEDS from a template's ``output.feeds`` (unless the command line did) and complete it.

    ``folder`` is that of scrapy.cfg, beside which relative URIs lie; those of ``-o`` lie where the
    user stands, as with every command.
    """
    if feeds:
        settings.set("FEEDS", feed_settings(feeds, folder), priority="spider")
    given = settings.getdict("FEEDS")
    if given:
        complete = {uri: _completed(str(uri), options) for uri, options in given.items()}
        settings.set("FEEDS", complete, priority=settings.getpriority("FEEDS") or 0)


def feed_settings(
    feeds: Mapping[str, Mapping[str, Any]], folder: Path
) -> dict[str, dict[str, Any]]:
    """Return Scrapy's FEEDS for a template's ``output.feeds``."""
    return {
        _beside(folder, uri): _completed(uri, _options(options)) for uri, options in feeds.items()
    }


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    items = options.get("items") or ["article"]
    given = {key: value for key, value in options.items() if key != "items" and value is not None}
    given["item_classes"] = [FEED_ITEMS.get(name) or record_class(name) for name in items]
    of_records = given.pop("record_fields", ())
    if not given.get("fields"):
        ours = (FEED_ITEMS[name] for name in items if name in FEED_ITEMS)
        names = (field.name for kind in ours for field in fields(kind))
        given["fields"] = list(dict.fromkeys([*names, *of_records]))
    return given


def _completed(uri: str, options: Mapping[str, Any]) -> dict[str, Any]:
    complete = dict(options)
    form = complete.get("format") or format_of(uri)
    if form:  # else Scrapy says what is missing
        complete["format"] = form
    complete.setdefault("encoding", ENCODINGS.get(str(form), "utf-8"))
    if "item_classes" not in complete:
        complete.setdefault("item_filter", WithoutPages)
    if uri.endswith(".gz"):
        complete.setdefault("postprocessing", [GZIP_PLUGIN])
    return complete


def _beside(folder: Path, uri: str) -> str:
    if urlparse(uri).scheme or PureWindowsPath(uri).drive:
        return uri
    return str(folder / uri)


def plain_item(item: Any) -> Any:
    """Return our items as dicts with times as ISO 8601 UTC; items of others as they are."""
    if isinstance(item, Record):
        whole = {"url": item.url, "host": item.host, "complete": item.complete}
        return {**item.data, **whole, "extra": item.extra}
    for kind, times in TIMES.items():
        if isinstance(item, kind):
            return {
                field.name: _plain(getattr(item, field.name), field.name in times)
                for field in fields(item)
            }
    return item


def _plain(value: Any, is_time: bool) -> Any:
    if is_time:
        moment = time_or_none(value)
        return None if moment is None else time_text(moment)
    return value.value if isinstance(value, Enum) else value


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
