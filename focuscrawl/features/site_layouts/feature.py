"""What a site repeats around its articles, in a crawl: it is cut, and articles that were stored with it are corrected.

The invariant: a correction tells of no change. The ends of a text go with its site into the commit that stores it, are kept
until the site has taught enough, and are cut in the results. A visit that finds less than before finds that it says the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from focuscrawl.features.site_layouts.layouts import Layout, SiteLayouts, cut_text
from focuscrawl.features.site_layouts.learnt import (
    LAYOUTS_PART,
    decisions_on,
    number_of_key,
    read_layouts,
)
from focuscrawl.features.site_layouts.text_edges import (
    NO_EDGES,
    TextEdges,
    edges_of,
    structure_of,
)
from focuscrawl.kernel.feature import Feature
from focuscrawl.readers.links.continuations import selectors_of
from focuscrawl.readers.links.criteria import PageReader
from focuscrawl.readers.text.lines import line_number
from focuscrawl.urls.site_memory import SiteMemory, SiteValues
from focuscrawl.urls.sites import host_of
from focuscrawl.values import CUT_AT, Article, CutLines, PageChange, change_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Passage
    from focuscrawl.output.explain.facts import Fact, Question
    from focuscrawl.readers.links.criteria import Criteria, OpenPage
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.urls.sites import Partitions

_MOST_SITES_TAUGHT = 2_000
"""Sites whose layouts are remembered in one process: 3.4 kB of JSON each at 70 pages of a Pelican and of a Jekyll."""

_MOST_UNDER_WAY = 1_000  # articles in the pipelines whose ends are known
_LARGEST_MARKUP = 1_000_000  # bytes of a page that teaches
_NOTED_EVERY = 10  # pages of a site after which counts are stored that change nothing


class LayoutMemory(SiteValues[SiteLayouts]):
    """The layouts of all sites of one run; ``learnt`` are sites of which something new was learnt lately, ``redesigned``
    those with a new design that is still to be told.
    """

    def __init__(self) -> None:
        super().__init__(LAYOUTS_PART, read_layouts, msgspec.to_builtins)
        self.learnt: set[str] = set()
        self.redesigned: dict[str, Layout] = {}
        self._since: dict[str, int] = {}

    def layout_of(self, site: str, structure: int) -> Layout | None:
        """Return the layout of a page of a site; None: of too many sites something is known."""
        known = self.get(site)
        if known is None:
            if len(self) >= _MOST_SITES_TAUGHT:
                return None
            known = self.add(site, SiteLayouts())
        return known.layout_of(structure)

    def note(self, site: str, layout: Layout, page: int, edges: TextEdges) -> None:
        """Count a page, once for ever."""
        before = layout.places_of_site()
        known = self.get(site)
        if known is not None:
            known.note_visit(page, layout)
            self._look_for_design(site, known, layout)
        if not layout.note(page, edges):
            return
        since = self._since[site] = self._since.get(site, 0) + 1
        of_site = layout.places_of_site()
        layout.keep_examples(edges, of_site)
        has_news = of_site != before
        if has_news:
            self.learnt.add(site)
        is_due = has_news or since >= _NOTED_EVERY
        self.touch(site, can_wait=not is_due)
        if is_due:
            del self._since[site]

    def note_list(self, site: str, page: int, structure: int) -> None:
        """Count a list of a site of which articles are known."""
        known = self.get(site)
        if known is not None and known.layouts:
            known.note_list(page, structure)
            self._look_for_design(site, known, known.layouts[-1])
            self.touch(site, can_wait=True)

    def _look_for_design(self, site: str, known: SiteLayouts, layout: Layout) -> None:
        if known.is_new_design(layout):
            self.redesigned[site] = layout
            self.touch(site)

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions."""
        super().release(partitions)
        partitions.take_from(self._since)
        self.learnt &= {*self}
        partitions.take_from(self.redesigned)


class LayoutReader(PageReader):
    """Cuts from the texts of articles what their site repeats, and learns from them."""

    def __init__(self, criteria: Criteria, memory: LayoutMemory) -> None:
        super().__init__(criteria)
        self._memory = memory

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Cut the text of an article; ``edges`` and ``cut`` tell the run what was seen and cut."""
        article, waiting = judged.article, page.waiting
        if len(page.document.markup) > _LARGEST_MARKUP:
            return
        number = number_of_key(waiting.key)
        if article is None:
            if page.is_list and judged.batch is not None:
                self._memory.note_list(waiting.site, number, structure_of(page.document.root))
            return
        if selectors_of(self.criteria.template, waiting.site).text:
            return  # the user says where the text stands
        root = page.document.root
        structure = structure_of(root)
        layout = self._memory.layout_of(waiting.site, structure)
        if layout is None:
            return
        was_taught = layout.is_taught
        edges = edges_of(article.text, root, _own_words(article), is_taught=was_taught)
        self._memory.note(waiting.site, layout, number, edges)
        if edges is not NO_EDGES:
            cut = cut_text(article.text, edges, layout)
            article.text, judged.cut = cut.text, (cut.before, cut.behind)
            judged.cut_at = cut.places
            judged.edges = PageEdges(cut.rest, layout, was_taught)


def _own_words(article: Article) -> list[str]:
    """Return title, date and author as a page prints them beside its text."""
    day = article.published_date[: len("2026-11-30")]
    days = [day.replace("-", sign) for sign in "-/."] if day else []
    return [one for one in (article.title, article.published_raw, article.author, *days) if one]


class PageEdges(NamedTuple):
    """What stands at the ends of an article's text, and the layout of its page; ``was_taught``: it was when it was read."""

    edges: TextEdges
    layout: Layout
    was_taught: bool


