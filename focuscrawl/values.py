"""Every value that crosses a wall between rooms. Frozen; imports nothing of ours."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from hashlib import md5
from typing import Any, Literal, NamedTuple, Protocol, cast

Json = dict[str, Any]
"""A plain JSON object: None, bool, int, float, str, list and dict only."""


LARGEST_COUNT = 2**53
"""The largest number a page can count to: beyond, readers of JSON tell neighbours no more apart."""


QuotaOutcome = Literal["", "parked", "refused", "waiting"]
"""What a quota makes of a URL: nothing, set aside for good, dropped, or put back into its queue."""


class Clock(Protocol):
    """Two clocks: wall time is stored (due dates), steady time measures delays."""

    def wall(self) -> float:
        """Seconds since 1970 UTC."""

    def steady(self) -> float:
        """Seconds since some fixed moment; never jumps."""


class SystemClock:
    """The clocks of this machine."""

    def wall(self) -> float:
        """Seconds since 1970 UTC."""
        return time.time()

    def steady(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()


class PageClass(StrEnum):
    """What an address is (A2); the values are those of the results table ``pages``."""

    BOARD = "board"
    ARTICLE = "article"
    THREAD = "thread"
    PAGING = "paging"
    ARTICLE_PAGING = "article_paging"
    FEED = "feed"
    SITEMAP = "sitemap"
    RECORD = "record"
    FILE = "file"
    SEARCH = "search"
    OTHER = "other"


LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})
CONTENT = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
KEPT_OUTCOMES = frozenset({"stored", "unchanged"})


class SeriesPage(NamedTuple):
    """What a page was to a series that is read as one, a thread: the key of its first page (hex; "": it is
    of none), whether it was the last, and whether there was more than when it was read before.
    """

    key: str = ""
    ended: bool = False
    has_grown: bool = False


class Link(NamedTuple):
    """A link found on a page. A NamedTuple, since a page has dozens of them.

    ``url`` is absolute. ``page_class`` is what the finder knows (a continuation, a feed entry);
    None means it is found out when the page has been fetched. ``level`` overrides rule A3.
    ``published`` is the date a feed or board gives, in seconds since 1970 UTC. ``title`` is the
    link's title attribute. ``nofollow``: its page asks not to follow it.
    """

    url: str
    anchor: str = ""
    page_class: PageClass | None = None
    level: int | None = None
    published: float | None = None
    title: str = ""
    nofollow: bool = False


class Waiting(NamedTuple):
    """A URL as the frontier keeps it: what is needed to fetch and judge the page later.

    ``level`` is the level of the queue it stands in, ``passed_level`` the one its links are
    levelled from (they differ for the continuation pages of an article, A3). ``page_number``
    counts along paging (1 = first page). ``first_walk``: the board is read for the first time.
    ``first_key`` is the key of an article's first page. ``request`` is a whole Request as plain
    values, for requests that are more than an address (POST, callbacks, cb_kwargs).
    ``explore``: it waits in the lane of exploration (E), by its ``score`` (predicted relevance,
    0 to 1), its ``folder`` (urls.sites.folder_number) and its ``step``: how many irrelevant
    pages in a row end with the page it was found on (features.explore.explorer.step_of). ``layer`` counts the layers of
    ``follow.layers`` on the way to it (C6; 0: a source or a seed, or there are no layers).
    ``baseline`` is the moment (wall, whole seconds) at which what led to it was looked at first: its source,
    or a list under other rules. What its page gives stood there before, and so does what that leads to;
    0: it was found later, and is new.
    """

    url: str
    key: bytes
    site: str
    level: int
    passed_level: int
    page_class: PageClass | None = None
    depth: int = 0
    anchor: str = ""
    parent_key: bytes = b""
    source_id: str = ""
    page_number: int = 1
    first_walk: bool = True
    first_key: bytes = b""
    priority: int = 0
    request: Json | None = None
    explore: bool = False
    step: int = 0
    score: float = 0.0
    folder: int = 0
    layer: int = 0
    baseline: int = 0

    def knows(self, dated: float | None) -> bool:
        """Whether what its page gives is known, and no news: unless it is dated behind its baseline."""
        return self.baseline > 0 and (dated is None or dated <= self.baseline)

    def exploring(self, step: int, score: float, folder: int) -> Waiting:
        """Return the URL as it waits in the lane of exploration."""
        # done for every new link, and a third of the price of _replace
        return tuple.__new__(Waiting, (*self[:15], True, step, score, folder, *self[19:]))


SIGNALS = "signals:"
"""How the source_id of a file begins that is read for its signals alone; the site that names it follows."""


def is_signal_file(source_id: str) -> bool:
    """Whether what was found through a source is read for its signals alone."""
    return source_id.startswith(SIGNALS)


PROMISE_BITS = 47
"""Bits of the sequence number inside a promise."""

PROMISE_MASK = (1 << PROMISE_BITS) - 1


MOST_STEPS = 63
"""Steps (features.explore.explorer.step_of) are counted up to here, six bits; a path so long is no tunnel."""


class Lane(NamedTuple):
    """What an order needs to know of an exploring URL; ``score`` is a whole number 0 … 1023."""

    folder: int
    score: int
    step: int

    @classmethod
    def of(cls, waiting: Waiting) -> Lane:
        """Return the lane's values of a URL."""
        score, step = round(waiting.score * 1023), waiting.step
        if not 0 <= score <= 1023:
            score = min(max(score, 0), 1023)
        if not 0 <= step <= MOST_STEPS:
            step = min(max(step, 0), MOST_STEPS)
        return tuple.__new__(cls, (waiting.folder & 0xFFFFFFFF, score, step))

    def packed(self) -> int:
        """Return all three as one number above 0, as stores keep them (0 is: explores not)."""
        return self.folder << 17 | self.score << 7 | self.step << 1 | 1

    def promise(self, sequence: int) -> int:
        """Return score, step and a URL's sequence number as one number of 63 bits."""
        return (self.score << 6 | self.step) << PROMISE_BITS | sequence

    @classmethod
    def unpacked(cls, number: int) -> Lane:
        """Read what ``packed`` made."""
        return tuple.__new__(cls, (number >> 17, number >> 7 & 1023, number >> 1 & 63))


