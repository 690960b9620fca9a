"""The store protocol: where a crawl's own state is kept.

Writes are one verb, ``commit``. Reads are ``async def`` though an embedded store answers at once,
so that a store on the network changes no caller; the one exception is ``read``, which a store
must answer from this process (memory or a local file), because ``next_request`` is synchronous.

A URL is waiting, in flight, failed, parked or done. Waiting, failed and parked URLs have one row
each, keyed by sequence number; in flight is a matter of memory (the row stays); done means no row
and the key in the seen set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import msgspec

from focuscrawl.values import TRIED, Json, PageState, Waiting

PARTITIONS = 64  # every store hashes a registrable domain to one of so many partitions

WAITING, FAILED, PARKED = 0, 1, 2  # states of a row

STATE_NUMBER = "now/"
"""How the names of a worker's numbers begin that are states, not counts: those of the dead are left out."""

SURROGATES = re.compile(r"[\ud800-\udfff]")
_encode = msgspec.msgpack.Encoder().encode


class StoreError(Exception):
    """The store cannot be used; the message says what, where and what to do."""


class StoreBusy(StoreError):
    """Another process owns the store."""


class Row(NamedTuple):
    """One URL in the store. ``next_try`` is wall time in seconds, None: not before the next run.

    ``tries`` counts failed fetches, ``first_failed`` is the wall time of the first of them.
    """

    sequence: int
    waiting: Waiting
    state: int = WAITING
    tries: int = 0
    first_failed: float = 0.0
    next_try: float | None = None
    reason: str = ""


class WaitingRun(NamedTuple):
    """Rows that wait in one line of one site and level, in order of sequence."""

    site: int
    level: int
    sequences: list[int]


class Folder(NamedTuple):
    """Rows without priority that explore in one folder of a site: ``Lane.promise`` of each.

    ``folder`` is ``Lane.folder``.
    """

    site: int
    folder: int
    level: int
    promises: list[int]


class RowPlace(NamedTuple):
    """Where a row waits that has a priority, without its payload.

    ``site`` is the number of the site in ``Loaded.sites``; ``lane`` is 0, or ``Lane.packed`` of a
    URL that explores.
    """

    sequence: int
    site: int
    level: int
    priority: int
    lane: int = 0


class Aside(NamedTuple):
    """A row that failed or was parked, without its payload; ``next_try`` as in Row."""

    sequence: int
    site: int
    level: int
    priority: int
    state: int
    next_try: float | None
    lane: int = 0


class QueuePlace(NamedTuple):
    """How many URLs wait in the level of a row (or with it in the lane of exploration), how many of them came
    before it, and how many of these are of its site."""

    waiting: int
    before: int
    before_in_site: int


class SiteQueue(NamedTuple):
    """How many rows a site has in one state and level; ``explores``: in the lane of exploration."""

    state: int
    level: int
    explores: bool
    rows: int


class StoryArticle(NamedTuple):
    """An article in the index of stories (D). Its ``number`` counts articles in order of coming.

    ``at`` is its date, published or else found; ``terms`` are found by ``Store.candidates``, none
    for a copy. ``relation``, ``like_key`` (hex), ``similarity`` and ``because`` are those of the
    results table ``story_members``; ``sketch`` is for the room stories to read. ``dated``: it says that date.
    """

    number: int
    key: bytes
    at: float
    story_id: str
    relation: str
    like_key: str
    similarity: float
    because: str
    sketch: bytes
    terms: tuple[int, ...] = ()
    dated: bool = True


class StoryState(NamedTuple):
    """A story as the index knows it; the names are columns of the results table ``stories``.

    ``sites`` are the different hosts of its members; ``core`` is for the room stories to read: empty
    while the story has one text.
    """

    story_id: str
    title: str
    first_key: str
    first_host: str
    first_at: float
    last_at: float
    articles: int
    copies: int
    sites: tuple[str, ...]
    keywords: tuple[tuple[str, float], ...] = ()
    merged_into: str = ""
    core: bytes = b""


