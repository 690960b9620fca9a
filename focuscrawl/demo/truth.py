"""What the demo web knows of itself: for every address what is really there. Values only."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from typing import NamedTuple

from focuscrawl.values import PageClass

CHINA_TIME = timezone(timedelta(hours=8))
DAY_ZERO = datetime(2026, 6, 1, 8, tzinfo=CHINA_TIME)
"""The demo web's clock starts here; its day may have a fraction (1.5 is the next evening at eight)."""

PART_BREAK = "\n"


def moment(day: float) -> datetime:
    """Return the date of a virtual day, to the minute."""
    return (DAY_ZERO + timedelta(days=day)).replace(second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class ArticleTruth:
    """An article as it should be stored.

    ``parts`` holds the text of each of its pages, paragraphs separated by a line feed.
    ``published`` is None for an article that shows no date. ``copy_of`` is the address of the
    article it was copied from, ``event`` names what it tells, ``version`` counts its changes.
    """

    url: str
    title: str
    parts: tuple[str, ...]
    part_urls: tuple[str, ...]
    relevant: bool
    published: datetime | None = None
    source_name: str = ""
    author: str = ""
    event: str = ""
    copy_of: str = ""
    version: int = 1

    @property
    def text(self) -> str:
        """The whole text, all parts joined."""
        return PART_BREAK.join(self.parts)


class PostTruth(NamedTuple):
    """One post of a thread; number 1 opens it."""

    number: int
    author: str
    posted: datetime
    text: str


@dataclass(frozen=True, slots=True)
class ThreadTruth:
    """A forum thread with the posts written so far; ``replies`` is what its board shows."""

    url: str
    title: str
    author: str
    posts: tuple[PostTruth, ...]
    views: int
    relevant: bool

    @property
    def replies(self) -> int:
        """Number of posts after the first."""
        return len(self.posts) - 1


@dataclass(frozen=True, slots=True)
class RecordTruth:
    """A company's record: field → value (a list where a field may have several)."""

    url: str
    fields: dict[str, str | list[str]]


class Fault(StrEnum):
    """A way for an answer to go wrong."""

    ERROR = "500"
    UNAVAILABLE = "503"
    TOO_MANY = "429"
    SILENT = "silent"
    SHORT = "short"
    DROPPED = "dropped"


class Trouble(NamedTuple):
    """The first ``times`` answers of a page go wrong in this way; None means all of them."""

    fault: Fault
    times: int | None


class ChangeTruth(NamedTuple):
    """A planted change: minor, major, gone or back on ``day``, new for a page that appears."""

    url: str
    day: float
    kind: str


@dataclass(frozen=True, slots=True)
class Page:
    """What is at an address, and how it is sent.

    ``body`` is in the encoding it is really in, ``encoding`` names that one, ``content_type``
    may lie about it. ``links`` are the targets of ``<a href>`` (of a feed or sitemap: its entries),
    absolute and canonical, in page order. ``robots`` is False where robots.txt forbids the page.
    ``part`` says which part of its article a page shows, 0 is all of them on one page.
    ``trap`` marks pages of which there is no end. ``delay`` is in seconds.
    """

    url: str
    page_class: PageClass
    body: bytes
    links: tuple[str, ...] = ()
    status: int = 200
    title: str = ""
    encoding: str = "utf-8"
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    relevant: bool = False
    redirect: str = ""
    article: ArticleTruth | None = None
    part: int = 1
    thread: ThreadTruth | None = None
    record: RecordTruth | None = None
    robots: bool = True
    trap: bool = False
    trouble: Trouble | None = None
    delay: float = 0.0
    changed: float = 0.0
    """The virtual day of the last change, for Last-Modified and ETag; only kept when ``etag``."""
    etag: bool = field(default=False)
