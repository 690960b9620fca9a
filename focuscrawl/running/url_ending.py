"""How a URL ended, for those who count on it: walks of seeds, and pages that they reach no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.search.walks import UrlEnd

if TYPE_CHECKING:
    from focuscrawl.kernel.flight import Flight

NOT_ANSWERED = frozenset({"error", "refused", "parked", "gone"})


def ending_of(flight: Flight, *, comes_back: bool) -> UrlEnd:
    """Return how the URL of a flight has ended."""
    page, waiting = flight.page, flight.waiting
    gone = flight.outcome == "gone" or (flight.after is not None and flight.after.gone is not None)
    fails = flight.failed or comes_back or flight.outcome in NOT_ANSWERED
    answered = bool(flight.status) and not fails and not gone
    return UrlEnd(
        url=waiting.url,
        key=waiting.key,
        page_class=page.page_class if page is not None else waiting.page_class,
        answered=answered,
        read=answered and flight.outcome != "unchanged",
        gone=gone,
        comes_back=comes_back,
        tries=flight.tries,
    )
