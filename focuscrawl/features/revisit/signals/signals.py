"""What lists say of pages that are known, and the feeds and sitemaps that are read for that alone.

Feeds and sitemaps that are not sources say which known pages have changed; what else they
list is not followed, so that a sitemap of a whole site makes no crawl of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from heapq import nlargest
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.revisit.table import DAY, RevisitTable
from focuscrawl.readers.links.criteria import Criteria, OpenPage, PageReader
from focuscrawl.readers.pages.content import Fetched, Judged, page_of
from focuscrawl.readers.pages.feeds.feeds import (
    MOST_NAMED,
    Feed,
    named_by_page,
    shown_by_feed,
    told_by_feed,
)
from focuscrawl.readers.pages.feeds.sitemaps import Sitemap, told_by_sitemap
from focuscrawl.readers.pages.links import FoundLink, dated_entries
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import domain_of
from focuscrawl.values import (
    SIGNALS,
    DatedLink,
    Json,
    LinkBatch,
    PageClass,
    PageState,
    Waiting,
    is_signal_file,
)

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock

MOST_HEARD = 5_000
"""Entries that are heard of one file, the latest: each may cost a look into the store."""

MOST_PARTS = 10
"""Sitemaps that are read of an index: its first and its last, since either are the newest."""

FEWEST_KEPT = 5
"""Pages that must have been kept of a site for its files to be worth a request each day."""

_SIGNALS_PART = "signal_files"
"""The part of a site's record: its files by whether they were queued, since when they are known, and
how many pages were kept."""


FEWEST_OF_BUILD = 10
"""Entries of a file from which a date that stands beside more than half of them is that of its making."""


def without_build_date(told: Sequence[DatedLink]) -> tuple[DatedLink, ...]:
    """Return the dates that a file tells of its pages, without the one that it tells of most of them.

    That is when the program wrote the file, and says nothing of a page: the sitemap of a Nikola of 70 posts and 26
    lists brought ten of them forward on each day until ten visits had shown that it lies.
    """
    if len(told) < FEWEST_OF_BUILD:
        return tuple(told)
    ((date, times),) = Counter(one.value for one in told).most_common(1)
    return tuple(one for one in told if one.value != date) if 2 * times > len(told) else tuple(told)


def signals_of(
    batch: LinkBatch, waiting: Waiting, rules: AdmissionRules, since: float | None
) -> dict[bytes, Signal]:
    """Return the signals of a page, by the key of the page that each is about.

    Threads whose replies are counted are left out: a crawl of forums takes those that have grown
    again at once (A9). A page is believed about its own domain only, so that none can spoil
    another's name; a source about every site. Dates that were as old at the last visit of
    the page, ``since`` (wall time, None: this is the first), were heard then.
    """
    found: dict[bytes, Signal] = {}
    is_source, own = not waiting.parent_key, domain_of(waiting.site)
    counted = {
        rules.look(thread.url).address.key for thread in batch.threads if thread.replies is not None
    }
    replied = (
        DatedLink(one.url, one.last_reply) for one in batch.threads if one.last_reply is not None
    )
    for told in (*batch.told, *replied):
        if told.is_date and told.value + told.precision <= (since or 0.0):
            continue
        address = rules.look(told.url).address
        if not address.key or address.key in counted:
            continue
        if is_source or domain_of(address.site) == own:
            found[address.key] = Signal(told.value, told.is_date, told.precision)
    return found


def only_signals(batch: LinkBatch) -> LinkBatch:
    """Return what is taken of such a file: parts of an index of sitemaps, and the latest signals."""
    parts = [link for link in batch.links if link.page_class is PageClass.SITEMAP]
    if len(parts) > MOST_PARTS:
        parts = parts[: MOST_PARTS // 2] + parts[-MOST_PARTS // 2 :]
    links = tuple(one for one in parts if "image" not in one.url and "video" not in one.url)
    told = nlargest(MOST_HEARD, batch.told, key=attrgetter("value"))
    return LinkBatch(batch.page_class, links, told=tuple(told), shown=batch.shown)


def site_of_signal(source_id: str) -> str:
    """Return the site that names a file."""
    return source_id.removeprefix(SIGNALS)


def signal_file(url: str, site: str, rules: AdmissionRules) -> tuple[Waiting, int] | None:
    """Return a file as it waits for the first time, and its number; None when it is not to be read.

    Only files of the site's own domain are, for none can spoil another's name, and none that the
    template refuses.
    """
    look = rules.look(url)
    address = look.address
    if not address.key or rules.refused_file(look) is not None:
        return None
    if domain_of(address.site) != domain_of(site):
        return None
    level = max(1, rules.top - 1)
    waiting = Waiting(
        *(address.url, address.key, address.site, level, level),
        parent_key=address.key,
        source_id=f"{SIGNALS}{site}",
    )
    return waiting, address.number


class SignalFiles(SiteValues[Json]):
    """The feeds and sitemaps that sites name, read for their signals once pages of a site are kept.

    The first run only notes them, in the site's record: it has no older copy of anything. A later one
    reads those of sites of which it keeps pages; from then on they are lists as any other.
    """

    def __init__(self, rules: AdmissionRules, frontier: Frontier, clock: Clock) -> None:
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        super().__init__(_SIGNALS_PART)

    def named(self, site: str, urls: Iterable[str]) -> None:
        """Note files that a site names; the first few are kept."""
        known = (self.get(site) or {}).get("files", {})
        new = [url for url in dict.fromkeys(urls) if url not in known]
        new = new[: max(0, MOST_NAMED - len(known))]
        if new:
            self._note(site, files=known | dict.fromkeys(new, False))

    def kept(self, site: str) -> None:
        """Count a page of a site that was kept, new or as it was; only the first few count."""
        count = (self.get(site) or {}).get("kept", 0)
        if count < FEWEST_KEPT:
            self._note(site, kept=count + 1)

    def since(self, site: str) -> float | None:
        """Return since when a site is known, wall time: no page of it was fetched before."""
        return (self.get(site) or {}).get("since")

    def queue(self) -> int:
        """Queue the files of sites of which pages are kept; returns how many are new."""
        queued = 0
        for site in self:
            noted = self.get(site) or {}
            files = noted.get("files", {})
            if noted.get("kept", 0) < FEWEST_KEPT or all(files.values()):
                continue
            for url in (url for url, is_queued in files.items() if not is_queued):
                found = signal_file(url, site, self._rules)
                if found is not None:
                    queued += self._frontier.add(*found)
                    files = {**files, url: True}
            if files != noted["files"]:  # what is refused today may be wanted by another template
                self._note(site, files=files)
        return queued

    def _note(self, site: str, **changed: Json | int) -> None:
        self.put(site, {"since": self._clock.wall()} | (self.get(site) or {}) | changed)


# Read with the links of a page ---------------------------------------------------------------------


class SignalReader(PageReader):
    """Reads what lists, feeds and sitemaps say of the pages they lead to."""

    def __init__(self, criteria: Criteria) -> None:
        super().__init__(criteria)
        self._are_heard = criteria.template.of(RevisitTable).hears_signals

    def take(self, fetched: Fetched, waiting: Waiting, found: PageClass | None) -> Judged | None:
        """Take a file that a site names as a feed or sitemap, and that is none."""
        is_list = found in (PageClass.FEED, PageClass.SITEMAP)
        if is_list or not is_signal_file(waiting.source_id):
            return None
        row = page_of(fetched, waiting, PageClass.OTHER)
        row.outcome, row.reason = "refused", "no feed and no sitemap"
        return Judged(row, why="a site names it as a feed or a sitemap")

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Add the dates beside the links of a board that is read again, and files a page names."""
        if not (self._are_heard and page.is_list and judged.batch is not None):
            return
        is_again = page.row.page_class is PageClass.BOARD and not page.waiting.first_walk
        template = self.criteria.template
        judged.batch = replace(
            judged.batch,
            told=_told_by_board(page.links, template, page.fetched.at) if is_again else (),
            signal_files=named_by_page(page.document),
        )

    def add_to_feed(
        self, feed: Feed | Sitemap, fetched: Fetched, waiting: Waiting, judged: Judged
    ) -> None:
        """Add what a feed or sitemap says of its pages; of a file that is read for it take only that."""
        if judged.batch is None:
            return
        if self._are_heard:
            told = told_by_feed(feed) if isinstance(feed, Feed) else told_by_sitemap(feed)
            shown = shown_by_feed(feed) if isinstance(feed, Feed) else ()
            judged.batch = replace(judged.batch, told=without_build_date(told), shown=shown)
        if is_signal_file(waiting.source_id):
            judged.batch = only_signals(judged.batch)


