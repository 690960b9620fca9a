"""Walks from seeds put on a crawl (C8): which pages belong to one, and how they wait again."""

from __future__ import annotations

from focuscrawl.revisit.cycles import ReachedPage
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.values import PageClass, PageState, Waiting

PARTS = frozenset({PageClass.ARTICLE_PAGING, PageClass.FILE})
"""What belongs to a page and stands in no queue of its own."""

NO_LONGER = "no longer reached"
"""Why a page is gone of which nobody has asked its server (strict)."""

SOURCE = "seed:"
"""How the source_id of a page begins that was found through a seed; its key follows."""


def seed_of(waiting: Waiting) -> str:
    """Return the key of the seed a URL was found through; "" when it was found otherwise."""
    name = waiting.source_id
    return name.removeprefix(SOURCE) if name.startswith(SOURCE) else ""


def leads_on(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether the links of a page belong to the walk of its seed.

    Those of every layer do (C6). Without layers the seed's own page leads to what the walk reaches,
    with its further pages; what lies behind is for exploration and revisits.
    """
    if not seed_of(waiting) or waiting.page_class in PARTS:
        return False
    return rules.layers is not None or not waiting.depth


def is_list_of_walk(page: ReachedPage, rules: AdmissionRules) -> bool:
    """Whether the links of a page that was reached before belong to a walk, see ``leads_on``."""
    return page.page_class not in PARTS and (rules.layers is not None or not page.depth)


def is_read_anew(
    waiting: Waiting, page: ReachedPage, rules: AdmissionRules, *, strict: bool
) -> bool:
    """Whether a known page is fetched once in each cycle, to compare what it says.

    The pages of layers are, and all of them in the published form; without layers, what a seed's
    list leads to comes again by its own dates (B), unless it was gone.
    """
    return strict or page.gone or leads_on(waiting, rules)


def reached_page(waiting: Waiting) -> ReachedPage:
    """Return a URL as it stands in the queue of pages reached."""
    return ReachedPage(
        url=waiting.url,
        site=waiting.site,
        level=waiting.level,
        depth=waiting.depth,
        layer=waiting.layer,
        page_class=waiting.page_class,
    )


def read_anew(waiting: Waiting, page: ReachedPage, rules: AdmissionRules) -> Waiting:
    """Return a known page as it waits to be read anew, where a redirect has led to last time.

    It waits in the levels: it explores nothing.
    """
    address = rules.look(page.moved_to or waiting.url).address
    return waiting._replace(
        url=address.url,
        key=address.key,
        site=address.site,
        first_walk=False,
        explore=False,
        step=0,
        score=0.0,
        folder=0,
    )


def deleted(state: PageState, now: float) -> PageState:
    """Return the tombstone of a page whose rows are deleted, since no seed leads to it (strict).

    It remembers nothing to compare with: when it is reached again, it is new.
    """
    return state._replace(
        gone=now,
        reason=NO_LONGER,
        next_visit=None,
        leased=None,
        digest=b"",
        simhash=None,
        details=b"",
    )


def confirmation(page: ReachedPage, rules: AdmissionRules) -> Waiting:
    """Return the fetch that is to confirm that a page is gone: on the lowest level, not urgent."""
    seed = next(iter(page.seeds))
    address = rules.look(page.moved_to or page.url).address
    return Waiting(
        url=address.url,
        key=address.key,
        site=address.site,
        level=1,
        passed_level=page.level,
        page_class=page.page_class,
        depth=page.depth,
        parent_key=bytes.fromhex(seed),
        source_id=f"{SOURCE}{seed}",
        first_walk=False,
        layer=page.layer,
    )
