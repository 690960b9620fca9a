"""Steps: how many irrelevant pages in a row lie behind a page (E3)."""

from __future__ import annotations

MOST_STEPS = 63
"""Steps are counted up to here; a path so long is no tunnel."""


def step_of(relevant: bool, found_at: int) -> int:
    """Return the step of a page that was judged.

    0 for a relevant page, else one more than the step of the page it was found on (``found_at``);
    a start page counts as found on a page of step 0.
    """
    return 0 if relevant else min(found_at + 1, MOST_STEPS)


def found_at(page_step: int, page_found_at: int, *, is_paging: bool, strict: bool = False) -> int:
    """Return what a link carries: the step of the page it was found on.

    The next page of a list is no step deeper than the list itself; the published form counts it
    like any other link (``strict``).
    """
    return page_found_at if is_paging and not strict else page_step
