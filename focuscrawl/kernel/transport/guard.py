"""Nothing of a crawl gets into a private network unasked, and no secret into a log.

Links are looked at when they are admitted, but redirects, those of robots.txt above all, probes, engines and requests of
a user's own come past no rule of a topic, and a public name may lead to a private address, today or from its second
look-up on (DNS rebinding). So every request passes the guard as the last thing before it is sent: its host by name, and,
where we look the name up ourselves, each address that Twisted is about to connect to. Behind a proxy the address is the
proxy's matter.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, quote_plus

from scrapy.exceptions import DownloadFailedError, IgnoreRequest
from scrapy.resolver import dnscache
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.reactor import is_reactor_installed

from focuscrawl.urls.private import PrivateHosts
from focuscrawl.urls.sites import host_of, site_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from focuscrawl.kernel.transport.slots import Send

logger = logging.getLogger(__name__)

Complete = Callable[[str, str], tuple[str, dict[str, str]]]
"""Returns the address and the headers with which a request is sent, by its name and its address."""

COMPLETED = "focuscrawl_completed"
"""Key in ``Request.meta``: a name by which ``Guard.complete`` completes the request as it is sent."""

HIDDEN = b"***"

HOSTS_TOLD = 20
"""Refused hosts are logged one by one up to here; a page may name thousands."""


class PrivateHost(IgnoreRequest):
    """A host is private by its name, or by the address that it is, and nothing names it."""


class PrivateAddress(IgnoreRequest):
    """A name leads to private addresses only: here and now, where a captive portal may answer."""


class RobotsUnread(IgnoreRequest):
    """The robots.txt of a page's host cannot be read now."""


class RobotsUnreached(RobotsUnread):
    """No answer came when it was asked for, as none would for the page."""


class Withdrawn(IgnoreRequest):
    """The URL is another process's by now."""


class Banned(IgnoreRequest):
    """A site is banned by hand, or by the published form's count of pages."""


class Guard:
    """Sends a crawl's requests, but those into private networks that are not ``hosts``, those that
    others may send by now (``is_sure``), and those to sites that were banned since they were taken
    (``ban_of`` says why): one may have waited for a robots.txt.
    """

    def __init__(
        self, hosts: PrivateHosts, is_sure: Callable[[Request], Awaitable[bool]] | None = None
    ) -> None:
        self._hosts = hosts
        self.is_sure = is_sure
        self.ban_of: Callable[[Request], str] | None = None
        self.complete: Complete | None = None
        self._told: set[str] = set()

    async def send(self, request: Request, send: Send) -> Response:
        """Send a request. Raises PrivateHost, PrivateAddress, Withdrawn, Banned, and what the downloader raises."""
        if self.is_sure and not await self.is_sure(request):
            raise Withdrawn(f"{request.url} is another process's by now")
        if self.ban_of and (why := self.ban_of(request)):
            raise Banned(why)
        if self.complete and COMPLETED in request.meta:
            send = self._completed(send, self.complete)
        is_resolved = not request.meta.get("proxy")
        # As Scrapy reads it, and as browsers and proxies do.
        for host in {urlparse_cached(request).hostname or "", host_of(site_of(request.url))} - {""}:
            if not self._hosts.admits_name(host, resolved=is_resolved):
                raise PrivateHost(self._told_of(request, host, "it is private by its name"))
        if not is_resolved:
            # A task inherits the context of whatever let it begin, such as another request's end.
            _lookup.set(None)
            return await send(request)
        watch_resolver()
        lookup = _Lookup(self._hosts)
        _lookup.set(lookup)  # of this request alone: the downloader sends each in its own task
        try:
            return await send(request)
        except Exception as error:
            if not lookup.refused or lookup.admitted:
                raise
            host = urlparse_cached(request).hostname or ""
            dnscache.pop(host, None)  # Scrapy keeps answers as long as it runs: look it up again
            why = f"it leads to {lookup.refused}, a private address"
            raise PrivateAddress(self._told_of(request, host, why)) from error
        finally:
            lookup.is_over = True

    def _completed(self, send: Send, complete: Complete) -> Send:
        """Return what sends a request with a secret that is in no log, no cache and no store, for only the
        sent copy has it.
        """

        async def send_whole(request: Request) -> Response:
            url, headers = complete(request.meta[COMPLETED], request.url)
            meta = {**request.meta, "verbatim_url": True}
            whole = request.replace(url=url, headers={**request.headers, **headers}, meta=meta)
            secrets = [url.removeprefix(request.url), *headers.values()]
            try:
                response = await send(whole)
            except Exception as error:
                said = str(error)
                if any(secret in said for secret in secrets if secret):
                    raise DownloadFailedError(f"{request.url}: {type(error).__name__}") from None
                raise
            plain: Any = {
                name: [without_secrets(value, secrets) for value in values]
                for name, values in response.headers.items()
            }  # an address to which it leads on, above all
            return response.replace(url=request.url, request=request, headers=plain)

        return send_whole

    def _told_of(self, request: Request, host: str, why: str) -> str:
        message = (
            f"{request.url} was not asked for: {host} is not named by the topic, and {why}. If it is"
            ' meant, write its host into a source, follow.sites or a table [site."HOST"], or its'
            " network into FOCUSCRAWL_PRIVATE"
        )
        if host not in self._told and len(self._told) < HOSTS_TOLD:
            self._told.add(host)
            before = request.meta.get("redirect_urls")
            logger.warning("%s%s", message, f" (redirected from {before[-1]})" if before else "")
        return message


