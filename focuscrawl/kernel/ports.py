"""What one feature of a run decides: how a site is asked, what comes of visits, what a search is about to read.

A hook is a moment for any number of features; a port has one implementer, and mypy checks each of its calls. A run
without the feature gets the answers that stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.robotstxt import RobotParser

    from focuscrawl.frontier.lines import Politeness
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.values import (
        Article,
        Json,
        Page,
        PageState,
        QuotaOutcome,
        Record,
        Thread,
        Waiting,
    )


class Hold(NamedTuple):
    """What a site asks for beyond our own pause: seconds, and in a word by what."""

    seconds: float = 0.0
    by: str = ""


class SitePolicy:
    """How each site is asked. No run goes without it; a project replaces ours by a subclass of
    ``features.politeness.feature.SitePoliteness``.
    """

    def politeness(self, site: str) -> Politeness:
        """Return the pause of a site, and how many requests it gets at once."""
        raise NotImplementedError

    def seconds_closed(self, site: str, wall: float) -> float:
        """Return the seconds that a site which is ready must still wait; 0: none."""
        return 0.0

    def hold(self, site: str, wait: float, wall: float) -> Hold:
        """Return how much of the seconds until a site may be asked is not our own pause."""
        return Hold()

    def quota(self, flight: Flight) -> QuotaOutcome:
        """Return what becomes of a URL that is one too many for its site; "": it is fetched."""
        return ""

    def complete_request(self, request: Request, site: str) -> None:
        """Give a request to a site what it carries beside Scrapy's settings: headers, cookies, a proxy; its own wins."""

    def has_secrets(self, site: str) -> bool:
        """Whether what requests to a site carry must reach no other."""
        return False

    def robots_parsed(self, flight: Flight, request: Request, parser: RobotParser) -> None:
        """Note what Scrapy makes of a robots.txt."""


class VisitPolicy:
    """What comes of a page that is known already (B). Without visits nothing is known of any."""

    def add_conditions(self, flight: Flight, request: Request) -> None:
        """Let a request ask only for a version newer than the known one, behind all middlewares that set headers."""

    def trusts_unchanged(self, site: str) -> bool:
        """Whether a site's 304 is taken for true."""
        return True

    def follows_redirect(self, flight: Flight, url: str, site: str) -> bool:
        """Whether a redirect to another site is followed though that is out of scope, or the address known: to see
        whether a known page stands there now.
        """
        return False

    def tries_again(self, flight: Flight) -> bool:
        """Whether a fetch that has failed may be tried again under its row."""
        return True

    async def may_have_moved(self, flight: Flight | None, item: Article | Thread, key: str) -> bool:
        """Whether what a new article or thread copies (``key``, hexadecimal) may stand at the address of the copy
        now (``flight`` where it is not read yet): that is found out before the copy is stored as one of its own.
        """
        return False

    async def found_again(self, item: Record | Thread, key: str) -> None:
        """Note that a record, or what opens a thread, is stored as that of another page of its host (``key``, hex)."""

    async def end_page(self, before: PageState, after: PageState) -> Callable[[], None] | None:
        """Report that a page is gone which was not asked for; returns what puts that into the next commit.
        Raises ChangeFailed: then it stays.
        """
        return None

    def fill_row(self, flight: Flight, page: Page) -> None:
        """Say in the row of the log book what is known of a page's visits."""


class SearchPolicy:
    """What a search is about to read (C). Without one nothing is walked."""

    def keyed(self, name: str, url: str) -> tuple[str, dict[str, str]]:
        """Return the address and headers with which a request is sent that its maker has named so
        (``transport.guard.COMPLETED``): its key stands nowhere else.
        """
        return url, {}

    def must_read(self, waiting: Waiting) -> bool:
        """Whether the links of a page are needed, so that a 304 would say too little."""
        return False

    def counts_addresses(self) -> bool:
        """Whether each address of a page is asked for, though another one was, or is being."""
        return False

    def reads(self, state: PageState) -> bool:
        """Whether a page that is due is read anyway: its visit would be a second fetch."""
        return False

    def is_busy(self) -> bool:
        """Whether a cycle is under way, which reads pages."""
        return False

    def is_asking(self) -> bool:
        """Whether it is not known yet which pages will be."""
        return False

    def message(self) -> Json:
        """Return what the worker that leads must know of this one, with each window."""
        return {}

    def hear(self, messages: Sequence[Json]) -> None:
        """Take the messages of the other workers, in the one that leads."""

    def failure(self) -> tuple[str, str, int] | None:
        """Return why a run that found nothing has ended: a word, in words, the exit status; None: not by the search."""
        return None