class BoardThread(NamedTuple):
    """A thread as its board shows it (A9); ``url`` is absolute, without a fragment.

    ``replies`` is without the opening post; None: the board shows no count. ``last_reply`` is in
    seconds since 1970 UTC.
    """

    url: str
    title: str
    replies: int | None
    views: int | None = None
    author: str = ""
    last_reply: float | None = None


class ThreadCounts(NamedTuple):
    """What a board counts of a thread that is stored, whose first page has ``url_key``; None: it
    does not say.
    """

    url_key: str
    replies: int | None
    views: int | None


class DatedLink(NamedTuple):
    """What a feed, a sitemap or a board says of a page: a sign that it may have changed (B).

    ``value`` is a date in seconds since 1970 UTC, precise to ``precision`` seconds, or a count.
    """

    url: str
    value: float
    is_date: bool = True
    precision: float = 1.0


class ShownText(NamedTuple):
    """The text of a page as a feed shows it: how many ``letters`` it has, and a number of 64 bits that another text
    has by chance only.
    """

    url: str
    letters: int
    number: int


@dataclass(frozen=True, slots=True)
class LinkBatch:
    """All links of one page. A callback yields one; the spider middleware hands it to the scheduler.

    ``page_class`` is the class of the page that was read, ``links`` its links in page order,
    ``continuations`` the next pages of the same article or board (with their class set), which
    ``until_known`` admits only when the page has a link that is new. ``score`` and ``relevant``
    are what the page itself was judged (E): they say what its links promise. ``title`` is the
    page's, which layers look at (C6). ``threads`` are those of a forum's board, whose links are
    among ``links`` with the class THREAD (A9). ``told`` is what the page says of pages it links to, ``shown`` what
    a feed shows of them; ``signal_files`` are the feeds and sitemaps it names in its head.
    """

    page_class: PageClass
    links: tuple[Link, ...] = ()
    continuations: tuple[Link, ...] = ()
    until_known: bool = False
    score: float = 0.0
    relevant: bool = False
    title: str = ""
    threads: tuple[BoardThread, ...] = ()
    told: tuple[DatedLink, ...] = ()
    shown: tuple[ShownText, ...] = ()
    signal_files: tuple[str, ...] = ()


