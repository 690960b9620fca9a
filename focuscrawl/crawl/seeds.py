"""Where a run starts: the template's sources, and the list pages of earlier runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.urls.canonical import Address
from focuscrawl.values import PageClass, PageState, Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.topic.template import Source, Template

MOST_DUE = 1_000_000

CLASS_OF_KIND = {
    "auto": None,
    "board": PageClass.BOARD,
    "article": PageClass.ARTICLE,
    "feed": PageClass.FEED,
    "sitemap": PageClass.SITEMAP,
    "forum": PageClass.BOARD,
}


class Seeded(NamedTuple):
    """What a run starts with: addresses never seen, pages visited again (by key)."""

    new: int
    again: dict[bytes, PageState]


def seed(
    template: Template, rules: AdmissionRules, frontier: Frontier, due: Iterable[PageState]
) -> Seeded:
    """Queue the sources that are new and the boards, feeds and sitemaps that are due (A6).

    A page queued again loses its next visit in the same commit, so that a crash in between
    neither forgets it nor takes it twice.
    """
    sources = {source.source_id: source for source in template.sources}
    again = {}
    for state in due:
        if state.source_id not in sources:
            continue  # its source was taken out of the template
        again[state.key] = state
        frontier.add_again(_visit(state, sources[state.source_id], rules))
        frontier.remember(state._replace(next_visit=None))
    new = 0
    for source in template.sources:
        for url in source.urls:
            address = rules.canonicalizer.address(url)
            if address is not None and frontier.add(start_of(address, source), address.number):
                new += 1
    return Seeded(new, again)


def start_of(address: Address, source: Source) -> Waiting:
    """Return a source as it waits for the first time."""
    return Waiting(
        url=address.url,
        key=address.key,
        site=address.site,
        level=source.level,
        passed_level=source.level,
        page_class=CLASS_OF_KIND[source.kind],
        source_id=source.source_id,
    )


def _visit(state: PageState, source: Source, rules: AdmissionRules) -> Waiting:
    is_source = state.facts.get("depth", 0) == 0
    level = source.level if is_source else min(state.level, rules.top)
    return Waiting(
        url=state.url,
        key=state.key,
        site=state.site,
        level=level,
        passed_level=level,
        page_class=state.page_class,
        depth=state.facts.get("depth", 0),
        parent_key=state.facts.get("parent", b""),
        source_id=state.source_id,
        first_walk=False,
        layer=state.facts.get("layer", 0),
    )
