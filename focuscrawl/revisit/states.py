"""Which pages are visited again, how they are queued, and their states on the way into the store (B1).

A state is remembered in the frontier's next commit. Two kinds of it are needed before: those of pages
that are queued again or in flight, and those of articles whose other pages are still to come.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

from focuscrawl import settings as ours
from focuscrawl.links.admission import checked_again
from focuscrawl.revisit.rules import ClassTimes, RevisitRules
from focuscrawl.revisit.signals.trust import Trust
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.revisit.visits import Visits
from focuscrawl.values import Json, Page, PageClass, PageState, Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock

SHORTEST_LEASE = 7200.0  # of a crawl whose time-outs are short, too: its queues may be long
TRIES_FACTOR = 4
"""A lease is so many times as long as all tries of a fetch may take."""

LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})
CONTENT = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
KEPT_OUTCOMES = frozenset({"stored", "unchanged"})
SEED = "seed:"
"""How the source_id of a page begins that was found through a search."""

FACT, PRICE = "revisit", "price"
TRUST = "signals"
"""The part of a site's record that says what its signals are worth."""

MOST_OPEN = 10_000
"""Articles of several pages that are waited for after their first page has ended."""


def visit_rules(template: Template) -> RevisitRules:
    """Return the rules of [revisit]. Of a topic with policy off states are kept as with index, so
    that another policy can go on from them; nothing is visited.
    """
    table = template.of(RevisitTable)
    timeout = float(template.settings.get("DOWNLOAD_TIMEOUT", ours.DOWNLOAD_TIMEOUT))
    tries = 1 + int(template.settings.get("RETRY_TIMES", ours.RETRY_TIMES))
    return RevisitRules(
        policy="index" if table.policy == "off" else table.policy,
        classes={
            PageClass(name): ClassTimes(times.first, times.min, times.max, times.until)
            for name, times in table.times.items()
        },
        budget=table.budget,
        signals=table.signals,
        gone_after=table.gone_after,
        gone_within=table.gone_within,
        strict=table.strict,
        lease=max(SHORTEST_LEASE, TRIES_FACTOR * timeout * tries),
    )


