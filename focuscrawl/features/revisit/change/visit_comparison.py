"""What a page that is visited again has become, against its last counted version (B).

What has changed is found where all of it is at hand: of lists and records when the page is read, of
articles in the pipelines, for they may come in several pages. SimHashes are compared when their words
were cut by the same engine. An engine is what ``Splitter.engine`` names: jieba or rjieba, their version,
our rules, and the topic's dictionary, since other names make other words. The store lists those a crawl
has used; a page's state has the number of the one its hash was made by (none: the first).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.records.table import RecordTable
from focuscrawl.features.revisit.change.comparison import (
    ChangeKind,
    VisitVerdict,
    compare_fields,
    compare_links,
    compare_strictly,
    compare_text,
    fields_mark,
    links_mark,
    remembered,
    text_mark,
)
from focuscrawl.features.revisit.change.volatile import TextRules, noted, shapes_of_site
from focuscrawl.features.revisit.conditions import NO_VERSION, PageVersion
from focuscrawl.features.revisit.table import RevisitTable
from focuscrawl.readers.links.criteria import OpenPage, PageReader
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.links import is_noindex_page
from focuscrawl.readers.pages.selectors import find
from focuscrawl.readers.pages.texts import paragraphs
from focuscrawl.readers.text.keywords import simhash_words
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import host_of
from focuscrawl.values import (
    CONTENT,
    CUT_AT,
    LISTS,
    Article,
    Link,
    LinkBatch,
    PageClass,
    PageState,
    Record,
)

if TYPE_CHECKING:
    from focuscrawl.features.revisit.visits import VisitScope
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Json

logger = logging.getLogger(__name__)

_FACT, _ENGINES = "words", "engines"
"""Kind and key of the fact that lists the engines, in order of their first use."""

MADE_BY = "words"
"""Fact of a page's state: the number of the engine its SimHash was made by."""


VOLATILE = "volatile"
"""The part of a site's record that knows what changes there without a meaning."""

LETTERS = "letters"
"""Fact of a state: how many letters the text of its article has."""

UNFINISHED = "part"
"""Fact of a state: parts of the article it knows were missing."""

NO_STATE = PageState(b"", "", "", PageClass.OTHER, 1, 0.0, 0.0, None, 0)
_FIRST_VISIT = 1
"""Visits of a page that was fetched once."""


def text_rules(template: Template, site: str, shapes: frozenset[int]) -> TextRules:
    """Return what of the texts of a site is compared."""
    ignore = template.site(host_of(site)).of(RevisitTable).ignore
    return TextRules(ignore.expressions, ignore.built_in, shapes)


