"""The rules of visits (B), by a topic's template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.revisit.rules import ClassTimes, RevisitRules
from focuscrawl.revisit.silence import LookBack
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template

SHORTEST_LEASE = 7200.0
TRIES_FACTOR = 4
"""A lease is so many times as long as all tries of a fetch may take."""


def rules_of(template: Template) -> RevisitRules:
    """Return the rules of [revisit]. Of a topic with policy off states are kept as with index, so
    that another policy can go on from them; nothing is visited.
    """
    table, polite = template.revisit, template.politeness
    return RevisitRules(
        policy="index" if table.policy == "off" else table.policy,
        objective=table.objective,
        classes={
            PageClass(name): ClassTimes(times.first, times.min, times.max, times.until)
            for name, times in table.times.items()
        },
        budget=table.budget,
        signals=table.signals,
        gone_after=table.gone_after,
        gone_within=table.gone_within,
        strict=table.strict,
        lease=max(SHORTEST_LEASE, TRIES_FACTOR * polite.timeout * (polite.retries + 1)),
    )


def look_back_of(template: Template, kept: Json | None, now: float) -> LookBack | None:
    """Return how many old pages may be visited; None: none ever."""
    table = template.revisit
    if is_off(template) or table.strict or not table.old:
        return None
    return LookBack(table.old, table.budget if table.continuous else None, kept, now)


def is_off(template: Template) -> bool:
    """Whether no page is visited twice."""
    return template.revisit.policy == "off" and not template.revisit.strict
