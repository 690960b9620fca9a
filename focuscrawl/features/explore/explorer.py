"""What admission asks about a link: does it explore, may it wait, what does it promise (E).

A page's *step* is how many irrelevant pages in a row lie behind it (E3). A link promises what its words
say; of links that promise nothing, those that say what many others say (another channel's 图集, the
next day of a calendar) come after those that say something else: a portal's one odd channel is found so
before its folder is banned for the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from focuscrawl.features.explore.groups import STEP_BITS
from focuscrawl.features.explore.ledger import BY_HAND, BanRules, Ledger
from focuscrawl.features.explore.portfolio import Portfolio
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.readers.relevance.scores import LinkScorer
from focuscrawl.urls.sites import folder_number, folder_of
from focuscrawl.values import (
    MOST_STEPS,
    PROMISE_BITS,
    PROMISE_MASK,
    LinkBatch,
    PageClass,
    QuotaOutcome,
    Waiting,
)

MOST_KEPT = 50_000
"""Pairs and runs of letters remembered; all are forgotten when there are more of one kind."""

_LONGEST_SEED_TEXT = 60  # characters; longer ones are sentences, whose pairs are always new
_LETTERS = re.compile(r"[^\W\d_]{2,}")

NEW_WORDS = 0.03
"""What a link's text adds to its score when all of it is new: it decides among equals only."""

MARKED_SHARE = 0.5
"""What is left of a link's score when its page marks it nofollow: forums do so with what anybody
may write, the best reference and the advertisement alike."""

_NAMED_SCORE = 0.3
"""The score by its own words from which a search result is taken for one of the topic."""

ExplorationOrder: TypeAlias = "Portfolio | StrictOrder"


def step_of(relevant: bool, found_at: int) -> int:
    """Return the step of a page that was judged (E3).

    0 for a relevant page, else one more than the step of the page it was found on (``found_at``);
    a start page counts as found on a page of step 0.
    """
    return 0 if relevant else min(found_at + 1, MOST_STEPS)


def found_at(page_step: int, page_found_at: int, *, is_paging: bool, strict: bool = False) -> int:
    """Return what a link carries: the step of the page it was found on.

    The next page of a list is no step deeper than the list itself; the published form counts it
    like any other link (``strict``).
    """
    # On real blogs that was worth 4 % of the area under recall with K = 3, with K = 10 nothing.
    return page_found_at if is_paging and not strict else page_step


class Novelty:
    """The pairs of letters of all link texts so far; whole runs spare most texts a closer look."""

    __slots__ = ("_pairs", "_runs")

    def __init__(self) -> None:
        self._pairs: set[str] = set()
        self._runs: set[str] = set()

    def of(self, text: str) -> float:
        """Return the share of a text's pairs of letters that are new, and remember them.

        Digits and signs say nothing; a text without a pair of letters is not new.
        """
        runs = _LETTERS.findall(text[:_LONGEST_SEED_TEXT].lower())
        if self._runs.issuperset(runs):
            return 0.0
        pairs = {first + second for run in runs for first, second in pairwise(run)}
        new = pairs - self._pairs
        if len(self._pairs) > MOST_KEPT or len(self._runs) > MOST_KEPT:
            self._pairs.clear()
            self._runs.clear()
        self._pairs |= new
        self._runs.update(runs)
        return len(new) / len(pairs)


class LinksFound(NamedTuple):
    """How the links of a page were found: at which step (for paging another), and its score."""

    step: int
    paging_step: int
    score: float


