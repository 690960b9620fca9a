"""Whose page an address is."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls import sites
from focuscrawl.urls.sites import (
    LONGEST_FOLDER,
    NUMBERED,
    Hosts,
    folder_named,
    folder_number,
    folder_of,
    host_of,
    partition_of,
    registrable_domain,
    site_of,
)
from tests.tables import each_row


@each_row(
    ("url", "site"),
    [
        ("HTTP://WWW.Example.CN/x", "www.example.cn"),
        ("http://example.cn:80/", "example.cn"),
        ("https://example.cn:443/", "example.cn"),
        ("https://example.cn:80/", "example.cn:80"),
        ("http://example.cn:8080/", "example.cn:8080"),
        ("http://user:secret@example.cn/", "example.cn"),
        ("http://中国.cn/", "xn--fiqs8s.cn"),
        ("http://example.cn./", "example.cn"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://localhost:6800/", "localhost:6800"),
        ("ftp://example.cn/", ""),
        ("example.cn", ""),
        ("http://a..b/", ""),
        ("http://\ud800/", ""),
    ],
)
def test_a_site_is_the_host_with_its_port(url: str, site: str) -> None:
    assert site_of(url) == site


@pytest.mark.parametrize(
    ("site", "host"),
    [
        ("example.cn", "example.cn"),
        ("example.cn:8080", "example.cn"),
        ("[::1]", "[::1]"),
        ("[::1]:8080", "[::1]"),
    ],
)
def test_a_host_is_a_site_without_its_port(site: str, host: str) -> None:
    assert host_of(site) == host


@each_row(
    ("host", "domain"),
    [
        ("a.b.example.com.cn", "example.com.cn"),
        ("www.sc.gov.cn", "sc.gov.cn"),
        ("example.cn", "example.cn"),
        ("blog.someone.github.io", "someone.github.io"),  # a private suffix counts
        ("github.io", "github.io"),
        ("com.cn", "com.cn"),
        ("a.b.xn--fiqs8s", "b.xn--fiqs8s"),
        ("127.0.0.1", "127.0.0.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("localhost", "localhost"),
        ("bbs.news.intern", "news.intern"),  # on no list
    ],
)
def test_the_registrable_domain_is_what_somebody_registered(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


def test_all_hosts_of_a_domain_share_a_partition_whatever_their_port() -> None:
    names = ["example.com.cn", "www.example.com.cn", "a.b.example.com.cn:8080"]
    assert len({partition_of(name) for name in names}) == 1


def test_partitions_never_change() -> None:
    """A stored crawl relies on them: these are values for good."""
    hosts = ["example.cn", "www.example.cn", "example.com.cn", "someone.github.io", "127.0.0.1"]
    assert [partition_of(host) for host in hosts] == [33, 33, 29, 28, 61]


def test_domains_spread_over_all_partitions() -> None:
    counts = [0] * 64
    for number in range(6400):
        counts[partition_of(f"site{number}.cn")] += 1
    assert min(counts) > 50
    assert max(counts) < 160


@given(st.text(max_size=30))
def test_no_host_raises(host: str) -> None:
    assert 0 <= partition_of(host) < 64


def test_the_suffix_list_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    sites.suffixes.cache_clear()
    registrable_domain.cache_clear()
    assert registrable_domain("a.example.co.uk") == "example.co.uk"


@each_row(
    ("url", "folder"),
    [
        ("http://a.cn/news/2026/11/1.html", "/news"),
        ("https://a.cn:8080/news/", "/news"),
        ("http://a.cn/news", ""),
        ("http://a.cn/1.html", ""),
        ("http://a.cn/", ""),
        ("http://a.cn", ""),
        ("http://a.cn/?c=food", ""),
        ("http://a.cn?c=food", ""),
        ("http://a.cn/list.php?page=2", "/list.php"),
        ("http://a.cn/list.php?back=/x/y", "/list.php"),
        ("http://a.cn/news/list.php?back=/x/", "/news"),
        ("http://a.cn//double/slash", ""),
        ("http://a.cn/2026/11/22/1.html", NUMBERED),
        ("http://a.cn/202611/1.html", NUMBERED),
        ("http://a.cn/2026-11-22/", NUMBERED),
        ("http://a.cn/2026_11.22/1.html", NUMBERED),
        ("http://a.cn/360/1.html", NUMBERED),
        ("http://a.cn/2026年/1.html", "/2026年"),
        ("http://a.cn/360news/1.html", "/360news"),
        ("http://a.cn/2026-/1.html", "/2026-"),
        ("http://a.cn/٢٠/1.html", "/٢٠"),
        ("http://a.cn/2026.php?id=1", "/2026.php"),
        ("http://a.cn/2026", ""),
    ],
)
def test_the_first_folder_or_the_script_is_the_folder(url: str, folder: str) -> None:
    assert folder_of(url) == folder


@given(st.text())
def test_no_address_is_too_odd_and_no_folder_too_long(url: str) -> None:
    assert len(folder_of(url)) <= LONGEST_FOLDER
    assert 0 <= folder_number(folder_of(url)) < 2**32


def test_the_folder_a_row_waits_in_may_be_a_number_or_date_in_older_crawl_files() -> None:
    url = "http://a.cn/2026/11/1.html"
    assert folder_named(url, folder_number("/2026")) == "/2026"
    assert folder_named(url, folder_number(NUMBERED)) == NUMBERED
    assert folder_named("http://a.cn/news/1.html", 1) == "/news"


def test_a_folder_has_the_same_number_in_every_process() -> None:
    assert folder_number("/news") == 0xB9240984
    assert folder_number("/新闻") != folder_number("/图片")


@each_row(
    ("host", "is_named"),
    [
        ("a.cn", True),
        ("www.a.cn", True),
        ("b.cn", True),
        ("www.b.cn", False),
        ("ba.cn", False),
        ("cn", False),
        ("=b.cn", False),
        ("", False),
    ],
)
def test_a_host_is_named_with_its_subdomains_unless_it_stands_alone(
    host: str, *, is_named: bool
) -> None:
    hosts = Hosts(["a.cn", "=b.cn"])
    assert (host in hosts) is is_named
    assert hosts
    assert not Hosts()


def test_of_several_names_the_longest_is_the_nearest() -> None:
    hosts = Hosts(["a.cn", "news.a.cn", "=www.news.a.cn"])
    assert hosts.nearest("www.news.a.cn") == "news.a.cn"
    assert hosts.nearest("www.a.cn") == "a.cn"
    assert hosts.nearest("b.cn") is None
