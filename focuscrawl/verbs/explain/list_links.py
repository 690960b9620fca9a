"""Lists that are asked for now, to see whether they link to an address."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.utils.python import to_unicode

from focuscrawl.output.explain.facts import LinkNow
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.feeds.feeds import read_feed
from focuscrawl.readers.pages.feeds.sitemaps import read_sitemap
from focuscrawl.readers.pages.links import NOFOLLOW, find_links
from focuscrawl.urls.sites import host_of, site_of
from focuscrawl.verbs.proposals import answer_of, answers_in, answers_kept_in
from focuscrawl.verbs.trial import fetched_by

if TYPE_CHECKING:
    from scrapy.http import Response

    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.template.load import LoadedTemplate


HEAD_READ = 1_000
"""Bytes in which the root of a feed or a sitemap stands: declarations and comments come before it."""


class ListLink(NamedTuple):
    """A link of a list; ``nofollow``: it asks not to be followed."""

    url: str
    text: str = ""
    nofollow: bool = False


def links_on_lists(
    loaded: LoadedTemplate, urls: Sequence[str], key: bytes, rules: AdmissionRules, folder: Path
) -> list[LinkNow]:
    """Fetch lists as the topic would, and look in each for the address of a key."""
    folder.mkdir()
    answers = folder / "answers"
    fetched_by(loaded, urls, folder / "found", "auto", answers_kept_in(answers))
    kept = answers_in(answers)
    found = []
    for url in urls:
        answer = answer_of(url, kept[url]) if url in kept else None
        if not answer:
            found.append(LinkNow(url, None))
            continue
        marks = [one.nofollow for one in links_shown(answer, loaded) if _key(one.url, rules) == key]
        found.append(LinkNow(url, bool(marks), nofollow=bool(marks) and all(marks)))
    return found


def _key(url: str, rules: AdmissionRules) -> bytes:
    address = rules.address(url)
    return address.key if address else b""


def links_shown(answer: Response, loaded: LoadedTemplate) -> Iterator[ListLink]:
    """Go through the links of a list: a page, a feed or a sitemap."""
    content_type = to_unicode(answer.headers.get("Content-Type") or b"", "latin-1")
    head = answer.body[:HEAD_READ].lower()
    if b"<urlset" in head or b"<sitemapindex" in head:
        sitemap = read_sitemap(answer.body, answer.url, content_type=content_type, now=0.0)
        yield from (ListLink(entry.url) for entry in sitemap.pages)
    elif b"<rss" in head or b"<feed" in head or b"<rdf" in head:
        zone = str(loaded.template.topic.timezone)
        feed = read_feed(answer.body, answer.url, content_type=content_type, timezone=zone, now=0.0)
        yield from (ListLink(entry.url, entry.title) for entry in feed.entries)
    else:
        forced = loaded.template.site(host_of(site_of(answer.url))).encoding
        document = Document.read(
            answer.body, url=answer.url, content_type=content_type, forced=forced
        )
        robots = to_unicode(b"\n".join(answer.headers.getlist("X-Robots-Tag")), "latin-1")
        yield from (
            ListLink(link.url, link.anchor, nofollow=NOFOLLOW in link.rel)
            for link in find_links(document, robots)
        )
