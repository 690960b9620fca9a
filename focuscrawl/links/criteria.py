"""What pages are judged by in one run, and what those who read them share of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.pages.document import Document
from focuscrawl.pages.feeds import Feed, Sitemap
from focuscrawl.pages.kind import PageKind
from focuscrawl.pages.links import FoundLink
from focuscrawl.values import Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template


_FOUND_OUT = frozenset({None, PageClass.OTHER, PageClass.FEED, PageClass.SITEMAP, PageClass.THREAD})
"""What a page was taken for when it is still to be found out what it is."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What pages are judged by: the topic, its rules for links, its sources by id."""

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]


@dataclass(slots=True)
class OpenPage:
    """A page of HTML before those who read it.

    ``hint`` is the class it was queued as, ``by_template`` the one the template gives its address,
    ``kind`` what it was found to be. ``row`` is its row of the log book. ``left`` is what a reader
    leaves for its own next step, by its name. ``is_list``: nobody has judged it, so its links count.
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
        return self.hint in _FOUND_OUT


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
