"""http or https: by which of the two a site can be reached (A8).

Both address one page, and the one that was found first is asked for. A site that has no https, or
no http any more, answers the other one only: then a page is asked for as other links to this site
are written. No site is asked for what nobody has written, since behind the other port may stand
somebody else's pages, or none, which says nothing of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.urls.canonical import Canonicalizer

SCHEMES = "schemes"
"""The part of a site's record that says how it can be reached."""

HTTP, HTTPS = "http:", "https:"
WRITTEN, ANSWERED, REFUSED = 1, 2, 4
"""What is known of one scheme of a site; that of https stands three bits higher than that of http."""

HTTPS_BITS = 3  # three facts of each scheme: six bits a site
MOST_SITES = 500_000
"""Sites of which is remembered how links to them are written; those that were asked come on top."""


def other_scheme(url: str) -> str:
    """Return an http(s) address with the other scheme."""
    if url.startswith(HTTPS):
        return HTTP + url[len(HTTPS) :]
    return HTTPS + url[len(HTTP) :]


def other_address(canonicalizer: Canonicalizer, url: str) -> str:
    """Return the address of a page by the other scheme; "" where that is another page, or the same.

    The template may tell http and https apart, or write one as the other. Both spellings are compared
    and not the page's key, which is another's where a parameter was found to change nothing.
    """
    found = canonicalizer.address(other_scheme(url))
    if found is None or found.url == url or found.key != canonicalizer.key(url):
        return ""
    return found.url


class Schemes:
    """Which of http and https the addresses of each site were written with, and which answer."""

    def __init__(self) -> None:
        self._sites: dict[str, int] = {}
        self._changed: set[str] = set()

    def load(self, records: Mapping[str, Json]) -> None:
        """Take what earlier runs learnt, from the sites' records."""
        for site, parts in records.items():
            if known := parts.get(SCHEMES):
                self._sites[site] = int(known)

    def changed(self) -> dict[str, int]:
        """Return what was learnt since the last call, for the sites' records."""
        changed, self._changed = self._changed, set()
        return {site: self._sites[site] for site in changed if site in self._sites}

    def written(self, site: str, url: str) -> None:
        """Hear that a page, or a source, has an address of a site."""
        known = self._sites.get(site, 0)
        if not known & WRITTEN << _bits(url) and (known or len(self._sites) < MOST_SITES):
            self._learn(site, known | WRITTEN << _bits(url))

    def answered(self, site: str, url: str) -> None:
        """Hear that an address of a site was answered, by whatever."""
        known, bits = self._sites.get(site, 0), _bits(url)
        if known >> bits & (ANSWERED | REFUSED) != ANSWERED:
            self._learn(site, (known | (WRITTEN | ANSWERED) << bits) & ~(REFUSED << bits))

    def refused(self, site: str, url: str) -> None:
        """Hear that a site cannot be reached by an address's scheme, but is by the other."""
        self._learn(site, self._sites.get(site, 0) | REFUSED << _bits(url))

    def is_refused(self, site: str, url: str) -> bool:
        """Whether a site is known not to be reached by an address's scheme."""
        return bool(self._sites.get(site, 0) & REFUSED << _bits(url))

    def may_be_other(self, site: str, url: str, *, failed_before: bool) -> bool:
        """Whether an address that could not be reached may be asked for by the other scheme.

        Some page writes it so, and its own scheme has never been answered, or the address
        ``failed_before``: what has answered once is mostly in trouble for an hour.
        """
        known, bits = self._sites.get(site, 0), _bits(url)
        is_written = bool(known & WRITTEN << HTTPS_BITS - bits)
        return is_written and (failed_before or not known & ANSWERED << bits)

    def _learn(self, site: str, known: int) -> None:
        self._sites[site] = known
        self._changed.add(site)


def _bits(url: str) -> int:
    return HTTPS_BITS if url.startswith(HTTPS) else 0
