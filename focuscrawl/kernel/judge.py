"""What becomes of a fetched page: its class first, then all who read pages, then what they found.

``life_of_page`` is the order of everything that happens between a page's answer and its links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.feature import HeldPage
from focuscrawl.readers.links.criteria import Criteria, OpenPage, PageReader, judge_feed, judge_list
from focuscrawl.readers.pages.content import Fetched, Judged, page_of, sniff
from focuscrawl.readers.pages.document import Document, text_digest
from focuscrawl.readers.pages.kind import PageKind, needs_script, page_kind
from focuscrawl.readers.pages.links import MOST_LINKS, FoundLink, find_links
from focuscrawl.readers.text.characters import without_unseen
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Hooks
    from focuscrawl.kernel.flight import Flight

OK = 200
WITHOUT_TEXT = frozenset({"list", "short", "irrelevant"})
MOST_LINKS_OF_A_FRAME = 10
"""Links of a page that only scripts fill; lists have more."""

_CLASS_OF_PART = {PageClass.PAGING: PageClass.BOARD, PageClass.ARTICLE_PAGING: PageClass.ARTICLE}
_TO_COME = PageKind(PageClass.OTHER, "")
_NO_ROW = Page("", "", "", PageClass.OTHER, "", 0)


class Judge:
    """Judges the pages of one run. ``readers`` have their turn in this order."""

    def __init__(self, criteria: Criteria, readers: Iterable[PageReader]) -> None:
        self.criteria = criteria
        readers = tuple(readers)
        self._take = [one.take for one in readers if type(one).take is not PageReader.take]
        self._recognise = [
            one.recognise for one in readers if type(one).recognise is not PageReader.recognise
        ]
        self._dated = [
            one.is_dated for one in readers if type(one).is_dated is not PageReader.is_dated
        ]
        self._judge = [one.judge for one in readers if type(one).judge is not PageReader.judge]
        self._add = [one.add for one in readers if type(one).add is not PageReader.add]
        self._add_to_feed = [
            one.add_to_feed
            for one in readers
            if type(one).add_to_feed is not PageReader.add_to_feed
        ]

    def judge(self, fetched: Fetched, waiting: Waiting) -> Judged:
        """Judge an answer. A page that is nothing we read is noted and left."""
        by_template = self.criteria.rules.look(fetched.url).page_class
        hint = _hint(by_template, waiting.page_class)
        found = sniff(fetched.body, fetched.content_type, fetched.url)
        for take in self._take:
            if taken := take(fetched, waiting, found):
                return taken
        if found in (PageClass.FEED, PageClass.SITEMAP):
            judged, feed = judge_feed(fetched, waiting, self.criteria, found)
            for add in self._add_to_feed:
                add(feed, fetched, waiting, judged)
            return judged
        if found is PageClass.FILE:
            row = page_of(fetched, waiting, hint or PageClass.FILE)
            row.outcome, row.reason = "refused", "content type"
            return Judged(row, why=f"not text: {fetched.content_type or 'unknown type'}")
        return self._read(self._open(fetched, waiting, hint, by_template))

    def _open(
        self,
        fetched: Fetched,
        waiting: Waiting,
        hint: PageClass | None,
        by_template: PageClass | None,
    ) -> OpenPage:
        """Parse a page and find out what it is."""
        document = Document.read(
            fetched.body,
            url=fetched.url,
            content_type=fetched.content_type,
            forced=self.criteria.template.site(host_of(waiting.site)).encoding,
            found=fetched.encoding,
        )
        links = find_links(document, fetched.robots)
        page = OpenPage(
            *(fetched, waiting, self.criteria, document, links, hint, by_template),
            kind=_TO_COME,
            row=_NO_ROW,
            dated=self._dated,
        )
        for recognise in self._recognise:
            if kind := recognise(page):
                break
        else:
            learnt = self._learnt(waiting)
            if not hint or page.is_found_out or _is_doubtful(waiting, by_template, learnt):
                kind = page_kind(document, links, learnt)
            else:
                kind = PageKind(hint, "template" if by_template else "link or source")
        page.kind = kind
        page.row = page_of(fetched, waiting, kind.page_class)
        page.row.title = without_unseen(document.title)
        page.row.encoding = document.encoding + ("!" if document.contradicts else "")
        return page

    def _read(self, page: OpenPage) -> Judged:
        row, document, links = page.row, page.document, page.links
        for judge in self._judge:
            if judged := judge(page):
                break
        else:
            page.is_list = True
            judged = judge_list(page)
        without_text = len(links) < MOST_LINKS_OF_A_FRAME and row.outcome in WITHOUT_TEXT
        judged.is_scripted = without_text and needs_script(document)
        if page.waiting.first_walk and page.fetched.status == OK:
            judged.shown = text_digest(document)
        judged.by_pattern = page.kind.by_pattern
        for add in self._add:
            add(page, judged)
        row.reason = "; ".join(filter(None, (row.reason, _what_was_cut(document, links))))
        return judged

    def _learnt(self, waiting: Waiting) -> PageClass | None:
        """Return what pages of such an address were on the site of a page."""
        patterns = self.criteria.rules.patterns
        return patterns.class_of(waiting.url, waiting.site).page_class if patterns else None


def _is_doubtful(waiting: Waiting, by_template: PageClass | None, learnt: PageClass | None) -> bool:
    """Whether a page was read as a list before it was known that its address is one of articles.

    Neither the template nor a source names it a list.
    """
    if by_template or waiting.page_class is not PageClass.BOARD:
        return False
    return bool(waiting.parent_key) and learnt is PageClass.ARTICLE


def _what_was_cut(document: Document, links: Sequence[FoundLink]) -> str:
    """Say what of a page was not read; "" for nearly every page."""
    if document.limits:
        return document.limits[0]
    return f"cut: first {MOST_LINKS} links taken" if len(links) >= MOST_LINKS else ""


def _hint(by_template: PageClass | None, by_link: PageClass | None) -> PageClass | None:
    """Return the class a page is taken for: the template's, but page 2 of its boards stays that."""
    is_part = by_link in _CLASS_OF_PART and _CLASS_OF_PART[by_link] is by_template
    return by_link if is_part else by_template or by_link


