"""Private hosts and addresses: this machine, its own network, and what only looks like elsewhere.

The one definition for links that are admitted, for names that are asked for and for the addresses
names resolve to. A page on the web must not send a crawler to what only this machine can reach.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import unquote

IpAddress = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

PRIVATE = "private"
"""The reason of what is refused for its name, in the log book and in counts."""

PRIVATE_ADDRESS = "private address"
"""The reason of a fetch that failed for the address its name leads to; it is tried again later."""

LOCAL_NAMES = (
    "corp", "home", "home.arpa", "internal", "intranet", "lan", "local", "localdomain", "localhost",
    "private",
)  # fmt: skip
"""Ends of names that no public server answers for (RFC 6761, 6762 appendix G, 8375; ICANN 2024)."""

NAMED_BY_ADDRESS = ("nip.io", "sslip.io", "xip.io")
"""Public services that answer for any name with the address written in it, in hexadecimal, too."""

UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is handed out for the Internet."""

OF_PROTOCOLS = IPv4Network("192.0.0.0/24")
"""Handed out to protocols (RFC 6890), and 192.0.0.192 answers with the keys of a machine at Oracle's. Python below
3.12.4 calls most of it global."""

NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")
ISATAP = (0x00005EFE, 0x02005EFE)
"""The upper half of an interface identifier that ends with an IPv4 address (RFC 5214)."""

DOTS = str.maketrans("\u3002\uff61\uff0e", "...")  # dots of IDNA (RFC 3490, 3.1)
IPV4_PARTS = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}")
IPV4_WITHIN = re.compile(
    r"(?=(?:(?<![^.])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![^.])"
    r"|(?<![^.-])(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?![^.-])))"
)
HEXADECIMAL = re.compile(r"(?:.*[.-])?([0-9a-f]{8})")
_LONGEST_HOST_NAME = 253  # of a name in the DNS (RFC 1035, without the last dot)

_HOSTS_KEPT = 50_000
"""Hosts whose reading is remembered: each request asks for that of its host four times."""


def clean_host(host: str) -> str:
    """Return a host in the form in which hosts are compared: no brackets, root dot, or odd digits."""
    host = unicodedata.normalize("NFKC", unquote(host)).translate(DOTS).strip().lower()
    return host.removeprefix("[").removesuffix("]").partition("%")[0].rstrip(".")


@lru_cache(maxsize=_HOSTS_KEPT)
def addresses_of(host: str) -> tuple[IpAddress, ...]:
    """Return the address a host is, in every way that some program reads it; () for a name.

    ``010.0.0.1`` is 8.0.0.1 to browsers and the C library, and 10.0.0.1 to others.
    """
    host = clean_host(host)
    if ":" in host:
        try:
            return (ip_address(host),)
        except ValueError:
            return ()
    if not IPV4_PARTS.fullmatch(host):
        return ()
    parts = host.split(".")
    found = (_ipv4(parts, octal=True), _ipv4(parts, octal=False))
    return tuple(dict.fromkeys(address for address in found if address is not None))


@lru_cache(maxsize=_HOSTS_KEPT)
def one_form(host: str) -> str:
    """Return a host as all its ways of being written have it: 127.1 is 127.0.0.1."""
    addresses = addresses_of(host)
    return str(addresses[0]) if addresses else clean_host(host)


def _ipv4(parts: list[str], *, octal: bool) -> IPv4Address | None:
    """Read the parts of an address as inet_aton does: the last one fills what is left."""
    try:
        *first, last = (_number(part, octal=octal) for part in parts)
        # 127.1 is 127.0.0.1: the last part has what bytes the others leave.
        return IPv4Address(bytes((*first, *last.to_bytes(4 - len(first), "big"))))
    except (ValueError, OverflowError):
        return None


def _number(part: str, *, octal: bool) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    if len(part) > 12:
        raise ValueError(part)  # no part is that long; int() of very long ones is slow
    return int(part, 8 if octal and part.startswith("0") and len(part) > 1 else 10)


def is_private_address(address: IpAddress) -> bool:
    """Whether an address is not one of the Internet, or carries an IPv4 address that is none."""
    if isinstance(address, IPv4Address):
        return (
            not address.is_global
            or address.is_multicast
            or address.is_reserved
            or address in OF_PROTOCOLS
        )
    carried = _carried(address)
    if carried is not None:
        return is_private_address(carried)
    return address not in UNICAST or not address.is_global


