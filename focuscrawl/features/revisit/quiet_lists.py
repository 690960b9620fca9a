"""Lists that are left out by a run, since they say what others say or have shown nothing new for long (A6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.features.revisit.table import DAY, scattered
from focuscrawl.values import LinkBatch, PageClass, PageState, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.urls.sites import Partitions

# A run begins with every list once more. On a blog of 200 posts these are 216 pages of tags, authors and
# months, most of which have shown nothing new for months. How long a list has been silent is seen at its
# first reading, by the dates beside its entries. It may be left out for a thirtieth of that: one that has
# been silent for a month is read every day, one of half a year each sixth day. So what is new is put
# off by a thirtieth of the time that it was waited for, and then till the next run.

NEWEST = "newest"
"""Fact of a list's state: the date of the newest thing it has shown, in seconds since 1970 UTC."""

OWN_NEWS = "own"
"""Fact of a list's state: it has shown what no list read before it showed; sources and feeds are read before it. False:
what it has shown last stood on those, or it has shown nothing for long."""

FEWEST_OWN = 3
"""New links of a first reading, and more than known ones, that make a list one with news of its own: a section of a
portal. A blog's posts all stand on its front page and the pages behind it, before its tags are read."""

SHARE = 1 / 30
"""Of its silence a list may be left out: a column that posts once a month is read every day. With it a day
without news cost 11 to 25 % of the first crawl of a WordPress of 454 pages, 48 % without."""

LONGEST_SILENCE = 9 * DAY  # so that nothing new waits longer, however long its list was silent

NOINDEX = "noindex"
"""Fact of a list's state: it asks robots not to take it in. What is on it stands elsewhere, too, as a rule."""

OF_SITEMAPS = "sitemaps"
"""Fact of a list's state: it is a sitemap that leads to sitemaps alone. Each of these is read by itself, so that it rests
for ``LONGEST_SILENCE`` where it is no source: what it may show is a further sitemap, once a month."""

RAREST_BESIDE = 9 * DAY
"""A list that says what others say is read so rarely, in seconds: further feeds of a site, and lists that ask robots
not to take them in. Of a site with 112 feeds of tags each was read with every run. One that has shown something new
before is read ``BESIDE_WHEN_NEW`` times as often."""

BESIDE_WHEN_NEW = 4

# What is new on a site stands on its front page or in its feed, as a rule, and these are read with every run.
# While they show nothing new, the site's other lists may rest; the run that sees something new reads them, too. One
# that has shown what they have not, is no list of that kind.

FEWEST_DAYS_BESIDE = 3 * DAY
"""A list beside those that are always read rests so long at first while these show nothing new, then as long as it has
been silent itself. On the first two quiet days of a Nikola of 70 posts all of its 18 lists of tags, years and
categories were read, 27 and 23 requests where the first crawl took 178."""

LISTS_A_RUN, FEWEST_A_RUN = 12, 2
"""Of the lists of a site that rest one in so many is read by each run, two at least, the longest unread first, unless it was left out
for ``LONGEST_SILENCE``: on the seventh day after the first crawl of a Nikola of 70 posts 18 lists were read, since all
rested equally long. Two a day read 18 lists within those nine days. Of 33 lists
and feeds one in ten are four a run, one in twelve three, which is what a day without news may cost."""

OF_NOW = DAY
"""A list whose newest thing was so young when it was read, in seconds, is read by every run, unless that stood on others."""

TOGETHER = DAY / 2
"""What two lists of a site have shown within so many seconds is taken for the same."""

FEWEST_READINGS = 2
"""Readings from which a list may be left out: one whose own entries show no dates has shown by then,
by something new, that an old date on it is not theirs."""


