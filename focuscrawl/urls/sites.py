"""Sites, registrable domains and partitions: whose page an address is.

A *site* is a host with its port (the unit of politeness); a *registrable domain* is what somebody
registered (``example.com.cn``), the unit that is hashed to a partition.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache

import can_ada
import tldextract

PARTITION_BITS = 6
"""A registrable domain hashes to one of 2 ** PARTITION_BITS = 64 partitions."""

IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
IPV6 = re.compile(r"\[[0-9a-f:.]+\]")


def site_of(url: str) -> str:
    """Return the site of an http(s) address: its host, lower case and punycode, with the port
    when it is not the default one; "" when there is none.
    """
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError):  # TypeError: lone surrogates
        return ""
    if parsed.protocol not in ("http:", "https:"):
        return ""
    return clean_site(str(parsed.host))


def clean_site(netloc: str) -> str:
    """Return ``host[:port]`` without the root dot (a.cn. is a.cn); "" for what no DNS name can be.

    ``netloc`` is lower case and in punycode already, as a URL parser gives it.
    """
    host = host_of(netloc)
    port = netloc[len(host) :]
    host = host.removesuffix(".")
    return host + port if HOST.fullmatch(host) or IPV6.fullmatch(host) else ""


def host_of(site: str) -> str:
    """Return a site's host, without its port."""
    if site.endswith("]"):
        return site
    host, colon, _ = site.rpartition(":")
    return host if colon else site


@cache
def suffixes() -> tldextract.TLDExtract:
    """Read the public suffix list that comes with tldextract: no network, no cache folder."""
    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )


@lru_cache(maxsize=100_000)
def registrable_domain(host: str) -> str:
    """Return what of a host was registered: ``a.b.example.com.cn`` → ``example.com.cn``.

    Private suffixes count (``x.github.io`` is its own domain). Addresses in digits, single labels
    and public suffixes themselves stay as they are; under a suffix that is on no list (a local
    network) it is the last two labels.
    """
    if "." not in host or IPV4.fullmatch(host) or host.startswith("["):
        return host
    found = suffixes()(host)
    if found.suffix:
        return found.top_domain_under_public_suffix or host
    return ".".join(host.rsplit(".", 2)[-2:])


def domain_of(site: str) -> str:
    """Return the registrable domain of a site."""
    return registrable_domain(host_of(site))


@lru_cache(maxsize=100_000)
def partition_of(site: str) -> int:
    """Return the partition (0 … 63) of a site or host, the same in every store and process."""
    domain = domain_of(site)
    return hashlib.md5(domain.encode(), usedforsecurity=False).digest()[0] >> (8 - PARTITION_BITS)
