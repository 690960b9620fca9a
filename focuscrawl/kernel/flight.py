"""A URL in flight: who carries it, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from focuscrawl.pages.encodings import Encoding
from focuscrawl.revisit.conditions import PageVersion, version_of
from focuscrawl.values import Page, PageChange, PageClass, PageState, Waiting

if TYPE_CHECKING:
    from scrapy import Request

    from focuscrawl.forums.walks import Read

_P = TypeVar("_P")

LONGEST_REASON = 40
NO_VERSION = PageVersion()


@dataclass(slots=True, eq=False)
class Flight:
    """A URL in flight: the request object that carries it now, and what became of it.

    ``failed`` is the reason of a fetch that is tried again later. ``outcome`` and ``reason`` are those
    of the log book when no page was judged, ``mark`` a flaw of the answer (truncated, oversized).
    ``encoding`` is what its body is written in, None: not text. ``version`` is what the server calls
    what it sent; ``unchanged``: it says that there is nothing newer than what is known. ``page`` is the
    judged page's row. ``useful``: it gave a relevant article, which counts when the URL has ended, in the
    commit that takes its row away. ``before`` and ``after`` are the states of a page that is visited again.
    ``confirms``: it was to see if a page is gone that no seed leads to any more (C8);
    ``whole``: its links are needed, so it is asked for without conditions. ``kept``: the request cannot
    be stored and lives in memory only. ``held_by`` counts such requests whose end this URL waits for;
    ``holds`` is the flight that waits for this one. ``read`` is what a page of a thread gave to it (A9), ``counted`` are the keys of pages whose news a
    list counts, so that they need no visit. ``led_to`` is where a redirect has led that
    was not followed. ``unreached`` is the address that could not be reached before the other of http
    and https was tried; ``by_other_scheme``: its page came by that. ``is_announced``: what its end
    tells, that its page has gone or is back, has been through the pipelines, which left ``change``.
    """

    request: Request
    sequence: int
    number: int
    waiting: Waiting
    tries: int = 0
    page: Page | None = None
    useful: bool = False
    status: int = 0
    failed: str = ""
    outcome: str = ""
    reason: str = ""
    mark: str = ""
    encoding: Encoding | None = None
    version: PageVersion = NO_VERSION
    unchanged: bool = False
    before: PageState | None = None
    after: PageState | None = None
    confirms: bool = False
    whole: bool = False
    kept: bool = False
    held_by: int = 0
    holds: Flight | None = None
    read: Read | None = None
    counted: tuple[bytes, ...] = ()
    led_to: str = ""
    unreached: str = ""
    by_other_scheme: bool = False
    is_announced: bool = False
    change: PageChange | None = None
    finished: bool = False
    _parts: dict[type, Any] = field(default_factory=dict)

    def of(self, kind: type[_P]) -> _P:
        """Return what a feature notes of it, made when it is asked for first."""
        found: _P | None = self._parts.get(kind)
        if found is None:
            found = self._parts[kind] = kind()
        return found


def flight_row(flight: Flight, now: float) -> Page:
    """Return a URL's row of the log book: the judged page's, else one that says why there is none.

    ``now`` is wall time.
    """
    page = flight.page
    if page is not None:
        page.reason = page.reason or flight.mark
        if flight.failed or flight.outcome == "error":  # judged, but then something of it failed
            page.outcome, page.reason = "error", (flight.failed or flight.reason)[:LONGEST_REASON]
        return page
    waiting = flight.waiting
    outcome = "error" if flight.failed else flight.outcome
    reason = flight.failed or flight.reason or flight.mark
    if not outcome and flight.status:
        outcome = "list"  # read by a spider, or a site's parser, of the user's own
    elif not outcome:
        outcome, reason = _why_given_up(flight)
    return Page(
        url_key=waiting.key.hex(),
        url=waiting.url,
        host=waiting.site,
        page_class=waiting.page_class or PageClass.OTHER,
        outcome=outcome,
        level=waiting.level,
        source_id=waiting.source_id,
        parent_key=waiting.parent_key.hex(),
        anchor=waiting.anchor,
        first_seen=now,
        last_fetched=now if flight.status else None,
        status=flight.status,
        reason=reason[:LONGEST_REASON],
    )


def _why_given_up(flight: Flight) -> tuple[str, str]:
    """Guess outcome and reason of what Scrapy gave up inside a middleware, telling nobody."""
    return "error", "redirects" if flight.request.meta.get("redirect_times") else "ignored"


def with_version(flight: Flight, state: PageState) -> PageState:
    """Return a page's state with what its server calls the version that was read."""
    before = flight.before
    was_read = flight.page is not None and flight.page.outcome != "error"
    if flight.unchanged and before is not None:
        version = version_of(before).updated(flight.version)
    elif was_read and not flight.failed and flight.mark != "truncated":
        version = flight.version
    else:
        version = NO_VERSION  # it is to come whole next time
    return state._replace(etag=version.etag, modified=version.modified)
