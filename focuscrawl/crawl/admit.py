"""Admit the links of a page: the batch path from a LinkBatch to the frontier."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from focuscrawl.crawl.expect import as_expected
from focuscrawl.crawl.layers import goes_on, layer_of
from focuscrawl.crawl.paging import LONGEST_ANCHOR, beyond, following
from focuscrawl.frontier.levels import Levels, is_returned, level_of
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.link_rules import CONTINUED, Look, refusal
from focuscrawl.tunnel.explorer import NOT_EXPLORING, Explorer
from focuscrawl.urls.patterns import UNKNOWN
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting

Add = Callable[[Waiting, int], bool]
"""Adds a URL under its key number; False says that the frontier has it already, nothing else."""

Again = Callable[[Waiting], object]
"""Adds a URL whether the frontier has had it or not."""


MOST_AT_ONCE = 1_000
LISTED = frozenset({PageClass.FEED, PageClass.SITEMAP})


class Admission(NamedTuple):
    """What became of a batch.

    ``added`` new links, ``continued`` further pages of the same board or article, ``duplicates``
    links the frontier had, ``refused`` counts by reason.
    """

    added: int
    continued: int
    duplicates: int
    refused: dict[str, int]


def in_parts(batch: LinkBatch) -> Iterator[LinkBatch]:
    """Divide a batch so that none is admitted for long: a sitemap may name 50,000 pages.

    A board stays whole, since its new links are counted (A6).
    """
    if len(batch.links) <= MOST_AT_ONCE or batch.page_class not in LISTED:
        yield batch
        return
    for first in range(0, len(batch.links), MOST_AT_ONCE):
        yield replace(batch, links=batch.links[first : first + MOST_AT_ONCE])


def admit(
    batch: LinkBatch,
    parent: Waiting,
    rules: AdmissionRules,
    add: Add,
    again: Again,
    explorer: Explorer | None = None,
    now: float = 0.0,
) -> Admission:
    """Send the links of a page that pass the rules to the frontier (A3, A8).

    ``parent`` is the page they were found on. Levels are counted from its ``passed_level``, depth
    in clicks (continuations and files are none). A link named twice counts once, with the first
    text it has. The pages of a board that is read again (``first_walk`` is false) are taken again.
    With an ``explorer`` links into unknown sites wait in its lane, or not at all (E); ``now`` is
    wall time.
    """
    refused: dict[str, int] = {}
    continuations = [*batch.continuations]
    numbers = {rules.look(link.url).address.number for link in continuations}
    chosen, duplicates = _choose(batch, parent, rules, numbers, continuations, refused)
    known, patterns = rules.room_for_known(), rules.patterns
    found = explorer.found_on(parent, batch) if explorer is not None else NOT_EXPLORING
    added = 0
    ordinary = level_of(
        None,
        batch.page_class,
        Levels(parent.level, parent.passed_level),
        rules.top,
        strict=rules.strict,
    )
    for link, look in chosen.values():
        waiting = _waiting(link, look, batch.page_class, parent, ordinary, rules)
        if patterns is not None and waiting.page_class is None and link.level is None:
            expected = patterns.class_of(waiting.url, waiting.site)
            if expected is not UNKNOWN or rules.news_only:
                placed = as_expected(waiting, look, rules, expected)
                if isinstance(placed, str):
                    refused[placed] = refused.get(placed, 0) + 1
                    continue
                waiting = placed
        if rules.layers is not None:
            waiting = waiting._replace(layer=layer_of(link, parent, rules) or parent.layer)
        if explorer is not None:
            placed = explorer.in_lane(waiting, found, now)
            if isinstance(placed, str):
                refused[placed] = refused.get(placed, 0) + 1
                continue
            waiting = placed
        if add(waiting, look.address.number):
            added += 1
        else:
            duplicates += 1
        known.add(link.url)
    continued = 0
    if continuations and rules.layers is not None and not goes_on(batch, parent, rules):
        refused["layer"] = refused.get("layer", 0) + len(continuations)
        continuations = []
    if continuations:
        pages = following(continuations, batch, parent, rules, added, refused)
        for waiting, number in pages:
            if explorer is not None and waiting.page_class is PageClass.ARTICLE_PAGING:
                waiting = explorer.further_part(waiting, parent, batch)
            elif explorer is not None:
                placed = explorer.in_lane(waiting, found, now)
                if isinstance(placed, str):
                    refused[placed] = refused.get(placed, 0) + 1
                    continue
                waiting = placed
            if add(waiting, number):
                continued += 1
            elif parent.first_walk:
                duplicates += 1
            else:
                again(waiting)
                continued += 1
    return Admission(added, continued, duplicates, refused)


def _choose(
    batch: LinkBatch,
    parent: Waiting,
    rules: AdmissionRules,
    reserved: set[int],
    continuations: list[Link],
    refused: dict[str, int],
) -> tuple[dict[int, tuple[Link, Look]], int]:
    """Return the links that pass, each once, by key number, and how many were known before."""
    chosen: dict[int, tuple[Link, Look]] = {}
    duplicates = 0
    depth = parent.depth + 1
    known = rules.known
    for link in batch.links:
        url = link[0]
        if url in known:  # most links
            duplicates += 1
            continue
        page_class = link[2]
        look = rules.look(url)
        if page_class is None:
            reason = look.refused_page
        elif page_class in CONTINUED:
            continuations.append(link)
            continue
        else:
            reason = refusal(look, page_class)
        if reason is None and depth > look.rules.depth and page_class is not PageClass.FILE:
            reason = "depth"
        if reason is None and rules.layers is not None and layer_of(link, parent, rules) is None:
            reason = "layer"
        if reason is None:
            number = look.address.number
            if number in reserved:
                reason = "repeated"
            elif number in chosen:
                reason = "repeated"
                if link.anchor and not chosen[number][0].anchor:
                    chosen[number] = (link, look)
            else:
                chosen[number] = (link, look)
                continue
        refused[reason] = refused.get(reason, 0) + 1
    return chosen, duplicates


def _waiting(
    link: Link,
    look: Look,
    parent_class: PageClass,
    parent: Waiting,
    levels: Levels,
    rules: AdmissionRules,
) -> Waiting:
    _, anchor, page_class, level, _, _ = link
    page_class = page_class or look.page_class
    depth, first_key = parent.depth + 1, b""
    if level is not None:
        level = min(max(level, 1), rules.top)
        levels = Levels(level, level)
    elif page_class is None:  # most links
        pass
    elif page_class is PageClass.BOARD:
        if look.rules.board_level is not None:
            levels = Levels(look.rules.board_level, look.rules.board_level)
    elif page_class is PageClass.FILE and is_returned(page_class, parent_class):
        levels = Levels(rules.top, parent.passed_level)
    if page_class is PageClass.FILE:
        depth, first_key = parent.depth, parent.first_key or parent.key
    address = look.address
    # tuple.__new__ is a third of the price of Waiting(…), and this is done for every new link
    return tuple.__new__(
        Waiting,
        (
            address.url,
            address.key,
            address.site,
            levels.level,
            levels.passed_level,
            page_class,
            depth,
            anchor[:LONGEST_ANCHOR],
            parent.key,
            parent.source_id,
            1,
            True,
            first_key,
            0,
            None,
            False,
            0,
            0.0,
            0,
            0,
        ),
    )


def checked_again(waiting: Waiting, rules: AdmissionRules) -> str | None:
    """Return why a URL would be refused now, when it is taken: the rules may have changed.

    A source is asked for by name and only ``skip`` stops it; a whole Request is its maker's.
    """
    if waiting.request is not None:
        return None
    look = rules.look(waiting.url)
    if not waiting.parent_key:
        return "skip" if look.rules.skip else None
    if rules.banned is not None and host_of(waiting.site) in rules.banned:
        return "banned"
    reason = refusal(look, waiting.page_class)
    if reason is None and waiting.depth > look.rules.depth:
        return "depth"
    if reason is None and waiting.page_class in CONTINUED:
        return beyond(look, waiting.page_class, waiting.page_number)
    return reason
