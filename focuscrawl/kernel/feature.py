"""What a feature is: one thing a page may hold, or one reason to fetch it, hooked into a URL's life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

from focuscrawl.kernel.ports import SearchPolicy, SitePolicy, VisitPolicy

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy.settings import Settings

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.frontier.rows import PageStates
    from focuscrawl.kernel.commit import Commits, CommitWindow, StoredLookup
    from focuscrawl.kernel.figures import Tally
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Items, Passage
    from focuscrawl.kernel.template_changes import LastTemplate, TemplateChanges
    from focuscrawl.kernel.tickets import Tickets
    from focuscrawl.kernel.transport.requests import Asks, Probe
    from focuscrawl.output.explain.facts import Fact, Question
    from focuscrawl.readers.links.admission import Add, Admission, Again
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.readers.links.criteria import Criteria, PageReader
    from focuscrawl.readers.pages.content import Fetched, Judged
    from focuscrawl.readers.relevance.groups import GroupPages
    from focuscrawl.stores.results.kind import RowKind
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.template.keys import Table
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import (
        Clock,
        Finding,
        Json,
        LinkBatch,
        Page,
        PageChange,
        PageState,
        Waiting,
    )


class RunFacts(NamedTuple):
    """What is known of a run: ``started`` is wall time; it lingers so many seconds for what is due. ``seed`` is
    that of ``random``, its draws.
    """

    run_id: str
    name: str
    started: float
    linger: float
    has_topic: bool
    random: Random
    seed: int = 0


class Transport(NamedTuple):
    """What features ask of Scrapy. ``flights`` are the URLs in flight, ``probe`` asks a site for one address, ``ask``
    sends a request that its maker keeps, ``mirror`` gives a host's slot its politeness, ``tunnel`` makes the order of
    links into unknown sites (``scheduler.Scheduler.tunnel``).
    """

    settings: Settings
    flights: dict[Request, Flight]
    probe: Probe
    ask: Asks
    mirror: Callable[..., None]
    tunnel: Callable[..., Any]


@dataclass(slots=True)
class Kernel:
    """What features share of a run. None of it may be missing.

    ``criteria`` are what pages are judged by, ``commits`` the window that is written next, ``stored`` what the
    results have, ``pages`` what is known of pages that are visited again, ``items`` go through the pipelines,
    ``hooks`` are those of all features of the run.
    ``is_at_end``: a crawl that several share has nothing left anywhere, and the run ends by that.
    """

    run: RunFacts
    criteria: Criteria
    frontier: Frontier
    commits: Commits
    stored: StoredLookup
    pages: PageStates
    items: Items
    transport: Transport
    clock: Clock
    tally: Tally
    hooks: Hooks
    is_at_end: bool = False

    @property
    def template(self) -> Template:
        """The topic."""
        return self.criteria.template

    @property
    def rules(self) -> AdmissionRules:
        """The rules by which links are admitted."""
        return self.criteria.rules

    @property
    def sources(self) -> dict[str, Source]:
        """The template's sources by id."""
        return self.criteria.sources

    @property
    def store(self) -> Store:
        """The crawl's own state."""
        return self.commits.store

    @property
    def flights(self) -> dict[Request, Flight]:
        """The URLs in flight by their requests."""
        return self.transport.flights

    @property
    def leads(self) -> bool:
        """Whether what is done once for all processes of a crawl is done by this one."""
        return self.frontier.leads

    @property
    def counters(self) -> Counter[str]:
        """The counters of the summary, by name."""
        return self.tally.counters


class Round(NamedTuple):
    """The round that a run begins or goes on with, which ``began`` then, wall time.

    ``clock_ran_ahead``: the last run was in a time that is still to come. ``lost_since``: the results have
    nothing of what was fetched from then on (inf: they have all).
    """

    began: float
    clock_ran_ahead: bool = False
    lost_since: float = inf


class SharedNumber(NamedTuple):
    """A number that adds up over all processes of a crawl: ``own()`` is what this one adds, ``hear`` takes
    what all others add together, when the store reports it.

    ``is_state``: it is a state, not a count, so that nothing stays of a process that has died.
    """

    name: str
    own: Callable[[], int]
    hear: Callable[[int], None]
    is_state: bool = False


class Links(NamedTuple):
    """The links of a page, the rules for them, and who takes them.

    ``each``: all addresses that show one page are taken, not the first alone.
    """

    batch: LinkBatch
    rules: AdmissionRules
    add: Add
    again: Again
    each: bool = False


