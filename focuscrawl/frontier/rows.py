"""What the store has and gets: the rows behind the numbers, and every change since the last commit.

The frontier itself keeps eight bytes a waiting URL. A row is here only from its adding to the
commit that stores it, a while longer when it explores, or for good when it cannot be stored. The state
of a page, too, is remembered in the next commit (B1). Two kinds of it are needed before: those of pages
that are queued again or in flight, and those of articles whose other pages are still to come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from focuscrawl.frontier.lines import UNKNOWN_PARTITION, Site
from focuscrawl.stores.state.protocol import Changes, Row, SentLink
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import ALL_PARTITIONS, Partitions
from focuscrawl.values import LISTS, PageState

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.values import Clock

MOST_AHEAD = 4096
"""Rows kept because they explore."""

WHOLE_TOPIC = 0
"""The partition of facts that belong to no site."""


class Rows:
    """Rows by their sequence numbers.

    ``fresh`` are those that go with the next commit, ``ahead`` the latest of the stored ones that
    explore, ``volatile`` those that are never stored. ``explores``: some do.
    """

    def __init__(self) -> None:
        self.explores = False
        self.fresh: dict[int, Row] = {}
        self._committing: dict[int, Row] = {}
        self._ended: set[int] = set()
        self._ended_committing: set[int] = set()
        self.ahead: dict[int, Row] = {}
        self.volatile: dict[int, Row] = {}

    def replace(self, row: Row) -> None:
        """Keep a row in the place of one that is stored."""
        self.ahead.pop(row.sequence, None)
        self.fresh[row.sequence] = row

    def forget(self, sequence: int) -> bool:
        """Let go of a row that ended; False when it was never to be stored."""
        self._ended.add(sequence)
        for rows in (self.fresh, self._committing, self.ahead):
            rows.pop(sequence, None)
        return self.volatile.pop(sequence, None) is None

    def leave(self, partitions: Partitions) -> None:
        """Let go of the rows of some partitions, whose changes have been handed over."""
        for rows in (self.fresh, self._committing, self.ahead):
            for sequence in [s for s, row in rows.items() if partitions.has(row.waiting.site)]:
                del rows[sequence]

    def drained(self) -> None:
        """Note that all rows so far were handed over for a commit."""
        self._committing.update(self.fresh)
        self.fresh = {}
        self._ended_committing |= self._ended
        self._ended = set()

    def has_ended(self, sequence: int) -> bool:
        """Whether a row is done, though the store may have it still."""
        return sequence in self._ended or sequence in self._ended_committing

    def committed(self) -> None:
        """Note that the store has them now.

        Exploration takes what was found last before the rest, in no order a store could read ahead
        in: so the latest are kept.
        """
        committed, self._committing = self._committing, {}
        self._ended_committing = set()
        if self.explores:
            for sequence, row in committed.items():
                if row.waiting.explore:
                    self.ahead[sequence] = row
            if len(self.ahead) > MOST_AHEAD:  # the sites of the oldest rest, or they have ended
                for sequence in list(islice(self.ahead, MOST_AHEAD // 2)):
                    del self.ahead[sequence]

    def at_hand(self, sequence: int) -> Row | None:
        """Return a row for which the store need not be asked; one that explores once."""
        return (
            self.ahead.pop(sequence, None)
            or self.fresh.get(sequence)
            or self.volatile.get(sequence)
            or self._committing.get(sequence)
        )


class GatheredChanges:
    """Changes that wait for the next commit; ``operations`` counts them roughly.

    ``partition_of`` returns where a site's rows live. Changes of partitions that are not ``held`` are
    forgotten, but for links, which are sent; those of partitions that are ``expected`` stay until they are
    held. So do links into ``unheard`` ones, whose inboxes are not read any more. Links into other expected
    ones are sent: the page that gave them may be done, in the store, long before, and a kill would lose them.
    """

    def __init__(self, partition_of: Callable[[str], int]) -> None:
        self.operations = 0
        self.held = ALL_PARTITIONS
        self.expected = Partitions()
        self.unheard = Partitions()
        self._partition_of = partition_of
        self._changes: dict[int, Changes] = {}
        self._sent: defaultdict[int, list[SentLink]] = defaultdict(list)

    def of(self, site: Site) -> Changes:
        """Return the changes of a site's partition, to add one."""
        self.operations += 1
        changes = self._changes.get(site.partition)
        if changes is not None:
            return changes
        return self.at(self.home(site))

    def home(self, site: Site) -> int:
        """Return the partition of a site; asked late, for most sites of a large crawl rest all day."""
        if site.partition == UNKNOWN_PARTITION:
            site.partition = self._partition_of(site.name)
        return site.partition

    def at(self, partition: int) -> Changes:
        """Return the changes of a partition."""
        changes = self._changes.get(partition)
        if changes is None:
            changes = Changes()
            if partition in self.held or partition in self.expected:
                self._changes[partition] = changes
        return changes

    def send(self, partition: int, link: SentLink) -> None:
        """Send a link to the holder of a partition."""
        self.operations += 1
        self._sent[partition].append(link)

    def release(self, partitions: Partitions) -> None:
        """Forget what was gathered of partitions that are held no more; links are sent on.

        Visits are not: the next holder of their pages finds them due.
        """
        self.held = Partitions(self.held - partitions)
        self.expected = Partitions(self.expected - partitions)
        self.unheard = Partitions(self.unheard - partitions)
        for partition in partitions & self._changes.keys():
            for row in self._changes.pop(partition).added:
                waiting = row.waiting
                if waiting.first_walk:
                    number = 0 if waiting.request else key_number(waiting.key, partition)
                    self.send(partition, SentLink(waiting, number))

    def pages(self, keys: Iterable[bytes]) -> dict[bytes, PageState]:
        """Return those of some pages whose states wait here."""
        wanted = set(keys)
        pages = (state for changes in self._changes.values() for state in changes.pages)
        return {state.key: state for state in pages if state.key in wanted}

    def drain(self) -> dict[int, Changes]:
        """Hand over everything since the last call."""
        changes, self._changes = self._changes, {}
        self.operations = 0
        for partition in self._sent.keys() - self.unheard:
            changes.setdefault(partition, Changes()).sent = self._sent.pop(partition)
        return changes

    def hold(self, partitions: Partitions) -> Iterator[SentLink]:
        """Gather changes of some partitions from now on; returns the links that were kept for them."""
        self.held = Partitions(self.held | partitions)
        self.expected = Partitions(self.expected - partitions)
        self.unheard = Partitions(self.unheard - partitions)
        return chain.from_iterable(self._sent.pop(partition, ()) for partition in partitions)


