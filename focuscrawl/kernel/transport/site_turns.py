"""How the requests of a run go out: past the guard, in the turns of their sites, and where others work on the same
crawl with one more look as their bytes are about to be written.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING

from focuscrawl.config import http_handler
from focuscrawl.kernel.opening import site_clock_of
from focuscrawl.kernel.shared.connections import Connections, look_last, remember
from focuscrawl.kernel.transport.slots import WEB
from focuscrawl.urls.sites import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Any

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.internet.defer import Deferred

    from focuscrawl.frontier.site_clock import SiteClock
    from focuscrawl.kernel.run import Run
    from focuscrawl.kernel.transport.slots import Send
    from focuscrawl.values import Clock

SEND_AGAIN = 0.1
"""Seconds after which a request looks whether the one before it, of another crawl, has been answered."""


class SiteTurns:
    """Sends all requests when no other crawl of the process has just asked their site: robots.txt and probes
    come past no frontier.
    """

    def __init__(self, sites: SiteClock, clock: Clock) -> None:
        self._sites = sites
        self._clock = clock

    async def send(self, request: Request, send: Send) -> Response:
        """Send a request. Raises what the downloader raises."""
        site = site_of(request.url)
        if not site:  # no web address
            return await send(request)
        while (wait := self._sites.begin(site, self._clock.steady())) > 0:
            await asyncio.sleep(min(wait, SEND_AGAIN))
        try:
            return await send(request)
        finally:
            self._sites.end(site, self._clock.steady())


def choose_handler(settings: BaseSettings, environment: Mapping[str, str], priority: str) -> None:
    """Let Scrapy fetch pages by the library that FOCUSCRAWL_HTTP names; a project's own DOWNLOAD_HANDLERS stay.

    Raises ConfigError.
    """
    if handler := http_handler(settings, environment):
        for scheme in WEB:
            settings["DOWNLOAD_HANDLERS_BASE"].set(scheme, handler, priority)


def open_transport(run: Run, later: Callable[[Coroutine[Any, Any, bool]], Deferred[bool]]) -> None:
    """Let all requests of a run go this way; ``later`` makes a Deferred. Raises EngineChanged."""
    run.slots.open()
    run.slots.send_through(run.guard.send)
    run.guard.complete = run.hooks.search.keyed
    sites = site_clock_of(run.clock)
    # Another crawl wakes this one, in whose log what follows would else stand.
    here = copy_context()
    run.frontier.ask_by(sites, lambda: here.copy().run(run.slots.wake))
    run.slots.send_through(SiteTurns(sites, run.clock).send)
    if run.store.is_shared:
        run.guard.is_sure = run.partitions.is_sure
        run.guard.ban_of = run.partitions.ban_of
        run.slots.send_through(remember)
        for pool in run.slots.pools():
            Connections(pool, run.partitions.is_ours, run.partitions.is_sure, later)
        for connector in run.slots.connectors():
            look_last(connector, run.partitions.is_ours, run.partitions.is_sure)
