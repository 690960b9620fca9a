"""Method B put on a run: a page's state is made at its first fetch and moved at every visit.

A state moves in the commit that ends its URL. So after a kill the page is fetched again, its state
as it was, and the same things are told under the same ids: nothing is counted twice.

What has changed is found where all of it is at hand: of lists and records when the page is read, of
articles in the pipelines, for they may come in several pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import DropItem

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
from focuscrawl.revisit.changes import Verdict, remembered
from focuscrawl.revisit.gone import says_gone
from focuscrawl.revisit.learning import noted, shapes_of_site
from focuscrawl.revisit.signals import Trust
from focuscrawl.revisit.visits import Visits
from focuscrawl.values import Json, PageChange, PageClass, PageState, change_key

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.committing import Commits
    from focuscrawl.crawl.fetched import Judged
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.leases import Lease
    from focuscrawl.stores.base import Store
    from focuscrawl.topic.template import Source, Template
    from focuscrawl.values import Article, Clock, Waiting

FACT, PRICE = "revisit", "price"
GONE = "gone"
"""A kind of facts: when a page that is gone was last looked at, by its key in hexadecimal."""

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
UNFINISHED = "part"
"""Fact of a state: parts of the article it knows were missing."""


class Unchanged(DropItem):
    """An article that is visited again and says what it said before goes no further."""

    outcome = "unchanged"
    reason = ""

    def __init__(self, url: str) -> None:
        super().__init__(f"unchanged: {url}", log_level="DEBUG")


class Change(NamedTuple):
    """What an article has become: ``visit`` is the number of the visit that found it."""

    verdict: Verdict
    visit: int


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
        finish: Callable[[Lease, PageState], PageState],
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
        self._finish = finish
        self._flying: dict[str, Lease] = {}
        self._open: dict[bytes, PageState] = {}
        self._volatile: dict[str, dict[str, int]] = {}
        self._trusts: dict[str, Json] = {}

    async def load(self, store: Store, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt; ``records`` are those of the sites."""
        kept = (await store.facts(FACT)).get(PRICE)
        rules = self.visits.rules
        self.visits.price = Visits.price_from_json(rules, kept) or self.visits.price
        for key, looked in (await store.facts(GONE)).items():
            self._gone[bytes.fromhex(key)] = looked
        for site, parts in records.items():
            if TRUST in parts:
                self.visits.trusts[site] = Trust.from_json(parts[TRUST])
                self._trusts[site] = parts[TRUST]
            if VOLATILE in parts:
                self._volatile[site] = parts[VOLATILE]

    def note(self) -> None:
        """Put into the commit what was learnt of sites."""
        for site, trust in self.visits.trusts.items():
            plain = trust.to_json()
            if self._trusts.get(site) != plain:
                self._trusts[site] = plain
                self._frontier.note_site(site, TRUST, plain)

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
        if looked is not None and self._clock.wall() - looked >= LOOK_AGAIN:
            self.linked[waiting.key] = None
        return False

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

    async def compare(self, article: Article) -> Change | None:
        """Compare an article with what is known of it; returns what has changed, if so.

        Raises Unchanged when nothing has that counts.
        """
        lease = self._flying.get(article.url_key)
        if lease is not None:
            lease.born = article.published
            verdict = self._verdict(lease.before or NO_STATE, article, lease.ignored)
            lease.verdict, lease.unfinished = verdict, not article.complete
            state = lease.before
        else:
            state = await self._known(article.url_key)
            if state is None:
                return None
            verdict = self._verdict(state, article, ())
            self._found_late(state, verdict, article)
        if state is None or not _is_compared(state):
            return None
        if not verdict.changed:
            raise Unchanged(article.url)
        return Change(verdict, state.visits + (lease is not None))

    async def _known(self, url_key: str) -> PageState | None:
        """Return the state of a page that has ended; None, too, for a key that is no address's."""
        try:
            key = bytes.fromhex(url_key)
        except ValueError:
            return None
        return self._open.get(key) or (await self._store.pages([key])).get(key)

    def _verdict(self, state: PageState, article: Article, ignored: Iterable[str]) -> Verdict:
        kept = self._volatile.get(article.host, {})
        shapes = shapes_of_site(kept)
        verdict = compare_article(state, article, self._template, shapes, ignored)
        if verdict.learnt:
            kept = self._volatile[article.host] = noted(kept, verdict.learnt)
            self._frontier.note_site(article.host, VOLATILE, kept)
        return verdict

    def _found_late(self, state: PageState, verdict: Verdict, article: Article) -> None:
        """Move the state of an article whose first page had ended before all of it was there."""
        now = self._clock.wall()
        after = remembered(state, verdict)
        if verdict.changed and _is_compared(state):
            changes, times = state.changes + 1, state.times_changed + 1
            after = after._replace(changes=changes, times_changed=times, last_changed=now)
            after = self.visits.replanned(after, now)
        facts = {**state.facts, UNFINISHED: not article.complete}
        self._open.pop(state.key, None)
        self.remember(after._replace(facts=facts))

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
            return self._first(lease)
        self._flying.pop(before.key.hex(), None)
        now = self._clock.wall()
        state = self.visited.pop(before.key, before)
        after = self._moved(state, before.visits, lease, now)
        if after.visits != state.visits and lease.watched and lease.verdict is None:
            self._wait_for_rest(after)
        self._tell(state, after, now)
        self.remember(after)
        if before.key != lease.waiting.key:
            return self._first(lease)
        return after

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
        page = lease.page
        reason = _why_gone(state, lease)
        if reason:
            confirms = lease.confirms
            return self.visits.failed(state, visit, now, reason, says_gone=True, confirms=confirms)
        unread = page is None or lease.outcome or page.outcome == "error"
        if lease.failed or (unread and lease.outcome != "unchanged"):
            why = lease.failed or lease.reason or lease.outcome or "not read"
            return self.visits.failed(state, visit, now, why)
        verdict = lease.verdict
        changed = verdict is not None and verdict.changed and _is_compared(state)
        after = self.visits.visited(state, visit, now, changed)
        if after.visits == visit:  # an answer that came too late
            return after
        if verdict is not None:
            after = remembered(after, verdict)
        return self._with(after, lease)

    def _with(self, state: PageState, lease: Lease) -> PageState:
        if lease.verdict is not None:
            state = state._replace(facts={**state.facts, UNFINISHED: lease.unfinished})
        return self._finish(lease, state)

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

    def _tell(self, before: PageState, after: PageState, now: float) -> None:
        """Tell that a page has gone, or is back."""
        if after.gone is not None:
            self._gone[after.key] = now
            self._frontier.note_fact(GONE, after.key.hex(), now)
            self._rules.known.clear()  # links to it are looked at again
        elif self._gone.pop(after.key, None) is not None:
            self._frontier.note_fact(GONE, after.key.hex(), None)
        if (before.gone is None) == (after.gone is None):
            return
        kind = "back" if after.gone is None else "gone"
        key = after.key.hex()
        self._commits.pending.gone[key] = after.gone
        self._counters[kind] += 1
        self.tell(
            PageChange(
                change_key(key, kind, before.visits),
                *(now, key, after.url, kind, WHAT.get(after.page_class, "page")),
            )
        )

    def bury(self, before: PageState, after: PageState) -> None:
        """Put the tombstone of a page into the next commit, and tell it."""
        self._tell(before, after, self._clock.wall())
        self.remember(after)

    def tell(self, change: PageChange) -> None:
        """Put a change into the next commit."""
        self._commits.pending.changes.append(change)


def _is_compared(state: PageState) -> bool:
    """Whether there is something to compare with: a whole version was marked before."""
    marked = bool(state.digest) or state.simhash is not None
    return marked and not state.facts.get(UNFINISHED)


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
