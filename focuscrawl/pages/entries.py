"""The dates a list page shows beside its entries."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.pages.document import element_text
from focuscrawl.pages.links import FoundLink
from focuscrawl.text.dates import FoundDate, date_in_address, find_dates

SHORTEST_ENTRY = 6
"""Characters of a link that can be the title of an entry."""

_LONGEST_ROW = 400
"""Characters of what stands around a link; more is no row of a list."""

_MOST_ENTRIES = 200
_ROW = frozenset(("li", "tr", "dd", "dt", "article"))


def entry_dates(links: Sequence[FoundLink], *, timezone: str, now: float) -> list[float]:
    """Return a date for each entry of a list page that shows one, in seconds since 1970 UTC."""
    return [found.seconds for _, found in dated_entries(links, timezone=timezone, now=now)]


def dated_entries(
    links: Sequence[FoundLink], *, timezone: str, now: float
) -> list[tuple[FoundLink, FoundDate]]:
    """Return the entries of a list page that show a date, with it.

    The date stands in the entry's row, else in its address. Clocks and copyright lines stand in no
    row and do not count.
    """
    dated = []
    entries = [link for link in links if len(link.anchor) >= SHORTEST_ENTRY][:_MOST_ENTRIES]
    for link in entries:
        row = _row_text(link)
        found = next(find_dates(row, timezone=timezone, now=now), None) if row else None
        found = found or date_in_address(link.url, timezone=timezone, now=now)
        if found is not None:
            dated.append((link, found))
    return dated


def _row_text(link: FoundLink) -> str:
    """Return the text of the row a link stands in; "" when it stands in none."""
    element = link.element
    for _ in range(4):
        parent = element.getparent()
        if parent is None:
            return ""
        element = parent
        if element.tag in _ROW:
            text = element_text(element)
            return text if len(text) <= _LONGEST_ROW else ""
    parent = link.element.getparent()
    if parent is None:
        return ""
    text = element_text(parent)
    return text if len(text) <= len(link.anchor) + 40 else ""
