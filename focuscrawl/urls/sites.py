"""Sites, registrable domains, partitions and folders: whose page an address is.

A *site* is a host with its port (the unit of politeness); a *registrable domain* is what its owner
registered (``example.com.cn``), the unit that is hashed to a partition; a *folder* is the first part
of an address's path, the unit in which a site's topics differ.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, MutableMapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

import can_ada

if TYPE_CHECKING:
    import tldextract

PARTITION_BITS = 6
"""A registrable domain hashes to one of 2 ** PARTITION_BITS = 64 partitions."""

KEY_BITS = 64 - PARTITION_BITS
"""Bits of a key number below those that name its partition."""

IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
IPV6 = re.compile(r"\[[0-9a-f:.]+\]")

LONGEST_FOLDER = 80  # a longer one is rather a title, and names are kept by the thousand

NUMBERED = "/<number>"
"""The folder of pages below a number or a date. No address has such a folder."""

_NUMBER = re.compile(r"/[0-9]+(?:[-_.][0-9]+)*")


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
    return host + port if _HOST_NAME.fullmatch(host) or IPV6.fullmatch(host) else ""


def host_of(site: str) -> str:
    """Return a site's host, without its port."""
    if site.endswith("]"):
        return site
    host, colon, _ = site.rpartition(":")
    return host if colon else site


@cache
def suffixes() -> tldextract.TLDExtract:
    """Read the public suffix list that comes with tldextract: no network, no cache folder."""
    import tldextract  # noqa: PLC0415 - brings requests, which listing topics can do without

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


class Partitions(frozenset[int]):
    """Some of the partitions, by number."""

    def has(self, site: str) -> bool:
        """Whether a site or host belongs to one of them."""
        return partition_of(site) in self

    def take_from(self, memory: MutableMapping[str, Any]) -> None:
        """Take their sites out of what is remembered by site."""
        for site in [site for site in memory if partition_of(site) in self]:
            del memory[site]


ALL_PARTITIONS = Partitions(range(1 << PARTITION_BITS))


def folder_of(url: str) -> str:
    """Return the first folder of an address: ``http://a.cn/news/2026/1.html`` → ``/news``.

    Pages that lie directly on the site share "", except those a script makes, which show what the
    script does: ``/list.php?page=2`` → ``/list.php``. A number or a date does not say what the pages
    below it are about, and all such folders of a site are one: ``/2026/11/1.html`` → NUMBERED.
    Never longer than 80 characters.
    """
    folder = first_part(url)
    return NUMBERED if folder[1:2].isdecimal() and _NUMBER.fullmatch(folder) else folder


def folder_named(url: str, number: int) -> str:
    """Return the name of an address's folder that has this number.

    It is that of ``folder_of``; a row of an older crawl file may have the number or date itself.
    """
    folder = folder_of(url)
    if folder is NUMBERED and folder_number(folder) != number:
        return first_part(url)
    return folder


def first_part(url: str) -> str:
    """Return the first folder or script of an address as it is written there, or ""."""
    start = url.find("://") + 3
    slash = url.find("/", start)
    if slash < 0:
        return ""
    end = url.find("/", slash + 1)
    query = url.find("?", slash + 1)
    if query >= 0 and not 0 <= end < query:
        end = query
    return url[slash:end][:LONGEST_FOLDER] if end > slash + 1 else ""


@lru_cache(maxsize=50_000)
def folder_number(folder: str) -> int:
    """Return a number of 32 bits for a folder's name, the same in every process."""
    return crc32(folder.encode("utf-8", "surrogatepass"))


class Hosts:
    """Host names: ``example.cn`` with its subdomains, ``=example.cn`` only itself."""

    __slots__ = ("_alone", "_with_subdomains", "written")

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.written = tuple(entries)
        self._alone = frozenset(entry[1:] for entry in self.written if entry.startswith("="))
        self._with_subdomains = frozenset(e for e in self.written if not e.startswith("="))

    def __bool__(self) -> bool:
        return bool(self.written)

    def __repr__(self) -> str:
        return f"Hosts({list(self.written)!r})"

    def __contains__(self, host: str) -> bool:
        return host in self._alone or self.nearest(host) is not None

    def nearest(self, host: str) -> str | None:
        """Return the longest entry that is this host or a domain above it."""
        while host:
            if host in self._with_subdomains:
                return host
            host = host.partition(".")[2]
        return None
