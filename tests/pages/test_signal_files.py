"""Feeds and sitemaps that a site names in its robots.txt and in the head of its pages."""

from __future__ import annotations

import pytest

from focuscrawl.pages.document import Document
from focuscrawl.pages.signal_files import MOST_NAMED, named_by_page, named_by_robots


def page(*links: str) -> Document:
    head = "".join(links)
    body = f"<html><head><title>一</title>{head}</head><body></body></html>".encode()
    return Document.read(body, url="http://a.cn/x/", content_type="text/html; charset=utf-8")


RSS = '<link rel="alternate" type="application/rss+xml" title="{}" href="{}">'


def test_a_page_names_its_first_feed_and_its_sitemaps() -> None:
    named = named_by_page(
        page(
            '<link rel="stylesheet" href="/s.css">',
            '<link rel="alternate" hreflang="en" href="/en/">',
            RSS.format("评论", "/feed/2"),
            RSS.format("全部", "/comments/feed"),
            RSS.format("全部", "feed.xml"),
            RSS.format("又一个", "/atom.xml"),
            '<link rel="Sitemap" type="application/xml" href="/map.xml">',
        )
    )
    assert named == ("http://a.cn/map.xml", "http://a.cn/x/feed.xml")


@pytest.mark.parametrize(
    "links",
    [
        (),
        ('<link rel="sitemap" href="javascript:alert(1)">',),
        ('<link rel="sitemap" href="http://[">',),
        ('<link rel="alternate" type="text/html" href="/m/">',),
    ],
)
def test_what_is_no_address_and_no_feed_is_not_named(links: tuple[str, ...]) -> None:
    assert named_by_page(page(*links)) == ()


def test_no_page_and_no_robots_txt_names_more_than_a_few() -> None:
    many = [f'<link rel="sitemap" href="/{number}.xml">' for number in range(10_000)]
    assert len(named_by_page(page(*many))) < MOST_NAMED
    text = "".join(f"Sitemap: http://a.cn/{number}.xml\n" for number in range(10_000))
    assert len([*named_by_robots(text)]) == MOST_NAMED


def test_a_robots_txt_names_sitemaps_by_whole_addresses_anywhere_in_it() -> None:
    text = (
        "\ufeffUser-agent: *\r\nDisallow: /a\r\nsitemap:http://a.cn/1.xml # the first\r\n"
        "Sitemap: /2.xml\r\n  SITEMAP : https://a.cn/3.xml.gz\r\n#Sitemap: http://a.cn/4.xml\r\n"
    )
    assert [*named_by_robots(text)] == ["http://a.cn/1.xml", "https://a.cn/3.xml.gz"]
