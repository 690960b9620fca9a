"""Method B put on a run: a page's state is made at its first fetch and moved at every visit.

A state moves in the commit that ends its URL. So after a kill the page is fetched again, its state
as it was, and the same things are told under the same ids: nothing is counted twice.

What has changed is found where all of it is at hand: of lists and records when the page is read, of
articles in the pipelines, for they may come in several pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import DropItem

from focuscrawl.crawl.hashed import comparable_state, number_of_engine, with_engine
from focuscrawl.crawl.visits import (
    CONTENT,
    LISTS,
    compare_article,
    compare_list,
    compare_records,
    facts_of,
    is_list,
    is_watched,
    rules_of,
)
from focuscrawl.revisit.changes import Kind, Verdict, remembered
from focuscrawl.revisit.gone import says_gone
from focuscrawl.revisit.learning import noted, shapes_of_site
from focuscrawl.revisit.signals import Trust
from focuscrawl.revisit.visits import Visits
from focuscrawl.running.leases import Lease, with_version
from focuscrawl.values import Json, PageChange, PageClass, PageState, change_key

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.crawl.fetched import Judged
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.running.committing import Commits
    from focuscrawl.stores.base import Store
    from focuscrawl.topic.template import Source, Template
    from focuscrawl.values import Article, Clock, Waiting

FACT, PRICE = "revisit", "price"
GONE = "gone"
"""A kind of facts: when a page that is gone was last looked at, by its key in hexadecimal."""

LINKED = "linked"
"""A kind of facts: pages that are gone and were linked to again, until they are queued."""

LOOK_AGAIN = 86_400.0
"""Seconds after which a page that is gone, and is still linked to, is looked at once more."""

TRUST, VOLATILE = "signals", "volatile"
"""Parts of a site's record."""

MOST_OPEN = 10_000
"""Articles of several pages that are waited for after their first page has ended."""

WHAT = {
    PageClass.ARTICLE: "article",
    PageClass.RECORD: "record",
    PageClass.THREAD: "thread",
    PageClass.BOARD: "board",
}
NO_STATE = PageState(b"", "", "", PageClass.OTHER, 1, 0.0, 0.0, None, 0)
FIRST = 1
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

    verdict: Verdict | None = None
    visit: int = FIRST
    is_first: bool = False


class Late(NamedTuple):
    """What was found of an article after its first page had ended, until it is stored."""

    state: PageState
    verdict: Verdict
    complete: bool


