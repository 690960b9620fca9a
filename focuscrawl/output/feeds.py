"""Scrapy feeds as people and programs want them: CSV for spreadsheets, JSON, JSON lines, XML.

A feed is the stream of one run. What must not be missed is in the results database. In settings.py
stands ``FEED_EXPORTERS``; the spider calls ``switch_on_feeds`` in its ``from_crawler`` with the feeds
that its template names; those of the command line are completed.
"""

from __future__ import annotations

import asyncio
import csv
import logging
import os
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from io import TextIOWrapper
from pathlib import Path, PureWindowsPath
from typing import IO, TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlparse, urlsplit
from xml.sax.xmlreader import AttributesImpl

import msgspec
from itemadapter import ItemAdapter, is_item
from scrapy import signals
from scrapy.exporters import (
    BaseItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)
from scrapy.extensions.feedexport import FeedExporter, ItemFilter

from focuscrawl.config import own_features
from focuscrawl.features import rows_in_use
from focuscrawl.locale.messages import _
from focuscrawl.output.summary.cells import (
    cell,
    csv_head,
    mend,
    whole_csv_row,
    whole_json,
    xml_name,
    xml_text,
)
from focuscrawl.stores.results.columns import json_text
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.schema import SCHEMA_VERSION
from focuscrawl.template.files import masked
from focuscrawl.template.output import ENCODINGS, format_of
from focuscrawl.values import Page, PageChange, record_class

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

GZIP_PLUGIN = "scrapy.extensions.postprocessing.GzipPlugin"

FEED_WAIT = 60.0
"""Seconds for which the summary waits for feeds that are sent somewhere."""

NO_FILE = Path(os.devnull)
"""It holds nothing that a feed could go on with."""


def kinds_of(settings: BaseSettings) -> Kinds:
    """Return all kinds of rows there are. Raises ConfigError."""
    return Kinds.load(rows_in_use(own_features(settings, os.environ)))


def _nested(value: Any) -> Any:
    if is_item(value):
        return ItemAdapter(value).asdict()
    return [_nested(part) for part in value] if isinstance(value, (list, tuple)) else value


def _continued(file: IO[bytes]) -> Path:
    """Return the path of a local file that is appended to; NO_FILE for all other targets."""
    target = getattr(file, "file", None) or file  # what post-processing writes to
    name, mode = getattr(target, "name", None), getattr(target, "mode", "")
    return Path(name) if isinstance(name, str) and "a" in str(mode) else NO_FILE


class _Exporter(BaseItemExporter):
    """Knows what rows items become: a feed shows them as the results do."""

    kinds = Kinds.load(rows_in_use({}))

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        """Make it for a crawler, whose settings may name features of a user's own."""
        exporter = cls(*args, **options)
        exporter.kinds = kinds_of(crawler.settings)
        return exporter


class CsvExporter(_Exporter):
    """CSV for spreadsheets: byte order mark, CRLF, one head even when a later run appends.

    A file that exists keeps its columns: rows that do not fit under its head cannot be repaired.
    Columns it lacks are left out, with a warning.
    """

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        encoding = self.encoding or ENCODINGS["csv"]
        self._path = _continued(file)
        self._head = csv_head(self._path, encoding)
        if self._head:
            encoding = encoding.removesuffix("-sig")
        self._encoding = encoding
        self._stream = TextIOWrapper(
            file, encoding=encoding, errors="replace", newline="", write_through=True
        )
        self._writer = csv.writer(self._stream, lineterminator="\r\n")
        self._columns: list[str] = []

    def export_item(self, item: Any) -> None:
        """Write an item as a row, after the head when it is the first."""
        item = self.kinds.as_plain(item)
        if not self._columns:
            self._begin(item)
        values = dict(self.get_serialized_fields(item, default_value="", include_empty=True))
        self._writer.writerow([cell(_nested(values.get(name))) for name in self._columns])
        self._stream.flush()

    def finish_exporting(self) -> None:
        """Let the file go without closing it: it belongs to the feed's storage.

        One in which nothing has come has its head all the same, where it is known.
        """
        if not self._columns and not self._head and self.fields_to_export:
            self._begin(None)
        self._stream.detach()

    def _begin(self, item: Any) -> None:
        if not self.fields_to_export:
            self.fields_to_export = list(ItemAdapter(item).field_names())
        wanted = self.fields_to_export
        names = list(wanted.values() if isinstance(wanted, Mapping) else wanted)
        if not self._head:
            self._columns = names
            self._writer.writerow([cell(name) for name in names])
            return
        mend(self._path, b"\r\n", lambda line: whole_csv_row(line, self._encoding, len(self._head)))
        by_head = {cell(name): name for name in names}
        self._columns = [by_head.get(head, head) for head in self._head]
        missing = [name for name in names if name not in self._columns]
        if missing:
            logger.warning(
                _(
                    "Feed %s has no column %s, which is left out: rename the file, or set overwrite ="
                    " true, and the next run begins a new one"
                ),
                self._path,
                ", ".join(missing),
            )


class _Encoder:
    """JSON for Scrapy's exporters by the rules of the results: clean, Chinese readable.

    What the encoding of the feed cannot say is a question mark.
    """

    def __init__(self, encoding: str | None, indent: int | None) -> None:
        self._encoding = encoding or "utf-8"
        self._indent = indent

    def encode(self, value: Any) -> str:
        text = json_text(_nested(value))
        if self._indent:
            text = msgspec.json.format(text, indent=self._indent)
        return text.encode(self._encoding, "replace").decode(self._encoding)