@dataclass(slots=True)
class Page:
    """One row of the crawl's log book, the results table ``pages``; times are UTC seconds."""

    url_key: str
    url: str
    host: str
    page_class: PageClass
    outcome: str
    level: int | None = None
    source_id: str = ""
    parent_key: str = ""
    anchor: str = ""
    first_seen: float = 0.0
    last_fetched: float | None = None
    status: int = 0
    reason: str = ""
    score: float | None = None
    relevant: bool | None = None
    step: int | None = None
    title: str = ""
    content_type: str = ""
    bytes: int = 0
    encoding: str = ""
    run_id: str = ""
    changes: int = 0
    last_changed: float | None = None
    next_visit: float | None = None
    gone_at: float | None = None


@dataclass(slots=True)
class Article:
    """One row of the results table ``articles``; field names are its columns.

    Times are seconds since 1970 UTC (None: not found, never guessed). Mutable, since a user's
    pipelines may change it on its way to ours; what they add belongs into ``extra``.
    """

    url_key: str
    url: str
    host: str
    title: str
    text: str
    published: float | None = None
    published_raw: str = ""
    published_by: str = ""
    published_date: str = ""
    source_name: str = ""
    medium: str = ""
    author: str = ""
    language: str = ""
    tags: list[str] = field(default_factory=list)
    keywords: list[tuple[str, float]] = field(default_factory=list)
    hits: dict[str, int] = field(default_factory=dict)
    score: float | None = None
    images: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    page_count: int = 1
    complete: bool = True
    fetched: float = 0.0
    source_id: str = ""
    story_id: str = ""
    is_copy: bool = False
    known: bool = False
    extra: Json = field(default_factory=dict)


@dataclass(slots=True)
class Record:
    """One row of the results table ``records`` (C7); ``record_class`` has the class of each kind.

    ``data`` is field → value, or → list of values. ``evidence`` is field → what was found first:
    value, raw (as printed), label, url, at (seconds since 1970 UTC), and ``others``, a list of the
    same for further values and for those that contradict. ``missing`` are required fields without
    a value. What pipelines of a user add belongs into ``extra``.
    """

    record_type: str
    record_id: str
    host: str
    url_key: str
    url: str
    data: Json
    evidence: Json = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    complete: bool = True
    fetched: float = 0.0
    known: bool = False
    extra: Json = field(default_factory=dict)


@cache
def record_class(name: str) -> type[Record]:
    """Return the class of items of [record.NAME], so that feeds can tell them apart."""
    made = type(
        name.title().replace("_", ""), (Record,), {"__slots__": (), "__doc__": Record.__doc__}
    )
    return cast("type[Record]", made)


@dataclass(slots=True)
class Thread:
    """One row of the results table ``threads``; ``url_key`` is that of its first page.

    ``replies`` and ``views`` are what its board says, ``replies_seen`` counts the posts that are
    stored. Times are seconds since 1970 UTC (None: not found, never guessed).
    """

    url_key: str
    url: str
    host: str
    title: str
    board_key: str = ""
    author: str = ""
    started: float | None = None
    replies: int | None = None
    views: int | None = None
    replies_seen: int = 0
    last_reply: float | None = None
    score: float | None = None
    fetched: float = 0.0
    known: bool = False
    extra: Json = field(default_factory=dict)


@dataclass(slots=True)
class Post:
    """One row of the results table ``posts``; ``post_no`` 1 is the opening post."""

    thread_key: str
    post_no: int
    author: str
    posted: float | None
    text: str
    hits: dict[str, int] = field(default_factory=dict)
    fetched: float = 0.0
    known: bool = False
    extra: Json = field(default_factory=dict)


@dataclass(slots=True)
class File:
    """One row of the results table ``files``: an attachment or image of an article (A2).

    ``parent_key`` is the article's, ``sha256`` of its content, ``bytes`` its length. ``fetched`` is
    in seconds since 1970 UTC.
    """

    file_key: str
    url: str
    parent_key: str
    sha256: str
    content_type: str
    bytes: int
    fetched: float


@dataclass(slots=True)
class PageChange:
    """One row of the results table ``changes``: something has happened to what is stored.

    ``change_id`` is change_key(…), so that writing it again after a crash adds nothing.
    ``kind`` is new, minor, major, moved, gone, back, completed or reply, of a site redesign; ``what`` is article, record,
    thread or site. ``at`` is in seconds since 1970 UTC, ``fields`` is name → [old, new].
    """

    change_id: str
    at: float
    url_key: str
    url: str
    kind: str
    what: str
    fields: Json = field(default_factory=dict)
    diff: str = ""
    distance: int | None = None
    title: str = ""
    version: int | None = None