class Revisiting:
    """The states of the pages of one run.

    ``visited`` holds the states of pages that are queued again or in flight, by key; ``linked`` are
    the keys of pages that are gone and were linked to again. ``finish`` adds
    to a state what else an answer says of its page.
    """

    def __init__(
        self,
        template: Template,
        rules: AdmissionRules,
        sources: Mapping[str, Source],
        store: Store,
        frontier: Frontier,
        commits: Commits,
        clock: Clock,
        counters: Counter[str],
        visited: dict[bytes, PageState],
    ) -> None:
        self.visits = Visits(rules_of(template))
        self.visited = visited
        self.next_due: float | None = None
        self._template = template
        self._rules = rules
        self._sources = sources
        self._store = store
        self._frontier = frontier
        self._commits = commits
        self._clock = clock
        self._counters = counters
        self.linked: dict[bytes, None] = {}
        self._gone: dict[bytes, float] = {}
        self._flying: dict[str, Lease] = {}
        self._open: dict[bytes, PageState] = {}
        self._late: dict[str, Late] = {}
        self._volatile: dict[str, dict[str, int]] = {}
        self._engine = 0

    async def load(self, store: Store, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt; ``records`` are those of the sites."""
        name = self._template.splitter.engine
        self._engine = await number_of_engine(store, self._frontier, name)
        kept = (await store.facts(FACT)).get(PRICE)
        rules = self.visits.rules
        self.visits.price = Visits.price_from_json(rules, kept) or self.visits.price
        for key, looked in (await store.facts(GONE)).items():
            self._gone[bytes.fromhex(key)] = looked
        self.linked.update((bytes.fromhex(key), None) for key in await store.facts(LINKED))
        for site, parts in records.items():
            if TRUST in parts:
                self.visits.trusts[site] = Trust.from_json(parts[TRUST])
            if VOLATILE in parts:
                self._volatile[site] = parts[VOLATILE]

    # A visit begins -----------------------------------------------------------------------------

    async def begin(self, lease: Lease) -> None:
        """Find out what is known of a page that is about to be fetched again."""
        waiting = lease.waiting
        if waiting.first_walk or lease.before is not None:
            return
        state = self.visited.get(waiting.key)
        if state is None:
            state = (await self._store.pages([waiting.key])).get(waiting.key)
        if state is not None:
            lease.before = self.visited[waiting.key] = state

    @property
    def knows_gone(self) -> bool:
        """Whether any page is gone: else links need not pass ``add``."""
        return bool(self._gone)

    def add(self, waiting: Waiting, number: int) -> bool:
        """Add a link to the frontier; one to a page that is gone may say that it is back."""
        if self._frontier.add(waiting, number):
            return True
        looked = self._gone.get(waiting.key)
        # A look in a time to come is one of a clock that ran ahead.
        if looked is not None and not 0 <= self._clock.wall() - looked < LOOK_AGAIN:
            if waiting.key not in self.linked:  # noted with its list, which is not read again
                self._frontier.note_fact(LINKED, waiting.key.hex(), True)
            self.linked[waiting.key] = None
        return False

    def looks_at(self, key: bytes) -> None:
        """Forget that a page that is gone was linked to: it is queued in the same window."""
        del self.linked[key]
        self._frontier.note_fact(LINKED, key.hex(), None)

    # What came ----------------------------------------------------------------------------------

    def read(self, lease: Lease, judged: Judged) -> Judged:
        """Compare the list or the records of a page with what is known of it.

        Records that say what they said before are left out: they go no further.
        """
        self._flying[lease.waiting.key.hex()] = lease
        lease.watched = judged.piece is not None and judged.piece.article is not None
        before, page = lease.before, judged.page
        known = before or NO_STATE
        if page.page_class is PageClass.RECORD:
            lease.verdict = compare_records(known, judged.records, self._template)
            if before is not None and before.digest and not lease.verdict.changed:
                page.outcome = "unchanged"
                return judged._replace(records=())
        elif page.page_class in LISTS and judged.batch is not None:
            lease.verdict = compare_list(known, judged.batch, self._rules)
        return judged

    def found_at(self, url_key: str) -> int | None:
        """Return the number of the visit at which a page was found to have other records."""
        lease = self._flying.get(url_key)
        if lease is None or lease.before is None or not _is_compared(lease.before):
            return None
        changed = lease.verdict is not None and lease.verdict.changed
        return lease.before.visits + 1 if changed else None

    async def compare(self, article: Article) -> Compared:
        """Compare an article with what is known of it.

        Raises Unchanged when nothing has changed that counts.
        """
        lease = self._flying.get(article.url_key)
        if lease is not None:
            lease.born = article.published
            verdict = self._verdict(lease.before or NO_STATE, article, lease.ignored)
            lease.verdict, lease.unfinished = verdict, not article.complete
            state, is_first = lease.before, _is_first(lease)
        else:
            state = await self._known(article.url_key)
            if state is None:
                return Compared()
            verdict = self._verdict(state, article, ())
            self._late[article.url_key] = Late(state, verdict, article.complete)
            is_first = state.visits == FIRST
        if state is None or not _is_compared(state):
            return Compared(is_first=is_first)
        if not verdict.changed:
            self.stored(article.url_key)
            raise Unchanged(article.url)
        return Compared(verdict, state.visits + (lease is not None))

    def is_rewritten(self, state: PageState, article: Article, ignored: Iterable[str]) -> bool:
        """Whether an article says something else than its last version: a major change."""
        if not _is_compared(state):
            return False
        shapes = shapes_of_site(self._volatile.get(article.host, {}))
        known = comparable_state(state, self._engine)
        verdict = compare_article(known, article, self._template, shapes, ignored)
        return verdict.kind is Kind.MAJOR

    async def _known(self, url_key: str) -> PageState | None:
        """Return the state of a page that has ended; None, too, for a key that is no address's."""
        try:
            key = bytes.fromhex(url_key)
        except ValueError:
            return None
        known = self._open.get(key) or self.visited.get(key)
        return known or (await self._store.pages([key])).get(key)

    def _verdict(self, state: PageState, article: Article, ignored: Iterable[str]) -> Verdict:
        kept = self._volatile.get(article.host, {})
        shapes = shapes_of_site(kept)
        known = comparable_state(state, self._engine)
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
        if verdict.changed and _is_compared(state):
            after = self._counted(after, now)
        facts = {**state.facts, UNFINISHED: not complete}
        after = after._replace(facts=with_engine(facts, self._engine))
        self._open.pop(state.key, None)
        if state.key in self.visited:  # it is already queued for its next visit
            self.visited[state.key] = after
        self.remember(after)

    def _counted(self, state: PageState, now: float) -> PageState:
        """Return the state of a page whose change was found after its visit had ended."""
        changes, times = state.changes + 1, state.times_changed + 1
        state = state._replace(changes=changes, times_changed=times, last_changed=now)
        return self.visits.replanned(state, now)

    async def let_be(self, url_key: str) -> None:
        """Visit a page no more whose article is a copy of another one.

        One of several pages is known as such when its first page may have ended already.
        """
        lease = self._flying.get(url_key)
        if lease is not None:
            lease.watched = lease.watched and lease.before is not None
            return
        await self._commits.settled()
        key = bytes.fromhex(url_key)
        in_store = await self._store.pages([key])
        self.stored(url_key)
        known = in_store | self._frontier.remembered([key])
        if key in known and known[key].visits == FIRST:
            self.remember(known[key]._replace(next_visit=None))

    # A visit ends -------------------------------------------------------------------------------

    def is_visit(self, lease: Lease) -> bool:
        """Whether a fetch was a visit of a page that is known."""
        return lease.before is not None

    def tries_again(self, lease: Lease) -> bool:
        """Whether a visit that failed is tried again soon, as a first fetch is: a list, by a run
        that ends. Others have their own date.
        """
        before = lease.before
        return before is None or (is_list(before) and not self._template.revisit.continuous)

    def ended(self, lease: Lease) -> PageState | None:
        """Move a page's state at the end of its URL; returns it. Call it in the same window."""
        self._flying.pop(lease.waiting.key.hex(), None)
        before = lease.before
        if before is None:
            self._rest_ended(lease)
            return self._first(lease)
        self._flying.pop(before.key.hex(), None)
        now = self._clock.wall()
        state = self.visited.pop(before.key, before)
        after = self._moved(state, before.visits, lease, now)
        goes_on = lease.read is not None and not lease.read.ended
        if after.visits != state.visits and (goes_on or (lease.watched and lease.verdict is None)):
            self._wait_for_rest(after)
        self._tell(state, after, now, lease)
        self.remember(after)
        if before.key != lease.waiting.key:
            return self._first(lease)
        return after

    def _rest_ended(self, lease: Lease) -> None:
        """Count the new replies on a later page of a thread whose first page has ended."""
        if lease.read is None or not lease.read.ended:
            return
        state = self._open.pop(bytes.fromhex(lease.read.key), None)
        if state is None:
            return
        state = self.visited.get(state.key, state)
        if _has_grown(lease):
            state = self._counted(state, self._clock.wall())
        if state.key in self.visited:
            self.visited[state.key] = state
        self.remember(state)

    def _first(self, lease: Lease) -> PageState | None:
        page, waiting = lease.page, lease.waiting
        if page is None or lease.failed or lease.outcome:
            return None
        if not (lease.watched or is_watched(page, waiting, self._sources)):
            return None
        now = self._clock.wall()
        source = self._sources.get(waiting.source_id)
        facts = facts_of(waiting, self._sources)
        state = self.visits.first_seen(
            *(waiting.key, waiting.url, waiting.site, page.page_class, now),
            level=waiting.passed_level,
            born=lease.born,
            every=source.every if source is not None and facts["source"] else None,
        )._replace(source_id=waiting.source_id, facts=facts)
        if lease.verdict is not None:
            state = remembered(state, lease.verdict)
        elif lease.watched:
            self._wait_for_rest(state)
        state = self._with(state, lease)
        self.remember(state)
        return state

    def _moved(self, state: PageState, visit: int, lease: Lease, now: float) -> PageState:
        """Return the state after a visit, whatever came of it."""
        reason = _why_gone(state, lease)
        if reason:
            confirms = lease.confirms
            return self.visits.failed(state, visit, now, reason, says_gone=True, confirms=confirms)
        if not _was_there(lease):
            why = lease.failed or lease.reason or lease.outcome or "not read"
            return self.visits.failed(state, visit, now, why)
        verdict = lease.verdict
        changed = verdict is not None and verdict.changed and _is_compared(state)
        changed = changed or _has_grown(lease)
        after = self.visits.visited(state, visit, now, changed)
        if after.visits == visit:  # an answer that came too late
            return after
        trust = self.visits.trusts.get(state.site)
        if trust is not None and (changed or state.signalled is not None):
            self._frontier.note_site(state.site, TRUST, trust.to_json())
        if verdict is not None:
            after = remembered(after, verdict)
        return self._with(after, lease)

    def _with(self, state: PageState, lease: Lease) -> PageState:
        if lease.verdict is not None:
            facts = {**state.facts, UNFINISHED: lease.unfinished}
            state = state._replace(facts=with_engine(facts, self._engine))
        return with_version(lease, state)

    def _wait_for_rest(self, state: PageState) -> None:
        if len(self._open) >= MOST_OPEN:
            del self._open[next(iter(self._open))]
        self._open[state.key] = state

    # Remembering and telling --------------------------------------------------------------------

    def remember(self, state: PageState) -> None:
        """Put a state into the next commit.

        A list of a topic that does not stay is due with the next run, whenever that comes.
        """
        stays = self._template.revisit.continuous or state.every is not None
        if state.next_visit is not None and state.leased is None and is_list(state) and not stays:
            state = state._replace(next_visit=min(state.next_visit, self._clock.wall()))
        if state.key in self._open:
            self._open[state.key] = state
        elif state.next_visit is not None and (stays or not is_list(state)):
            self.next_due = min(state.next_visit, self.next_due or state.next_visit)
        self._frontier.remember(state)

    def turn(self, lease: Lease) -> PageChange | None:
        """Return what the end of a visit is going to tell: that its page has gone, or is back.

        Most visits tell nothing of the kind.
        """
        before = lease.before
        if before is None or (before.gone is None and not _why_gone(before, lease)):
            return None
        state, now = self.visited.get(before.key, before), self._clock.wall()
        if state.visits != before.visits:
            return None  # another answer came first
        if _why_gone(state, lease):
            return turned(state, self._moved(state, before.visits, lease, now), now)
        return turned(state, state._replace(gone=None), now) if _was_there(lease) else None

    def _tell(self, before: PageState, after: PageState, now: float, lease: Lease) -> None:
        """Tell that a page has gone, or is back, unless the pipelines have dropped it."""
        change = self._turn(before, after, now)
        if change is not None and lease.is_announced:
            change = lease.change
        if change is not None:
            self._commits.pending.changes.append(change)

    def bury(self, before: PageState, after: PageState, change: PageChange | None) -> None:
        """Put the tombstone of a page into the next commit, with what the pipelines left of it."""
        self._turn(before, after, self._clock.wall())
        if change is not None:
            self._commits.pending.changes.append(change)
        self.remember(after)

    def _turn(self, before: PageState, after: PageState, now: float) -> PageChange | None:
        """Note that a page has gone, or is back; returns that change."""
        if after.gone is not None:
            self._gone[after.key] = now
            self._frontier.note_fact(GONE, after.key.hex(), now)
            self._rules.known.clear()  # links to it are looked at again
        elif self._gone.pop(after.key, None) is not None:
            self._frontier.note_fact(GONE, after.key.hex(), None)
        change = turned(before, after, now)
        if change is not None:
            self._commits.pending.gone[change.url_key] = after.gone
            self._counters[change.kind] += 1
        return change


def _is_compared(state: PageState) -> bool:
    """Whether there is something to compare with: a whole version was marked before."""
    marked = bool(state.digest) or state.simhash is not None
    return marked and not state.facts.get(UNFINISHED)


def _has_grown(lease: Lease) -> bool:
    """Whether a page has shown new replies of a thread that was read before."""
    walk = lease.read.walk if lease.read is not None and lease.read.ended else None
    return walk is not None and 0 < walk.before < walk.posts


def _is_first(lease: Lease) -> bool:
    """Whether a URL is fetched for the first time: as a link that nobody had followed before."""
    waiting = lease.waiting
    is_link = waiting.first_walk and waiting.request is None
    return is_link and lease.before is None and not lease.tries


def _was_there(lease: Lease) -> bool:
    """Whether a fetch has shown its page, or that it is as it was."""
    page = lease.page
    is_read = page is not None and not lease.outcome and page.outcome != "error"
    return not lease.failed and (is_read or lease.outcome == "unchanged")


def turned(before: PageState, after: PageState, now: float) -> PageChange | None:
    """Return the change from a page that is there to one that is gone, or back; None: neither."""
    if (before.gone is None) == (after.gone is None):
        return None
    kind, key = "back" if after.gone is None else "gone", after.key.hex()
    what = WHAT.get(after.page_class, "page")
    number = change_key(key, kind, before.visits)
    return PageChange(number, now, key, after.url, kind, what)


def _why_gone(state: PageState, lease: Lease) -> str:
    """Return how an answer says that there is no such page any more; "" when it does not."""
    if lease.failed:
        return ""
    if says_gone(lease.status) or lease.outcome == "gone":
        return lease.reason or f"http {lease.status}"
    if lease.outcome == "alias" or (lease.page is not None and lease.waiting.key != state.key):
        return "moved"
    shrunk = lease.page is not None and lease.page.outcome == "short" and not lease.watched
    return "short" if shrunk and state.page_class in CONTENT else ""
