"""How a URL ended, for those who count on it: walks of seeds, and pages that they reach no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.values import PageClass

NOT_ANSWERED = frozenset({"error", "refused", "parked", "gone"})


class Ending(NamedTuple):
    """How a URL ended. ``url`` and ``key`` are where a redirect led to, else its own.

    ``gone``: the answer says that there is no such page; ``answered``: it was there; ``read``: and
    its links were seen, as they are not in a 304. None of it: the fetch failed or was not made.
    ``comes_back``: it will be tried again; ``tries`` counts the failures before.
    """

    url: str
    key: bytes
    page_class: PageClass | None = None
    answered: bool = True
    read: bool = True
    gone: bool = False
    comes_back: bool = False
    tries: int = 0


def ending_of(flight: Flight, *, comes_back: bool) -> Ending:
    """Return how the URL of a flight has ended."""
    page, waiting = flight.page, flight.waiting
    gone = flight.outcome == "gone" or (flight.after is not None and flight.after.gone is not None)
    fails = flight.failed or comes_back or flight.outcome in NOT_ANSWERED
    answered = bool(flight.status) and not fails and not gone
    return Ending(
        url=waiting.url,
        key=waiting.key,
        page_class=page.page_class if page is not None else waiting.page_class,
        answered=answered,
        read=answered and flight.outcome != "unchanged",
        gone=gone,
        comes_back=comes_back,
        tries=flight.tries,
    )
