"""What a trial proposes: where the articles of a site have their parts, as text for the template.

A place is proposed for a part when the site's selector for it would give, on most of the pages that
have the part, what was read without it. It holds then where the reading has less to go by.
"""

from __future__ import annotations

from ast import literal_eval
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Response
from scrapy.statscollectors import DummyStatsCollector
from scrapy.utils.python import to_unicode
from sqlalchemy import RowMapping, select
from w3lib.http import headers_raw_to_dict

from focuscrawl.features.articles.places import PLACED_FIELDS, PlacedPage
from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.readers.links.continuations import selectors_of
from focuscrawl.readers.pages.document import MOST_MARKUP, Document
from focuscrawl.readers.text.dates import DateReader
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.template.template import Template
from focuscrawl.template.toml import toml_key, toml_text
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Selector

_MOST_PAGES = 20  # pages of a site that are looked at: a trial has ten
_MOST_PLACES = 5  # places on one page that are tried for a part
_FEWEST_PAGES = 2  # pages on which a place is right, where so many have the part


def propose_selectors(pages: Sequence[PlacedPage]) -> dict[str, Selector]:
    """Return the places of parts on the pages of one site, those that are right on most of them."""
    found: dict[str, Selector] = {}
    for part in PLACED_FIELDS:
        shares: dict[Selector, float] = {}
        for page in pages:
            for place in islice(page.places(part), _MOST_PLACES):
                if place not in shares:
                    shares[place] = _share(pages, part, place)
        best = max(shares, key=lambda place: shares[place], default=None)
        if best and shares[best] > 1 / 2:
            found[part] = best
    return found


def _share(pages: Sequence[PlacedPage], part: str, place: Selector) -> float:
    """Return on how many of the pages with a part a place gives it; 0 when too few tell.

    Where it gives something on a page that was read to have nothing, it is not right either.
    """
    pairs = [(page.value(part), page.value_at(part, place)) for page in pages]
    told = [(read, given) for read, given in pairs if read or given]
    right = sum(read == given for read, given in told)
    return right / len(told) if right >= min(_FEWEST_PAGES, len(told)) > 0 else 0.0


# What a trial has at hand -------------------------------------------------------------------------


def answers_kept_in(folder: Path) -> dict[str, str]:
    """Return the settings by which a crawl keeps its answers in a folder."""
    return {
        "HTTPCACHE_ENABLED": "True",
        "HTTPCACHE_DIR": str(folder),
        "HTTPCACHE_GZIP": "False",
        "HTTPCACHE_STORAGE": "scrapy.extensions.httpcache.FilesystemCacheStorage",
    }


def answers_in(folder: Path) -> dict[str, Path]:
    """Return where the answer to each address is kept."""
    folders = (meta.parent for meta in sorted(folder.rglob("meta")))
    return {literal_eval((one / "meta").read_text("utf-8"))["url"]: one for one in folders}


def answer_of(url: str, folder: Path) -> Response | None:
    """Return an answer, unpacked; None when that fails, as it did in the crawl, or it is too large."""
    headers = headers_raw_to_dict((folder / "response_headers").read_bytes())
    answer = Response(url, headers=headers, body=(folder / "response_body").read_bytes())
    request = Request(url, meta={"download_maxsize": MOST_MARKUP})
    crawler = Crawler(Spider)
    crawler.stats = DummyStatsCollector(crawler)
    unpacking = HttpCompressionMiddleware(crawler=crawler)
    try:
        unpacked = unpacking.process_response(request, answer)
    except Exception:  # noqa: BLE001 - each library that unpacks has its own
        return None
    return unpacked if isinstance(unpacked, Response) else None


def proposals_text(database: Path, folder: Path, template: Template) -> str:
    """Return the tables of selectors for the sites of a trial's articles, to be put into the template.

    ``folder`` holds the answers. Parts whose place the template says already are left out.
    """
    with results_to_read(database) as connection:
        articles = connection.execute(select(ARTICLES)).mappings().all()
    answers = answers_in(folder)
    sites: dict[str, list[RowMapping]] = defaultdict(list)
    for article in articles:
        if article["url"] in answers:
            sites[host_of(article["host"])].append(article)
    tables = []
    for host, some in sites.items():
        given = selectors_of(template, host)
        pages = _pages(some[:_MOST_PAGES], answers, host, template)
        lines = [
            f"{part} = {toml_text(f'{place.language}:{place.expression}')}"
            for part, place in propose_selectors(pages).items()
            if not getattr(given, part)
        ]
        if lines:
            tables.append("\n".join([f"[site.{toml_key(host)}.select]", *lines]))
    return "\n\n".join(tables)


def _pages(
    articles: Sequence[RowMapping], answers: Mapping[str, Path], host: str, template: Template
) -> list[PlacedPage]:
    pages = []
    for article in articles:
        if answer := answer_of(article["url"], answers[article["url"]]):
            document = Document.read(
                answer.body,
                url=answer.url,
                content_type=to_unicode(answer.headers.get("Content-Type") or b"", "latin-1"),
                forced=template.site(host).encoding,
            )
            dates = DateReader(str(template.topic.timezone), float(article["fetched"]))
            pages.append(PlacedPage(document, dates, {**article}))
    return pages
