"""Method B in a crawl: a page's state is made at its first fetch and moved at every visit.

A state moves in the commit that ends its URL. So after a kill the page is fetched again, its state
as it was, and the same changes go out under the same ids: nothing is counted twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.features.revisit.change.comparison import (
    change_of,
    first_change,
    remembered,
    turned,
    without_ends,
)
from focuscrawl.features.revisit.change.visit_comparison import (
    UNFINISHED,
    Visit,
    VisitComparison,
    VisitReader,
    is_compared,
)
from focuscrawl.features.revisit.conditions import Conditions, PageVersion, version_of
from focuscrawl.features.revisit.crawl_agenda import CrawlAgenda
from focuscrawl.features.revisit.moved import (
    NOT_AT,
    WALL_AT,
    arrived,
    copied_at,
    elsewhere,
    is_same_article,
    is_trial,
    leads_away,
    may_move,
    may_stand_at,
    moved_change,
    naming,
    says_it_stands,
    seen_at,
    tried,
    tried_at,
    walled,
)
from focuscrawl.features.revisit.quiet_lists import (
    NOINDEX,
    OF_SITEMAPS,
    is_index,
    newest_shown,
    shows_own,
    with_newest,
)
from focuscrawl.features.revisit.table import (
    DAY,
    RevisitTable,
    has_other_dates,
    read_since,
    visit_rules,
)
from focuscrawl.features.revisit.visit_queue import (
    BASELINE_MARK,
    GonePages,
    OtherReaders,
    VisitQueue,
    facts_of,
    is_watched,
)
from focuscrawl.features.revisit.visits import (
    FACT,
    GONE_STATUS,
    PRICE,
    Visits,
    VisitScope,
    visits_of,
)
from focuscrawl.frontier.rows import MOST_OPEN, is_list
from focuscrawl.kernel.commit import LOST_ROWS
from focuscrawl.kernel.feature import Feature, SharedNumber
from focuscrawl.kernel.flight import Announcement, Detour, Purpose, ThreadPart
from focuscrawl.kernel.ports import VisitPolicy
from focuscrawl.kernel.template_changes import LastTemplate
from focuscrawl.kernel.transport.requests import CONDITIONS_SET, UNASKED, has_condition
from focuscrawl.kernel.transport.slots import NotStored, was_dropped
from focuscrawl.locale.messages import _
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.values import (
    CONTENT,
    EXPECTED_CHANGES,
    FOUND_CHANGES,
    LISTS,
    VISITS_MADE,
    Article,
    PageClass,
    Record,
    Thread,
    Waiting,
    change_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focuscrawl.features.revisit.change.comparison import VisitVerdict
    from focuscrawl.features.revisit.change.visit_comparison import Compared
    from focuscrawl.kernel.feature import Kernel, Links, Round
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Passage
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.readers.links.criteria import PageReader
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json, LinkBatch, Page, PageChange, PageState


WITHHELD = "withheld"
"""How the reason of a page begins in front of which something stands (a log-in)."""

UNSURE = "soft-404?"
"""Why a visit has failed whose page may be its site's error page, when that did not answer."""


@dataclass(slots=True)
class Arrival:
    """What a flight has found of an article that may have moved: the ``text`` that is stored of it (None: it
    is where it was), ``stranger`` the URL that a redirect led to, ``is_same``: its page is the article's.
    ``elsewhere``: on another site, where nothing but the article is looked for.
    """

    text: str | None = None
    stranger: Waiting | None = None
    is_same: bool = False
    elsewhere: bool = False


class WrongPlace(NamedTuple):
    """A page that was tried as the new place of an article, and is none; ``is_away``: on a site out of scope, which
    says nothing of the article (who asks for a log-in may stand there).
    """

    flight: Flight
    is_away: bool

    async def clear_up(self) -> None:
        """Nothing is to be asked."""

    def settle(self, judged: Judged) -> bool:
        """Note it: nothing is taken, for its address was read as what it is, or will be."""
        flight, before = self.flight, self.flight.before
        flight.outcome, flight.reason = ("refused", "scope") if self.is_away else ("alias", "moved")
        if before is not None and self.is_away:  # the log book says it of the article
            flight.waiting = flight.waiting._replace(url=before.url, site=before.site)
        return True