class PageStates:
    """The states of one run's pages, and the rules by which they move (``visits``).

    ``visited`` holds those of pages that are queued again or in flight, ``open`` those of articles
    whose first page has ended before all of it was there, both by key. ``next_due`` is the date of
    the first page that is not queued; None when there is none. ``stays``: lists are planned like other
    pages, since the run does not end.
    """

    def __init__(
        self,
        template: Template,
        frontier: Frontier,
        clock: Clock,
        visited: dict[bytes, PageState],
    ) -> None:
        self.visits = Visits(visit_rules(template))
        self.visited = visited
        self.open: dict[bytes, PageState] = {}
        self.next_due: float | None = None
        self.stays = template.of(RevisitTable).continuous
        self._frontier = frontier
        self._clock = clock

    async def load(self, store: Store, records: Mapping[str, Json]) -> None:
        """Read the price of a visit, and what the signals of sites are worth."""
        self.visits.restore_price((await store.facts(FACT)).get(PRICE))
        for site, parts in records.items():
            if TRUST in parts:
                self.visits.trusts[site] = Trust.from_json(parts[TRUST])

    def remember(self, state: PageState) -> None:
        """Put a state into the next commit.

        A list of a topic that does not stay is due with the next run, whenever that comes.
        """
        is_planned = self.stays or state.every is not None or not is_list(state)
        if state.next_visit is not None and state.leased is None and not is_planned:
            state = state._replace(next_visit=min(state.next_visit, self._clock.wall()))
        if state.key in self.open:
            self.open[state.key] = state
        elif state.next_visit is not None and is_planned:
            self.next_due = min(state.next_visit, self.next_due or state.next_visit)
        self._frontier.remember(state)

    def moved(self, state: PageState) -> None:
        """Remember a state that has changed beside its visit, which may be queued or under way."""
        if state.key in self.visited:
            self.visited[state.key] = state
        self.remember(state)

    async def known(self, store: Store, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return states as they are now: in flight, to be written, in the store."""
        found = await store.pages(keys)
        found |= self._frontier.remembered(keys)
        return found | {key: self.visited[key] for key in keys if key in self.visited}

    def wait_for_rest(self, state: PageState) -> None:
        """Keep the state of an article at hand until all of its pages are there."""
        if len(self.open) >= MOST_OPEN:
            del self.open[next(iter(self.open))]
        self.open[state.key] = state

    def counted(self, state: PageState, now: float) -> PageState:
        """Return the state of a page whose change was found after its visit had ended."""
        changes, times = state.changes + 1, state.times_changed + 1
        state = state._replace(changes=changes, times_changed=times, last_changed=now)
        return self.visits.replanned(state, now)


# Which pages are watched --------------------------------------------------------------------------


def is_named(waiting: Waiting, sources: Container[str]) -> bool:
    """Whether the template names a URL, as a place to start or as an article."""
    return not waiting.parent_key and waiting.source_id in sources


def is_source(waiting: Waiting, sources: Container[str]) -> bool:
    """Whether a URL is one that the template names as a place to start, not as an article."""
    return is_named(waiting, sources) and waiting.page_class is not PageClass.ARTICLE


def is_watched(page: Page, waiting: Waiting, sources: Container[str]) -> bool:
    """Whether a page that was read is visited again: lists, sources, and what was stored."""
    if page.outcome == "error":
        return False
    if page.page_class in LISTS or is_source(waiting, sources):
        return True
    return page.page_class in CONTENT and page.outcome in KEPT_OUTCOMES


def is_list(state: PageState) -> bool:
    """Whether a page is read for its links, so that every run begins with it (A6)."""
    return state.page_class in LISTS or bool(state.facts.get("source"))


# How they are queued ------------------------------------------------------------------------------


def facts_of(waiting: Waiting, sources: Container[str]) -> dict[str, object]:
    """Return what is needed to queue a page again."""
    return {
        "depth": waiting.depth,
        "parent": waiting.parent_key,
        "layer": waiting.layer,
        "source": is_source(waiting, sources),
    }


def visit_of(state: PageState, sources: Mapping[str, Source], rules: AdmissionRules) -> Waiting:
    """Return a page as it is queued again, at its own level; a source at its template's.

    It goes on under the name its source has now; ``sources`` knows earlier names, too.
    """
    source = sources.get(state.source_id)
    is_first = source is not None and state.facts.get("source")
    level = source.level if source is not None and is_first else min(state.level, rules.top)
    return Waiting(
        url=state.url,
        key=state.key,
        site=state.site,
        level=level,
        passed_level=level,
        page_class=state.page_class,
        depth=state.facts.get("depth", 0),
        parent_key=state.facts.get("parent", b""),
        source_id=source.source_id if source is not None else state.source_id,
        first_walk=False,
        layer=state.facts.get("layer", 0),
    )


def refused_visit(
    state: PageState,
    waiting: Waiting,
    sources: Container[str],
    rules: AdmissionRules,
    *,
    heard: bool = True,
) -> str | None:
    """Return why the template does not want a page visited: a rule for links, a source taken out.

    ``heard``: whether signals are, else no file is read for them alone. Articles and records of a
    source that was taken out are still visited until they are too old.
    """
    if is_signal_file(state.source_id):
        return checked_again(waiting, rules) if heard else "signals"  # the site itself names it
    known = state.source_id in sources or state.source_id.startswith(SEED)
    return "source" if is_list(state) and not known else checked_again(waiting, rules)


def as_source(state: PageState, start: Waiting, every: float | None) -> PageState:
    """Return the state of a file that was read for its signals as that of the source it is now.

    It is asked for anew: that it is as it was would show none of its links.
    """
    return state._replace(
        source_id=start.source_id,
        level=start.level,
        facts={**state.facts, "source": True, "parent": b"", "depth": 0, "layer": 0},
        every=every,
        etag="",
        modified="",
    )
