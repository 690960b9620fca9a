"""Exploration put together: which links lead into the unknown, and what they promise (E)."""

from __future__ import annotations

import random
from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from focuscrawl.tunnel.arms import Arms
from focuscrawl.tunnel.ledger import BanRules, Ledger
from focuscrawl.tunnel.portfolio import BY_LINK, Portfolio, PortfolioRules
from focuscrawl.tunnel.steps import found_at, step_of
from focuscrawl.tunnel.strict import StrictOrder
from focuscrawl.urls.folders import folder_number, folder_of
from focuscrawl.values import LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template

ExplorationOrder = Portfolio | StrictOrder


class Scores(Protocol):
    """Predicts the relevance of a link."""

    def link_score(
        self, anchor: str, url: str, parent_score: float = 0.0, around: str = ""
    ) -> float:
        """Return 0 … 1."""


@dataclass(frozen=True, slots=True)
class Explorer:
    """What admission asks about a link: does it explore, may it wait, what does it promise.

    ``known`` holds the sites of the sources: their links wait in the levels. ``by_age`` is
    explore.order = "breadth-first": every link promises the same.
    """

    order: ExplorationOrder
    ledger: Ledger
    scores: Scores
    known: Container[str]
    strict: bool = False
    by_age: bool = False

    def explores(self, site: str) -> bool:
        """Whether links into a site wait in the lane of exploration."""
        return site not in self.known and not self.ledger.is_trusted(site)

    def in_lane(
        self, waiting: Waiting, parent: Waiting, batch: LinkBatch, now: float
    ) -> Waiting | str:
        """Return a link as it waits: in the lane with step and score, or unchanged.

        A text is the reason why it is not to wait at all (E2–E4). ``now`` is wall time.
        """
        paging = waiting.page_class is PageClass.PAGING
        page_step = step_of(batch.relevant, parent.step)
        step = found_at(page_step, parent.step, is_paging=paging, strict=self.strict)
        if not self.explores(waiting.site):
            banned = self.ledger.is_named(waiting.site)
            return "ban:hand" if banned else waiting._replace(step=step)
        reason = self.order.refuses(waiting.url, waiting.site, step, now)
        if reason is not None:
            return reason
        score = 0.5
        if not self.by_age:
            score = self.scores.link_score(waiting.anchor, waiting.url, batch.score)
        return waiting._replace(
            explore=True, step=step, score=score, folder=folder_number(folder_of(waiting.url))
        )


def explorer_for(template: Template, known: Container[str], luck: random.Random) -> Explorer | None:
    """Return the exploration of a topic; None when it does not explore."""
    rules = template.explore
    if not rules.enabled:
        return None
    ledger = Ledger(
        BanRules(
            after=rules.ban_after,
            rate=rules.ban_rate,
            lasting=rules.ban_for,
            banned=tuple(rules.banned.written),
            trusted=tuple(rules.trusted.written),
            strict=rules.strict,
        )
    )
    order: ExplorationOrder
    if rules.strict:
        order = StrictOrder(ledger, steps=rules.steps, quota=rules.site_quota)
    else:
        portfolio = PortfolioRules(steps=rules.steps, quota=rules.site_quota)
        if rules.order != "portfolio":
            portfolio = PortfolioRules(rules.steps, rules.site_quota, orders=(BY_LINK,))
        order = Portfolio(portfolio, ledger, Arms(len(portfolio.orders), luck))
    return Explorer(
        order,
        ledger,
        template.link_scorer,
        known,
        strict=rules.strict,
        by_age=rules.order == "breadth-first",
    )
