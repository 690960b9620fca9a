"""What a crawl has learnt of single sites (``scrapy topic sites NAME HOST``), running or not, in a file or a Redis."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.features.site_layouts.learnt import (
    LearntLayout,
    layouts_of_articles,
    layouts_of_lists,
    number_in_hex,
    stored_layouts,
)
from focuscrawl.features.withheld.feature import REASON
from focuscrawl.locale.messages import _
from focuscrawl.output.explain.verdict import GIVEN_UP
from focuscrawl.output.explain.words import Sentences
from focuscrawl.output.summary.lines import listed_words
from focuscrawl.stores.state.snapshot import Snapshot
from focuscrawl.urls.sites import host_of, partition_of
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.explain.look import crawl_to_read, topic_places

if TYPE_CHECKING:
    from focuscrawl.output.explain.log_book import LogBook
    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.values import Json
    from focuscrawl.verbs.data import Places

MOST_NEAR = 5
"""Sites that are named where one is not known."""


class LearntSite(NamedTuple):
    """What is known of a site: its ``record``, what its pages have taught as plain values, and that in words."""

    site: str
    record: Json
    learnt: dict[str, Any]
    lines: list[str]


def learnt_sites(call: Call, loaded: LoadedTemplate, sites: Sequence[str]) -> list[LearntSite]:
    """Return what is known of some sites. Raises CannotDo for one that is not known, StoreError."""
    with topic_places(call, loaded) as (places, log_book):
        records = _records_of(places, sites)
        words = Sentences(loaded.template.topic.timezone, places.config.clock.wall())
        found = []
        for site in sites:
            if site not in records and not log_book.has_host(site):
                raise _unknown(places.name, site, log_book)
            record = records.get(site, {})
            learnt = _learnt(site, record, log_book)
            found.append(LearntSite(site, record, learnt, [*words.site(learnt)]))
        return found


def _records_of(places: Places, sites: Sequence[str]) -> Mapping[str, Json]:
    with tempfile.TemporaryDirectory(prefix="focuscrawl-sites-") as folder:
        _runs, file = crawl_to_read(places, Path(folder), {*map(partition_of, sites)})
        store = Snapshot.of(file, Path(folder))
        store.own()
        try:
            return asyncio.run(store.sites(sites))
        finally:
            store.release()


def _learnt(site: str, record: Json, log_book: LogBook) -> dict[str, Any]:
    known = stored_layouts(record)
    layouts = [*layouts_of_articles(known), *layouts_of_lists(known)]
    numbers = {number_in_hex(number) for layout in layouts for number in layout.numbers}
    pages = log_book.pages_beginning(site, numbers)
    withheld: Counter[str] = Counter()
    for _outcome, _class, reason, count in log_book.outcomes_of(site):
        begins, _colon, kind = reason.removeprefix(GIVEN_UP).partition(": ")
        if begins == REASON:
            withheld[kind] += count
    return {
        "layouts": [_plain(layout, pages) for layout in layouts],
        "redesigns": log_book.redesigns_of(f"http://{host_of(site)}/"),
        "withheld": dict(withheld.most_common()),
    }


def _plain(layout: LearntLayout, pages: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    rows = [pages[key] for number in layout.numbers if (key := number_in_hex(number)) in pages]
    return {
        "pages": len(layout.numbers),
        "classes": dict(Counter(page_class for page_class, _url in rows).most_common()),
        "url": rows[-1][1] if rows else "",
        "boilerplate": [one._asdict() for one in layout.boilerplate],
        "pages_moved": layout.pages_moved,
        "is_told": layout.is_told,
        "told_at": layout.told_at,
        "texts_open": layout.texts_open,
    }


def _unknown(name: str, site: str, log_book: LogBook) -> CannotDo:
    hosts = log_book.hosts()
    near = [*dict.fromkeys(_near(site, hosts))][:MOST_NEAR]
    told = _("{name} knows no site {site}, and none near it; the most pages are of {hosts}")
    if near:
        told = _("{name} knows no site {site}; near it: {hosts}")
    elif not hosts:
        told = _("{name} knows no site {site}: it has asked for no page yet")
    shown = listed_words(near or hosts[:MOST_NEAR])
    return CannotDo(told.format(name=name, site=site, hosts=shown))


def _near(site: str, hosts: Sequence[str]) -> Iterator[str]:
    """Go through sites that share a domain with one that is not known, then through those that are spelt alike."""
    host = host_of(site)
    yield from (one for one in hosts if host_of(one) == host)
    yield from (one for one in hosts if f".{host_of(one)}".endswith(f".{host}"))
    yield from (one for one in hosts if f".{host}".endswith(f".{host_of(one)}"))
    yield from get_close_matches(site, hosts, MOST_NEAR)