class Revisit(Feature, VisitPolicy):
    """The visits of one run's pages, which move their states (``kernel.pages``).

    What an answer says of a page is found by ``comparison``; pages that are not there any more are
    ``gone``; ``agenda`` queues what is due.
    """

    name = "revisit"
    after = ("soft_404",)  # whether a page is there is known before its state moves

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._states = kernel.pages
        self._states.stays = kernel.template.of(RevisitTable).continuous
        self.visits = Visits(visit_rules(kernel.template))
        scope = VisitScope(
            *(self.visits, kernel.pages, kernel.template, kernel.store, kernel.frontier),
            *(kernel.clock, kernel.rules, kernel.sources),
        )
        self.comparison = VisitComparison(scope, kernel.commits.settled)
        self.gone = GonePages(scope)
        self.conditions = Conditions()
        self.agenda = CrawlAgenda(
            scope,
            VisitQueue(scope, self._others(), linger=kernel.run.linger),
            self.gone,
            # Not yet: the site policy may be made after this one.
            closed_for=lambda site, wall: kernel.hooks.sites.seconds_closed(site, wall),  # noqa: PLW0108
            written=kernel.commits.written,
        )
        self._is_open = self._has_other_dates = False
        self._fetched_again = 0
        self._expected: defaultdict[str, float] = defaultdict(float)
        kernel.frontier.arrived = self.gone.add
        # Where articles and threads that have moved stood, and the visit that has found it, by their keys.
        self._came_from: dict[str, tuple[str, int]] = {}
        table = kernel.template.of(RevisitTable)
        self._moves = not table.strict
        # As a share of what is old is looked back at each day, all of it within so long.
        spreads = table.policy == "index" and not table.strict and table.old
        self._within = DAY / table.old if spreads else 0.0

    def _others(self) -> OtherReaders:
        """Return what features say of pages that are due."""
        hooks = self._kernel.hooks

        def waits(queued: Mapping[bytes, PageState]) -> Callable[[PageState], bool] | None:
            asked = [one for ask in hooks.visits_wait if (one := ask(queued)) is not None]
            return (lambda page: any(one(page) for one in asked)) if asked else None

        async def put_off(pages: Sequence[PageState]) -> set[bytes]:
            quiet = [one for ask in hooks.put_off for one in (await ask(pages)).items()]
            states = {page.key: page for page in pages}
            return {key for key, since in quiet if self._is_left(states[key], since)}

        return OtherReaders(
            walks=lambda: hooks.search,  # it may be made after this one
            waits=waits,
            put_off=put_off,
        )

    def _is_left(self, state: PageState, since: float) -> bool:
        """Plan the visit of a page anew that has nothing new ``since``; False: it is due all the same."""
        later, now = self.visits.left_alone(state, since), self._kernel.clock.wall()
        if later.next_visit is None or later.next_visit <= now:
            return False
        self._states.remember(later)
        self._kernel.counters["visits_saved"] += 1
        return True

    def readers(self) -> Iterable[PageReader]:
        """Read which lines of a page never count as a change."""
        return (VisitReader(self._kernel.criteria),)

    # The run ------------------------------------------------------------------------------------

    def shared_numbers(self) -> Iterable[SharedNumber]:
        """Return what a visit must be worth, so that a process that joins does not learn it anew.

        Each keeps its own, which follows its part of the budget: with one price for all, visits would be left
        unused where less changes.
        """
        count = 0

        def hear_count(others: int) -> None:
            nonlocal count
            count = others

        yield SharedNumber("priced", lambda: int(self.visits.is_priced), hear_count, is_state=True)
        yield SharedNumber(
            "price",
            lambda: self.visits.price_number if self.visits.is_priced else 0,
            lambda others: self.visits.join(others, count),
            is_state=True,
        )

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt."""
        kernel = self._kernel
        self.visits.restore_price((await kernel.store.facts(FACT)).get(PRICE))
        await self.comparison.open()
        await self.gone.load(partitions)
        if self._is_open:
            return  # partitions that were taken in mid-run: what the template says is known
        last = await LastTemplate.read(kernel.template, kernel.store)
        self._has_other_dates = has_other_dates(kernel.template, last.facts, last.resolved)
        self.conditions.since = read_since(
            kernel.template, last.facts, last.resolved, kernel.frontier, kernel.run.started
        )
        self.agenda.lists.since = self.conditions.since
        self._is_open = True

    def release(self, partitions: Partitions) -> None:
        """Let go of the pages and lists of some partitions."""
        self._states.release(partitions)
        self.gone.release(partitions)
        self.agenda.lists.release(partitions)

    def memories(self) -> tuple[SiteMemory, ...]:
        """Remember how far sites' dates can be trusted, what changes there without a meaning, and their servers."""
        return self.visits.trusts, self.comparison.volatile, self.conditions

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Say how often a page was visited, what that found, and when it is visited next and why then."""
        state = question.state
        if state is None:
            return ()
        facts = [Fact("visits", visits_of(state))]
        if state.gone is None:
            is_off = self._kernel.template.of(RevisitTable).is_off
            facts.append(
                Fact("next_visit", self.visits.plan_of(state, question.now, is_off=is_off))
            )
        return facts

    async def begin(self, round_: Round) -> int:
        """Queue what is due."""
        if round_.lost_since < inf:
            self._fetched_again = await self.agenda.fetch_again(round_.lost_since)
        return await self.agenda.begin(round_.began, self._has_other_dates, round_.clock_ran_ahead)

    def summary(self) -> Iterable[tuple[str, str]]:
        """Say what becomes of pages that the results have lost."""
        lost, again = self._kernel.counters[LOST_ROWS], self._fetched_again
        if again:
            told = _("{again:,} pages missing from the results were fetched again")
            if self._kernel.store.vanished:
                told = _("{again:,} pages were fetched again, since what they link to was lost")
            yield "lost", told.format(again=again)
        if lost > again:
            told = _(
                "{rest:,} articles or records cannot be fetched again: no visits are planned to them"
            )
            yield "lost", told.format(rest=lost - again)

    def go_on(self, round_: Round) -> None:
        """Look at what is due of pages taken over from another process."""
        self.agenda.go_on(round_.began)

    def note(self, *, closing: bool) -> None:
        """Count how many changes were expected of the visits so far."""
        for name, number in self._expected.items():
            self._kernel.counters[f"{EXPECTED_CHANGES}{name}"] = round(number)
        self._is_open = self._is_open and not closing

    def tick(self) -> None:
        """Look at what is due, when it is time."""
        if self._is_open and self.agenda.is_time():
            self._kernel.items.beside(self._look)

    def idle(self, *, is_over: bool) -> bool:
        """Stay, and look at what is due, when something may come."""
        if is_over or not self.agenda.may_come():
            return False
        if self.agenda.has_some():
            self._kernel.items.beside(partial(self._look, is_idle=True))
        return True

    async def _look(self, *, is_idle: bool = False) -> None:
        try:
            await self.agenda.look(is_idle=is_idle)
        except StoreError as error:
            self._kernel.commits.break_off(error)

    def figures(self) -> Mapping[str, float]:
        """Return how many visits have come."""
        return {"due": self.agenda.due()}

    # A visit begins -----------------------------------------------------------------------------

    async def before_fetch(self, flight: Flight) -> None:
        """Find out what is known of a page that is about to be fetched again."""
        waiting = flight.waiting
        if waiting.first_walk or flight.before is not None:
            return
        state = self._states.visited.get(waiting.key)
        if state is None:
            state = (await self._kernel.store.pages([waiting.key])).get(waiting.key)
        if state is not None:
            flight.before = self._states.visited[waiting.key] = state

    def add_conditions(self, flight: Flight, request: Any) -> None:
        """Ask for a page that is known only if there is a newer version of it (ETag, Last-Modified).

        A user's own condition wins. Scrapy's cache does not answer.
        """
        for name in request.meta.pop(CONDITIONS_SET, ()):
            del request.headers[name]  # of an earlier try, or of the address that led here
        state = flight.before
        if state is None:
            return
        request.meta["dont_cache"] = True
        is_elsewhere = flight.waiting.url != state.url  # the version is that of another address
        is_whole = (
            flight.of(Purpose).whole or state.facts.get(UNFINISHED) or UNASKED in request.meta
        )
        if is_elsewhere or is_whole or request.method != "GET" or has_condition(request):
            return
        headers = self.conditions.headers(state)
        if headers:
            request.headers.update(headers)
            request.meta[CONDITIONS_SET] = list(headers)

    def answered(self, request: Any, response: Any, site: str) -> None:
        """Note what a server calls the version it has sent, or still has (304)."""
        flight = self._kernel.flights.get(request)
        if flight is not None and response.status in (200, 304):
            flight.of(Visit).version = PageVersion.of(response.headers)

    def trusts_unchanged(self, site: str) -> bool:
        """Whether a site's 304 is taken for true."""
        return self.conditions.believes(site)

    def follows_redirect(self, flight: Flight, url: str, site: str) -> bool:
        """Follow an article to another site, which shows whether it is the same."""
        before = flight.before
        if before is None or not self._moves or not leads_away(before, url, site):
            return False
        flight.of(Arrival).elsewhere = True
        return True

    # Its page is read ---------------------------------------------------------------------------

    async def before_read(self, flight: Flight) -> None:
        """Recall the text of an article that may have moved, to see whether it is the same."""
        before = flight.before
        if before is None or not self._moves or not may_move(before):
            return
        if flight.waiting.key == before.key and not is_trial(before):
            return
        if before.page_class is not PageClass.ARTICLE:
            flight.of(
                Arrival
            ).text = ""  # records are compared by what its state knows, posts as they are stored
        else:
            stored = await self._kernel.stored.text(before.key.hex())
            flight.of(Arrival).text = stored.text or "" if stored is not None else ""

    def correct_url(self, flight: Flight) -> None:
        """Read a page to which an article's address leads as that article, until it shows that it is none."""
        before, arrival = flight.before, flight.of(Arrival)
        if arrival.text is None or before is None or flight.waiting.key == before.key:
            return
        arrival.stranger = flight.waiting
        flight.waiting = flight.waiting._replace(key=before.key)

    def again(self, flight: Flight, judged: Judged) -> bool:
        """Whether a page is another one than the article whose address has led to it."""
        before, arrival = flight.before, flight.of(Arrival)
        if arrival.text is None or before is None:
            return False
        is_known = seen_at(before) == flight.waiting.url  # it was found there before
        if before.page_class is PageClass.RECORD and judged.records:
            kind = self.comparison.how_records_changed(before, judged.records)
            arrival.is_same = is_known or is_same_article(kind, "", "")
        article = judged.article or (judged.piece.article if judged.piece is not None else None)
        if article is not None and before.page_class is PageClass.ARTICLE:
            kind = self.comparison.how_changed(before, article, judged.ignored)
            arrival.is_same = is_known or is_same_article(kind, arrival.text, article.text)
        if before.page_class is PageClass.THREAD:
            shown = [shows(flight, judged) for shows in self._kernel.hooks.shows_known]
            arrival.is_same = is_known or any(shown)
        if arrival.is_same or arrival.stranger is None or arrival.elsewhere:
            return False
        flight.waiting = arrival.stranger._replace(page_class=None)
        return True

    def held_for(self, flight: Flight, judged: Judged) -> WrongPlace | None:
        """Take nothing of a page that was tried as an article's new place, and shows something else."""
        before, arrival = flight.before, flight.of(Arrival)
        is_place = arrival.stranger is None or arrival.elsewhere
        if before is None or arrival.text is None or not is_place:
            return None
        if arrival.is_same:
            return None
        look = self._kernel.rules.look(flight.waiting.url)
        return WrongPlace(flight, is_away=arrival.elsewhere and look.refused_page == "scope")

    def judged(self, flight: Flight | None, judged: Judged) -> Iterable[Any]:
        """Compare a page with what is known of it, before anything of it goes out."""
        if flight is not None:
            visit, waiting = flight.of(Visit), flight.waiting
            is_record = flight.before is not None and flight.before.page_class is PageClass.RECORD
            visit.canonical = judged.canonical if self._moves else ""
            visit.has_lost = is_record and not judged.records and self._moves
            is_link = waiting.first_walk and waiting.request is None
            is_other = flight.before is not None and flight.before.key != waiting.key
            if is_record and flight.before is not None and flight.of(Arrival).is_same:
                place = seen_at(flight.before)
                visit.came_from = place if place != waiting.url else ""
            visit.before = None if is_other else flight.before
            visit.is_first = is_link and flight.before is None and not flight.tries
            self.comparison.read(waiting.key, visit, judged)
            if flight.before is not None and visit.before is None and not is_other:
                _call_known(
                    judged, waiting._replace(baseline=flight.before.facts.get(BASELINE_MARK, 0))
                )
            flight.before = flight.before if is_other else visit.before
            if flight.before is not None and flight.of(Arrival).is_same and not is_record:
                self._note_place(flight.before, waiting.url)
        return ()

    def _note_place(self, before: PageState, url: str) -> None:
        """Note that an article was found where it did not stand before, until it goes out."""
        if seen_at(before) != url:
            self._came_from[before.key.hex()] = seen_at(before), before.visits + 1
            if len(self._came_from) > MOST_OPEN:
                del self._came_from[next(iter(self._came_from))]

    def links(self, flight: Flight, links: Links) -> Links:
        """Look at links to pages that are gone."""
        return links._replace(add=self.gone.add) if self.gone.has_some else links

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Note when a list has shown something new last."""
        waiting = flight.waiting
        has_new = not waiting.first_walk and admission.added > 0
        if has_new:
            self.agenda.lists.note_news(waiting.key, waiting.site)
        if batch.page_class in LISTS:
            now = self._kernel.clock.wall()
            visit = flight.of(Visit)
            visit.newest = newest_shown(batch, now, has_new=has_new)
            before = None if waiting.first_walk else flight.before
            changed = visit.verdict is not None and visit.verdict.changed
            visit.has_own = shows_own(
                *(admission, visit.newest, before, now),
                changed=changed,
                has_site_news=self.agenda.lists.has_news(waiting.site),
            )
            visit.is_index = is_index(batch)

    # Its items go through the pipelines ---------------------------------------------------------

    async def compare(self, item: Any, passage: Passage) -> None:
        """Find out what an article or a record has become. Raises NotStored for an article that is
        visited again and says the same.
        """
        if isinstance(item, Record):
            passage.visit = self.comparison.found_at(item.url_key)
            came_from, visit = self.comparison.came_from(item.url_key)
            if came_from:
                title = next((said for said in item.data.values() if isinstance(said, str)), "")
                names = (item.record_id, came_from, item.url, title[:500])
                now = self._kernel.clock.wall()
                passage.told.append(moved_change(*names, visit, now, "record"))
        if isinstance(item, Thread):
            came_from, visit = self._came_from.pop(item.url_key, ("", 0))
            if came_from:
                names = (item.url_key, came_from, item.url, item.title)
                now = self._kernel.clock.wall()
                passage.told.append(moved_change(*names, visit, now, "thread"))
        if isinstance(item, Article):
            found = await self.comparison.compare(item)  # most visits end here
            if (
                found.verdict is not None
                and not found.is_unchanged
                and await self._is_corrected(item, found)
            ):
                found = self.comparison.take_for_same(item, found)
            came_from, _visit = self._came_from.pop(item.url_key, ("", 0))
            if came_from:
                now = self._kernel.clock.wall()
                names = (item.url_key, came_from, item.url, item.title)
                passage.told.append(moved_change(*names, found.visit, now))
            elif found.is_unchanged:
                raise NotStored(item.url, "unchanged")
            was_complete: bool | None = None
            if found.verdict is not None and not found.is_unchanged:
                was_complete = await self._tell(
                    item, found.verdict, found, passage, only_stored=True
                )
            elif not found.is_first or not self._kernel.stored.in_step or passage.was_sent:
                was_complete = await self._kernel.stored.is_complete(item.url_key)
            begun = first_change(item, was_complete, self._kernel.clock.wall())
            if begun is not None and not item.known:
                passage.told.append(begun)

    async def _is_corrected(self, article: Article, found: Compared) -> bool:
        """Whether a page that differs from its last version says what is stored of it: that was corrected since.

        After a kill it does so, too; then the change is stored already, and goes out again under its number.
        """
        stored = await self._kernel.stored.text(article.url_key)
        if stored is None or found.verdict is None or not stored.text:
            return False
        is_stored = (stored.title, stored.text) == (article.title, article.text)
        if not is_stored:
            return False
        number = change_key(article.url_key, found.verdict.kind.value, found.visit)
        return not await self._kernel.stored.has_change(number)

    async def _tell(
        self,
        article: Article,
        verdict: VisitVerdict,
        found: Compared,
        passage: Passage,
        *,
        only_stored: bool = False,
    ) -> bool | None:
        """Tell how an article has changed; returns whether what is stored of it misses no part.

        ``only_stored``: tell nothing of what was never stored, such as a copy that was left.
        Raises ChangeFailed.
        """
        stored = await self._kernel.stored.text(article.url_key)
        if stored is None and only_stored:
            return None
        earlier = None
        if stored is not None:
            earlier = stored.title, without_ends(stored.text, *found.cut)
        now = self._kernel.clock.wall()
        change = change_of(article, verdict, found.visit, earlier, now)
        passage.leave(await self._kernel.items.changes.announce(change))
        return stored.complete if stored is not None else None

    async def keep(self, item: Any, passage: Passage) -> None:
        """Move the state of an article that is to be stored."""
        if isinstance(item, Article):
            self.comparison.stored(item.url_key)

    async def may_have_moved(self, flight: Flight | None, item: Article | Thread, key: str) -> bool:
        """Whether a copy is left, at its first fetch, until its original was looked at; where that has moved to the
        address of the copy, for good.
        """
        here = self.comparison.under_way.get(item.url_key)
        visit = flight.of(Visit) if flight is not None else here
        if visit is None or item.known or not self._moves or key == item.url_key:
            return False
        if self._kernel.template.of(RevisitTable).is_off:
            return False  # nothing would ever be looked at
        like = bytes.fromhex(key)
        state = (await self._states.known(self._kernel.store, [like])).get(like)
        if state is None or state.site != item.host:
            return False
        before = flight.before if flight is not None else visit.before
        if before is not None:
            visit.is_left = state.url == item.url and not is_trial(state)
            return visit.is_left
        visit.is_put_off = may_stand_at(state, item.url, self._kernel.run.started)
        return visit.is_put_off

    async def found_again(self, item: Record | Thread, key: str) -> None:
        """Note where the page of a record, or a thread, may stand now: a new page gives what it gave."""
        visit = self.comparison.under_way.get(item.url_key)
        is_new = visit is not None and visit.before is None and not item.known
        if is_new or isinstance(item, Thread):  # threads come before they are read
            await self._note_copy(item, key)

    async def lost(self, item: Any, passage: Passage, error: Exception) -> None:
        """Tell what has become of an article that a pipeline of the user's has dropped; visit one no
        more that is a copy.
        """
        if not isinstance(item, Article) or not was_dropped(error) or not self._is_open:
            return
        if isinstance(error, NotStored):
            if error.outcome == "copy":
                await self.comparison.let_be(item.url_key)
                await self._note_copy(item, error.like)
            return
        found = await self.comparison.compare(item)
        if found.verdict is not None and not found.is_unchanged:
            await self._tell(item, found.verdict, found, passage)
            self.comparison.stored(item.url_key)

    async def _note_copy(self, article: Article | Record | Thread, like: str) -> None:
        """Note with an article or a record where its site has a copy of it: it may have moved there."""
        key = bytes.fromhex(like)
        if not key or not self._moves or like == article.url_key:
            return
        state = (await self._states.known(self._kernel.store, [key])).get(key)
        if state is None or state.site != article.host:
            return
        now = self._kernel.clock.wall()
        after = copied_at(state, article.url, now, is_news=not article.known)
        if after != state:
            self._states.moved(after)

    # It ends ------------------------------------------------------------------------------------

    def tries_again(self, flight: Flight) -> bool:
        """Whether a visit that failed is tried again soon, as a first fetch is: a list, by a run
        that ends. Others have their own date.
        """
        before = flight.before
        return before is None or (is_list(before) and not self._states.stays)

    def ending(self, flight: Flight) -> PageChange | None:
        """Return what the end of a visit is going to tell: that its page has gone, or is back.

        Most visits tell nothing of the kind.
        """
        before = flight.before
        if before is None or (before.gone is None and not _why_gone(before, flight)):
            return None
        state, now = self._states.visited.get(before.key, before), self._kernel.clock.wall()
        if state.visits != before.visits:
            return None  # another answer came first
        if _why_gone(state, flight):
            return turned(state, self._moved(state, before.visits, flight, now), now)
        return turned(state, state._replace(gone=None), now) if _was_there(flight) else None

    def settle(self, flight: Flight, page: Page | None, *, comes_back: bool) -> None:
        """Move a page's state, and learn whether its server calls what has changed by another name."""
        if comes_back:
            return
        flight.after = self._ended(flight)
        verdict = flight.of(Visit).verdict
        if flight.before is not None and verdict is not None and not flight.unchanged:
            self.conditions.came_whole(flight.before, flight.of(Visit).version, verdict.changed)

    def fill_row(self, flight: Flight, page: Page) -> None:
        """Say what is known of a page's visits."""
        state = flight.after
        if state is not None:
            page.changes, page.last_changed = state.times_changed, state.last_changed
            page.next_visit, page.gone_at = state.next_visit, state.gone

    def _ended(self, flight: Flight) -> PageState | None:
        self.comparison.under_way.pop(flight.waiting.key.hex(), None)
        before, visit = flight.before, flight.of(Visit)
        if before is None:
            self._rest_ended(flight)
            return self._first(flight)
        self.comparison.under_way.pop(before.key.hex(), None)
        now = self._kernel.clock.wall()
        state = self._states.visited.pop(before.key, before)
        after = self._moved(state, before.visits, flight, now)
        series = flight.of(ThreadPart).series
        goes_on = series.key and not series.ended
        if after.visits != state.visits and (goes_on or (visit.watched and visit.verdict is None)):
            self._states.wait_for_rest(after)
        change = self._turn(state, after, now)
        announced = flight.of(Announcement)
        if change is not None and announced.is_made:
            change = announced.change
        self._remember(after, change)
        return self._first(flight) if before.key != flight.waiting.key else after

    async def end_page(self, before: PageState, after: PageState) -> Callable[[], None]:
        """Tell that a page has gone; returns what puts its tombstone into the next commit, with what the
        pipelines left of it. Raises ChangeFailed.
        """
        change = turned(before, after, self._kernel.clock.wall())
        left = await self._kernel.items.changes.announce(change) if change is not None else None

        def put() -> None:
            self._turn(before, after, self._kernel.clock.wall())
            self._remember(after, left)

        return put

    def _remember(self, after: PageState, change: PageChange | None) -> None:
        if change is not None:
            self._kernel.commits.pending.add(change)
        self._states.remember(after)

    def _turn(self, before: PageState, after: PageState, now: float) -> PageChange | None:
        """Note that a page has gone, or is back; returns that change."""
        self.gone.note(after, now)
        change = turned(before, after, now)
        if change is not None:
            self._kernel.commits.pending.gone[change.url_key] = after.gone
            self._kernel.counters[change.kind] += 1
        return change

    def _rest_ended(self, flight: Flight) -> None:
        """Count the new replies on a later page of a thread whose first page has ended."""
        series = flight.of(ThreadPart).series
        first = bytes.fromhex(series.key) if series.ended else b""
        state = self._states.open.pop(first, None)
        if not state:
            return
        state = self._states.visited.get(state.key, state)
        if series.has_grown:
            state = self.visits.counted(state, self._kernel.clock.wall())
            self._kernel.counters[f"{FOUND_CHANGES}{state.page_class.value}"] += 1
        self._states.moved(state)

    def _first(self, flight: Flight) -> PageState | None:
        page, waiting, visit = flight.page, flight.waiting, flight.of(Visit)
        sources = self._kernel.sources
        if page is None or flight.failed or flight.outcome:
            return None
        if not (visit.watched or visit.is_put_off or is_watched(page, waiting, sources)):
            return None
        source, facts = sources.get(waiting.source_id), facts_of(waiting, sources)
        # What stood there when its list was read first, and says of no date that it is young, is old as a rule: of a
        # wiki of 70 pages 69 were visited on the day after the first crawl, and on the seventh once more.
        is_old = waiting.baseline > 0 and visit.born is None and not facts["source"]
        is_old = is_old and page.page_class is PageClass.ARTICLE
        state = self.visits.first_seen(
            *(waiting.key, waiting.url, waiting.site, page.page_class, self._kernel.clock.wall()),
            level=waiting.passed_level,
            born=visit.born,
            every=source.every if source is not None and facts["source"] else None,
            within=self._within if is_old else 0.0,
        )._replace(source_id=waiting.source_id, facts=facts)
        if visit.is_put_off:  # it comes whole next time, and as if for the first
            self._states.remember(state)
            return state
        if visit.verdict is not None:
            state = remembered(state, visit.verdict)
            if visit.canonical not in ("", state.url):
                state = state._replace(facts={**state.facts, NOT_AT: visit.canonical})
        elif visit.watched:
            self._states.wait_for_rest(state)
        state = self._with(state, flight)
        self._states.remember(state)
        return state

    def _moved(self, state: PageState, number: int, flight: Flight, now: float) -> PageState:
        """Return the state after a visit, whatever came of it."""
        if reason := _why_gone(state, flight):
            return self._gone(state, number, flight, now, reason)
        if not _was_there(flight):
            return self._not_read(state, number, flight, now)
        visit = flight.of(Visit)
        verdict = visit.verdict
        changed = verdict is not None and verdict.changed and is_compared(state)
        changed = changed or flight.of(ThreadPart).series.has_grown
        there = says_it_stands(state, visit.canonical)
        if there and state.visits == number:
            return tried_at(state, there, now)
        after = self.visits.visited(state, number, now, changed)
        if after.visits == number:  # an answer that came too late
            return after
        self._count(state, now, changed=changed)
        trust = self.visits.trusts.get(state.site)
        if trust is not None and (changed or state.signalled is not None):
            self.visits.trusts.touch(state.site)
        if verdict is not None:
            after = remembered(after, verdict)
        if visit.is_left:
            after = after._replace(next_visit=None)
        return naming(self._with(after, flight), visit.canonical)

    def _gone(
        self, state: PageState, number: int, flight: Flight, now: float, reason: str
    ) -> PageState:
        """Return the state of a page that its answer calls gone; where it may stand now is tried before."""
        led_to = flight.of(Detour).led_to if flight.outcome == "alias" else ""
        there = elsewhere(state, led_to) if self._moves and state.visits == number else ""
        if there and not is_trial(state):
            return tried_at(state, there, now)
        state = tried(state) if state.visits == number else state
        return self.visits.failed(
            state, number, now, reason, says_gone=True, confirms=flight.of(Purpose).confirms
        )

    def _not_read(self, state: PageState, number: int, flight: Flight, now: float) -> PageState:
        """Return the state of a page that could not be read, and that its answer does not call gone."""
        is_wall = flight.outcome == "refused" or flight.failed.startswith(WITHHELD)
        if is_trial(state) and state.visits == number and is_wall:
            state = walled(state)  # what was tried is no place of it, and says nothing of it
        why = flight.failed or flight.reason or flight.outcome or "not read"
        # In front of a page, or in its place: what that is shows what the site answers for one that never was.
        is_doubted = bool(flight.of(Detour).led_to) or flight.failed.startswith((WITHHELD, UNSURE))
        return self.visits.failed(state, number, now, why, is_doubted=is_doubted)

    def _count(self, state: PageState, now: float, *, changed: bool) -> None:
        """Count a visit, whether it has found a change, and how likely that was."""
        counters, name = self._kernel.counters, state.page_class.value
        counters[f"{VISITS_MADE}{name}"] += 1
        counters[f"{FOUND_CHANGES}{name}"] += changed
        if changed and state.page_class is PageClass.ARTICLE:
            self.agenda.note_change(state.site)
        self._expected[name] += self.visits.chance(state, now)

    def _with(self, state: PageState, flight: Flight) -> PageState:
        visit = flight.of(Visit)
        if visit.verdict is not None:
            state = self.comparison.marked(
                state, unfinished=visit.unfinished, letters=visit.letters, cut_at=visit.cut_at
            )
        if flight.of(Detour).by_other_scheme and flight.waiting.key == state.key:
            state = state._replace(url=flight.waiting.url)
        if flight.of(Arrival).is_same:
            state = arrived(state, flight.waiting.url)
        was_read = flight.page and flight.page.outcome != "error" and not flight.failed
        version = PageVersion()  # it is to come whole next time
        if flight.unchanged and flight.before:
            version = version_of(flight.before).updated(visit.version)
        elif was_read and flight.mark != "truncated":
            version = visit.version
        state = state._replace(etag=version.etag, modified=version.modified)
        if was_read and bool(state.facts.get(NOINDEX)) != visit.is_noindex:
            state = state._replace(facts={**state.facts, NOINDEX: visit.is_noindex})
        if visit.is_index and not state.facts.get(OF_SITEMAPS):
            state = state._replace(facts={**state.facts, OF_SITEMAPS: True})
        return with_newest(state, visit.newest, has_own=visit.has_own)


