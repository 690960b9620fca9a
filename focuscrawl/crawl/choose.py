"""Choose the links of a page that pass the rules."""

from __future__ import annotations

from focuscrawl.crawl.layers import layer_of
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.link_rules import CONTINUED, Look, is_unwanted, refusal
from focuscrawl.urls.actions import is_print_of
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting

COPIES = "trap:copies"
"""Why a link is refused, or a URL set aside, that is one of an endless row of copies."""

MOST_NESTED = 3
"""Sitemaps one inside the other: an index may hold no other index, but some sites nest one."""


def choose(
    batch: LinkBatch,
    parent: Waiting,
    rules: AdmissionRules,
    continuations: list[Link],
    refused: dict[str, int],
) -> tuple[dict[int, tuple[Link, Look]], int]:
    """Return the links that pass, each once, by key number, and how many were known before.

    Links that turn out to be further pages are added to ``continuations``: a link to what is one
    already is none of its own. Refusals are counted in ``refused``.
    """
    chosen: dict[int, tuple[Link, Look]] = {}
    duplicates = 0
    reserved: set[int] = set()
    for link in continuations:
        reserved.add(rules.look(link.url).address.number)
    depth = parent.depth + 1
    known, traps = rules.known, rules.copies.traps
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
        if reason is None and link[6] and is_unwanted(link, look, parent.site):
            reason = "nofollow"
        if reason is None and traps and rules.copies.refuses(*_place(look)):
            reason = COPIES
        if reason is None and page_class is PageClass.SITEMAP and is_nested(batch, parent):
            reason = "trap:sitemaps"
        if reason is None and "/print" in url and _is_print(look, parent):
            reason = "action:print"
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


def is_nested(batch: LinkBatch, parent: Waiting) -> bool:
    """Whether a sitemap leads deeper than sitemaps are nested; its ``page_number`` counts how deep."""
    return batch.page_class is PageClass.SITEMAP and parent.page_number >= MOST_NESTED


def _place(look: Look) -> tuple[str, str]:
    return look.address.url, look.address.site


def _is_print(look: Look, parent: Waiting) -> bool:
    """Whether an address is the print version of the page it was found on: that page once more."""
    same_site = look.address.site == parent.site
    return look.rules.actions and same_site and is_print_of(look.address.url, parent.url)