class Doubt(Protocol):
    """A page that may be none, or may not be taken: it is held until that is cleared up."""

    async def clear_up(self) -> None:
        """Find out what it is."""

    def settle(self, judged: Judged) -> bool:
        """Whether nothing that it gives is taken."""


class HeldPage(NamedTuple):
    """Yielded by a callback that waits until a doubt is cleared up."""

    doubt: Doubt


class Feature:
    """One capability of a run. Override the hooks you need; the others cost nothing.

    Hooks stand in the order of a URL's life, and are called at each moment in the order of the
    features. Where there is no flight, a user only looks at a page (scrapy shell, scrapy parse).
    """

    name: ClassVar[str]
    after: ClassVar[tuple[str, ...]] = ()
    """Names of the features whose turn comes before its own at each moment."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """Names of the features without which it is left out."""
    scope: ClassVar[Literal["site", "topic"]] = "site"
    """Whether what it does belongs to a site, or is done once for all processes of a crawl: then it
    begins anew (``begin``) in the one that goes on with it."""
    needs_topic: ClassVar[bool] = True
    """Whether a spider of a user's own, which has no topic, goes without it."""
    first: ClassVar[frozenset[str]] = frozenset()
    """Moments at which it has its turn before all others."""
    tables: ClassVar[tuple[type[Table], ...]] = ()
    rows: ClassVar[tuple[RowKind, ...]] = ()
    """The tables of the template and the kinds of rows of a user's own feature; ours name modules in
    features.TABLES and features.ROWS."""

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it for a run; None: its topic does not want it, and nothing of it runs."""
        return cls(kernel)

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def readers(self) -> Iterable[PageReader]:
        """Return what reads pages for it."""
        return ()

    # A run opens --------------------------------------------------------------------------------

    def alone(self) -> str:
        """Return why no second process may work on its crawl, and what to do; "": any number may."""
        return ""

    def shared_numbers(self) -> Iterable[SharedNumber]:
        """Return what it counts for the whole topic, of which every process of a crawl has a part."""
        return ()

    def tickets(self) -> Iterable[Tickets]:
        """Return what it limits over all processes of a crawl."""
        return ()

    async def worker_gone(self, worker: str) -> None:
        """Follow up on another process, by its name in logs, that is gone without a word."""

    def was_gone(self) -> None:
        """Give up what others took over, since this process stood still: the window that was about to be
        written is not, and its pages are fetched again."""

    async def changed(self, changes: TemplateChanges, last: LastTemplate) -> Iterable[str]:
        """Follow a template that may be another than the last run's, before the frontier is loaded;
        returns lines of the log on what is left to the user."""
        return ()

    def memories(self) -> Iterable[SiteMemory]:
        """Return what it remembers of sites: the kernel loads that, stores what has changed, and lets go of it."""
        return ()

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Load what else was remembered of some partitions, before anything of them is taken. Raises
        StoreError.

        ``records`` are those of their sites, which the memories have taken by then.
        """

    def release(self, partitions: Partitions) -> None:
        """Note what is not noted yet of some partitions, and let go of what else is held of them.

        Nothing of them is in flight any more. What was counted for the whole topic stays.
        """

    async def begin(self, round_: Round) -> int:
        """Queue what a run starts with; returns how many URLs are visits of known pages."""
        return 0

    def take_order(self, order: str, site: str) -> None:
        """Follow an order that a person has given about a site meanwhile."""

    def go_on(self, round_: Round) -> None:
        """Go on with partitions of another process that were opened in mid-run: it may have died before it
        queued what is due there."""

    # A URL is fetched ---------------------------------------------------------------------------

    async def before_fetch(self, flight: Flight) -> None:
        """Find out what is known of a URL, before anything else is asked."""

    def answered(self, request: Request, response: Response, site: str) -> None:
        """Note any answer, also one that will be asked for again; ``site`` "": it is of none."""

    def robots_read(self, site: str, text: str) -> None:
        """Note what the robots.txt of a site says."""

    # Its page is read ---------------------------------------------------------------------------

    async def before_read(self, flight: Flight) -> None:
        """Recall what reading a page needs."""

    def correct_url(self, flight: Flight) -> None:
        """Let the URL of a page be what it has turned out to be since it was queued."""

    def doubt(self, flight: Flight, judged: Judged, fetched: Fetched) -> Doubt | None:
        """Return what is doubted of a page before anything of it is kept; None for nearly all."""
        return None

    def shows_known(self, flight: Flight, judged: Judged) -> bool:
        """Whether a page shows what is stored of the page that its flight asks for, of a class of this feature's."""
        return False

    def again(self, flight: Flight, judged: Judged) -> bool:
        """Whether the page must be judged anew, since its URL is something else (flight.waiting)."""
        return False

    def held_for(self, flight: Flight, judged: Judged) -> Doubt | None:
        """Return what a page waits for until what it gives may be taken; None: for nothing."""
        return None

    def judged(self, flight: Flight | None, judged: Judged) -> Iterable[Any]:
        """Note what a page has shown and give out the items that are this feature's."""
        return ()

    async def given(self, flight: Flight, item: Any) -> None:
        """Note an item that a callback gave, before the pipelines get it."""

    async def before_links(self, flight: Flight, batch: LinkBatch) -> bool | None:
        """Find out what admitting a page's links needs; False: they are not followed."""
        return None

    def links(self, flight: Flight, links: Links) -> Links:
        """Choose who takes the links of a page."""
        return links

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Note what became of the links of a page."""

    async def after_links(self, flight: Flight, batch: LinkBatch) -> None:
        """Do what is to be done when a page's links are admitted, which may take its time."""

    # Its items go through the pipelines ---------------------------------------------------------

    async def compare(self, item: Any, passage: Passage) -> None:
        """Compare an item with what is known. Raises DropItem when it is not to be stored."""

    async def join(self, item: Any, passage: Passage) -> None:
        """Find out what an item belongs to. Raises DropItem when it is not to be stored."""

    async def keep(self, item: Any, passage: Passage) -> None:
        """Put an item into the next commit, with all that is of the same commit."""

    async def lost(self, item: Any, passage: Passage, error: Exception) -> bool | None:
        """Note that a pipeline dropped an item (DropItem), or failed on it; True: the row of its page
        says so already."""
        return None

    # A due page is queued -----------------------------------------------------------------------

    def visits_wait(self, queued: Mapping[bytes, PageState]) -> Callable[[PageState], bool] | None:
        """Return what says whether the visit of a page waits for a list that is about to be read."""
        return None

    async def put_off(self, pages: list[PageState]) -> Mapping[bytes, float]:
        """Return by their keys pages that are due and have nothing new, as a list or feed shows, with the
        time (wall) at which it showed that."""
        return {}

    # It ends ------------------------------------------------------------------------------------

    def ending(self, flight: Flight) -> PageChange | None:
        """Return what the end of a URL tells of its page: it goes through the pipelines before that."""
        return None

    def acknowledged(self, flight: Flight) -> None:
        """Count what a URL gave that is done with: this and its end are in one commit."""

    def settle(self, flight: Flight, page: Page | None, *, comes_back: bool) -> None:
        """Find out what the end of a URL makes of its page; ``comes_back``: it is tried again."""

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Move what is remembered, in the commit that ends a URL; ``comes_back``: it is tried again.

        ``queued`` is the URL as it was queued, before redirects; None when its row is gone already.
        ``page`` is its row of the log book.
        """

    # The run goes on ----------------------------------------------------------------------------

    def note(self, *, closing: bool) -> None:
        """Note facts and rows for the commit that is about to be made; ``closing``: the run's last."""

    def commit(self, window: CommitWindow) -> None:
        """Add what is no fact and no row of the results to a commit, just before it is written."""

    def committed(self) -> None:
        """Note that it is written."""

    def tick(self) -> None:
        """Look at the clock, each second."""

    def stopping(self) -> None:
        """Give up what is waited for, each second: the run is about to end."""

    def idle(self, *, is_over: bool) -> bool:
        """Whether a run that has nothing to do is to stay, since something was begun or may come.

        ``is_over``: it ends anyway, at its limit or since a store failed.
        """
        return False

    # What it reports ----------------------------------------------------------------------------

    def figures(self) -> Mapping[str, float]:
        """Return numbers of this moment, for the table series."""
        return {}

    def site(self, host: str) -> Mapping[str, Any]:
        """Return columns of a site's row."""
        return {}

    def findings(self) -> Iterable[Finding]:
        """Return what is reported to the user at the end: what was not recognised."""
        return ()

    def groups(self) -> Iterable[GroupPages]:
        """Return the word groups of the topic, each with the number of pages that have it."""
        return ()

    def summary(self) -> Iterable[tuple[str, str]]:
        """Return lines of the summary, each with the word it begins with."""
        return ()

    def closing(self) -> None:
        """Write or send what goes out of the results: the end of the run stands in them.

        Called in a thread of the last process that ends, before the summary is made: it may block. What it
        cannot do it reports in the log and in its line of the summary; the exit status stays as it is.
        """

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Return what is known of an address for those who ask why it is where it is, or is not.

        What is remembered of its site is open, nothing else is: no URL waits, and nothing is written.
        """
        return ()


F = TypeVar("F", bound=Feature)
_NO_MOMENTS = frozenset(
    {"name", "after", "first", "needs", "needs_topic", "tables", "rows", "scope", "of"}
)
MOMENTS = tuple(
    name for name in vars(Feature) if not name.startswith("_") and name not in _NO_MOMENTS
)


class Hooks:
    """The features of a run, and for each moment the hooks that they override.

    Collected once, at start: a moment that no feature overrides is an empty tuple.
    """

    sites: SitePolicy
    """How each site is asked; a run without it does not begin (``Run``)."""
    visits: VisitPolicy
    search: SearchPolicy

    def __init__(self, features: Iterable[Feature] = ()) -> None:
        self.features: tuple[Feature, ...] = ()
        self.collect(features)

    def collect(self, features: Iterable[Feature]) -> None:
        """Take the features of a run, in the order of their turns."""
        self.features = tuple(features)
        self.visits, self.search = VisitPolicy(), SearchPolicy()
        for one in self.features:
            if isinstance(one, SitePolicy):
                self.sites = one
            if isinstance(one, VisitPolicy):
                self.visits = one
            if isinstance(one, SearchPolicy):
                self.search = one
        for moment in MOMENTS:
            overriding = [one for one in self.features if moment in moments_of(type(one))]  # type: ignore[arg-type]
            overriding.sort(key=lambda feature: moment not in feature.first)
            setattr(self, moment, tuple(getattr(feature, moment) for feature in overriding))

    if TYPE_CHECKING:

        def __getattr__(self, moment: str) -> tuple[Any, ...]:
            """Return the hooks of a moment."""

    def feature(self, kind: type[F]) -> F:
        """Return the feature of a kind. Raises LookupError when the topic does not have it.

        Features of one folder may ask for each other; others share values only.
        """
        for feature in self.features:
            if isinstance(feature, kind):
                return feature
        raise LookupError(f"no feature {kind.name}")

    def found(self) -> list[Finding]:
        """Return what all features report."""
        return [found for find in self.findings for found in find()]

    async def open_partitions(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Let all features load what was remembered of some partitions. Raises StoreError."""
        for memory in self._remembered():
            memory.load(records)
        for load in self.open:
            await load(partitions, records)

    def release_partitions(self, partitions: Partitions, frontier: Frontier) -> None:
        """Store what was learnt of some partitions, and let all features go of them."""
        for note in self.note:
            note(closing=False)
        self.store_memories(frontier, all_of_it=True)
        for release in self.release:
            release(partitions)
        for memory in self._remembered():
            memory.release(partitions)

    def store_memories(self, frontier: Frontier, *, all_of_it: bool) -> None:
        """Put what was learnt of sites into the next commit; ``all_of_it``: also what can wait."""
        for memory in self._remembered():
            for site, part in memory.changed(all_of_it=all_of_it).items():
                if not memory.of_crawled or frontier.knows_site(site):
                    frontier.note_site(site, memory.part, part)

    def _remembered(self) -> Iterator[SiteMemory]:
        for memories in self.memories:
            yield from memories()

    def in_words(self) -> Iterator[str]:
        """Go through the features by moment, one line a moment."""
        for moment in MOMENTS:
            if hooks := getattr(self, moment):
                yield f"{moment}: {', '.join(hook.__self__.name for hook in hooks)}"


@cache
def moments_of(kind: type[Feature]) -> frozenset[str]:
    """Return the moments whose hooks a kind of feature has overridden."""
    return frozenset(one for one in MOMENTS if getattr(kind, one) is not getattr(Feature, one))


def usable(features: Sequence[type[Feature]], *, has_topic: bool) -> Iterator[type[Feature]]:
    """Go through those that have all they need, a topic or other features."""
    names = {one.name for one in features}
    for one in features:
        if (has_topic or not one.needs_topic) and names >= one.needs:
            yield one


def in_order(features: Iterable[type[Feature]]) -> list[type[Feature]]:
    """Sort features so that each stands behind those it names; else they keep their order.

    Raises ValueError when two wait for each other.
    """
    left = [*features]
    found: list[type[Feature]] = []
    names = {feature.name for feature in left}
    while left:
        done = {feature.name for feature in found}
        ready = [
            one for one in left if all(name in done or name not in names for name in one.after)
        ]
        if not ready:
            waiting = ", ".join(feature.name for feature in left)
            raise ValueError(f"features wait for each other: {waiting}")
        found.append(ready[0])
        left.remove(ready[0])
    return found
