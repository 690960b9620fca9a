"""Scrapy's FEEDS for what a template says of feeds; those of the command line are completed.

The spider calls ``switch_on_feeds`` in its ``from_crawler`` with what the template says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from scrapy.extensions.feedexport import ItemFilter

from focuscrawl.features import ROWS
from focuscrawl.template.output import ENCODINGS, format_of
from focuscrawl.values import Page, PageChange, record_class

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

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
    from focuscrawl.results.kind import Kinds  # noqa: PLC0415 - `scrapy list` needs no SQL

    kinds = Kinds.load(ROWS).feeds
    known = {name: kind.item for name, kind in kinds.items() if kind.item}
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