@dataclass(frozen=True, slots=True)
class Explorer:
    """What admission asks about a link: does it explore, may it wait, what does it promise.

    ``known`` holds the sites of the sources: their links wait in the levels. ``by_age`` is
    explore.order = "breadth-first": every link promises the same.
    """

    order: ExplorationOrder
    ledger: Ledger
    scores: LinkScorer
    known: Container[str]
    strict: bool
    by_age: bool
    novelty: Novelty = field(default_factory=Novelty)

    def explores(self, site: str) -> bool:
        """Whether links into a site wait in the lane of exploration."""
        return site not in self.known and not self.ledger.is_trusted(site)

    def found_on(self, parent: Waiting, batch: LinkBatch) -> LinksFound:
        """Return what the links of a page have in common."""
        step = self._step(parent, batch)
        paging_step = found_at(step, parent.step, is_paging=True, strict=self.strict)
        return LinksFound(step, paging_step, batch.score)

    def in_lane(
        self, waiting: Waiting, found: LinksFound, now: float, *, marked: bool = False
    ) -> Waiting | str:
        """Return a link as it waits: in the lane with step and score, or unchanged.

        A text is the reason why it is not to wait at all (E2–E4). ``now`` is wall time. ``marked``:
        its page has marked it nofollow; it promises less.
        """
        url, site, anchor = waiting.url, waiting.site, waiting.anchor
        step = found.paging_step if waiting.page_class is PageClass.PAGING else found.step
        if not self.explores(site):
            return "ban:hand" if self.ledger.is_named(site) else waiting._replace(step=step)
        reason = self.order.refuses(url, site, step, now)
        if reason is not None:
            return reason
        score = 0.5
        if not self.by_age:
            score = self.scores.link_score(anchor, url, found.score)
            if not self.strict:
                score = min(1.0, score + NEW_WORDS * self.novelty.of(anchor))
                if marked:
                    score *= MARKED_SHARE
        return waiting.exploring(step, score, folder_number(folder_of(url)))

    def further_part(self, waiting: Waiting, parent: Waiting, batch: LinkBatch) -> Waiting:
        """Return the next page of an article as it waits.

        Those of a relevant one are read at once, as everywhere. Of an unknown site's irrelevant
        article they promise nothing: the last in the lane.
        """
        if self.strict:
            return waiting
        step = self._step(parent, batch)
        if not step or not self.explores(waiting.site):
            return waiting._replace(step=step)
        return waiting.exploring(step, 0.0, folder_number(folder_of(waiting.url)))

    def seed(self, waiting: Waiting, promise: float, words: list[tuple[str, str]]) -> Waiting:
        """Return a search result as it waits; ``words`` are the titles and snippets it was shown with.

        One that does not name the topic itself is no source: on an unknown site it waits in the
        lane, by a quarter of the engine's ``promise`` (0 … 1). An address of a list has no words.
        """
        if self.strict or not any(map(any, words)) or not self.explores(waiting.site):
            return waiting
        score = self.scores.link_score
        if any(score(title, waiting.url, 0.0, snippet) >= _NAMED_SCORE for title, snippet in words):
            return waiting
        promised = score("", waiting.url, promise / 2)
        return waiting.exploring(waiting.step, promised, folder_number(folder_of(waiting.url)))

    def why_banned(self, waiting: Waiting, wall: float) -> str:
        """Return why a URL that was let in must not be asked for: its site was banned by hand since; "": it may.

        A ban by count (published form, E2) keeps links out when they are found: what waits by then is
        fetched. A ban by rate is a matter of the order.
        """
        why = self.ledger.why_not(waiting.url, waiting.site, wall)
        return why if why == f"ban:{BY_HAND}" else ""

    def over_quota(self, waiting: Waiting, sequence: int) -> QuotaOutcome:
        """Return what becomes of a link into an unknown site beyond its quota R (E4): the published form drops it."""
        if not waiting.explore or not self.order.is_over_quota(sequence):
            return ""
        return "refused" if self.strict else "waiting"

    def _step(self, parent: Waiting, batch: LinkBatch) -> int:
        """Return the step of a page that was judged; a part of an article has the article's."""
        if batch.page_class is PageClass.ARTICLE_PAGING and not self.strict:
            return parent.step
        return step_of(batch.relevant, parent.step)


def explorer_for(
    rules: ExploreTable,
    scores: LinkScorer,
    known: Container[str],
    tunnel: Callable[[ExploreTable, Ledger], ExplorationOrder],
    trusted: Sequence[str] = (),
) -> Explorer | None:
    """Return the exploration of a topic by its table; None when it does not explore.

    ``tunnel`` makes the order of its links, ``trusted`` are hosts that are never banned besides the ``known``.
    """
    if not rules.enabled:
        return None
    ledger = Ledger(
        BanRules(
            after=rules.ban_after,
            banned=tuple(rules.banned.written),
            trusted=tuple(trusted),
            strict=rules.strict,
        )
    )
    order = tunnel(rules, ledger)
    return Explorer(
        order, ledger, scores, known, strict=rules.strict, by_age=rules.order == "breadth-first"
    )


_NUMBER_BITS = 48
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1