def ignored_in(document: Document, template: Template, site: str) -> tuple[str, ...]:
    """Return the lines of a page inside elements that never count as a change."""
    found: dict[str, None] = {}
    for selector in template.site(host_of(site)).of(RevisitTable).ignore.selectors:
        for one in find(document.root, selector):
            text = one if isinstance(one, str) else paragraphs(deepcopy(one))
            found.update(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    return tuple(sorted(found, key=len, reverse=True))


CANONICAL = "canonical"
"""How a link element says where its page stands."""


class VisitReader(PageReader):
    """Finds the lines of an article's page that never count as a change, and where a page says that it stands."""

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Note them, and which lists ask robots not to take them in."""
        judged.is_noindex = page.is_list and is_noindex_page(page.document, page.fetched.robots)
        if page.kind.page_class in (PageClass.ARTICLE, PageClass.ARTICLE_PAGING):
            judged.ignored = ignored_in(page.document, self.criteria.template, page.waiting.site)
        if page.kind.page_class in CONTENT or judged.page.page_class in CONTENT:
            said = (one.url for one in page.links if one.tag == "link" and one.rel == CANONICAL)
            judged.canonical = next(said, "")


def compare_article(
    state: PageState,
    article: Article,
    template: Template,
    shapes: frozenset[int],
    ignored: Iterable[str] = (),
) -> VisitVerdict:
    """Compare an article with what its last counted version looked like."""
    text = article.text
    for line in ignored:
        text = text.replace(line, "")

    def simhash() -> int:
        return simhash_words(Counter(template.splitter.cut(text)))

    if template.of(RevisitTable).strict:
        return compare_strictly(state, simhash())
    mark = text_mark(article.title, text, None, text_rules(template, article.host, shapes))
    verdict = compare_text(state, mark)
    is_same = verdict.mark.digest == state.digest and not verdict.learnt
    if is_same and state.simhash is not None:
        return verdict  # most visits end here, and no words are cut for them
    return compare_text(state, mark._replace(simhash=simhash()))


def compare_records(
    state: PageState, records: Iterable[Record], template: Template
) -> VisitVerdict:
    """Compare all records of a page with those of its last counted version, field by field.

    When the template asks for other fields than before there is nothing to compare.
    """
    found = {f"{one.record_type}/{one.record_id}": one.data for one in records}
    asked = {
        f"{name}.{field.name}": None
        for name, table in template.named(RecordTable).items()
        for field in table.fields
    }
    return compare_fields(state, fields_mark({**asked, "": found}, ignore=()))


def compare_list(state: PageState, batch: LinkBatch, rules: AdmissionRules) -> VisitVerdict:
    """Compare a list: only links to pages that may be fetched count."""
    return compare_links(state, links_mark(_keys(batch.links, rules)))


def _keys(links: Iterable[Link], rules: AdmissionRules) -> Iterable[bytes]:
    for link in links:
        look = rules.look(link.url)
        if look.refused_page is None:
            yield look.address.key


async def number_of_engine(store: Store, frontier: Frontier, name: str) -> int:
    """Return the number of an engine in this crawl; a new one is noted with the next commit."""
    known = [str(one) for one in (await store.facts(_FACT)).get(_ENGINES, ())]
    if name not in known:
        if known:
            logger.info(
                "words are cut by %s, before by %s: SimHashes are made anew, each at its page's"
                " next visit, and stories of both know each other by the words both have",
                name,
                known[-1],
            )
        known.append(name)
        frontier.note_fact(_FACT, _ENGINES, known)
    return known.index(name)


def comparable_state(state: PageState, engine: int) -> PageState:
    """Return a state without its SimHash when another engine made that."""
    if state.simhash is None or state.facts.get(MADE_BY, 0) == engine:
        return state
    return state._replace(simhash=None)


def with_engine(facts: Json, engine: int) -> Json:
    """Return the facts of a state whose SimHash is of this engine."""
    others = {name: value for name, value in facts.items() if name != MADE_BY}
    return others | {MADE_BY: engine} if engine else others


def is_compared(state: PageState) -> bool:
    """Whether there is something to compare with: a whole version was marked before."""
    marked = bool(state.digest) or state.simhash is not None
    return marked and not state.facts.get(UNFINISHED)


# The pages of a run -------------------------------------------------------------------------------


@dataclass(slots=True)
class Visit:
    """What a fetch has found of its page, until its URL ends.

    ``before`` is the state it is compared with; ``is_first``: it was not fetched before. ``verdict`` is
    what came of comparing, ``ignored`` the lines of its text that are not compared, ``letters`` how many it has.
    ``watched``: it is the first page of an article that may be kept when all of it is there; ``unfinished``: parts
    of it are missing. ``born`` is its date, ``newest`` that of the newest thing on a list, ``has_own``: most of that
    stands on no other list, ``is_index``: it leads to sitemaps alone, ``version`` is what the server calls what it sent. ``has_lost``: it is the page of a
    record, and shows none any more; ``canonical``
    is the address at which it says that it stands, ``came_from`` that at which a page of records stood before.
    ``is_put_off``: it is a copy that is read once more when its original was looked at; ``is_left``: that is what
    stands here now, so that it is visited under its own key. ``cut`` and ``cut_at`` are as in Judged.
    """

    before: PageState | None = None
    is_first: bool = False
    verdict: VisitVerdict | None = None
    ignored: tuple[str, ...] = ()
    letters: int = 0
    watched: bool = False
    unfinished: bool = False
    is_noindex: bool = False
    born: float | None = None
    newest: float | None = None
    has_own: bool | None = None
    is_index: bool = False
    has_lost: bool = False
    canonical: str = ""
    came_from: str = ""
    is_put_off: bool = False
    is_left: bool = False
    cut: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    cut_at: tuple[int, ...] = ()
    version: PageVersion = NO_VERSION

    def as_shown(self, text: str) -> str:
        """Return a text with the lines of its site that were cut from its ends."""
        before, behind = self.cut
        return "\n".join((*before, text, *behind))


class Compared(NamedTuple):
    """What an article has become; ``visit`` is the number of the visit that found it.

    ``verdict`` is None when there is nothing to compare with. ``is_first``: it is of a page that was
    never fetched before. ``cut`` is as in Judged.
    """

    verdict: VisitVerdict | None = None
    visit: int = _FIRST_VISIT
    is_first: bool = False
    cut: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def is_unchanged(self) -> bool:
        """Whether it says the same as before."""
        return self.verdict is not None and not self.verdict.changed


class _Late(NamedTuple):
    """What was found of an article after its first page ended, until it is stored."""

    state: PageState
    verdict: VisitVerdict
    complete: bool
    letters: int


class VisitComparison:
    """Compares the pages of one run with their states.

    ``under_way`` holds the visits of pages that were read and have not ended, by their keys in
    hexadecimal; ``engine`` is the number of what splits words, by which versions are marked.
    ``settled()`` waits until the store has what was handed to it.
    """

    def __init__(self, scope: VisitScope, settled: Callable[[], Awaitable[None]]) -> None:
        self.under_way: dict[str, Visit] = {}
        self.engine = 0
        self._scope = scope
        self._settled = settled
        self._late: dict[str, _Late] = {}
        self.volatile: SiteValues[dict[str, int]] = SiteValues(VOLATILE)
        """What changes on each site without a meaning."""

    async def open(self) -> None:
        """Find out by what versions are marked."""
        _, _, template, store, frontier, *_ = self._scope
        self.engine = await number_of_engine(store, frontier, template.splitter.engine)

    # What came ----------------------------------------------------------------------------------

    def read(self, key: bytes, visit: Visit, judged: Judged) -> None:
        """Compare the list or the records of a page with what is known of it.

        Records that say the same as before are left out: they go no further. A page that was a list
        and has content now (its address is named in follow.articles, its pattern was learnt) is as if it
        were seen for the first time: links are no text.
        """
        before, page = visit.before, judged.page
        was_list = before is not None and before.page_class in LISTS and before.gone is None
        if before is not None and was_list and page.page_class in CONTENT:
            self._scope.states.visited.pop(before.key, None)
            before = visit.before = None
        self.under_way[key.hex()] = visit
        visit.ignored, visit.cut, visit.cut_at = judged.ignored, judged.cut, judged.cut_at
        visit.is_noindex = judged.is_noindex
        first = judged.piece.article if judged.piece is not None else None
        visit.watched = first is not None
        if first is not None:  # its page may end before its other pages have come
            visit.born = first.published
        known = before or NO_STATE
        if page.page_class is PageClass.RECORD:
            visit.verdict = compare_records(known, judged.records, self._scope.template)
            is_told = visit.verdict.changed or visit.came_from
            if before is not None and before.digest and not is_told:
                page.outcome = "unchanged"
                judged.records = ()
        elif page.page_class in LISTS and judged.batch is not None:
            visit.verdict = compare_list(known, judged.batch, self._scope.rules)

    def found_at(self, url_key: str) -> int | None:
        """Return the number of the visit at which a page was found to have other records."""
        visit = self.under_way.get(url_key)
        if visit is None or visit.before is None or not is_compared(visit.before):
            return None
        changed = visit.verdict is not None and visit.verdict.changed
        return visit.before.visits + 1 if changed else None

    def came_from(self, url_key: str) -> tuple[str, int]:
        """Return where a page of records stood before this visit, "" when there, and the visit's number."""
        visit = self.under_way.get(url_key)
        if visit is None or visit.before is None:
            return "", _FIRST_VISIT
        return visit.came_from, visit.before.visits + 1

    async def compare(self, article: Article) -> Compared:
        """Compare an article with what is known of it; one that is unchanged is stored no more."""
        visit = self.under_way.get(article.url_key)
        letters = sum(map(len, article.text.split()))
        if visit is not None:
            visit.born, visit.letters = article.published, letters
            verdict = self.verdict(visit.before or NO_STATE, article, visit.ignored)
            visit.verdict, visit.unfinished = verdict, not article.complete
            state, is_first = visit.before, visit.is_first
        else:
            state = await self._known(article.url_key)
            if state is None:
                return Compared()
            verdict = self.verdict(state, article)
            self._late[article.url_key] = _Late(state, verdict, article.complete, letters)
            is_first = state.visits == _FIRST_VISIT
        if state is None or not is_compared(state):
            return Compared(is_first=is_first)
        if visit is not None and verdict.changed and self._says_the_same(visit, article):
            verdict = visit.verdict = verdict._replace(kind=ChangeKind.SAME, learnt=())
        if not verdict.changed:
            self.stored(article.url_key)
        cut = visit.cut if visit is not None else ((), ())
        visits = state.visits + (visit is not None)
        return Compared(verdict, visits, cut=cut)

    def take_for_same(self, article: Article, found: Compared) -> Compared:
        """Return what came of comparing an article that says what is stored of it: no change."""
        if found.verdict is None:
            return found
        verdict = found.verdict._replace(kind=ChangeKind.SAME, learnt=())
        visit, late = self.under_way.get(article.url_key), self._late.get(article.url_key)
        if visit is not None:
            visit.verdict = verdict
        elif late is not None:
            self._late[article.url_key] = late._replace(verdict=verdict)
            self.stored(article.url_key)
        return found._replace(verdict=verdict)

    def _says_the_same(self, visit: Visit, article: Article) -> bool:
        """Whether a page that differs from its last version only lacks what is known by now to be its site's."""
        if visit.before is None or not any(visit.cut):
            return False
        shown = replace(article, text=visit.as_shown(article.text))
        return self.how_changed(visit.before, shown, visit.ignored) is ChangeKind.SAME

    def how_changed(
        self, state: PageState, article: Article, ignored: Iterable[str]
    ) -> ChangeKind | None:
        """Return how much an article differs from its last version; None: unknown."""
        if not is_compared(state):
            return None
        known = comparable_state(state, self.engine)
        shapes = shapes_of_site(self.volatile.get(article.host) or {})
        return _kind_of(
            compare_article(known, article, self._scope.template, shapes, ignored), known
        )

    def how_records_changed(self, state: PageState, records: Iterable[Record]) -> ChangeKind | None:
        """Return how much the records of a page differ from what it gave; None: unknown."""
        return _kind_of(compare_records(state, records, self._scope.template), state)

    async def _known(self, url_key: str) -> PageState | None:
        """Return the state of a page that has ended; None, too, for a key that is no address's."""
        try:
            key = bytes.fromhex(url_key)
        except ValueError:
            return None
        known = self._scope.states.open.get(key) or self._scope.states.visited.get(key)
        return known or (await self._scope.store.pages([key])).get(key)

    def verdict(
        self, state: PageState, article: Article, ignored: Iterable[str] = ()
    ) -> VisitVerdict:
        """Compare an article with a state, and learn what changes on its site without a meaning."""
        kept = self.volatile.get(article.host) or {}
        known = comparable_state(state, self.engine)
        verdict = compare_article(
            known, article, self._scope.template, shapes_of_site(kept), ignored
        )
        if verdict.learnt:
            self.volatile.put(article.host, noted(kept, verdict.learnt))
        return verdict

    # What becomes of it -------------------------------------------------------------------------

    def stored(self, url_key: str) -> None:
        """Move the state of an article whose first page ended before all of it was there.

        Call it in the window that stores the article: if the state were moved before, and a kill
        came between, the article would be found unchanged when it goes out once more.
        """
        late = self._late.pop(url_key, None)
        if late is None:
            return
        state, verdict, complete, letters = late
        after = remembered(state, verdict)
        if verdict.changed and is_compared(state):
            after = self._scope.visits.counted(after, self._scope.clock.wall())
        after = self.marked(after, unfinished=not complete, letters=letters)
        self._scope.states.open.pop(state.key, None)
        self._scope.states.moved(after)

    def marked(
        self, state: PageState, *, unfinished: bool, letters: int, cut_at: Sequence[int] = ()
    ) -> PageState:
        """Return a state that was compared, with what is to be known of its version."""
        facts = {**state.facts, UNFINISHED: unfinished}
        if letters:
            facts[LETTERS] = letters
        if cut_at:
            facts[CUT_AT] = [*cut_at]
        else:
            facts.pop(CUT_AT, None)
        return state._replace(facts=with_engine(facts, self.engine))

    async def let_be(self, url_key: str) -> None:
        """Visit a page no more whose article is a copy of another one.

        One of several pages is known as such when its first page may have ended already.
        """
        visit = self.under_way.get(url_key)
        if visit is not None:
            visit.watched = visit.watched and visit.before is not None
            return
        await self._settled()
        key = bytes.fromhex(url_key)
        in_store = await self._scope.store.pages([key])
        self.stored(url_key)
        known = in_store | self._scope.frontier.remembered([key])
        if key in known and known[key].visits == _FIRST_VISIT:
            self._scope.states.remember(known[key]._replace(next_visit=None))


def _kind_of(verdict: VisitVerdict, state: PageState) -> ChangeKind | None:
    """Return the kind of a verdict; None where there was nothing to compare with, or other rules held."""
    is_anew = verdict.mark.digest != state.digest and not verdict.learnt
    return None if verdict.kind is ChangeKind.SAME and is_anew else verdict.kind