class _Durable(_Exporter):
    """What stands before each of Scrapy's exporters: items are plain, and out before the next."""

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file, **options)  # type: ignore[call-arg, arg-type]
        self.encoder = _Encoder(self.encoding, self.indent)
        self._file, self._path = file, _continued(file)

    def export_item(self, item: Any) -> None:
        super().export_item(self.kinds.as_plain(item))  # type: ignore[safe-super]
        self._file.flush()


class JsonLinesExporter(_Durable, JsonLinesItemExporter):  # type: ignore[misc]
    """One JSON object a line, UTF-8 without mark, with the schema's number as ``_schema``."""

    def start_exporting(self) -> None:
        """Begin behind whole lines, just before the first item comes."""
        mend(self._path, b"\n", whole_json)
        super().start_exporting()

    def get_serialized_fields(self, *item: Any, **options: Any) -> Iterable[tuple[str, Any]]:
        """Go through the fields of an item, last the number of the schema."""
        yield from super().get_serialized_fields(*item, **options)
        yield "_schema", SCHEMA_VERSION


class JsonExporter(_Durable, JsonItemExporter):  # type: ignore[misc]
    """One JSON array; only complete when the run ended in peace."""


class XmlExporter(_Durable, XmlItemExporter):
    """XML whose element names are ours alone: the keys of dicts become attributes."""

    def _export_xml_field(self, name: str, serialized_value: Any, depth: int) -> None:
        self._element(xml_name(name), _nested(serialized_value))

    def _element(self, name: str, value: Any, **attributes: str) -> None:
        self.xg.startElement(name, AttributesImpl(attributes))
        if isinstance(value, Mapping):
            for inner, part in value.items():
                self._element("entry", part, key=xml_text(str(inner)))
        elif isinstance(value, (list, tuple, set, frozenset)):
            for part in value:
                self._element("value", part)
        else:
            self.xg.characters(xml_text(value))
        self.xg.endElement(name)


# Which feeds there are --------------------------------------------------------------------------


def uri_params(params: dict[str, Any], spider: Any) -> dict[str, Any]:
    """Return what may stand in the name of a feed: Scrapy's %(name)s and %(time)s, and %(worker)s."""
    return {**params, "worker": f"{socket.gethostname()}-{os.getpid()}"}


def one_for_all(settings: BaseSettings) -> str:
    """Return a feed into a file that has one name in all processes; "" when there is none."""
    for feed in map(str, settings.getdict("FEEDS")):
        is_file = urlparse(feed).scheme in ("", "file") or PureWindowsPath(feed).drive
        if is_file and "%(worker)s" not in feed:
            return feed
    return ""


def exporters(crawler: Crawler) -> list[FeedExporter]:
    """Return what writes the feeds of a crawl: nothing when it has none."""
    return [one for one in crawler.extensions.middlewares if isinstance(one, FeedExporter)]


class WrittenFeeds:
    """Notes which files feeds are really written to: each batch, and nothing that stayed empty and unwritten."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._written: list[str] = []
        self._closed = 0
        self._all_closed = asyncio.Event()
        crawler.signals.connect(self._slot_closed, signals.feed_slot_closed)
        crawler.signals.connect(self._exporter_closed, signals.feed_exporter_closed)

    def _slot_closed(self, slot: Any) -> None:
        self._written.append(file_of_feed(slot.uri))

    def _exporter_closed(self) -> None:
        self._closed += 1
        if self._closed >= len(exporters(self._crawler)):
            self._all_closed.set()

    async def names(self) -> list[str]:
        """Return them when all are written, or an upload has been waited for long enough."""
        if exporters(self._crawler):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._all_closed.wait(), FEED_WAIT)
        return list(dict.fromkeys(self._written))


def file_of_feed(uri: str) -> str:
    """Return where a feed lies: a file of this machine by its whole path, all else by its address."""
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return unquote(parts.path)
    is_file = not parts.scheme or PureWindowsPath(uri).drive
    return str(Path(uri).absolute()) if is_file else masked(uri)


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
        given = feed_settings(feeds, folder, kinds_of(settings))
        settings.set("FEEDS", given, priority="spider")
    given = settings.getdict("FEEDS")
    if given:
        complete = {uri: _completed(str(uri), options) for uri, options in given.items()}
        settings.set("FEEDS", complete, priority=settings.getpriority("FEEDS") or 0)


def feed_settings(
    feeds: Mapping[str, Mapping[str, Any]], folder: Path, kinds: Kinds
) -> dict[str, dict[str, Any]]:
    """Return Scrapy's FEEDS for a template's ``output.feeds``."""
    return {
        _beside(folder, uri): _completed(uri, _options(options, kinds))
        for uri, options in feeds.items()
    }


def _options(options: Mapping[str, Any], kinds: Kinds) -> dict[str, Any]:
    items = options.get("items") or ["article"]
    given = {key: value for key, value in options.items() if key != "items"}
    known = {name: kind.item for name, kind in kinds.feeds.items() if kind.item}
    given["item_classes"] = [known.get(name) or record_class(name) for name in items]
    of_records = given.pop("record_fields", ())
    if not given.get("fields"):
        ours = (known[name] for name in items if name in known)
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
