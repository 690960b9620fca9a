"""What pages are judged by in one run: what those who read them share, what a list leads to, what is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.features.articles.table import ArticleTable
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.readers.links.admission_rules import is_last
from focuscrawl.readers.links.continuations import selectors_of, told_apart
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.readers.pages.content import Fetched, Judged, page_of
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.feeds.feeds import Feed, read_feed
from focuscrawl.readers.pages.feeds.sitemaps import Sitemap, read_sitemap
from focuscrawl.readers.pages.kind import PageKind
from focuscrawl.readers.pages.links import SHORTEST_ENTRY, FoundLink, entry_dates
from focuscrawl.readers.pages.markup.script_pager import shows_more
from focuscrawl.readers.relevance.scores import PageScore, PageScorer
from focuscrawl.values import Link, LinkBatch, Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template


_GUESSED_CLASSES = frozenset(
    {None, PageClass.OTHER, PageClass.FEED, PageClass.SITEMAP, PageClass.THREAD}
)
"""What a page was taken for when it is still to be found out what it is."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What pages are judged by: the topic, its rules for links, its sources by id."""

    template: Template
    rules: AdmissionRules
    sources: dict[str, Source]


@dataclass(slots=True)
class OpenPage:
    """A page of HTML before those who read it.

    ``hint`` is the class it was queued as, ``by_template`` the one the template gives its address,
    ``kind`` what it was found to be. ``row`` is its row of the log book. ``left`` is what a reader
    leaves for its own next step, by its name. ``is_list``: no reader has judged it, so its links count.
    ``dated`` are those who find dates (PageReader.is_dated).
    """

    fetched: Fetched
    waiting: Waiting
    criteria: Criteria
    document: Document
    links: Sequence[FoundLink]
    hint: PageClass | None
    by_template: PageClass | None
    kind: PageKind
    row: Page
    left: dict[str, Any] = field(default_factory=dict)
    is_list: bool = False
    dated: Sequence[Callable[[OpenPage], bool]] = ()

    def is_dated(self) -> bool:
        """Whether it has a date as an article has one."""
        return any(ask(self) for ask in self.dated)

    @property
    def is_found_out(self) -> bool:
        """Whether it is still to be found out what a page is: nothing tells but the page itself."""
        return self.hint in _GUESSED_CLASSES