VISITS_MADE, EXPECTED_CHANGES, FOUND_CHANGES = "visits_made/", "visits_expected/", "visits_changed/"
"""How counters of a run begin that tell of its visits by class of page: how many were answered, how many changes
they should have found (their probabilities added up), and how many they found."""

UNCLEAR = "unrecognised"
"""The counter that holds no number but what needs the topic's user, each a Finding."""

EMPTY_REASONS = "empty_reasons"
"""The counter that holds why a run found nothing, in sentences of the crawl's language."""

MOST_EXAMPLES = 2


class Finding(NamedTuple):
    """``number`` addresses of one ``kind`` (a key of report.advice.KINDS), at most MOST_EXAMPLES of them as ``examples``.

    ``where`` is what they have in common: the pattern of their addresses, their site, a reason. ``of`` counts
    all pages of that pattern or site, ``right`` those that were as expected.
    """

    kind: str
    number: int
    examples: Sequence[str]
    where: str = ""
    of: int = 0
    right: int = 0


FEED_ITEMS: dict[str, type] = {
    "article": Article,
    "page": Page,
    "change": PageChange,
    "thread": Thread,
    "post": Post,
}
"""What ``output.feeds`` calls the items; those of records go by the names of their tables."""


ONCE = 1
"""The visit number of a change that comes once of a thing: that it is new, or complete."""


def change_key(url_key: str, kind: str, visit: int) -> str:
    """Return the id of a change: MD5 of the key, the kind and the page's visit number.

    It names a change, for all that tell of one. Whether there is one says ``features.revisit.change``
    (``volatile.digest_of``).
    """
    return md5(f"{url_key}/{kind}/{visit}".encode()).hexdigest()


CutLines = tuple[tuple[int, ...], tuple[int, ...]]
"""The lines that are cut from the beginning and from the end of a stored text, the outermost first, by their numbers
(lines.line_number)."""

CUT_AT = "cut"
"""Fact of a state: at which places of its layout the lines stood that its last reading has cut from the article's text and
compared with nothing, by the last CUT_AT_BITS of their numbers; what was read whole has none."""

CUT_AT_BITS = 32
"""Five bytes of MessagePack a place, where most texts have one or two: of 32 places of a layout two are alike in one of
10^7 layouts."""

TRIED = "tried"
"""Fact of a state: when a page past ``until`` was last asked for and did not answer, wall time."""


class PageState(NamedTuple):
    """What is remembered of a page between visits (B1), keyed by its MD5 key.

    ``next_visit`` is None when no further visit is planned. ``facts`` are what the crawl needs to
    queue the page again. Times are seconds, dates are seconds since 1970 UTC.

    For method B: ``observed`` is t, how long the page has been watched, ``changes`` is x, the
    changes seen, counted from 1; both may be discounted. ``times_changed`` and ``last_changed``
    are the plain count and its latest date. ``digest`` (MD5), ``simhash`` (64 bit) and ``details``
    are what the next visit compares with, see revisit.change. ``etag`` and ``modified`` are the
    server's headers, word for word. ``reserved``: the page is queued until this date at most.
    ``failures`` in a row began at ``failing_since``; ``gone`` is the date of a tombstone and
    ``reason`` says why. ``signalled`` is the date of a signal that no visit has followed yet,
    ``told`` the latest value of such a signal. ``born`` is the date of publication, if known.
    ``every`` is a fixed interval, whatever the policy says (source.every). ``changed_in_row`` is how
    many visits in a row that no signal asked for have found the page changed.
    """

    key: bytes
    url: str
    site: str
    page_class: PageClass
    level: int
    first_fetched: float
    last_fetched: float
    next_visit: float | None
    visits: int
    source_id: str = ""
    facts: Json = {}  # noqa: RUF012 - a NamedTuple default, never written to
    observed: float = 0
    changes: float = 1
    times_changed: int = 0
    last_changed: float | None = None
    digest: bytes = b""
    simhash: int | None = None
    details: bytes = b""
    etag: str = ""
    modified: str = ""
    reserved: float | None = None
    failures: int = 0
    failing_since: float | None = None
    gone: float | None = None
    reason: str = ""
    signalled: float | None = None
    told: float | None = None
    born: float | None = None
    every: float | None = None
    changed_in_row: int = 0


class Selector(NamedTuple):
    """Where something stands in an answer. ``language`` is css, xpath or json (JMESPath)."""

    language: str
    expression: str