class StrictOrder:
    """The published queue and its three tests; ``ledger`` must have strict rules.

    ``steps`` is K (1 … 30), ``quota`` is R. An order in the sense of ``frontier.lines.Order``.
    """

    def __init__(self, ledger: Ledger, *, steps: int = 10, quota: int = 15) -> None:
        self.ledger = ledger
        self.steps = steps
        self.quota = quota
        self._names: dict[int, str] = {}
        self._queues: dict[int, list[int]] = {}
        self._ready: list[tuple[int, int]] = []
        self._asleep: set[int] = set()
        self._limited: dict[str, int] = {}
        self._counted: dict[int, str] = {}
        self._flights: dict[int, str] = {}
        self._limited_flights: set[int] = set()
        self._waiting = 0

    def refuses(self, url: str, site: str, step: int, wall: float) -> str | None:
        """Return why a link is dropped, or None; ``step`` is the step of the page it is on."""
        why = self.ledger.why_not(url, site, wall)
        if why is not None:
            return why
        if step > self.steps:
            return "steps"
        if self._is_limited(site, step) and self._limited.get(site, 0) >= self.quota:
            return "quota"
        return None

    def _is_limited(self, site: str, step: int) -> bool:
        """Whether R counts: the link is not on a relevant page and its site is unknown (E4)."""
        return step > 0 and not self.ledger.is_known(site)

    def add(self, sequence: int, site: int, name: str, folder: int, score: int, step: int) -> None:
        """Let a URL wait that was not refused."""
        self._names[site] = name
        if self._is_limited(name, step):
            self._limited[name] = self._limited.get(name, 0) + 1
            self._counted[sequence] = name
        code = (-score << _NUMBER_BITS) | sequence
        queue = self._queues.setdefault(site, [])
        heappush(queue, code)
        self._waiting += 1
        if queue[0] == code and site not in self._asleep:
            heappush(self._ready, (code, site))

    def extend(self, site: int, name: str, folder: int, promises: list[int]) -> None:
        """Let URLs wait that were not refused (``values.Lane.promise`` of each)."""
        for promise in sorted(promises, key=lambda promise: promise & PROMISE_MASK):
            score = promise >> PROMISE_BITS + STEP_BITS
            step = promise >> PROMISE_BITS & MOST_STEPS
            self.add(promise & PROMISE_MASK, site, name, folder, score, step)

    def pick(self, is_ready: Callable[[int], bool], wall: float) -> tuple[int, int] | None:
        """Take the best URL whose site is ready; a fetched one frees its place (E1, E4)."""
        site = self._head(is_ready)
        if site is None:
            return None
        sequence = heappop(self._queues[site]) & _NUMBER_MASK
        self._waiting -= 1
        self._asleep.add(site)
        self._flights[sequence] = self._names[site]
        name = self._counted.pop(sequence, None)
        if name is not None:
            self._limited[name] -= 1
            self._limited_flights.add(sequence)
        return sequence, site

    def is_over_quota(self, sequence: int) -> bool:
        """Whether a URL that was picked is one too many: R others of its unknown site wait (E4)."""
        if sequence not in self._limited_flights:
            return False
        name = self._flights[sequence]
        return not self.ledger.is_known(name) and self._limited[name] >= self.quota

    def waits(self, is_ready: Callable[[int], bool], wall: float) -> bool:
        """Whether ``pick`` would return a URL."""
        return self._head(is_ready) is not None

    def _head(self, is_ready: Callable[[int], bool]) -> int | None:
        while self._ready:
            code, site = self._ready[0]
            queue = self._queues[site]
            if site in self._asleep or not queue or queue[0] != code:
                heappop(self._ready)
            elif not is_ready(site):
                heappop(self._ready)
                self._asleep.add(site)
            else:
                return site
        return None

    def wake(self, site: int, *, busy: bool = False) -> None:
        """Let a site be asked again, ``busy`` or not."""
        if site in self._asleep:
            self._asleep.discard(site)
            if self._queues.get(site):
                heappush(self._ready, (self._queues[site][0], site))

    def leave(self, site: int) -> None:
        """Let go of all that waits of a site."""
        queue, name = self._queues.pop(site, []), self._names.get(site)
        self._waiting -= len(queue)
        for code in queue:
            self._counted.pop(code & _NUMBER_MASK, None)
        if name is not None:
            self._limited.pop(name, None)
        self._ready = [entry for entry in self._ready if entry[1] != site]
        heapify(self._ready)

    def judged(self, sequence: int, url: str, relevant: bool, wall: float) -> None:
        """Count a page that was picked here: too many irrelevant ones ban its site (E2)."""
        site = self._flights.pop(sequence, None)
        self._limited_flights.discard(sequence)
        if site is not None:
            self.ledger.judged(url, site, relevant, wall)

    def ended(self, sequence: int) -> None:
        """Forget a picked URL that is no longer in flight."""
        self._flights.pop(sequence, None)
        self._limited_flights.discard(sequence)

    def counts(self) -> tuple[int, int]:
        """Return how many URLs wait; none is ever parked."""
        return self._waiting, 0
