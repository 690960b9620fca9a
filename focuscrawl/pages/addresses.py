"""Relative addresses made absolute the way browsers do it, fast."""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes, urljoin, urlsplit

import can_ada

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?(:\d{1,5})?", re.IGNORECASE)
_LONGEST_ADDRESS = 8_192
"""Characters of an address; longer ones are dropped (servers refuse them)."""

QUERY_SAFE = "!$&'()*+,-./:;=?@_~%[]{}|^`\\"


class Joiner:
    """Joins what a page's links say to the page's base address; http and https only.

    ``encoding`` is the page's: characters outside ASCII in a query are escaped in it (so a GBK
    page's ``?k=中文`` becomes ``?k=%D6%D0%CE%C4``), those in a path always in UTF-8.
    """

    __slots__ = ("_base", "_encoding", "base_url")

    def __init__(self, base_url: str, encoding: str = "utf-8") -> None:
        self.base_url = base_url
        self._encoding = None if encoding.startswith("utf-") else encoding
        try:
            self._base: can_ada.URL | None = can_ada.parse(base_url)
        except ValueError:
            self._base = None

    def join(self, reference: str) -> str | None:
        """Return the absolute address without its fragment, None when there is nothing to fetch."""
        if reference[:1] == "#" or len(reference) > _LONGEST_ADDRESS:
            return None
        if self._encoding and not reference.isascii():
            reference = _query_escaped(reference, self._encoding)
        url = self._absolute(reference)
        if url is None or not url.startswith(("http://", "https://")):
            return None
        return url.partition("#")[0] if "#" in url else url

    def _absolute(self, reference: str) -> str | None:
        try:
            if self._base is not None:
                return str(self._base + reference)
        except ValueError:
            pass  # a host that is no legal name may still be one that answers
        try:
            url = urljoin(self.base_url, reference.strip())
            host = urlsplit(url).netloc
        except ValueError:
            return None
        return url if _HOST.fullmatch(host) and url.isascii() and " " not in url else None


def _query_escaped(reference: str, encoding: str) -> str:
    before, mark, query = reference.partition("?")
    if not mark or query.isascii():
        return reference
    query, mark, fragment = query.partition("#")
    data = query.encode(encoding, "xmlcharrefreplace")
    return f"{before}?{quote_from_bytes(data, QUERY_SAFE)}{mark}{fragment}"