class Layouts(Feature):
    """Cuts what sites repeat, and corrects the articles of a run that were stored with it."""

    name = "site_layouts"
    after = ("articles",)

    @classmethod
    def of(cls, kernel: Kernel) -> Layouts | None:
        """Make it, unless the published methods are asked for, which know nothing of it."""
        return None if kernel.template.topic.strict else cls(kernel)

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._memory = LayoutMemory()
        self._under_way: dict[str, PageEdges] = {}

    def readers(self) -> tuple[LayoutReader, ...]:
        """Return what cuts and learns."""
        return (LayoutReader(self.kernel.criteria, self._memory),)

    def memories(self) -> tuple[SiteMemory, ...]:
        """Remember what sites repeat."""
        return (self._memory,)

    def judged(self, flight: Flight | None, judged: Judged) -> tuple[()]:
        """Note what stands at the ends of an article's text, until it is stored, and cut what is stored of a known page."""
        article = judged.article
        if flight is None or article is None or judged.edges is None:
            return ()
        self._under_way[article.url_key] = judged.edges
        if len(self._under_way) > _MOST_UNDER_WAY:  # some never arrive
            del self._under_way[next(iter(self._under_way))]
        before, behind = judged.cut
        if flight.before is not None and (before or behind):
            lines = tuple(map(line_number, before)), tuple(map(line_number, reversed(behind)))
            self.kernel.commits.pending.cut[article.url_key] = lines
        return ()

    async def keep(self, item: object, passage: Passage) -> None:
        """Keep the ends of an article that is stored, which may turn out to be its site's."""
        seen = self._under_way.pop(item.url_key, None) if isinstance(item, Article) else None
        if seen is not None and isinstance(item, Article) and not seen.was_taught:
            seen.layout.keep(item.url_key, seen.edges)
            self._memory.learnt.add(item.host)  # it may have taught something since this was read
            # In the commit of the article: a kill loses neither, or both.
            self._memory.touch(item.host)

    def tick(self) -> None:
        """Correct articles of the sites that have taught something, and tell of new designs."""
        self._correct()
        self._tell()

    def idle(self, *, is_over: bool) -> bool:
        """Correct and tell what is left; False: nothing was."""
        is_corrected = self._correct()
        return self._tell() or is_corrected

    def _tell(self) -> bool:
        """Tell of each new design once; False: there is none."""
        redesigned, self._memory.redesigned = self._memory.redesigned, {}
        for site, layout in redesigned.items():
            at = self.kernel.clock.wall()
            layout.is_told, layout.told_at = True, at
            url = f"http://{host_of(site)}/"
            key = self.kernel.rules.look(url).address.key.hex()
            number = change_key(key, "redesign", layout.structure)
            change = PageChange(number, at, key, url, "redesign", "site", title=host_of(site))
            self.kernel.items.changes.announce_beside(change, partial(self._told, site, layout))
        return bool(redesigned)

    def _told(self, site: str, layout: Layout, change: PageChange | None, why: str) -> None:
        """Store with its site's layouts that a new design was told; what a pipeline failed on is told again."""
        layout.is_told = not why
        known = self._memory.get(site)
        if known is not None and not why:
            known.forget_moved()
        self._memory.touch(site)
        if change is not None:
            self.kernel.commits.pending.add(change)

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Say what of a page was decided by what its site's other pages show."""
        known = self._memory.get(question.site) or SiteLayouts()
        cut_at = question.state.facts.get(CUT_AT, ()) if question.state is not None else ()
        return decisions_on(known, number_of_key(question.key), cut_at)

    def _correct(self) -> bool:
        sites, self._memory.learnt = self._memory.learnt, set()
        cut: dict[str, CutLines] = {}
        for site in sites:
            known = self._memory.get(site)
            for layout in known.layouts if known is not None else ():
                cut |= layout.corrections()
        self.kernel.commits.pending.cut.update(cut)
        return bool(cut)