def without_secrets(text: bytes, said: Iterable[str]) -> bytes:
    """Return bytes of an answer without what was sent (``said``): values of a query, last words of headers.

    Engines name their own address in links, with the key in it; it must stand in no row and no report.
    """
    for one in filter(None, said):
        values = [value for _, value in parse_qsl(one)] or one.split()[-1:]
        for form in (
            form for value in values for form in (value, quote(value, safe=""), quote_plus(value))
        ):
            text = text.replace(form.encode(), HIDDEN)
    return text


class _Lookup:
    """What became of the look-up of one request's host; ``is_over`` with the request itself."""

    def __init__(self, hosts: PrivateHosts) -> None:
        self.refused = ""
        self.admitted = False
        self.is_over = False
        self._hosts = hosts

    def admits(self, host: str, address: str) -> bool:
        """Whether a host may be asked at an address its name leads to."""
        with suppress(ValueError):  # a resolver of the user's may give what is no address
            if self._hosts.admits_address(host, ip_address(address.partition("%")[0])):
                self.admitted = True
                return True
        self.refused = self.refused or address
        return False


_lookup: ContextVar[_Lookup | None] = ContextVar("focuscrawl_lookup", default=None)


def admitted(host: str, address: str) -> bool:
    """Whether the request that is being sent may go to an address of its host."""
    lookup = _lookup.get()
    return not lookup or lookup.is_over or lookup.admits(host, address)


def watch_resolver() -> None:
    """See to it that the reactor looks up names through us, whatever resolver it has."""
    if not is_reactor_installed():
        return
    from twisted.internet import reactor as installed  # noqa: PLC0415  importing it installs one

    reactor: Any = installed
    if not isinstance(reactor.nameResolver, WatchedResolver):
        reactor.installNameResolver(WatchedResolver(reactor.nameResolver))


class WatchedResolver:
    """Hands on what another resolver finds, for guarded requests without what they may not ask.

    Proxies, mail, databases and whatever else the process looks up are none of our business. This is
    Twisted's IHostnameResolver; names and types of its arguments are Twisted's.
    """

    def __init__(self, resolver: Any) -> None:
        self._resolver = resolver

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Any = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        """Look a name up."""
        lookup = _lookup.get()
        if lookup and not lookup.is_over:
            resolutionReceiver = AdmittedAddresses(resolutionReceiver, hostName, lookup)
        return self._resolver.resolveHostName(
            resolutionReceiver, hostName, portNumber, addressTypes, transportSemantics
        )


class AdmittedAddresses:
    """Receives the addresses of a host and hands on those that may be asked.

    Twisted's IResolutionReceiver.
    """

    def __init__(self, receiver: Any, host: str, lookup: _Lookup) -> None:
        self._receiver = receiver
        self._host = host
        self._lookup = lookup

    def resolutionBegan(self, resolutionInProgress: Any) -> None:
        """Pass on that it begins."""
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: Any) -> None:
        """Take one address."""
        if self._lookup.admits(self._host, address.host):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        """Pass on that there are no more."""
        self._receiver.resolutionComplete()
