"""What a crawl hands to the results, and how it becomes rows. Times are seconds since 1970 UTC."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from focuscrawl.results.columns import clean_text, cut, time_or_none
from focuscrawl.store.protocol import StoryArticle, StoryState
from focuscrawl.values import (
    Article,
    File,
    Json,
    Page,
    PageChange,
    PageClass,
    Post,
    Record,
    Thread,
    ThreadCounts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TextKept = Literal["full", "lead", "none"]
"""``output.text`` of the template: what is stored of an article's text."""

_LEAD = 300
"""Characters of an article's beginning in their own column."""

END_REASONS = frozenset(
    {
        "finished",
        "nothing_due",
        "limit_pages",
        "limit_articles",
        "limit_errors",
        "limit_time",
        "outside_hours",
        "shutdown",
        "empty",
        "search_blocked",
        "sites_unreachable",
        "only_errors",
        "store_error",
        "crashed",
    }
)
"""Why a crawl ends, as written in ``crawl_runs.end_reason``."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """What is known of a site. Counters are totals; None leaves what is stored."""

    host: str
    state: str = "unknown"
    evidence: Json | None = None
    until: float | None = None
    pages: int | None = None
    relevant: int | None = None
    articles: int | None = None
    errors: int | None = None
    delay_s: float | None = None
    delay_from: str | None = None
    last_ok: float | None = None
    last_error: str | None = None
    updated: float | None = None


@dataclass(frozen=True, slots=True)
class RunStart:
    """What is known of a run when it begins. ``template`` names secrets as env:NAME only."""

    run_id: str
    template: str
    versions: Json
    job: str = ""
    worker: str = ""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run's counters so far; ``counters`` are those without a column, e.g. ``refused/allow``."""

    requests: int = 0
    pages: int = 0
    articles_new: int = 0
    articles_changed: int = 0
    records_new: int = 0
    gone: int = 0
    duplicates: int = 0
    errors: int = 0
    bytes: int = 0
    counters: Json = field(default_factory=dict)


@dataclass(slots=True)
class ResultBatch:
    """Everything one commit window adds to the results; written as a whole or not at all.

    ``seeds`` are rows of the table seeds (topic.seeds.Seed.rows). ``series`` holds (moment, name,
    value); the moment is cut to its minute. ``gone`` says by page since when it is gone (None: it
    is back), ``record_visits`` at which visit a page was found to say something else of a record.
    """

    pages: Sequence[Page] = ()
    articles: Sequence[Article] = ()
    sites: Sequence[SiteRow] = ()
    seeds: Sequence[dict[str, Any]] = ()
    series: Sequence[tuple[float, str, float]] = ()
    run: RunRow | None = None
    records: Sequence[Record] = ()
    stories: Sequence[StoryState] = ()
    members: Sequence[StoryArticle] = ()
    changes: Sequence[PageChange] = ()
    gone: Mapping[str, float | None] = field(default_factory=dict)
    record_visits: Mapping[tuple[str, str], int] = field(default_factory=dict)
    threads: Sequence[Thread] = ()
    posts: Sequence[Post] = ()
    counts: Sequence[ThreadCounts] = ()
    files: Sequence[File] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(
            self.pages
            or self.articles
            or self.records
            or self.threads
            or self.posts
            or self.counts
            or self.files
            or self.stories
            or self.members
            or self.sites
            or self.seeds
            or self.series
            or self.changes
            or self.gone
            or self.run is not None
        )


class LeftOut(NamedTuple):
    """A row that the database cannot take: ``of`` is what it is about, an address or a key."""

    table: str
    of: str
    why: str


@dataclass(frozen=True, slots=True)
class Written:
    """Keys of the articles that were new, of those whose text had changed, and of those that had
    missed a part and are whole now. Records are told by type and id, threads by their key.
    ``left_out`` are rows that were not written.
    """

    new: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    completed: frozenset[str] = frozenset()
    records_new: frozenset[tuple[str, str]] = frozenset()
    records_changed: frozenset[tuple[str, str]] = frozenset()
    threads_new: frozenset[str] = frozenset()
    left_out: tuple[LeftOut, ...] = ()

    def __add__(self, later: Written) -> Written:
        """Return what was written by two writings of one window: what is new is not changed, too."""
        return Written(
            self.new | later.new,
            self.changed | (later.changed - self.new),
            self.completed | (later.completed - self.new),
            self.records_new | later.records_new,
            self.records_changed | (later.records_changed - self.records_new),
            self.threads_new | later.threads_new,
            self.left_out + later.left_out,
        )


