"""Admit the links of a page: the batch path from a LinkBatch to the frontier."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from focuscrawl.crawl.choose import choose
from focuscrawl.crawl.expect import as_expected
from focuscrawl.crawl.layers import goes_on, layer_of
from focuscrawl.crawl.paging import following
from focuscrawl.crawl.place import place
from focuscrawl.explore.explorer import NOT_EXPLORING, Explorer
from focuscrawl.frontier.levels import Levels, level_of
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.urls.patterns.url_patterns import UNKNOWN
from focuscrawl.values import LinkBatch, PageClass, Waiting

Add = Callable[[Waiting, int], bool]
"""Adds a URL under its key number; False says that the frontier has it already, nothing else."""

Again = Callable[[Waiting], object]
"""Adds a URL whether the frontier has had it or not."""


class Admission(NamedTuple):
    """What became of a batch.

    ``added`` new links, ``continued`` further pages of the same board or article, ``duplicates``
    links the frontier had, ``refused`` counts by reason.
    """

    added: int
    continued: int
    duplicates: int
    refused: dict[str, int]


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
    chosen, duplicates = choose(batch, parent, rules, continuations, refused)
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
        waiting = place(link, look, batch.page_class, parent, ordinary, rules)
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
        if explorer is not None and waiting.page_class is not PageClass.FILE:
            marked = link.nofollow and look.rules.nofollow
            placed = explorer.in_lane(waiting, found, now, marked=marked)
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
