"""Since when pages are read as the template has it now: what was read otherwise is to come whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.crawl.changes import KIND

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store
    from focuscrawl.topic.template import Template
    from focuscrawl.values import Json

SINCE = "read_since"
NOT_READING = frozenset(
    {"revisit", "limits", "politeness", "queues", "output", "request", "search", "source"}
)
"""Tables that say when and how pages are fetched, not what is read of them."""


async def read_since(
    template: Template | None, store: Store, frontier: Frontier, now: float
) -> float:
    """Return since when (wall time) pages are read by the present rules; ask before apply_changes.

    A page that was read before may hold links and fields that were left then: a 304 would hide them.
    """
    facts = await store.facts(KIND)
    since = float(facts.get(SINCE, 0.0))
    before = facts.get("resolved")
    if template is None or before is None or _reading(before) == _reading(template.resolved):
        return since
    frontier.note_fact(KIND, SINCE, now)
    return now


def _reading(resolved: Json) -> Json:
    read = {name: table for name, table in resolved.items() if name not in NOT_READING}
    return read | {"body": resolved.get("limits", {}).get("body")}
