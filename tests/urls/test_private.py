"""Which hosts and addresses are private, in all the ways they can be written."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address, ip_network

import can_ada
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.private import (
    PrivateHosts,
    addresses_of,
    is_private,
    is_private_address,
    one_form,
)
from tests.tables import each_row

PRIVATE_NETWORKS = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
]  # fmt: skip
PUBLIC = st.sampled_from(["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "223.5.5.5"]).map(
    IPv4Address
)
IPV4 = st.ip_addresses(v=4).map(lambda one: IPv4Address(str(one)))
INSIDE = st.sampled_from([IPv4Network(network) for network in PRIVATE_NETWORKS]).flatmap(
    lambda network: st.integers(0, network.num_addresses - 1).map(lambda n: network[n])
)
BASES = st.sampled_from(["{:d}", "0x{:x}", "0X{:X}", "0{:o}"])


@st.composite
def odd_forms(
    draw: st.DrawFn, addresses: st.SearchStrategy[IPv4Address]
) -> tuple[str, IPv4Address]:
    """An address as inet_aton reads it: one to four parts, each in a base of its own."""
    address = draw(addresses)
    octets = [*address.packed]
    parts = draw(st.integers(1, 4))
    numbers = [*octets[: parts - 1], int.from_bytes(bytes(octets[parts - 1 :]))]
    return ".".join(draw(BASES).format(number) for number in numbers), address


@given(odd_forms(IPV4))
def test_an_address_is_read_as_the_c_library_and_browsers_read_it(
    written: tuple[str, IPv4Address],
) -> None:
    text, address = written
    assert addresses_of(text)[0] == address
    assert socket.inet_aton(text) == address.packed
    assert str(can_ada.parse(f"http://{text}/").hostname) == str(address)
    assert one_form(text) == str(address)


def test_what_only_one_way_of_reading_takes_for_a_number_is_read_that_way() -> None:
    assert addresses_of("127.0.0.08") == (IPv4Address("127.0.0.8"),), "no octal digit"
    assert addresses_of("0177.0.0.1") == (IPv4Address("127.0.0.1"), IPv4Address("177.0.0.1"))
    assert addresses_of("127.0.0." + "9" * 5000) == ()


@given(st.integers(1, 4), st.data())
def test_a_part_that_says_more_than_its_bytes_is_no_address(
    parts: int, data: st.DataObject
) -> None:
    numbers = [data.draw(st.integers(0, 255)) for _ in range(parts)]
    place = data.draw(st.integers(0, parts - 1))
    room = 256 if place < parts - 1 else 256 ** (5 - parts)
    numbers[place] = room - 1
    assert addresses_of(".".join(map(str, numbers)))
    numbers[place] = room
    assert addresses_of(".".join(map(str, numbers))) == ()


@given(odd_forms(INSIDE), st.sampled_from(["{}", "{}.", " {}"]))
def test_no_way_of_writing_makes_a_private_address_public(
    written: tuple[str, IPv4Address], around: str
) -> None:
    text, address = written
    assert is_private_address(address)
    assert is_private(around.format(text))
    wide = text.translate({ord(char): ord(char) - 0x30 + 0xFF10 for char in "0123456789"})
    assert is_private(wide)
    assert is_private(text.replace(".", "\u3002"))
    assert is_private("".join(f"%{ord(char):02x}" for char in text))


def carriers(address: IPv4Address) -> list[IPv6Address]:
    """Addresses of IPv6 by which one gets to an address of IPv4."""
    number = int(address)
    return [
        IPv6Address(int(IPv6Address("::ffff:0:0")) + number),
        IPv6Address(int(IPv6Address("64:ff9b::")) + number),
        IPv6Address(int(IPv6Address("2002::")) + (number << 80) + 1),
        IPv6Address(int(IPv6Address("2606:4700::200:5efe:0:0")) + number),
    ]


@given(INSIDE)
def test_ipv6_carries_a_private_address_no_further(address: IPv4Address) -> None:
    for carrier in carriers(address):
        assert is_private_address(carrier), carrier
        assert is_private(f"[{carrier}]")
        assert is_private(f"[{carrier.exploded}]")


@given(PUBLIC)
def test_what_ipv6_carries_to_the_internet_is_not_private(address: IPv4Address) -> None:
    assert not is_private_address(address)
    assert not any(is_private_address(carrier) for carrier in carriers(address))


@given(INSIDE, st.sampled_from(["{}", "app.{}", "1.{}", "x-{}", "{}.nip.io", "a.{}.sslip.io"]))
def test_names_with_a_private_address_in_them_are_private(address: IPv4Address, form: str) -> None:
    dashed = str(address).replace(".", "-")
    assert is_private(f"{form.format(dashed)}.example.com")
    assert is_private(f"{address}.nip.io")
    assert is_private(f"www.{address}.example.com")
    assert is_private(f"www-{address.packed.hex()}.nip.io")


@each_row(
    "host",
    [
        "127.0.0.1", "10.1.2.3", "192.168.0.9", "[::1]", "169.254.1.1", "localhost", "nas.local",
        "127.1", "0", "0x7f.1", "017700000001", "2130706433", "localhost.", "LOCALHOST", "a.localhost",
        "ip6-localhost", "ip6-loopback", "redis", "router.lan", "nas.home.arpa", "vault.internal",
        "metadata.google.internal", "wiki.corp", "x.intranet", "y.private", "z.home", "h.localdomain",
        "[::]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]",
        "[2001:db8::1]", "[2001::1]", "[100::1]", "[64:ff9b:1::1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]",
        "--1.sslip.io", "fe80--1.sslip.io", "7f000001.nip.io", "ip-10-0-0-1.ec2.example",
    ],
)  # fmt: skip
def test_hosts_of_the_own_machine_and_network_are_private(host: str) -> None:
    assert is_private(host)


@each_row(
    "host",
    [
        "8.8.8.8", "[2606:4700::1111]", "example.com", "999.1.1.1", "a.test", "8.8.8.8.nip.io",
        "08080808.nip.io", "ec2-54-1-2-3.compute.example.com", "deadbeef.cdn.example.com",
        "0a0b0c0d.cdn.example.com", "v10.10.10.10.example.com", "2026-11-20.example.cn", "lan.example.com",
        "localhost.example.com", "internal.example.com", "中国.cn", "", "a" * 300 + ".com",
    ],
)  # fmt: skip
def test_other_hosts_are_not_private(host: str) -> None:
    assert not is_private(host)


@given(st.text(max_size=80))
def test_any_text_is_private_or_not_and_breaks_nothing(text: str) -> None:
    is_private(text)
    PrivateHosts.of([text]).admits_name(text)


def test_a_named_host_is_open_in_every_form_and_nothing_else_is() -> None:
    hosts = PrivateHosts.of(["127.0.0.1", "Corp.lan", "wiki.example.com", "[::1]"])
    for host in (
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "corp.lan.",
        "files.corp.lan",
        "[::1]",
        "[0::1]",
    ):
        assert hosts.admits_name(host), host
    for host in ("127.0.0.2", "lan", "other.lan", "localhost", "1.127.0.0.1", "[::2]"):
        assert not hosts.admits_name(host), host


def test_below_a_public_name_a_private_address_is_open_only_where_it_was_named() -> None:
    hosts = PrivateHosts.of(["wiki.example.com", "corp.lan"])
    private = ip_address("10.0.0.5")
    assert hosts.admits_address("wiki.example.com", private)
    assert hosts.admits_address("WIKI.example.com.", private)
    assert hosts.admits_address("files.corp.lan", private)
    assert not hosts.admits_address("evil.wiki.example.com", private)
    assert not hosts.admits_address("example.com", private)


def test_a_name_that_has_led_to_the_internet_leads_to_no_private_address_any_more() -> None:
    hosts = PrivateHosts.of(["rebound.example.com"])
    assert hosts.admits_address("rebound.example.com", ip_address("93.184.216.34"))
    assert not hosts.admits_address("rebound.example.com", ip_address("127.0.0.1"))


def test_an_open_network_opens_its_addresses_and_names_that_may_lead_there() -> None:
    hosts = PrivateHosts.of([], (ip_network("10.0.0.0/8"), ip_network("fd00::/8")))
    assert hosts.admits_name("10.1.2.3")
    assert hosts.admits_name("[::ffff:10.1.2.3]")
    assert hosts.admits_name("[fd00::5]")
    assert hosts.admits_name("wiki.lan"), "its address will be looked at"
    assert not hosts.admits_name("wiki.lan", resolved=False), "behind a proxy nobody does"
    assert not hosts.admits_name("127.0.0.1")
    assert hosts.admits_address("wiki.lan", ip_address("10.9.9.9"))
    assert hosts.admits_address("x.example.com", ip_address("::ffff:10.9.9.9"))
    assert not hosts.admits_address("wiki.lan", ip_address("127.0.0.1"))