def _carried(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that who asks for this one gets to: mapped, NAT64, 6to4, ISATAP."""
    number = int(address)
    if address.ipv4_mapped is not None or address in NAT64:
        return IPv4Address(number & 0xFFFFFFFF)
    if address in SIX_TO_FOUR:
        return IPv4Address(number >> 80 & 0xFFFFFFFF)  # 2002:V4ADDR::/48 (RFC 3056)
    if address in UNICAST and number >> 32 & 0xFFFFFFFF in ISATAP:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


@lru_cache(maxsize=_HOSTS_KEPT)
def is_private(host: str) -> bool:
    """Whether a host is this machine or in its own network, by its name or address alone."""
    addresses = addresses_of(host)
    if addresses:
        return any(is_private_address(address) for address in addresses)
    name = clean_host(host)
    if len(name) > _LONGEST_HOST_NAME:
        return False  # no DNS answers for it
    if "." not in name:
        return bool(name)  # localhost, ip6-localhost, names of containers and of the own network
    if name.endswith(tuple(f".{end}" for end in LOCAL_NAMES)) or name in LOCAL_NAMES:
        return True
    return any(is_private_address(address) for address in _written_within(name))


def _written_within(name: str) -> Iterator[IpAddress]:
    """Go through the addresses that are written in a name: 10.0.0.1.nip.io, ip-10-0-0-1.example."""
    for found in IPV4_WITHIN.finditer(name):
        numbers = [int(number) for number in found.groups() if number]
        if max(numbers) < 256:
            yield IPv4Address(bytes(numbers))
    for service in NAMED_BY_ADDRESS:
        before = name.removesuffix(f".{service}")
        if before == name:
            continue
        if hexadecimal := HEXADECIMAL.fullmatch(before):
            yield IPv4Address(int(hexadecimal[1], 16))
        try:
            yield IPv6Address(before.rpartition(".")[2].replace("-", ":"))
        except ValueError:
            continue


@dataclass(frozen=True, slots=True)
class PrivateHosts:
    """Which private hosts a crawl may ask: those given by name, and whole ``networks``.

    ``names`` are in the form of ``one_form``. What is below a name that is itself private is named
    with it (``files.corp.lan`` by ``corp.lan``); below a public name another owner may write anything
    into the DNS. ``elsewhere`` remembers names that have led to an address open to all: a later
    private one is not theirs, named or not (DNS rebinding).
    """

    names: set[str] = field(default_factory=set)
    networks: tuple[Network, ...] = ()
    elsewhere: set[str] = field(default_factory=set, compare=False, repr=False)

    @classmethod
    def of(cls, hosts: Iterable[str], networks: tuple[Network, ...] = ()) -> PrivateHosts:
        """Return what these hosts, as a user has written them, make open."""
        return cls({one_form(host) for host in hosts}, networks)

    def name(self, host: str) -> bool:
        """Name a host; False when it was named before."""
        form = one_form(host)
        is_new = form not in self.names
        self.names.add(form)
        return is_new

    def is_named(self, host: str) -> bool:
        """Whether a host was named."""
        name = one_form(host)
        if name in self.names:
            return True
        above = name.partition(".")[2]
        while above:
            if above in self.names and is_private(above) and not addresses_of(above):
                return True
            above = above.partition(".")[2]
        return False

    def admits_name(self, host: str, *, resolved: bool = True) -> bool:
        """Whether a host may be asked, as far as its name says.

        ``resolved``: the address it leads to will be looked at, too; else its name decides alone.
        """
        if not is_private(host) or self.is_named(host):
            return True
        addresses = addresses_of(host)
        if addresses:
            return all(not is_private_address(one) or self._is_open(one) for one in addresses)
        return resolved and bool(self.networks)

    def admits_address(self, host: str, address: IpAddress) -> bool:
        """Whether a host may be asked at an address that its name leads to."""
        name = one_form(host)
        if not is_private_address(address) or self._is_open(address):
            self.elsewhere.add(name)
            return True
        return name not in self.elsewhere and self.is_named(name)

    def _is_open(self, address: IpAddress) -> bool:
        if isinstance(address, IPv6Address) and (carried := _carried(address)) is not None:
            address = carried
        return any(address in network for network in self.networks)
