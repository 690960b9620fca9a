"""What a page that is visited again has become, against what is known of it.

What has changed is found where all of it is at hand: of lists and records when the page is read, of
articles in the pipelines, for they may come in several pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import DropItem

from focuscrawl.revisit.change.comparison import ChangeKind, VisitVerdict, remembered
from focuscrawl.revisit.change.visit_comparison import (
    comparable_state,
    compare_article,
    compare_list,
    compare_records,
    number_of_engine,
    with_engine,
)
from focuscrawl.revisit.change.volatile import noted, shapes_of_site
from focuscrawl.revisit.states import CONTENT, LISTS
from focuscrawl.values import Json, PageClass, PageState

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.pages.content import Judged
    from focuscrawl.revisit.states import PageStates
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Article, Clock, Record

VOLATILE = "volatile"
"""The part of a site's record that knows what changes there without a meaning."""

NO_STATE = PageState(b"", "", "", PageClass.OTHER, 1, 0.0, 0.0, None, 0)
_FIRST = 1
"""Visits of a page that was fetched once."""

UNFINISHED = "part"
"""Fact of a state: parts of the article it knows were missing."""


class Unchanged(DropItem):
    """An article that is visited again and says what it said before goes no further."""

    outcome = "unchanged"
    reason = ""

    def __init__(self, url: str) -> None:
        super().__init__(f"unchanged: {url}", log_level="DEBUG")


class Compared(NamedTuple):
    """What an article has become; ``visit`` is the number of the visit that found it.

    ``verdict`` is None when there is nothing to compare with. ``is_first``: it is of a page that was
    never fetched before.
    """

    verdict: VisitVerdict | None = None
    visit: int = _FIRST
    is_first: bool = False


class Late(NamedTuple):
    """What was found of an article after its first page had ended, until it is stored."""

    state: PageState
    verdict: VisitVerdict
    complete: bool