MOST_OPEN = 10_000
"""Articles of several pages that are waited for after their first page has ended."""


class PageStates:
    """The states of one run's pages.

    ``visited`` holds those of pages that are queued again or in flight, ``open`` those of articles
    whose first page has ended before all of it was there, both by key. ``next_due`` is the date of
    the first page that is not queued; None when there is none. ``stays``: lists are planned like other
    pages, since the run does not end.
    """

    def __init__(self, frontier: Frontier, clock: Clock) -> None:
        self.visited: dict[bytes, PageState] = {}
        self.open: dict[bytes, PageState] = {}
        self.next_due: float | None = None
        self.stays = False
        self._frontier = frontier
        self._clock = clock

    def remember(self, state: PageState) -> None:
        """Put a state into the next commit.

        A list of a topic that does not stay is due with the next run, whenever that comes.
        """
        is_planned = self.stays or state.every is not None or not is_list(state)
        if state.next_visit is not None and state.reserved is None and not is_planned:
            state = state._replace(next_visit=min(state.next_visit, self._clock.wall()))
        if state.key in self.open:
            self.open[state.key] = state
        elif state.next_visit is not None and is_planned:
            before = state.next_visit if self.next_due is None else self.next_due
            self.next_due = min(state.next_visit, before)
        self._frontier.remember(state)

    def moved(self, state: PageState) -> None:
        """Remember a state that has changed beside its visit, which may be queued or under way."""
        if state.key in self.visited:
            self.visited[state.key] = state
        self.remember(state)

    def release(self, partitions: Partitions) -> None:
        """Let go of the pages of some partitions."""
        for pages in (self.visited, self.open):
            for key in [key for key, state in pages.items() if partitions.has(state.site)]:
                del pages[key]

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


def is_list(state: PageState) -> bool:
    """Whether a page is read for its links, so that every run begins with it (A6)."""
    return state.page_class in LISTS or bool(state.facts.get("source"))
