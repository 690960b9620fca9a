"""Articles in a crawl: what their pages give goes out as items, that of several pages as one (A2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from focuscrawl.features.articles.places import SitePlaces
from focuscrawl.features.articles.reader import ArticleReader, keywords_of, put_together
from focuscrawl.features.articles.rows.articles import count_refused, count_texts
from focuscrawl.features.articles.several_pages.assembly import ArticleAssembly, Outcome, Ready
from focuscrawl.features.articles.several_pages.chapters import Chapters
from focuscrawl.features.articles.several_pages.parts import STRANGER, Gathered, Piece, are_others
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.transport.slots import PutBack, was_dropped
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.output.explain.scores import stored_score
from focuscrawl.values import Article, File, PageClass

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel, Round
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Passage
    from focuscrawl.kernel.template_changes import LastTemplate, TemplateChanges
    from focuscrawl.readers.pages.content import Fetched, Judged
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json, Page, Waiting


MOST_HEADINGS = 1_000
"""Articles whose headings are kept: more than the pages of any window that is not yet in the results."""


@dataclass(slots=True)
class Attached:
    """What a flight brings that was fetched as a file of an article; of what looks like a later page of one the
    ``heading`` that the first page shows, "" while that is unknown.
    """

    file: File | None = None
    heading: str = ""


@dataclass(slots=True)
class LaterPage:
    """A page that looks like a later one of an article, until that article's first page shows another heading."""

    feature: Articles
    flight: Flight
    first_key: bytes

    async def clear_up(self) -> None:
        """Recall the heading of the first page: of one that is read and forgotten the results have it."""
        self.flight.of(Attached).heading = await self.feature.heading_of(self.first_key)

    def settle(self, judged: Judged) -> bool:
        """Whatever it is, it is taken."""
        return False


