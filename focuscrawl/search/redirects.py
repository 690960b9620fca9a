"""Links of a search engine that lead on to somewhere else: what is behind them, and which are advertisements."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Collection
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from focuscrawl.urls.sites import registrable_domain as registrable

TARGET_NAMES = ("u", "url", "q", "target", "to", "dest", "uddg", "ru", "r", "link")
"""Parameters in which engines hand on an address, the likelier first."""

REDIRECT_PATH = re.compile(
    r"/(?:link|url|l|ck/a|r|rd|go|goto|out|jump|redirect|redir|click)/?", re.IGNORECASE
)
_WEB = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)


class Behind(NamedTuple):
    """Where a link leads. ``redirect``: to the engine, which leads on to an unknown address."""

    url: str
    redirect: bool = False


def behind(url: str, engine_hosts: Collection[str]) -> Behind | None:
    """Unwrap an absolute address; None for a page of the engine itself.

    A parameter that holds an address, plain or as Bing writes it (``a1`` and base64url), is the
    target. Only redirecting addresses of the engine's own site are looked into.
    """
    host = host_of_url(url)
    if not on_site_of(host, engine_hosts):
        return Behind(url)
    parts = urlsplit(url)
    redirects = bool(REDIRECT_PATH.fullmatch(parts.path))
    if redirects:
        given = dict(parse_qsl(parts.query))
        for name in TARGET_NAMES:
            target = _address(given.get(name, ""))
            if target:
                return Behind(target)
    if host not in engine_hosts:
        return Behind(url)
    return Behind(url, redirect=True) if redirects else None


def host_of_url(url: str) -> str:
    """Return the host of an address, "" when it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def on_site_of(host: str, engine_hosts: Collection[str]) -> bool:
    """Whether a host is one of the engine's, or another one of the same registrable domain."""
    return host in engine_hosts or registrable(host) in map(registrable, engine_hosts)


def _address(value: str) -> str:
    if _WEB.match(value):
        return value
    if not value.startswith("a1"):
        return ""
    try:
        text = urlsafe_b64decode(value[2:] + "=" * (-len(value[2:]) % 4)).decode()
    except ValueError:
        return ""
    return text if _WEB.match(text) else ""


AD_PATH = re.compile(
    r"/(?:aclk|aclick|pagead/|baidu\.php|search/eclk|adclick|bill_)", re.IGNORECASE
)
AD_SITES = frozenset({"doubleclick.net", "googleadservices.com", "googlesyndication.com"})
"""Where a click on an advertisement is counted: paths of engines, and sites for nothing else."""


def is_advertisement(url: str, engine_hosts: Collection[str]) -> bool:
    """Whether an address counts a click on an advertisement."""
    host = host_of_url(url)
    if registrable(host) in AD_SITES:
        return True
    return bool(AD_PATH.match(urlsplit(url).path)) and on_site_of(host, engine_hosts)