class PageReader:
    """What one feature reads from pages; it knows no store, no clock and nothing of a run.

    The first that takes an answer, recognises a page, or judges it has it; ``add`` and
    ``add_to_feed`` are called of all, in their order.
    """

    def __init__(self, criteria: Criteria) -> None:
        self.criteria = criteria

    def take(self, fetched: Fetched, waiting: Waiting, found: PageClass | None) -> Judged | None:
        """Judge an answer that is no page to be read; ``found`` is what its bytes say it is."""
        return None

    def recognise(self, page: OpenPage) -> PageKind | None:
        """Return what a page is, when its looks say so. Its ``kind`` and ``row`` are not known yet."""
        return None

    def is_dated(self, page: OpenPage) -> bool:
        """Whether a page has a date as an article has one; asked of few."""
        return False

    def judge(self, page: OpenPage) -> Judged | None:
        """Judge a page of a class that is this feature's; None: it is not. Others are lists."""
        return None

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Add to what was judged what else the page holds."""

    def add_to_feed(
        self, feed: Feed | Sitemap, fetched: Fetched, waiting: Waiting, judged: Judged
    ) -> None:
        """Add to what was judged what a feed or sitemap says besides its links."""


# Lists ---------------------------------------------------------------------------------------------


MOST_INSIDE = 100
"""Sitemaps that are taken from an index which another index has named."""

FEWEST_DATES = 3
"""Entries with a date that a board must show to be taken for an old one."""


def judge_list(page: OpenPage) -> Judged:
    """Judge a page of links, or one that is neither that nor an article."""
    fetched, waiting, row = page.fetched, page.waiting, page.row
    template, document, links = page.criteria.template, page.document, page.links
    row.outcome = "list"
    selectors = selectors_of(template, waiting.site)
    ordinary, continuations, missed, _ = told_apart(document, links, row.page_class, selectors)
    if _is_past(links, template, fetched.at):
        continuations = ()
    promise, relevant = 0.0, False
    if template.of(ExploreTable).enabled:  # else what the links of a list promise is not used
        found_words = " ".join(link.anchor for link in links)
        score = template.once(PageScorer.of).score(document.title, found_words)
        promise, relevant = score.score, score.relevant
    batch = LinkBatch(
        row.page_class,
        ordinary,
        continuations,
        until_known=not waiting.first_walk
        and template.site(waiting.site).of(FollowTable).paging == "until-known",
        score=promise,
        relevant=relevant,
        title=document.title,
    )
    judged = Judged(row, batch, why=page.kind.reason, missed=missed)
    if not continuations and row.page_class is PageClass.BOARD and shows_more(document):
        judged.goes_on_after = sum(len(link.anchor) >= SHORTEST_ENTRY for link in links)
    return judged


def _is_past(links: Sequence[FoundLink], template: Template, now: float) -> bool:
    """Whether all entries of a board are older than article.since: its further pages are, too."""
    oldest = template.of(ArticleTable).oldest(now)
    if oldest is None:
        return False
    dates = entry_dates(links, timezone=str(template.topic.timezone), now=now)
    return len(dates) >= FEWEST_DATES and max(dates) < oldest


def judge_feed(
    fetched: Fetched, waiting: Waiting, criteria: Criteria, page_class: PageClass
) -> tuple[Judged, Feed | Sitemap]:
    """Judge a feed or a sitemap; returns what it says, too."""
    page = page_of(fetched, waiting, page_class)
    page.outcome = "list"
    oldest = criteria.template.of(ArticleTable).oldest(fetched.at)
    read: Feed | Sitemap
    further_pages: tuple[Link, ...] = ()
    if page_class is PageClass.FEED:
        read = feed = read_feed(
            fetched.body,
            fetched.url,
            content_type=fetched.content_type,
            timezone=str(criteria.template.topic.timezone),
            now=fetched.at,
        )
        links = [
            Link(entry.url, entry.title, PageClass.ARTICLE, published=entry.published)
            for entry in feed.entries
        ]
        if feed.following:
            further_pages = (Link(feed.following, page_class=PageClass.PAGING),)
    else:
        read = sitemap = read_sitemap(
            fetched.body, fetched.url, content_type=fetched.content_type, now=fetched.at
        )
        further = sitemap.sitemaps
        if waiting.page_number > 1:  # an index in an index, which the protocol does not know
            further = further[:MOST_INSIDE]
        links = [Link(url, page_class=PageClass.SITEMAP) for url in further]
        links += [Link(entry.url, published=entry.modified) for entry in sitemap.pages]
    if oldest is not None and page_class is PageClass.FEED:
        links = [link for link in links if link.published is None or link.published >= oldest]
    page.reason = read.problem[:40]
    batch = LinkBatch(page_class, tuple(links), further_pages)
    return Judged(page, batch, why=read.problem or "its content"), read


# Whether a text is about the topic, and whether it is kept -----------------------------------------


class Content(NamedTuple):
    """What is judged of an article: ``layer`` as in Waiting, ``published`` in seconds since 1970.
    ``has_files``: images, or attachments that it names.
    """

    title: str
    text: str
    published: float | None
    language: str
    has_files: bool
    layer: int


class PageVerdict(NamedTuple):
    """The score, and what the log book says: ``outcome`` "stored" and no reason, or why not."""

    score: PageScore
    outcome: str
    reason: str


def verdict_of(
    content: Content, template: Template, source: Source | None, site: str, now: float
) -> PageVerdict:
    """Judge an article of a site that came through a source; ``now`` is when it was fetched."""
    score = template.once(PageScorer.of).score(content.title, content.text)
    everything = (source is not None and source.relevant == "all") or (
        template.site(site).relevant == "all"
    )
    if everything:
        score = score._replace(relevant=True, reason="")
    return PageVerdict(score, *_kept(template, score, content, now))


def _kept(template: Template, score: PageScore, content: Content, now: float) -> tuple[str, str]:
    rules = template.of(ArticleTable)
    if rules.keep == "none":
        return "irrelevant", "article.keep"
    if not is_last(content.layer, template.of(FollowTable).layers):
        return "irrelevant", "layer"
    if not score.relevant and rules.keep != "all":
        return "irrelevant", score.reason
    oldest = rules.oldest(now)
    if oldest is not None and content.published is not None and content.published < oldest:
        return "old", "article.since"
    if len(content.text) < rules.min_length and not content.has_files:
        return "short", "article.min_length"
    if rules.languages and content.language and content.language not in rules.languages:
        return "irrelevant", f"language:{content.language}"
    return "stored", ""


def may_change(verdict: PageVerdict) -> bool:
    """Whether more text of the same article could lead to another verdict, or is to be kept."""
    is_irrelevant = verdict.outcome == "irrelevant" and verdict.reason == verdict.score.reason
    return verdict.outcome in {"stored", "short"} or is_irrelevant