def life_of_page(
    judge: Judge,
    hooks: Hooks,
    flight: Flight,
    fetched: Fetched,
    step_of: Callable[[bool, int], int],
) -> Iterator[Any]:
    """Go through what a page gives: a HeldPage while it is doubted, items, its row, its links last.

    ``step_of`` says how many irrelevant pages in a row end with it (``features.explore.explorer.step_of``): rows
    of every crawl have that, whether it explores or not, and the kernel knows no feature.
    """
    for correct in hooks.correct_url:
        correct(flight)
    judged = judge.judge(fetched, flight.waiting)
    for doubt_of in hooks.doubt:
        if doubt := doubt_of(flight, judged, fetched):
            yield HeldPage(doubt)
            if doubt.settle(judged):
                return
    for again in hooks.again:
        if again(flight, judged):
            judged = judge.judge(fetched, flight.waiting)
    for held_for in hooks.held_for:
        if wait := held_for(flight, judged):
            yield HeldPage(wait)
            if wait.settle(judged):
                return
    flight.page = judged.page
    given = [item for give in hooks.judged for item in give(flight, judged)]
    row, batch = judged.page, judged.batch
    if batch:
        row.step = step_of(batch.relevant, flight.waiting.step)
    article = judged.article or (judged.piece and judged.piece.article)
    flight.useful |= bool(judged.records) or bool(article and row.relevant)
    yield from (*given, *judged.items, row)
    if batch:
        yield batch


def look_at_page(judge: Judge, hooks: Hooks, fetched: Fetched, waiting: Waiting) -> Iterator[Any]:
    """Go through what a page gives that no run has asked for."""
    judged = judge.judge(fetched, waiting)
    for give in hooks.judged:
        yield from give(None, judged)
    yield from (*judged.items, judged.page)
    if judged.batch:
        yield judged.batch
