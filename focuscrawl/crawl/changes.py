"""What a changed template does to a crawl under way; no change ever deletes data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.crawl.check import checked_again
from focuscrawl.crawl.choose import COPIES
from focuscrawl.crawl.rescale import rescale
from focuscrawl.crawl.seeds import start_of
from focuscrawl.store.protocol import PARKED, Store
from focuscrawl.topic.changes import compare
from focuscrawl.topic.source_names import renamed

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.template import Template
    from focuscrawl.values import Json

KIND = "template"
PLANNED_BY = "planned_by"
"""The fact that holds the rules by which the dates of pages were worked out."""

RENAMED = "renamed"
"""The fact that holds by its earlier names what a source is called now."""

RULE = "rule:"
"""How the reason of a URL begins that a rule of the template set aside."""


async def has_other_visits(template: Template | None, store: Store) -> bool:
    """Whether the dates of pages are of other rules than the template's. Ask before apply_changes."""
    facts = await store.facts(KIND)
    before = facts.get(PLANNED_BY) or ("resolved" in facts and _visits(facts["resolved"]))
    return template is not None and bool(before) and before != _visits(template.resolved)


def note_planned(template: Template, frontier: Frontier) -> None:
    """Note that all dates are of the template's rules: only now, for a kill may come before."""
    frontier.note_fact(KIND, PLANNED_BY, _visits(template.resolved))


def _visits(resolved: Json) -> list[object]:
    every = [[one["urls"], one.get("every")] for one in resolved.get("source", ())]
    return [resolved.get("revisit"), every]


async def names_before(template: Template, store: Store, frontier: Frontier) -> dict[str, str]:
    """Return by their earlier names what sources are called now; what they led to knows them by those.

    Ask before apply_changes.
    """
    facts = await store.facts(KIND)
    earlier: dict[str, str] = facts.get(RENAMED, {})
    if "resolved" not in facts or facts.get("hash") == template.hash:
        return earlier
    before, now = facts["resolved"].get("source", ()), template.resolved["source"]
    names = renamed(before, now, earlier)
    if names != earlier:
        frontier.note_fact(KIND, RENAMED, names)
    return names


async def apply_changes(
    template: Template | None, rules: AdmissionRules | None, store: Store, frontier: Frontier
) -> int:
    """Compare with the template of the last run and let the frontier follow.

    Returns the sequence number below which URLs are checked again when they are taken, since they
    were admitted under other rules; 0 when there are none.
    """
    if template is None or rules is None:
        return 0
    # A trap is to show itself anew, and what was none is fetched now. The rows tell: the record of a
    # site whose trap has opened again in the run that set them aside says nothing of them.
    for row in [row for row in store.rows(PARKED) if row.reason == f"{RULE}{COPIES}"]:
        frontier.unpark(row)
    facts = await store.facts(KIND)
    recheck_before = int(facts.get("recheck_before", 0))
    if facts.get("hash") == template.hash:
        return recheck_before
    if "resolved" in facts:
        change = compare(facts["resolved"], template.resolved)
        if change.links:
            recheck_before = frontier.next_sequence()
            for row in list(store.rows(PARKED)):
                if row.reason.startswith(RULE) and checked_again(row.waiting, rules) is None:
                    frontier.unpark(row)
        if change.levels is not None:
            rescale(store, frontier, *change.levels)
        if change.sources_added:
            _start_known(template, rules, frontier, change.sources_added)
    frontier.note_fact(KIND, "resolved", template.resolved)
    frontier.note_fact(KIND, "hash", template.hash)
    frontier.note_fact(KIND, "recheck_before", recheck_before)
    return recheck_before


def _start_known(
    template: Template, rules: AdmissionRules, frontier: Frontier, added: Sequence[str]
) -> None:
    """Queue sources that are new to the template, but known as links: they are lists from now on.

    One that waits as a link is fetched as such, too; that is one request.
    """
    for source in template.sources:
        for url in source.urls:
            address = rules.canonicalizer.address(url)
            if url in added and address is not None and address.number in frontier.seen:
                frontier.add_again(start_of(address, source))