class Comparing:
    """Compares the pages of one run with their states.

    ``flying`` holds the flights of pages that were read and have not ended, by their keys in
    hexadecimal; ``engine`` is the number of what splits words, by which versions are marked.
    """

    def __init__(
        self,
        states: PageStates,
        template: Template,
        rules: AdmissionRules,
        store: Store,
        frontier: Frontier,
        commits: Commits,
        clock: Clock,
    ) -> None:
        self.flying: dict[str, Flight] = {}
        self.engine = 0
        self._states = states
        self._template = template
        self._rules = rules
        self._store = store
        self._frontier = frontier
        self._commits = commits
        self._clock = clock
        self._late: dict[str, Late] = {}
        self._volatile: dict[str, dict[str, int]] = {}

    async def load(self, store: Store, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of what changes on each site without a meaning."""
        name = self._template.splitter.engine
        self.engine = await number_of_engine(store, self._frontier, name)
        for site, parts in records.items():
            if VOLATILE in parts:
                self._volatile[site] = parts[VOLATILE]

    # What came ----------------------------------------------------------------------------------

    def read(self, flight: Flight, judged: Judged) -> Judged:
        """Compare the list or the records of a page with what is known of it.

        Records that say what they said before are left out: they go no further.
        """
        self._as_first_seen(flight, judged)
        self.flying[flight.waiting.key.hex()] = flight
        flight.watched = judged.piece is not None and judged.piece.article is not None
        before, page = flight.before, judged.page
        known = before or NO_STATE
        if page.page_class is PageClass.RECORD:
            flight.verdict = compare_records(known, judged.records, self._template)
            if before is not None and before.digest and not flight.verdict.changed:
                page.outcome = "unchanged"
                return replace(judged, records=())
        elif page.page_class in LISTS and judged.batch is not None:
            flight.verdict = compare_list(known, judged.batch, self._rules)
        return judged

    def _as_first_seen(self, flight: Flight, judged: Judged) -> None:
        """Let a page that was a list and has content now (its address is named in follow.articles,
        its pattern was learnt) be as if it were seen for the first time: links are no text.
        """
        before = flight.before
        was_list = before is not None and before.page_class in LISTS and before.gone is None
        if before is not None and was_list and judged.page.page_class in CONTENT:
            self._states.visited.pop(before.key, None)
            flight.before = None

    def found_at(self, url_key: str) -> int | None:
        """Return the number of the visit at which a page was found to have other records."""
        flight = self.flying.get(url_key)
        if flight is None or flight.before is None or not is_compared(flight.before):
            return None
        changed = flight.verdict is not None and flight.verdict.changed
        return flight.before.visits + 1 if changed else None

    async def compare(self, article: Article) -> Compared:
        """Compare an article with what is known of it.

        Raises Unchanged when nothing has changed that counts.
        """
        flight = self.flying.get(article.url_key)
        if flight is not None:
            flight.born = article.published
            verdict = self._verdict(flight.before or NO_STATE, article, flight.ignored)
            flight.verdict, flight.unfinished = verdict, not article.complete
            state, is_first = flight.before, _is_first(flight)
        else:
            state = await self._known(article.url_key)
            if state is None:
                return Compared()
            verdict = self._verdict(state, article, ())
            self._late[article.url_key] = Late(state, verdict, article.complete)
            is_first = state.visits == _FIRST
        if state is None or not is_compared(state):
            return Compared(is_first=is_first)
        if not verdict.changed:
            self.stored(article.url_key)
            raise Unchanged(article.url)
        return Compared(verdict, state.visits + (flight is not None))

    def how_changed(
        self, state: PageState, article: Article, ignored: Iterable[str]
    ) -> ChangeKind | None:
        """Return how much an article differs from its last version; None: nobody can tell."""
        if not is_compared(state):
            return None
        shapes = shapes_of_site(self._volatile.get(article.host, {}))
        known = comparable_state(state, self.engine)
        return _kind_of(compare_article(known, article, self._template, shapes, ignored), known)

    def how_records_changed(self, state: PageState, records: Iterable[Record]) -> ChangeKind | None:
        """Return how much the records of a page differ from what it gave; None: nobody can tell."""
        return _kind_of(compare_records(state, records, self._template), state)

    async def _known(self, url_key: str) -> PageState | None:
        """Return the state of a page that has ended; None, too, for a key that is no address's."""
        try:
            key = bytes.fromhex(url_key)
        except ValueError:
            return None
        known = self._states.open.get(key) or self._states.visited.get(key)
        return known or (await self._store.pages([key])).get(key)

    def _verdict(self, state: PageState, article: Article, ignored: Iterable[str]) -> VisitVerdict:
        kept = self._volatile.get(article.host, {})
        shapes = shapes_of_site(kept)
        known = comparable_state(state, self.engine)
        verdict = compare_article(known, article, self._template, shapes, ignored)
        if verdict.learnt:
            kept = self._volatile[article.host] = noted(kept, verdict.learnt)
            self._frontier.note_site(article.host, VOLATILE, kept)
        return verdict

    def stored(self, url_key: str) -> None:
        """Move the state of an article whose first page had ended before all of it was there.

        Call it in the window that stores the article: if the state were moved before, and a kill
        came between, the article would be found unchanged when it goes out once more.
        """
        late = self._late.pop(url_key, None)
        if late is None:
            return
        state, verdict, complete = late
        now = self._clock.wall()
        after = remembered(state, verdict)
        if verdict.changed and is_compared(state):
            after = self._states.counted(after, now)
        facts = {**state.facts, UNFINISHED: not complete}
        after = after._replace(facts=with_engine(facts, self.engine))
        self._states.open.pop(state.key, None)
        if state.key in self._states.visited:  # it is already queued for its next visit
            self._states.visited[state.key] = after
        self._states.remember(after)

    async def let_be(self, url_key: str) -> None:
        """Visit a page no more whose article is a copy of another one.

        One of several pages is known as such when its first page may have ended already.
        """
        flight = self.flying.get(url_key)
        if flight is not None:
            flight.watched = flight.watched and flight.before is not None
            return
        await self._commits.settled()
        key = bytes.fromhex(url_key)
        in_store = await self._store.pages([key])
        self.stored(url_key)
        known = in_store | self._frontier.remembered([key])
        if key in known and known[key].visits == _FIRST:
            self._states.remember(known[key]._replace(next_visit=None))


def _kind_of(verdict: VisitVerdict, state: PageState) -> ChangeKind | None:
    """Return the kind of a verdict; None where there was nothing to compare with, or other rules held."""
    is_anew = verdict.mark.digest != state.digest and not verdict.learnt
    return None if verdict.kind is ChangeKind.SAME and is_anew else verdict.kind


def is_compared(state: PageState) -> bool:
    """Whether there is something to compare with: a whole version was marked before."""
    marked = bool(state.digest) or state.simhash is not None
    return marked and not state.facts.get(UNFINISHED)


def _is_first(flight: Flight) -> bool:
    """Whether a URL is fetched for the first time: as a link that nobody had followed before."""
    waiting = flight.waiting
    is_link = waiting.first_walk and waiting.request is None
    return is_link and flight.before is None and not flight.tries
