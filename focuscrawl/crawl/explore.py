"""The exploration of a topic, put together by its template (E)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from focuscrawl.explore.arms import Arms
from focuscrawl.explore.codes import NEAREST_FIRST
from focuscrawl.explore.explorer import ExplorationOrder, Explorer
from focuscrawl.explore.ledger import BanRules, Ledger
from focuscrawl.explore.offers import BY_LINK
from focuscrawl.explore.portfolio import Portfolio, PortfolioRules
from focuscrawl.explore.strict import StrictOrder

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template


def explorer_for(template: Template, known: Container[str], random: Random) -> Explorer | None:
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
            portfolio = replace(portfolio, orders=(BY_LINK,), ties=NEAREST_FIRST)
        order = Portfolio(portfolio, ledger, Arms(len(portfolio.orders), random))
    return Explorer(
        order,
        ledger,
        template.link_scorer,
        known,
        strict=rules.strict,
        by_age=rules.order == "breadth-first",
    )
