"""What admission asks about a link: does it explore, may it wait, what does it promise (E).

A page's *step* is how many irrelevant pages in a row lie behind it (E3). A link promises what its words
say; of links that promise nothing, those that say what many others said (another channel's 图集, the
next day of a calendar) come after those that say something else: a portal's one odd channel is found so
before its folder is banned for the others.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import NamedTuple

from focuscrawl.explore.groups import NEAREST_FIRST
from focuscrawl.explore.ledger import BanRules, Ledger
from focuscrawl.explore.offers import BY_LINK
from focuscrawl.explore.portfolio import Arms, Portfolio, PortfolioRules
from focuscrawl.explore.strict import StrictOrder
from focuscrawl.explore.table import ExploreTable
from focuscrawl.relevance.link_score import LinkScorer
from focuscrawl.urls.sites import folder_number, folder_of
from focuscrawl.values import LinkBatch, PageClass, Waiting, step_of

MOST_KEPT = 50_000
"""Pairs and runs of letters remembered; all are forgotten when there are more of one kind."""

_LONGEST_TEXT = 60  # characters; longer ones are sentences, whose pairs are always new
_LETTERS = re.compile(r"[^\W\d_]{2,}")

NEW_WORDS = 0.03
"""What a link's text adds to its score when all of it is new: it decides among equals only."""

MARKED_SHARE = 0.5
"""What is left of a link's score when its page marks it nofollow: forums do so with what anybody
may write, the best reference and the advertisement alike."""

_NAMED = 0.3
"""The score by its own words from which a search result is taken for one of the topic."""

ExplorationOrder = Portfolio | StrictOrder


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
        runs = _LETTERS.findall(text[:_LONGEST_TEXT].lower())
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
        if any(score(title, waiting.url, 0.0, snippet) >= _NAMED for title, snippet in words):
            return waiting
        promised = score("", waiting.url, promise / 2)
        return waiting.exploring(waiting.step, promised, folder_number(folder_of(waiting.url)))

    def _step(self, parent: Waiting, batch: LinkBatch) -> int:
        """Return the step of a page that was judged; a part of an article has the article's."""
        if batch.page_class is PageClass.ARTICLE_PAGING and not self.strict:
            return parent.step
        return step_of(batch.relevant, parent.step)


def explorer_for(
    rules: ExploreTable,
    scores: LinkScorer,
    known: Container[str],
    random: Random,
    trusted: Sequence[str] = (),
) -> Explorer | None:
    """Return the exploration of a topic by its table; None when it does not explore.

    ``trusted`` are hosts that are never banned besides the ``known``.
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
    order: ExplorationOrder
    if rules.strict:
        order = StrictOrder(ledger, steps=rules.steps, quota=rules.site_quota)
    else:
        portfolio = PortfolioRules(steps=rules.steps, quota=rules.site_quota)
        if rules.order != "portfolio":
            portfolio = replace(portfolio, orders=(BY_LINK,), ties=NEAREST_FIRST)
        order = Portfolio(portfolio, ledger, Arms(len(portfolio.orders), random))
    return Explorer(
        order, ledger, scores, known, strict=rules.strict, by_age=rules.order == "breadth-first"
    )
