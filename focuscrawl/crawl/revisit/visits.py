"""Visits put on a crawl (B): by which rules, which pages are watched, and how they are queued again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.crawl.links.admission import checked_again
from focuscrawl.crawl.revisit.signals import is_signal_file
from focuscrawl.revisit.rules import ClassTimes, RevisitRules
from focuscrawl.revisit.silence import LookBack
from focuscrawl.values import Json, Page, PageClass, PageState, Waiting

if TYPE_CHECKING:
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

SHORTEST_LEASE = 7200.0  # of a crawl whose time-outs are short, too: its queues may be long
TRIES_FACTOR = 4
"""A lease is so many times as long as all tries of a fetch may take."""

LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})
CONTENT = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
KEPT = frozenset({"stored", "unchanged"})
SEED = "seed:"
"""How the source_id of a page begins that was found through a search."""


def visit_rules(template: Template) -> RevisitRules:
    """Return the rules of [revisit]. Of a topic with policy off states are kept as with index, so
    that another policy can go on from them; nothing is visited.
    """
    table, polite = template.revisit, template.politeness
    return RevisitRules(
        policy="index" if table.policy == "off" else table.policy,
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


def is_source(waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether a URL is one that the template names as a place to start, not as an article."""
    return (
        not waiting.parent_key
        and waiting.page_class is not PageClass.ARTICLE
        and waiting.source_id in sources
    )


def is_named(waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether the template names a URL, as a place to start or as an article."""
    return not waiting.parent_key and waiting.source_id in sources


def is_watched(page: Page, waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether a page that was read is visited again: lists, sources, and what was stored."""
    if page.outcome == "error":
        return False
    if page.page_class in LISTS or is_source(waiting, sources):
        return True
    return page.page_class in CONTENT and page.outcome in KEPT


def is_list(state: PageState) -> bool:
    """Whether a page is read for its links, so that every run begins with it (A6)."""
    return state.page_class in LISTS or bool(state.facts.get("source"))


def facts_of(waiting: Waiting, sources: Mapping[str, Source]) -> dict[str, object]:
    """Return what is needed to queue a page again."""
    return {
        "depth": waiting.depth,
        "parent": waiting.parent_key,
        "layer": waiting.layer,
        "source": is_source(waiting, sources),
    }


def visit_of(state: PageState, sources: Mapping[str, Source], rules: AdmissionRules) -> Waiting:
    """Return a page as it is queued again, at its own level; a source at its template's.

    It goes on under the name its source has now; ``sources`` knows earlier names, too.
    """
    source = sources.get(state.source_id)
    is_first = source is not None and state.facts.get("source")
    level = source.level if source is not None and is_first else min(state.level, rules.top)
    return Waiting(
        url=state.url,
        key=state.key,
        site=state.site,
        level=level,
        passed_level=level,
        page_class=state.page_class,
        depth=state.facts.get("depth", 0),
        parent_key=state.facts.get("parent", b""),
        source_id=source.source_id if source is not None else state.source_id,
        first_walk=False,
        layer=state.facts.get("layer", 0),
    )


def refused_visit(
    state: PageState,
    waiting: Waiting,
    sources: Mapping[str, Source],
    rules: AdmissionRules,
    *,
    heard: bool = True,
) -> str | None:
    """Return why the template does not want a page visited: a rule for links, a source taken out.

    ``heard``: whether signals are, else no file is read for them alone. Articles and records of a source that was taken out are still visited until they are too old.
    """
    if is_signal_file(state.source_id):
        return checked_again(waiting, rules) if heard else "signals"  # the site itself names it
    known = state.source_id in sources or state.source_id.startswith(SEED)
    if is_list(state) and not known:
        return "source"
    return checked_again(waiting, rules)


def with_visits(page: Page, state: PageState | None) -> Page:
    """Return a row of the log book with what is known of the page's visits."""
    if state is not None:
        page.changes, page.last_changed = state.times_changed, state.last_changed
        page.next_visit, page.gone_at = state.next_visit, state.gone
    return page