def new_run_id(started: float, random_bits: int) -> str:
    """Return ``20261120T013000-a1b2c3`` for a start time and 24 random bits."""
    moment = datetime.fromtimestamp(started, UTC)
    return f"{moment:%Y%m%dT%H%M%S}-{random_bits & 0xFFFFFF:06x}"


def text_md5(text: str) -> str:
    """Return the MD5 of the normalised text: NFKC, without white space.

    So a page that is laid out anew, or writes full-width digits, has not changed.
    """
    normal = "".join(unicodedata.normalize("NFKC", clean_text(text)).split())
    return hashlib.md5(normal.encode()).hexdigest()


def page_row(topic: str, page: Page) -> dict[str, Any]:
    """Return the row of one visit; the database adds the visit to those before it."""
    fetched = page.last_fetched
    return {
        "topic": topic,
        "url_key": page.url_key,
        "url": page.url,
        "host": page.host,
        "page_class": page.page_class.value,
        "level": page.level,
        "step": page.step,
        "source_id": page.source_id or None,
        "parent_key": page.parent_key or None,
        "anchor": page.anchor or None,
        "first_seen": page.first_seen or fetched or 0.0,
        "first_fetched": fetched,
        "last_fetched": fetched,
        "visits": 0 if fetched is None else 1,
        "changes": page.changes,
        "last_changed": page.last_changed,
        "next_visit": page.next_visit,
        "gone_at": page.gone_at,
        "status": page.status,
        "outcome": page.outcome,
        "reason": page.reason or None,
        "score": page.score,
        "relevant": page.relevant,
        "title": page.title or None,
        "content_type": page.content_type or None,
        "bytes": page.bytes,
        "encoding": page.encoding or None,
        "run_id": page.run_id or None,
    }


def article_row(
    topic: str, article: Article, *, run_id: str | None, text: TextKept
) -> dict[str, Any]:
    """Return the row of an article as if it were new; the database keeps ``found`` and counts."""
    body = clean_text(article.text)
    return {
        "topic": topic,
        "url_key": article.url_key,
        "url": article.url,
        "host": article.host,
        "title": article.title,
        "text": body if text == "full" else None,
        "lead": None if text == "none" else cut(body, _LEAD),
        "published": time_or_none(article.published),
        "published_raw": article.published_raw or None,
        "published_by": article.published_by or None,
        "source_name": article.source_name or None,
        "author": article.author or None,
        "language": article.language or None,
        "tags": article.tags,
        "keywords": article.keywords,
        "hits": article.hits,
        "score": article.score,
        "images": article.images,
        "files": article.files,
        "page_count": article.page_count,
        "complete": article.complete,
        "length": len(body),
        "text_md5": text_md5(body),
        "story_id": article.story_id or None,
        "is_copy": article.is_copy,
        "version": 1,
        "fetched": article.fetched,
        "found": article.fetched,
        "updated": article.fetched,
        "source_id": article.source_id or None,
        "run_id": run_id,
        "extra": article.extra or None,
    }


def site_row(topic: str, site: SiteRow) -> dict[str, Any]:
    """Return the row of a site."""
    return {"topic": topic, **asdict(site)}


def run_counters(run: RunRow) -> dict[str, Any]:
    """Return the counter columns of a run."""
    return asdict(run)


PAGE_COLUMNS = tuple(page_row("", Page("", "", "", PageClass.OTHER, "")))
ARTICLE_COLUMNS = tuple(article_row("", Article("", "", "", "", ""), run_id=None, text="none"))
SITE_COLUMNS = tuple(site_row("", SiteRow("")))
SEED_COLUMNS = (
    "topic",
    "engine",
    "query",
    "url_key",
    "url",
    "rank",
    "title",
    "snippet",
    "dated",
    "first_found",
    "last_found",
    "missing_since",
    "state",
    "useful",
)
SERIES_COLUMNS = ("topic", "minute", "name", "value")


FILE_COLUMNS = (
    "topic",
    "file_key",
    "url",
    "parent_key",
    "sha256",
    "content_type",
    "bytes",
    "fetched",
)


def file_row(topic: str, file: File) -> dict[str, Any]:
    """Return the row of a file."""
    return {
        "topic": topic,
        "file_key": file.file_key,
        "url": file.url,
        "parent_key": file.parent_key,
        "sha256": file.sha256,
        "content_type": file.content_type or None,
        "bytes": file.bytes,
        "fetched": file.fetched,
    }
