"""An answer and what is made of it: the values of the judge, and the rows every answer gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.parts import Piece
from focuscrawl.pages.encodings import Encoding
from focuscrawl.values import Article, File, LinkBatch, Page, PageClass, Record, Waiting

if TYPE_CHECKING:
    from focuscrawl.forums.threads.walks import Read, Walk
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.table import Source
    from focuscrawl.topic.template import Template


class Fetched(NamedTuple):
    """An answer: ``content_type`` is its header, ``at`` wall time.

    ``encoding`` is what the body was found to be written in; None: not asked yet. ``robots`` are its
    X-Robots-Tag headers, separated by line feeds.
    """

    url: str
    status: int
    body: bytes
    content_type: str
    at: float
    encoding: Encoding | None = None
    robots: str = ""


@dataclass(frozen=True, slots=True)
class Judging:
    """What pages are judged by in one run. ``walks`` are threads being read, by key (A9)."""

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    walks: Mapping[bytes, Walk] = field(default_factory=dict)


class Judged(NamedTuple):
    """What a page gave: its row, its links, perhaps an article, perhaps records.

    ``why`` says in words how the class was found; ``by_pattern``: it was a close call that the learnt
    pattern of its address decided, so it teaches none. ``missed`` names the site's selectors that found
    nothing on it, ``beyond`` the counts that are too large to be any. ``is_scripted``: scripts fill it, which
    nobody runs. ``ignored`` are the lines that never count as a change. ``piece`` is what it gives to an article of
    several pages; then there is no ``article`` yet. ``read`` is what it gives to its thread. ``part`` is the URL as what it has shown itself to
    be: a later page of an article that nobody knew. ``shown`` is a digest of what it shows, b"" where
    nothing is learnt by it.
    """

    page: Page
    batch: LinkBatch | None = None
    article: Article | None = None
    why: str = ""
    piece: Piece | None = None
    records: tuple[Record, ...] = ()
    part: Waiting | None = None
    missed: tuple[str, ...] = ()
    read: Read | None = None
    ignored: tuple[str, ...] = ()
    by_pattern: bool = False
    is_scripted: bool = False
    beyond: tuple[str, ...] = ()
    file: File | None = None
    shown: bytes = b""


def page_of(fetched: Fetched, waiting: Waiting, page_class: PageClass) -> Page:
    """Return the row of the log book for an answer, its outcome still to be found."""
    return Page(
        url_key=waiting.key.hex(),
        url=waiting.url,
        host=waiting.site,
        page_class=page_class,
        outcome="list",
        level=waiting.level,
        source_id=waiting.source_id,
        parent_key=waiting.parent_key.hex(),
        anchor=waiting.anchor,
        first_seen=fetched.at,
        last_fetched=fetched.at,
        status=fetched.status,
        content_type=fetched.content_type,
        bytes=len(fetched.body),
    )
