"""Which pages are visited again, and how they are queued (B1)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from focuscrawl import settings as ours
from focuscrawl.frontier.page_states import LISTS, is_list
from focuscrawl.links.admission import checked_again
from focuscrawl.links.sources import is_source
from focuscrawl.revisit.rules import ClassTimes, RevisitRules
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.values import Page, PageClass, PageState, Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

SHORTEST_LEASE = 7200.0  # of a crawl whose time-outs are short, too: its queues may be long
TRIES_FACTOR = 4
"""A lease is so many times as long as all tries of a fetch may take."""

CONTENT = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
KEPT_OUTCOMES = frozenset({"stored", "unchanged"})
SEED = "seed:"
"""How the source_id of a page begins that was found through a search."""

FACT, PRICE = "revisit", "price"
TRUST = "signals"
"""The part of a site's record that says what its signals are worth."""


def visit_rules(template: Template) -> RevisitRules:
    """Return the rules of [revisit]. Of a topic with policy off states are kept as with index, so
    that another policy can go on from them; nothing is visited.
    """
    table = template.of(RevisitTable)
    timeout = float(template.settings.get("DOWNLOAD_TIMEOUT", ours.DOWNLOAD_TIMEOUT))
    tries = 1 + int(template.settings.get("RETRY_TIMES", ours.RETRY_TIMES))
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
        lease=max(SHORTEST_LEASE, TRIES_FACTOR * timeout * tries),
    )


# Which pages are watched --------------------------------------------------------------------------


def is_watched(page: Page, waiting: Waiting, sources: Container[str]) -> bool:
    """Whether a page that was read is visited again: lists, sources, and what was stored."""
    if page.outcome == "error":
        return False
    if page.page_class in LISTS or is_source(waiting, sources):
        return True
    return page.page_class in CONTENT and page.outcome in KEPT_OUTCOMES


# How they are queued ------------------------------------------------------------------------------


def facts_of(waiting: Waiting, sources: Container[str]) -> dict[str, object]:
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
    sources: Container[str],
    rules: AdmissionRules,
    *,
    heard: bool = True,
) -> str | None:
    """Return why the template does not want a page visited: a rule for links, a source taken out.

    ``heard``: whether signals are, else no file is read for them alone. Articles and records of a
    source that was taken out are still visited until they are too old.
    """
    if is_signal_file(state.source_id):
        return checked_again(waiting, rules) if heard else "signals"  # the site itself names it
    known = state.source_id in sources or state.source_id.startswith(SEED)
    return "source" if is_list(state) and not known else checked_again(waiting, rules)


def as_source(state: PageState, start: Waiting, every: float | None) -> PageState:
    """Return the state of a file that was read for its signals as that of the source it is now.

    It is asked for anew: that it is as it was would show none of its links.
    """
    return state._replace(
        source_id=start.source_id,
        level=start.level,
        facts={**state.facts, "source": True, "parent": b"", "depth": 0, "layer": 0},
        every=every,
        etag="",
        modified="",
    )
