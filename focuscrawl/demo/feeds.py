"""RSS, Atom and sitemaps of the demo web, as text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import NamedTuple

SITEMAP_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"
XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


class FeedEntry(NamedTuple):
    """One line of a feed or sitemap; ``dated`` None leaves the date out."""

    url: str
    title: str
    dated: datetime | None


def rss(title: str, url: str, entries: Iterable[FeedEntry]) -> str:
    """Write an RSS 2.0 feed."""
    items = "".join(
        f"<item><title>{escape(entry.title)}</title><link>{escape(entry.url)}</link>"
        + (f"<pubDate>{format_datetime(entry.dated)}</pubDate>" if entry.dated else "")
        + "</item>\n"
        for entry in entries
    )
    return (
        f'{XML_HEAD}<rss version="2.0"><channel><title>{escape(title)}</title>'
        f"<link>{escape(url)}</link>\n{items}</channel></rss>\n"
    )


def atom(title: str, url: str, entries: Iterable[FeedEntry]) -> str:
    """Write an Atom feed."""
    items = "".join(
        f'<entry><title>{escape(entry.title)}</title><link href="{escape(entry.url)}"/>'
        f"<id>{escape(entry.url)}</id>"
        + (f"<updated>{entry.dated.isoformat()}</updated>" if entry.dated else "")
        + "</entry>\n"
        for entry in entries
    )
    return (
        f'{XML_HEAD}<feed xmlns="http://www.w3.org/2005/Atom"><title>{escape(title)}</title>'
        f"<id>{escape(url)}</id>\n{items}</feed>\n"
    )


def sitemap(entries: Iterable[FeedEntry]) -> str:
    """Write a sitemap of pages."""
    return _sitemap("urlset", "url", entries)


def sitemap_index(entries: Iterable[FeedEntry]) -> str:
    """Write a sitemap of sitemaps."""
    return _sitemap("sitemapindex", "sitemap", entries)


def _sitemap(root: str, name: str, entries: Iterable[FeedEntry]) -> str:
    lines = "".join(
        f"<{name}><loc>{escape(entry.url)}</loc>"
        + (f"<lastmod>{entry.dated.isoformat()}</lastmod>" if entry.dated else "")
        + f"</{name}>\n"
        for entry in entries
    )
    return f'{XML_HEAD}<{root} xmlns="{SITEMAP_SCHEMA}">\n{lines}</{root}>\n'
