"""What the tables [article], [stories], [record.NAME] and [output] become."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

import regex

from focuscrawl.template.kinds.words import Words
from focuscrawl.topic.record_labels import LabelFinder
from focuscrawl.values import Selector


@dataclass(frozen=True, slots=True)
class Article:
    """[article]: what is kept. ``since`` is an age in seconds or an aware moment, ``files`` are
    endings of file names, small and without dot, and "image".
    """

    keep: Literal["relevant", "all", "none"]
    since: float | datetime | None
    min_length: int
    languages: tuple[str, ...]
    pages: int
    images: Literal["urls", "none"]
    files: tuple[str, ...]

    def oldest(self, now: float) -> float | None:
        """Return the wall time before which articles are not stored; None: all are."""
        if isinstance(self.since, datetime):
            return self.since.timestamp()
        return None if self.since is None else now - self.since


@dataclass(frozen=True, slots=True)
class Stories:
    """[stories]: what articles have in common (D). ``window`` is in seconds."""

    copies: Literal["join", "keep", "off"]
    events: bool
    window: float
    strict: bool


RecordFieldType = Literal[
    "text", "phone", "mobile", "fax", "email", "url", "zip", "qq", "wechat", "address", "number",
    "date", "code",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecordField:
    """One field of [record.NAME.fields]; ``places`` is the key ``from``."""

    name: str
    labels: Words
    type: RecordFieldType
    required: bool
    many: bool
    pattern: regex.Pattern[str] | None
    places: tuple[str | Selector, ...]


@dataclass(frozen=True)
class Record:
    """One [record.NAME]: what is read of which pages."""

    name: str
    pages: Literal["last-layer", "relevant", "all"]
    one_per: Literal["block", "page", "site"]
    key: tuple[str, ...]
    strict: bool
    fields: tuple[RecordField, ...]

    @cached_property
    def find_labels(self) -> LabelFinder:
        """What finds the labels of all fields in a text."""
        return LabelFinder({field.name: field.labels for field in self.fields})


@dataclass(frozen=True, slots=True)
class Feed:
    """One [output.feeds."URI"]. ``fields`` maps columns to their titles; None: all."""

    uri: str
    format: str
    items: tuple[str, ...]
    fields: dict[str, str] | None
    encoding: str
    overwrite: bool
    batch_item_count: int


@dataclass(frozen=True, slots=True)
class Output:
    """[output]: what is stored. ``keep`` is in seconds."""

    text: Literal["full", "lead", "none"]
    history: Literal["diff", "full", "none"]
    keep: float
    feeds: tuple[Feed, ...]