class SentLink(NamedTuple):
    """A URL found by a process that does not hold its partition.

    ``number`` is its key number, by which it is dropped where it is known; 0: it is wanted all the same.
    """

    waiting: Waiting
    number: int


ORDER_SCHEME = "order:"
"""What stands where a link of an inbox has its address, when it is a person's order about its site: such an
order goes the way of links, so it is neither lost nor followed by a process that does not hold the site."""


def order_about(site: str, order: str) -> SentLink:
    """Return a person's order about a site: to be sent into its partition."""
    return SentLink(Waiting(ORDER_SCHEME + order, bytes(16), site, 1, 1), 0)


class InboxBatch(NamedTuple):
    """Links that were sent into a partition together; ``position`` counts its batches, ``unread`` what was among
    them and cannot be read."""

    position: int
    links: list[SentLink]
    unread: int = 0


class InCommon(NamedTuple):
    """What all workers of a crawl must agree on, and what to do where one does not."""

    value: str
    advice: str = "give this one the same, or stop them first"


class StartUrl(NamedTuple):
    """An address that a user has handed in beside the template; ``entry`` is what was written.

    ``refused``: why it cannot be asked for, as the worker that was to do so has found.
    """

    entry: bytes
    url: str
    method: str = "GET"
    form: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None
    refused: str = ""


class Fate(NamedTuple):
    """What became of a window, and what a store that several processes share reports with it.

    ``fenced`` are partitions that others hold by now: of what was written into them only links were kept,
    which went to their inboxes. ``rolled_back``: the store has lost this window, or one before, and
    nothing is held any more. ``inbox`` are links that others have sent into partitions that are held,
    ``taken`` partitions that are held from now on and wait to be loaded, ``gone`` by worker how many of them
    it left without giving them back, ``wanted`` so many that others are to have. ``finished``: nothing waits
    anywhere, and no process is about to add anything. ``totals`` are the counters of all together, ``tickets``
    by counter how many this process may have in all, and the crawl began ``seconds`` ago. ``starts`` are
    addresses that users have handed in; each comes once. Only the holder of the first partition gets the
    ``messages`` of others.
    """

    fenced: frozenset[int] = frozenset()
    rolled_back: bool = False
    inbox: Mapping[int, Sequence[InboxBatch]] = MappingProxyType({})
    taken: frozenset[int] = frozenset()
    gone: Mapping[str, int] = MappingProxyType({})
    wanted: int = 0
    finished: bool = False
    totals: Mapping[str, int] = MappingProxyType({})
    tickets: Mapping[str, int] = MappingProxyType({})
    seconds: float = 0.0
    starts: Sequence[StartUrl] = ()
    messages: Sequence[bytes] = ()


KEPT = Fate()


class TicketsWanted(NamedTuple):
    """Of ``limit`` that all processes may count together under ``counter`` this one wants to have so many in all
    (``number``): those it has used, and some ahead. Those of one that is gone are kept for so many more seconds
    (``kept``), since it may still use them.
    """

    counter: str
    limit: int
    number: int
    kept: float


class WorkerState(NamedTuple):
    """What one of several processes on a store reports to the others of itself.

    ``idle``: it has nothing to do but what waits for others, or for a date later than it lingers.
    ``counted`` are its numbers that add up over all (STATE_NUMBER: over all that work). ``tickets`` are what it wants of
    what is limited. ``started`` are addresses that were handed in and are URLs of the next window. ``message`` is
    for the one that leads.
    """

    idle: bool = False
    counted: Mapping[str, int] = MappingProxyType({})
    tickets: Sequence[TicketsWanted] = ()
    started: Sequence[StartUrl] = ()
    message: bytes = b""