class QuietLists:
    """Which lists a run that ends reads at once, and which it may read later.

    ``since`` is when the rules began to hold by which pages are read: what was read by others does not rest.
    """

    def __init__(self) -> None:
        self.since = 0.0
        self._leading: set[bytes] = set()
        self._resting: dict[str, list[PageState]] = {}
        self._spoken: list[PageState] = []
        self._with_news: set[str] = set()

    def read_now(
        self, lists: Sequence[PageState], now: float, most: int | None = None
    ) -> list[PageState]:
        """Return those of all lists that are due which a run that begins now reads at once; some of the others
        rest until their site shows something new.

        ``most`` lists are read as far as these have their turn (None: as many as have it): after a pause all that became
        due meanwhile comes at once, and lists have their turn with the next run.
        """
        feeds = first_feeds(lists)
        newest = leading_lists(lists, feeds)
        self._leading.update(one.key for one in lists if is_leading(one, feeds))
        found: list[PageState] = []
        beside: dict[str, list[PageState]] = {}
        for state in lists:
            is_read_otherwise = state.last_fetched < self.since
            is_news = state.signalled is not None or state.failing_since is not None
            is_beside = state.page_class is PageClass.FEED and state.key not in feeds
            is_named = is_asked_for(state) and not (is_beside and is_silent_feed(state))
            if is_read_otherwise or is_news or (is_named and not rests_as_index(state, now)):
                found.append(state)
            elif _is_left_out(state, now, leads=state.key in feeds):
                continue
            elif state.key not in self._leading and state.site in newest:
                is_beside = says_the_same(state, newest[state.site], now)
                (beside.setdefault(state.site, []) if is_beside else found).append(state)
            else:
                found.append(state)
        for of_site in beside.values():
            left = inf if most is None else max(0, most - len(found))
            found += self._in_turn(of_site, now, left)
        return found

    def _in_turn(self, beside: list[PageState], now: float, most: float) -> list[PageState]:
        """Return those of a site's lists beside the leading ones whose turn it is; the others rest."""
        awake = [one for one in beside if not rests_with(one, now)]
        awake.sort(key=lambda one: (one.last_fetched, one.key))
        turns: float = max(FEWEST_A_RUN, -(-len(beside) // LISTS_A_RUN))
        if len(beside) > FEWEST_A_RUN:  # a site of so few pages has no quiet days
            turns = min(most, turns)
        read = [
            one
            for place, one in enumerate(awake)
            if place < turns or now - one.last_fetched >= LONGEST_SILENCE
        ]
        keys = {one.key for one in read}
        self._resting.setdefault(beside[0].site, []).extend(
            one for one in beside if one.key not in keys
        )
        return read

    def note_news(self, key: bytes, site: str) -> None:
        """Note that a list has shown something new: if it leads, the lists that rest with it are read, too."""
        if key in self._leading:
            self._with_news.add(site)
            self._spoken += self._resting.pop(site, ())

    def has_news(self, site: str) -> bool:
        """Whether a leading list of a site has shown something new in this run."""
        return site in self._with_news

    def release(self, partitions: Partitions) -> None:
        """Forget the lists of some partitions."""
        partitions.take_from(self._resting)
        self._spoken = [one for one in self._spoken if not partitions.has(one.site)]
        self._with_news = {site for site in self._with_news if not partitions.has(site)}

    @property
    def has_spoken(self) -> bool:
        """Whether lists that have rested are to be read."""
        return bool(self._spoken)

    def spoken(self) -> list[PageState]:
        """Return the lists that have rested and are to be read, once."""
        spoken, self._spoken = self._spoken, []
        return spoken


def is_asked_for(state: PageState) -> bool:
    """Whether who made the topic, or the site itself for its signals, has named a list."""
    return bool(state.facts.get("source")) or is_signal_file(state.source_id)


def is_silent_feed(state: PageState) -> bool:
    """Whether a feed that its site names for its signals showed nothing of the last day when it was read."""
    newest = state.facts.get(NEWEST)
    is_source = bool(state.facts.get("source"))
    return not is_source and (newest is None or state.last_fetched - newest >= OF_NOW)


def _is_left_out(state: PageState, now: float, *, leads: bool) -> bool:
    """Whether a list has shown nothing new for so long, or says what others say, that this run leaves it out.

    ``leads``: it is the feed of its site that is always read.
    """
    is_feed = state.page_class is PageClass.FEED
    if rests_as_index(state, now):
        return True
    if state.page_class is not PageClass.BOARD and not (is_feed and not leads):
        return False
    is_beside = is_feed or state.facts.get(NOINDEX)
    return rests(state, now) or bool(is_beside and rests_beside(state, now))


def newest_shown(batch: LinkBatch, now: float, *, has_new: bool) -> float | None:
    """Return the date of the newest thing on a list, None when it shows none.

    ``has_new``: links were new when it was read again. Boards of forums are never silent: they
    count replies.
    """
    if has_new or batch.threads:
        return now
    dates = (told.value for told in batch.told if told.is_date and told.value <= now)
    return max(dates, default=None)


def shows_own(
    admission: Admission,
    newest: float | None,
    before: PageState | None,
    now: float,
    *,
    changed: bool = False,
    has_site_news: bool = False,
) -> bool | None:
    """Whether a list has led to what stands on no list that was read before it; None: this reading says nothing of it.

    ``before`` is its state, None at its first reading; ``changed``: it shows other links than then; ``has_site_news``: a
    leading list of its site has shown something new in this run. One is none that shows something newer than it showed
    before, all of it known from other lists: each author of a Nikola has a list of all that he wrote, which was longer
    than what stood on the front page when it was read first. Nor is one without dates that shows nothing new when its
    site does, and rests from then on until it does again. Nor is one whose ``newest`` thing
    is so old that it may rest for a day for that alone, nor one that has shown no date, and nothing new since it was
    found: of a blog in pages of ten a page in the middle was read before the others, and then with every run.
    """
    if before is None:
        is_own = admission.added >= FEWEST_OWN and admission.added > admission.duplicates
        return True if is_own else None
    if admission.has_news:
        return True
    before_shown = before.facts.get(NEWEST)
    if newest is not None and before_shown is not None:
        changed = newest > before_shown
    shown = before_shown if newest is None else newest
    since, longest = (
        (before.first_fetched, FEWEST_DAYS_BESIDE) if shown is None else (shown, DAY / SHARE)
    )
    is_silent = now - since > longest or (shown is None and has_site_news)
    return False if changed or is_silent else None


def with_newest(
    state: PageState, newest: float | None, *, has_own: bool | None = None
) -> PageState:
    """Return a list's state with what it has shown last, which never becomes older, and whether it ``has_own``."""
    if has_own is not None:
        state = state._replace(facts={**state.facts, OWN_NEWS: has_own})
    if newest is None or newest <= state.facts.get(NEWEST, 0.0):
        return state
    return state._replace(facts={**state.facts, NEWEST: newest})


def rests(state: PageState, now: float) -> bool:
    """Whether a list may be left out by a run that begins now."""
    newest: float | None = state.facts.get(NEWEST)
    if newest is None or state.visits < FEWEST_READINGS or not newest <= state.last_fetched <= now:
        return False
    longest = scattered(LONGEST_SILENCE, state.key, state.visits)
    return now - state.last_fetched < min(longest, SHARE * (state.last_fetched - newest))


def rests_beside(state: PageState, now: float) -> bool:
    """Whether a list that says what others say may be left out by a run that begins now."""
    if not state.last_fetched <= now:
        return False
    often = BESIDE_WHEN_NEW if state.times_changed else 1
    return now - state.last_fetched < scattered(RAREST_BESIDE, state.key, state.visits) / often


def rests_as_index(state: PageState, now: float) -> bool:
    """Whether an index of sitemaps may be left out by a run that begins now."""
    if (
        not state.facts.get(OF_SITEMAPS)
        or state.facts.get("source")
        or not state.last_fetched <= now
    ):
        return False
    return now - state.last_fetched < scattered(LONGEST_SILENCE, state.key, state.visits)


def is_index(batch: LinkBatch) -> bool:
    """Whether a sitemap leads to sitemaps alone."""
    to_maps = all(link.page_class is PageClass.SITEMAP for link in batch.links)
    return (
        batch.page_class is PageClass.SITEMAP and bool(batch.links) and to_maps and not batch.told
    )


def says_the_same(state: PageState, leading: float | None, now: float) -> bool:
    """Whether a list showed nothing that its site's leading lists did not show, when it was read last.

    ``leading`` is the date of the newest thing that these have shown, None: they have shown no date, and say
    nothing of a list that has shown one, until it was read again: the front page of a portal may lead to its sections
    alone, but what stands on these has then shown itself as news of their own.
    """
    newest, last, has_own = state.facts.get(NEWEST), state.last_fetched, state.facts.get(OWN_NEWS)
    is_of_now = newest is not None and not last - newest >= OF_NOW and has_own is not False
    if has_own or is_of_now or not last <= now:
        return False
    if leading is None:
        return newest is None or state.visits >= FEWEST_READINGS
    return newest is None or newest <= leading + TOGETHER


def rests_with(state: PageState, now: float) -> bool:
    """Whether a list that says the same as others is left out by a run that begins now, whosever turn it is."""
    newest, last = state.facts.get(NEWEST), state.last_fetched
    silent = last - (state.first_fetched if newest is None else newest)
    wait = min(max(silent, FEWEST_DAYS_BESIDE), LONGEST_SILENCE)
    return now - last < scattered(wait, state.key, state.visits)


def leading_lists(lists: Iterable[PageState], feeds: AbstractSet[bytes]) -> dict[str, float | None]:
    """Return the date of the newest thing that the leading lists of each site have shown (None: of none is it known):
    its sources, its sitemaps and one of its ``feeds``.
    """
    found: dict[str, float | None] = {}
    for one in lists:
        if is_leading(one, feeds):
            dates = filter(None, (found.get(one.site), one.facts.get(NEWEST)))
            found[one.site] = max(dates, default=None)
    return found


def is_leading(state: PageState, feeds: AbstractSet[bytes]) -> bool:
    """Whether a list is one that every run reads."""
    is_map = state.page_class is PageClass.SITEMAP
    return bool(state.facts.get("source")) or is_map or state.key in feeds


def first_feeds(lists: Iterable[PageState]) -> set[bytes]:
    """Return the keys of one feed of each site: the one that was found first, and of several the shortest."""
    best: dict[str, tuple[float, int, bytes]] = {}
    for one in lists:
        if one.page_class is PageClass.FEED:
            # Those of one page were found in one moment, and read in the order of their pauses.
            place = (round(one.first_fetched / 3_600), len(one.url), one.key)
            best[one.site] = min(place, best.get(one.site, place))
    return {key for _, _, key in best.values()}
