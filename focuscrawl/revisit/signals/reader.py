"""What lists, feeds and sitemaps say of the pages they lead to, read with their links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.links.criteria import Criteria, OpenPage, PageReader
from focuscrawl.pages.content import Fetched, Judged, page_of
from focuscrawl.pages.feeds import Feed, Sitemap, named_by_page, told_by_feed, told_by_sitemap
from focuscrawl.pages.links import FoundLink, dated_entries
from focuscrawl.revisit.signals.files import only_signals
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.values import DatedLink, PageClass, Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.template.template import Template


class SignalReader(PageReader):
    """Reads what lists, feeds and sitemaps say of the pages they lead to."""

    def __init__(self, criteria: Criteria) -> None:
        super().__init__(criteria)
        self._are_heard = criteria.template.of(RevisitTable).hears_signals

    def take(self, fetched: Fetched, waiting: Waiting, found: PageClass | None) -> Judged | None:
        """Take a file that a site names as a feed or sitemap, and that is none."""
        is_list = found in (PageClass.FEED, PageClass.SITEMAP)
        if is_list or not is_signal_file(waiting.source_id):
            return None
        row = page_of(fetched, waiting, PageClass.OTHER)
        row.outcome, row.reason = "refused", "no feed and no sitemap"
        return Judged(row, why="a site names it as a feed or a sitemap")

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Add the dates beside the links of a board that is read again, and files a page names."""
        if not (self._are_heard and page.is_list and judged.batch is not None):
            return
        is_again = page.row.page_class is PageClass.BOARD and not page.waiting.first_walk
        template = self.criteria.template
        judged.batch = replace(
            judged.batch,
            told=_told_by_board(page.links, template, page.fetched.at) if is_again else (),
            signal_files=named_by_page(page.document),
        )

    def add_to_feed(
        self, feed: Feed | Sitemap, fetched: Fetched, waiting: Waiting, judged: Judged
    ) -> None:
        """Add what a feed or sitemap says of its pages; of a file that is read for it take only that."""
        if judged.batch is None:
            return
        if self._are_heard:
            told = told_by_feed(feed) if isinstance(feed, Feed) else told_by_sitemap(feed)
            judged.batch = replace(judged.batch, told=told)
        if is_signal_file(waiting.source_id):
            judged.batch = only_signals(judged.batch)


def _told_by_board(
    links: Sequence[FoundLink], template: Template, now: float
) -> tuple[DatedLink, ...]:
    """Return the dates that a board shows beside its links."""
    dated = dated_entries(links, timezone=str(template.topic.timezone), now=now)
    return tuple(DatedLink(link.url, date.seconds, precision=date.unit) for link, date in dated)