@dataclass(slots=True)
class Changes:
    """Everything one commit window adds to a partition; written as a whole or not at all.

    Into a partition that another process holds only links are ``sent``; of the own inbox the batches up to
    the position ``taken_in`` have become rows. ``added`` are new rows, ``moved`` replaces rows (a new state,
    level or retry date), ``removed`` are sequence numbers whose URL is done. ``seen`` are 64-bit keys
    (urls.key_number). ``sites`` holds for each changed site only the parts that changed. ``facts`` are
    (kind, key) → JSON value, None deletes one; a fact about a page or a site stands in their partition.
    ``story_articles`` and ``stories`` replace what is known under their number or id.
    """

    added: list[Row] = field(default_factory=list)
    moved: list[Row] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    pages: list[PageState] = field(default_factory=list)
    sites: dict[str, Json] = field(default_factory=dict)
    facts: dict[tuple[str, str], Any] = field(default_factory=dict)
    story_articles: list[StoryArticle] = field(default_factory=list)
    stories: list[StoryState] = field(default_factory=list)
    sent: list[SentLink] = field(default_factory=list)
    taken_in: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return any(getattr(self, part) for part in self.__slots__)


@dataclass(slots=True)
class Loaded:
    """What a frontier starts from: the rows that wait, those that do not, the sites they name,
    and what was seen.

    Most rows have no priority: they come in ``runs``, in order of sequence, or when they explore in
    ``folders``, in any order; the others one by one as ``places``. All three may be read from the
    store while they are gone through, once, and raise StoreError. ``inbox`` holds by partition the
    links that others have sent, oldest first. ``pauses`` are the seconds for which sites are still to be
    left, as their last holder wrote; of ``unclean`` partitions that is unknown, and each of their sites may
    just have been asked, or be asked yet for so many seconds.
    """

    sites: list[str]
    runs: Iterable[WaitingRun]
    folders: Iterable[Folder]
    places: Iterable[RowPlace]
    aside: Iterable[Aside]
    seen: Iterable[bytes]
    records: dict[str, Json]
    next_sequence: int
    inbox: dict[int, list[InboxBatch]] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)
    unclean: dict[int, float] = field(default_factory=dict)


def ignore(told: object) -> None:
    """Do nothing about what is reported."""