def _call_known(judged: Judged, waiting: Waiting) -> None:
    """Let what an old page gives be known that was read as something else when it was fetched first."""
    if judged.article is not None:
        judged.article.known |= waiting.knows(judged.article.published)
    if judged.piece is not None and judged.piece.article is not None:
        judged.piece.article.known |= waiting.knows(judged.piece.article.published)
    for record in judged.records:
        record.known |= waiting.knows(None)


def _was_there(flight: Flight) -> bool:
    """Whether a fetch has shown its page, or that it is as it was."""
    page = flight.page
    is_read = page is not None and not flight.outcome and page.outcome != "error"
    return not flight.failed and (is_read or flight.outcome == "unchanged")


def _why_gone(state: PageState, flight: Flight) -> str:
    """Return how an answer says that there is no such page any more; "" when it does not."""
    if flight.failed:
        return ""
    if flight.status in GONE_STATUS or flight.outcome == "gone":
        return flight.reason or f"http {flight.status}"
    if flight.outcome == "alias" and flight.of(Detour).led_to == state.facts.get(WALL_AT):
        return ""  # a form stands there, in front of it
    if flight.outcome == "alias" or (flight.page is not None and flight.waiting.key != state.key):
        return "moved"
    if flight.of(Visit).has_lost and _was_there(flight) and not state.facts.get("source"):
        return "short"  # it is still there, and says nothing of what it was kept for
    watched = flight.of(Visit).watched
    shrunk = flight.page is not None and flight.page.outcome == "short" and not watched
    shrunk = shrunk and not state.facts.get("source")  # who names an address knows that it is there
    return "short" if shrunk and state.page_class in CONTENT else ""
