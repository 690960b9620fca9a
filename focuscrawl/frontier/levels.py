"""Levels: in which one a found link waits, and which is served next (A3–A7).

Weight of level i = waiting_i / factor^(top − i): the highest weight is served first, ties go to
the higher level. Strict is exactly that. The default adds three promises that the formula breaks
under a backlog: the rest of a started article (the top level) never waits behind exploration,
every level with a ready URL is served at least once in any 64 picks, and no URL of the lowest
level waits longer than ``max_wait``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from operator import truediv
from typing import Literal, NamedTuple

from focuscrawl.values import PageClass

CONTENT_CLASSES = frozenset(
    {PageClass.ARTICLE, PageClass.ARTICLE_PAGING, PageClass.THREAD, PageClass.RECORD}
)
LOWEST = 1

LONGEST_GAP = 64
"""Picks within which every level that has a ready URL is served (default form). By its weight alone a
level waits as long as a longer one lasts: 49,856 links of level 1 came before an article's nine other
pages."""

STARTING_FACTOR = 2.0  # as published (A6), until something was measured
STARTING_WEIGHT = 20  # boards; a first one with no new link alone would make the factor nought
# A mean under 1 would turn the order of the levels over: .5 gives the lengths 3, 10, 8, 0, 40 of five
# levels the weights 3, 20, 32, 0, 640.
SMALLEST_FACTOR, LARGEST_FACTOR = 1.5, 8.0
CHECKPOINTS = 100  # so that a URL is known to be overdue to a hundredth of max_wait


class Levels(NamedTuple):
    """``level`` is the queue a URL waits in, ``passed_level`` the one its links are levelled from."""

    level: int
    passed_level: int


def is_returned(link_class: PageClass | None, parent_class: PageClass) -> bool:
    """Whether a link is *returned*: part of the content page it was found on (A2)."""
    if link_class is PageClass.ARTICLE_PAGING:
        return True
    return link_class is PageClass.FILE and parent_class in CONTENT_CLASSES


def level_of(
    link_class: PageClass | None,
    parent_class: PageClass,
    parent: Levels,
    top: int,
    *,
    strict: bool = False,
) -> Levels:
    """Return the levels of a link (A3): 1 is the lowest, ``top`` the highest.

    Returned links (the other pages of an article, its images and attachments) wait in the top
    level, the paging of a board in its board's, all else one below the parent's. ``strict`` is the
    published rule: what a continuation page links to is levelled from the top level it waited in.
    By default a continuation passes on its article's level, so that page 2 of an unimportant
    article gives its links no more weight than page 1.
    """
    if is_returned(link_class, parent_class):
        return Levels(top, top if strict else parent.passed_level)
    if link_class is PageClass.PAGING:
        return Levels(parent.level, parent.passed_level)
    level = max(LOWEST, parent.passed_level - 1)
    return Levels(level, level)


class Factor:
    """The mean number of new links a board shows when it is refreshed (A6).

    Strict: 2 until something was measured, then the plain mean. Default: a running mean that
    starts at 2 with the weight of 20 boards and is held in 1.5 … 8, since a mean under 1 would
    turn the order of the levels over. ``value`` is the factor in force, from ``boards`` that
    showed ``total`` new links, and from those of which other processes have told (``elsewhere``).
    """

    def __init__(self, *, strict: bool = False, total: float = 0.0, boards: int = 0) -> None:
        self.strict = strict
        self.elsewhere: tuple[float, int] = (0.0, 0)
        self.restore(total, boards)

    def restore(self, total: float, boards: int) -> None:
        """Go on from what was measured."""
        self.total, self.boards = total, boards
        self._measure()

    def _measure(self) -> None:
        total, boards = self.measured
        if self.strict:
            # A mean of nothing would divide by nought; so small a factor orders the same way.
            self.value = max(total / boards, 1e-3) if boards else STARTING_FACTOR
            return
        mean = (total + STARTING_FACTOR * STARTING_WEIGHT) / (boards + STARTING_WEIGHT)
        self.value = min(LARGEST_FACTOR, max(SMALLEST_FACTOR, mean))

    @property
    def measured(self) -> tuple[float, int]:
        """The new links of all boards that any process has read, and how many boards."""
        return self.total + self.elsewhere[0], self.boards + self.elsewhere[1]

    def observe(self, new_links: int) -> None:
        """Count one refreshed board."""
        self.restore(self.total + new_links, self.boards + 1)

    def hear(self, *, total: float | None = None, boards: int | None = None) -> None:
        """Take in what other processes have measured together."""
        links, read = self.elsewhere
        self.elsewhere = (links if total is None else total, read if boards is None else boards)
        self._measure()


@dataclass(frozen=True, slots=True)
class LevelRules:
    """How levels are ordered. ``max_wait`` is in seconds of wall time, 0 = no promise.

    ``by`` = "level" is the claims' reading of A7: the highest level first, whatever the weights.
    ``count_in_flight`` is the variant A5: a level's weight is divided by 1 + its URLs in flight
    (no formula is published; this one keeps a level from holding all places).
    """

    levels: int = 5
    strict: bool = False
    by: Literal["weight", "level"] = "weight"
    count_in_flight: bool = False
    max_wait: float = 86400.0


class LevelOrder:
    """The order in which levels are tried for one pick. Levels are indexes here: 0 = level 1."""

    def __init__(self, rules: LevelRules, factor: Factor) -> None:
        self.rules = rules
        self.factor = factor
        self._picks = 0
        self._first: Sequence[int] = ()
        self._first_until = inf if rules.strict else 0
        self._starved: Sequence[int] = ()
        self._served = [0] * rules.levels
        self._downwards = range(rules.levels - 1, -1, -1)
        self._divisor_factor = 0.0
        self._divisors: list[float] = []
        self._checkpoints: deque[tuple[float, int]] = deque(maxlen=CHECKPOINTS)

    def by_weight(self, lengths: Sequence[int], in_flight: Sequence[int]) -> list[int]:
        """Return the level indexes, the one to serve first at the front."""
        if self.rules.by == "level":
            return list(self._downwards)
        found = self.weights(lengths, in_flight)
        # Among equal weights the larger index comes first: ties go to the higher level.
        return [level for _, level in sorted(zip(found, count()), reverse=True)]

    def heaviest(self, lengths: Sequence[int], in_flight: Sequence[int]) -> int:
        """Return the level index to serve first: mostly the others are not needed."""
        top = self.rules.levels - 1
        if self.rules.by == "level":
            return top
        found = self.weights(lengths, in_flight)
        found.reverse()  # of equal weights the higher level's counts
        return top - found.index(max(found))

    def weights(self, lengths: Sequence[int], in_flight: Sequence[int]) -> list[float]:
        """Return the weight of each level; ``lengths[i]`` belongs to level i + 1 (A4, A5)."""
        factor = self.factor.value
        if factor != self._divisor_factor:
            self._divisor_factor = factor
            self._divisors = [factor**steps for steps in self._downwards]
        found = list(map(truediv, lengths, self._divisors))
        if self.rules.count_in_flight:
            found = [weight / (1 + busy) for weight, busy in zip(found, in_flight, strict=True)]
        return found

    def first(self) -> Sequence[int]:
        """Return the levels that come before the weights for the next pick (default form).

        A level is starved when it was not served for nearly LONGEST_GAP picks; one that is empty
        stays so, so what is returned holds until another one is, or one of them is served.
        """
        if self._picks < self._first_until:
            return self._first
        gap = LONGEST_GAP - self.rules.levels
        served, latest = self._served, self._picks - gap
        # Several may be starved at once: the one that waits longest goes first.
        starved = [level for level in self._downwards if served[level] <= latest]
        starved.sort(key=served.__getitem__)
        self._starved = starved
        self._first = (*starved, self.rules.levels - 1)
        self._first_until = gap + min((at for at in served if at > latest), default=self._picks)
        return self._first

    def served(self, level: int) -> None:
        """Count a pick."""
        self._picks += 1
        self._served[level] = self._picks
        if level in self._starved:
            self._first_until = 0

    def passed(self) -> None:
        """Count a pick that went to no level: exploration's."""
        self._picks += 1

    def checkpoint(self, wall: float, next_sequence: int) -> bool:
        """Remember which sequence number was next at this time; True when it was noted."""
        if not self.rules.max_wait:
            return False
        spacing = self.rules.max_wait / CHECKPOINTS
        if self._checkpoints and wall - self._checkpoints[-1][0] < spacing:
            return False
        self._checkpoints.append((wall, next_sequence))
        return True

    def overdue_before(self, wall: float) -> int:
        """Return the sequence number below which a URL has waited ``max_wait``; 0 when none has."""
        if self.rules.strict or not self.rules.max_wait:
            return 0
        sequence = 0
        while self._checkpoints and self._checkpoints[0][0] <= wall - self.rules.max_wait:
            sequence = self._checkpoints[0][1]
            if len(self._checkpoints) > 1 and (
                self._checkpoints[1][0] <= wall - self.rules.max_wait
            ):
                self._checkpoints.popleft()
                continue
            break
        return sequence

    def checkpoints(self) -> list[tuple[float, int]]:
        """Return what ``restore`` needs to keep the promise over a restart."""
        return list(self._checkpoints)

    def restore(self, checkpoints: Sequence[tuple[float, int]]) -> None:
        """Take the checkpoints of an earlier run."""
        self._checkpoints.extend((float(at), int(sequence)) for at, sequence in checkpoints)


class Turns:
    """Bounds exploration to a share of the picks while the other lane has something ready."""

    def __init__(self, share: float) -> None:
        self.share = share
        self._credit = 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is exploration's turn."""
        return self._credit >= 1.0

    def taken(self, *, exploring: bool) -> None:
        """Count a pick."""
        if exploring:
            self._credit = max(0.0, self._credit - 1.0)
        # Turns that were not taken are not saved up: at most two come in a row.
        self._credit = min(self._credit + self.share, 2.0)