def _told_by_board(
    links: Sequence[FoundLink], template: Template, now: float
) -> tuple[DatedLink, ...]:
    """Return the dates that a board shows beside its links."""
    dated = dated_entries(links, timezone=str(template.topic.timezone), now=now)
    return tuple(DatedLink(link.url, date.seconds, precision=date.unit) for link, date in dated)


LATEST_AHEAD = DAY
"""A date further in the future than any zone explains says nothing."""

MOST_RECALL = 0.8
"""No site is believed to announce more: a silent page waits at most five times as long. Measured: at a
tight budget more than that delays what was not announced too much."""

_MOST_COUNTED = 1000
"""Counts are halved here, so that a site whose habits change is learnt anew."""


class Signal(NamedTuple):
    """What a sitemap, feed or board says of a page.

    ``value`` is a date (seconds since 1970 UTC) or a count; ``is_date`` tells which. A date without
    a time of day is given as the start of its day and ``precision`` is a day: a page fetched
    during that day may have changed after.
    """

    value: float
    is_date: bool = True
    precision: float = 1.0


def is_possible(signal: Signal, now: float) -> bool:
    """Whether a signal is a count, or a date that is not in the future."""
    return not signal.is_date or signal.value <= now + LATEST_AHEAD


def is_news(state: PageState, signal: Signal, now: float) -> bool:
    """Whether a signal says something that the last visit does not already know.

    It must differ from what was told before; a date must also be later than the last visit, as far
    as it is precise, whether that found the page or not; not in the future and not that of
    publication. A smaller count is no news: replies were deleted.
    """
    if not signal.is_date:
        return state.told is not None and signal.value > state.told
    if not is_possible(signal, now) or (state.told is not None and signal.value <= state.told):
        return False
    if state.born is not None and 0 <= state.born - signal.value < signal.precision:
        return False
    asked = max(state.last_fetched, state.failing_since or 0.0, state.gone or 0.0)
    return signal.value + signal.precision > asked


@dataclass(slots=True)
class Trust:
    """What a site's signals were worth so far; its part ``signals`` of the site's record.

    ``followed`` signals led to a visit, of which ``true`` found a change; of ``changes`` seen on
    the site ``announced`` were signalled before.
    """

    followed: float = 0
    true: float = 0
    changes: float = 0
    announced: float = 0

    @property
    def precision(self) -> float:
        """The share of signals that are true (q): one half before anything is known."""
        return (self.true + 1) / (self.followed + 2)

    @property
    def recall(self) -> float:
        """The share of changes that are signalled (r); 0 for a site that never signals."""
        if not self.followed:
            return 0.0
        return min(MOST_RECALL, (self.announced + 1) / (self.changes + 2))

    def learn(self, signalled: bool, changed: bool) -> None:
        """Count a visit."""
        if signalled:
            self.followed += 1
            self.true += changed
        if changed:
            self.changes += 1
            self.announced += signalled
        if max(self.followed, self.changes) > _MOST_COUNTED:
            self.followed /= 2
            self.true /= 2
            self.changes /= 2
            self.announced /= 2

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Json) -> Trust:
        """Read what ``to_json`` wrote."""
        return cls(*(float(kept.get(name, 0)) for name in cls.__slots__))