class Articles(Feature):
    """Gives out the articles of one run, and keeps the parts of those that are not whole yet."""

    name = "articles"
    after = ("revisit",)  # what a page is compared with is noted before anything of it goes out

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._places = SitePlaces()
        self._chapters = Chapters()
        self._headings: dict[bytes, str] = {}
        self._assembly = ArticleAssembly(
            self._put_together, kernel.frontier.note_fact, self._judged_again
        )

    def readers(self) -> tuple[ArticleReader, ...]:
        """Return who reads articles, without a run."""
        return (ArticleReader(self._kernel.criteria, self._places, self._chapters),)

    async def changed(self, changes: TemplateChanges, last: LastTemplate) -> Iterator[str]:
        """Say what was judged by other words."""
        stored, name, lines = self._kernel.stored, self._kernel.run.name, list[str]()
        if changes.words and (texts := await stored.ask(count_texts)):
            lines.append(
                f"{texts:,} stored articles can be judged anew by their texts:"
                f" scrapy topic rejudge {name}"
            )
        if changes.words and (refused := await stored.ask(count_refused)):
            lines.append(
                f"{refused:,} pages that were refused are not fetched again:"
                f" scrapy topic rejudge {name} --refetch would"
            )
        return iter(lines)

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Read the parts that earlier runs left."""
        facts = partial(self._kernel.store.facts_in, partitions)
        await self._assembly.load(facts, self._kernel.clock.wall())

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Say what an article scores by the words of today, or what the log book says that it scored."""
        score = stored_score(self._kernel.template, question)
        return () if score is None else (score,)

    def release(self, partitions: Partitions) -> None:
        """Let go of the articles of some partitions."""
        self._assembly.release(partitions)

    def memories(self) -> tuple[SiteMemory, ...]:
        """Remember where sites have parts of their articles, and what their next pages are."""
        return self._places, self._chapters

    async def begin(self, round_: Round) -> int:
        """Hand on what a run that was killed could not hand on any more."""
        self.go_on(round_)
        return 0

    def go_on(self, round_: Round) -> None:
        """Hand on what another process could not hand on any more."""
        self._hand_on(*self._assembly.ready())

    # A page of one ------------------------------------------------------------------------------

    def correct_url(self, flight: Flight) -> None:
        """Let a page be the part that an article waits for under another name."""
        flight.waiting = self._assembly.part_of(flight.waiting)

    def doubt(self, flight: Flight, judged: Judged, fetched: Fetched) -> LaterPage | None:
        """Doubt that a page is a later one of an article that has not named it."""
        part = judged.part
        return LaterPage(self, flight, part.first_key) if part is not None else None

    async def heading_of(self, first_key: bytes) -> str:
        """Return what the first page of an article shows as its heading; "" when it was not read yet."""
        key = first_key.hex()
        here = self._assembly.heading_of(key) or self._headings.get(first_key, "")
        return here or await self._kernel.stored.title(key)

    def again(self, flight: Flight, judged: Judged) -> bool:
        """Whether what was taken for a part is an article of its own, and is judged as such."""
        piece = judged.piece
        if piece is None:
            return False
        if judged.part is not None and are_others(flight.of(Attached).heading, piece.title):
            # Its own first page: so none is looked for, and it is judged as an article.
            flight.waiting = flight.waiting._replace(first_key=flight.waiting.key)
            return True
        if judged.part is not None:  # a later page of an article that was not known: judged as one
            if flight.waiting.first_walk:
                self._chapters.note(flight.waiting.site, is_other=False)
            self._assembly.expect(judged.part)
            flight.waiting = judged.part
            return False
        is_stranger = self._assembly.is_stranger(piece)
        if is_stranger or (flight.waiting.first_walk and self._assembly.is_only_next(piece)):
            self._chapters.note(flight.waiting.site, is_other=is_stranger)
        if not is_stranger:
            return False
        self._hand_on(self._assembly.ended(flight.waiting, STRANGER, comes_back=False))
        flight.waiting = flight.waiting._replace(
            page_class=PageClass.ARTICLE, first_key=b"", page_number=1
        )
        return True

    def judged(self, flight: Flight | None, judged: Judged) -> Iterator[Article]:
        """Give out an article that is whole, or one of several pages that can go out now."""
        article, piece = judged.article, judged.piece
        if flight is None:  # the user only looks at the page
            article = article or (piece and piece.article)
        else:
            flight.of(Attached).file = judged.file
            self._note_heading(flight, judged.page)
            if article is not None and flight.mark == "truncated":
                article.complete = False
            if piece is None and judged.page.page_class is PageClass.ARTICLE:
                waits = self._assembly.first_shows(flight.waiting.key.hex(), judged.page.title)
                if waits and article is not None:
                    piece = _alone(article, judged.page, flight.waiting)
            if piece is not None:
                if piece.page is not None:
                    piece.page.run_id = self._kernel.run.run_id
                ready = self._assembly.take(piece, anew=not flight.waiting.first_walk)
                if ready is not None and ready.again:
                    self._hand_on(ready)
                elif ready is not None:
                    article = ready.article
            self._hand_on(*self._assembly.left_out())
        if article is not None:
            yield article

    def _note_heading(self, flight: Flight, page: Page) -> None:
        """Keep the heading of an article until the results have it."""
        if page.page_class is PageClass.ARTICLE and page.title:
            self._headings[flight.waiting.key] = page.title
            if len(self._headings) > MOST_HEADINGS:
                del self._headings[next(iter(self._headings))]

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Hand on an article if the URL that has ended was the last page it waited for."""
        waiting, file = flight.waiting, flight.of(Attached).file
        if file is not None and page.outcome == "stored":
            self._kernel.commits.pending.add(file)
        if not comes_back:
            self._assembly.settled(waiting)
        if waiting.page_class is not PageClass.ARTICLE_PAGING:
            return
        read = flight.page
        if read is not None and read.outcome == "part":
            return  # it was read, if for an earlier visit of its article: it is not lost
        why = (read.reason or read.outcome) if read is not None else flight.reason or flight.outcome
        later = comes_back or flight.outcome == "parked"
        self._hand_on(self._assembly.ended(waiting, why, comes_back=later))

    # The articles -------------------------------------------------------------------------------

    async def join(self, item: object, passage: Passage) -> None:
        """Find out what an article is about, before it is compared with others."""
        if isinstance(item, Article) and not item.keywords:
            item.keywords = keywords_of(item, self._kernel.template)

    async def keep(self, item: object, passage: Passage) -> None:
        """Put an article into the next commit. Every article that is stored passes here: once, and
        one of several pages, that was handed on before all of it was there, each time it has grown.
        """
        if isinstance(item, Article):
            self._kernel.commits.pending.add(item)
            passage.kept = True
            self._hand_on(self._assembly.stored(item.url_key))

    async def lost(self, item: object, passage: Passage, error: Exception) -> bool | None:
        """Note that a pipeline dropped an article or failed on it: then it goes out again later.

        True: it is one of several pages, and the row of its first page says so.
        """
        if not isinstance(item, Article):
            return None
        if isinstance(error, PutBack):
            return self._assembly.failed(item.url_key)
        if was_dropped(error):
            return self._assembly.dropped(item.url_key, getattr(error, "outcome", "dropped"))
        self._assembly.failed(item.url_key)
        return None

    def idle(self, *, is_over: bool) -> bool:
        """Hand on the articles that miss parts, for nothing more comes in this run; False: none."""
        unsent = self._assembly.unsent()
        self._hand_on(*unsent)
        return bool(unsent)

    def _hand_on(self, *articles: Ready | None) -> None:
        """Send articles through the pipelines; those that are sent again give no line in a feed."""
        items = self._kernel.items
        for ready in filter(None, articles):
            items.passage(ready.article).was_sent = ready.again
            if not items.hand_on(ready.article, quietly=ready.again):
                self._assembly.failed(ready.article.url_key)

    def _put_together(self, gathered: Gathered) -> Outcome | None:
        first = gathered.first
        if first is None or first.article is None:
            return None
        source = self._kernel.sources.get(first.article.source_id)
        return put_together(gathered, self._kernel.template, source)

    def _judged_again(self, page: Page, before: str) -> None:
        """Write the row of an article's first page anew: all its parts have changed its outcome."""
        if any(flight.page is page for flight in self._kernel.flights.values()):
            return  # its row is still to be written
        self._kernel.tally.judged_again(page, before)
        self._kernel.commits.pending.add(page)


def _alone(article: Article, page: Page, waiting: Waiting) -> Piece:
    """Return what a first page gives that names no further ones: others have named it."""
    return Piece(
        *(
            article.url_key,
            article.url_key,
            1,
            article.fetched,
            article.url,
            article.title,
            article.text,
        ),
        images=tuple(article.images),
        layer=waiting.layer,
        article=article,
        page=page,
    )