class Store(Protocol):
    """Where a crawl's state lives. One contract suite tests every implementation.

    ``is_shared``: several processes work on it at once, each with some of the partitions, which change
    hands while it runs. Then ``commit`` is a beat as well: it is called every half second though nothing
    has changed, and what it reports later is all that a process learns of the others.
    """

    is_shared: bool
    vanished: int
    """How many values that were written are found to be gone, and no worker has them."""

    is_last: bool
    """Whether no other process worked on the crawl when it was released."""

    async def reach(self, alone: str = "") -> None:
        """Wait until what it is kept in answers; ``own`` is asked next. Raises as ``own``."""

    def own(self, alone: str = "") -> Sequence[int]:
        """Take the partitions this process may write; raises StoreBusy when another has them.

        Of a store that is shared it may be none for now. ``alone`` says why no other process may work on it
        besides; "": others may.
        """

    async def give_back(self, partitions: Collection[int], pauses: Mapping[str, float]) -> None:
        """Let others have partitions of which everything is written and nothing is in flight.

        ``pauses`` are the seconds for which their sites are still to be left.
        """

    def seconds_held(self) -> float:
        """Return for how long the partitions are surely this process's: then no site is asked any more."""

    def draw(self) -> range:
        """Return sequence numbers that no other process gets, as many as are at hand; none of an embedded
        store, where all that follow ``Loaded.next_sequence`` are its owner's."""

    def top(self) -> int:
        """Return a number above all that were drawn by any process so far; 0 of an embedded store."""

    def tell(self, state: WorkerState) -> None:
        """Report with the next window what this process is doing."""

    async def recount(self, counter: str, worker: str, least: int) -> None:
        """Let a process that is gone, by its name in logs, have counted so many at least: more than it reported."""

    def begin_anew(self) -> None:
        """Hold nothing any more: what was begun under these epochs is rolled back, beginning with the window
        that is handed over next."""

    def release(self) -> None:
        """Give the partitions back and close the store."""

    def commit(
        self, changes: Mapping[int, Changes], heard: Callable[[Fate], object] = ignore
    ) -> None:
        """Hand over the changes of each partition, which are written atomically; ``heard`` is called later
        with what became of them.

        An embedded store writes all in one transaction, and calls ``heard`` before this returns. Raises
        StoreError and writes nothing when it cannot.
        """

    async def is_left(self) -> bool:
        """Whether any URL waits, in any partition, or another process works on the crawl."""

    def clear(self) -> None:
        """Forget everything at once, as if nothing was ever crawled; before ``load`` only."""

    def read(self, sequence: int, level: int) -> Row | None:
        """Return a row with its payload, from this process, at once; None when it is not there.

        Rows that wait in this level and come after it are likely to be asked for next; level 0
        says that none is.
        """

    def rows(self, state: int) -> Iterator[Row]:
        """Go through the rows in one state, in order of sequence."""

    async def load(self, partitions: Collection[int]) -> Loaded:
        """Read what a frontier keeps in memory of some partitions."""

    async def pages(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of those pages that have one."""

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first ``most`` pages with ``next_visit`` at or before ``now``, earliest first.

        ``after`` goes on behind the page of this ``next_visit`` and key (of one date, keys
        ascend); ``now`` may be infinite.
        """

    async def due_count(self, now: float) -> int:
        """Return how many pages ``due`` would go through in all."""

    async def undated(self, most: int, after: bytes = b"") -> list[PageState]:
        """Return the first ``most`` pages without a next visit whose keys come behind ``after``."""

    async def unseen(
        self, until: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first ``most`` pages that have no next visit and are not gone, by date and key.

        The date is ``unseen_since``, ``until`` at the latest; ``after`` is that and the key of the
        last page of an earlier answer.
        """

    async def unseen_count(self) -> int:
        """Return how many pages ``unseen`` would go through in all."""

    async def sites(self, names: Sequence[str]) -> dict[str, Json]:
        """Return the records of those sites that have one."""

    async def facts(self, kind: str, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Return facts of a kind: those of ``keys``, or all."""

    async def facts_in(self, partitions: Collection[int], kind: str) -> dict[int, dict[str, Any]]:
        """Return the facts of a kind that stand in some partitions, by partition and key."""


class StoryStore(Protocol):
    """What the index of stories asks: of an embedded crawl its store, which gets the index with its windows;
    of a crawl that several share the results database (``stories.index_tables``).
    """

    async def facts(self, kind: str, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Return facts, as a store does."""

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return (term, article number): of each term the ``most`` newest articles between dates.

        Terms are whole numbers of 63 bits; of one date the higher number is the newer.
        """

    async def story_articles(self, numbers: Sequence[int]) -> dict[int, StoryArticle]:
        """Return those articles of the index of stories that are there."""

    async def story_article(self, key: bytes) -> StoryArticle | None:
        """Return an article of the index by the key of its address."""

    async def stories(self, ids: Sequence[str]) -> dict[str, StoryState]:
        """Return those stories that are there."""

    async def last_story_article(self) -> int:
        """Return the highest number of an article in the index; 0 when there is none."""


class EmbeddedStore(Store, StoryStore, Protocol):
    """A store of one process, which has its index of stories besides."""


def unseen_since(page: PageState) -> float | None:
    """Return when a page was fetched or tried last that has no next visit; None when it has, or is
    gone.
    """
    if page.next_visit is not None or page.gone is not None:
        return None
    tried: float = page.facts.get(TRIED, page.last_fetched)
    return max(page.last_fetched, tried)


def packed(value: Any) -> bytes:
    """Return a value as MessagePack, as stores keep it, whatever pages and users put into it; halves of surrogate pairs go, numbers above 64 bits are texts.

    Raises TypeError for what is no plain value.
    """
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        return _encode(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATES.sub("", value)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value
