"""Holds a crawl file and its results against each other, as a kill left them."""

from __future__ import annotations

import asyncio
import math
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.parts.unknown_web import UnknownWeb
from focuscrawl.features.explore.ledger import BAN
from focuscrawl.features.explore.portfolio import DISCOUNT
from focuscrawl.frontier.seen import SeenSet
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.sites import folder_of
from focuscrawl.values import Json


class Found(NamedTuple):
    """What a crawl file and its results say. ``judged``: step by address, of pages done.

    ``sources_to_do`` are the sources and seeds of which a URL is to do.
    """

    to_do: set[str]
    sources_to_do: set[str]
    beyond: int
    done: set[str]
    judged: dict[str, int]
    sites: dict[str, Json]
    order: Json


@contextmanager
def copies(*files: Path) -> Iterator[Path]:
    """Copy databases as a kill left them, which are not even opened; gives the folder."""
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            for end in ("", "-wal"):
                if Path(f"{path}{end}").exists():
                    shutil.copy(f"{path}{end}", folder)
        yield Path(folder)


def read(crawl_file: Path, results: Path, most_steps: int) -> Found:
    """Read copies of both, as a kill left them."""
    with copies(crawl_file, results) as folder:
        store = SQLiteStore(folder / crawl_file.name)
        loaded = asyncio.run(store.load(store.own()))
        seen = SeenSet()
        seen.load(loaded.seen)
        rows = [row for state in (WAITING, FAILED, PARKED) for row in store.rows(state)]
        order = asyncio.run(store.facts("bandit")).get("order", {})
        store.release()
        with closing(sqlite3.connect(folder / results.name)) as database:
            pages = database.execute(
                "SELECT url, step FROM pages WHERE page_class <> 'search'"
            ).fetchall()
    to_do = {row.waiting.url for row in rows}
    canonical = Canonicalizer()
    finished = [
        (url, step)
        for url, step in pages
        if url not in to_do and (address := canonical.address(url)) and address.number in seen
    ]
    return Found(
        to_do,
        {row.waiting.source_id for row in rows},
        sum(row.waiting.explore and row.waiting.step > most_steps for row in rows),
        {url for url, _ in finished},
        {url: step for url, step in finished if step is not None},
        {site: parts[BAN] for site, parts in loaded.records.items() if BAN in parts},
        order,
    )


def urls_lost(web: UnknownWeb, found: Found) -> int:
    """Count links of pages that are done which are neither done nor to do."""
    due = {to for url in found.judged for to, _ in web.pages[url].links}
    return len(due - found.done - found.to_do)


def ledger_off(found: Found) -> int:
    """Count by how many pages sites, folders and totals differ from what was judged."""
    pages: Counter[tuple[str, str | None]] = Counter()
    relevant: Counter[tuple[str, str | None]] = Counter()
    for url, step in found.judged.items():
        site = url.split("/")[2]
        for where in ((site, None), (site, folder_of(url))):
            pages[where] += 1
            relevant[where] += step == 0
    kept_pages, kept_relevant = Counter[tuple[str, str | None]](), Counter[tuple[str, str | None]]()
    for site, record in found.sites.items():
        for name, counts in [
            (None, record["whole"]),
            *((one[0], one) for one in record["folders"]),
        ]:
            kept_pages[site, name], kept_relevant[site, name] = counts[1], counts[2]
    off = _distance(pages, kept_pages) + _distance(relevant, kept_relevant)
    steps = list(found.judged.values())
    totals: list[int] = found.order.get("totals", [0, 0])
    return off + abs(totals[0] - len(steps)) + abs(totals[1] - steps.count(0))


def _distance(one: Mapping[Any, int], other: Mapping[Any, int]) -> int:
    places = one.keys() | other.keys()
    return sum(abs(one.get(place, 0) - other.get(place, 0)) for place in places)


def bans_off(found: Found, ban_after: int) -> tuple[int, int]:
    """Return how many bans are without ground, or missing; and how many there are."""
    irrelevant = Counter[tuple[str, str]]()
    relevant = Counter[tuple[str, str]]()
    for url, step in found.judged.items():
        place = url.split("/")[2], folder_of(url)
        (irrelevant if step else relevant)[place] += 1
    grounds = {
        place for place, count in irrelevant.items() if count > ban_after and not relevant[place]
    }
    banned = {
        (site, folder[0])
        for site, record in found.sites.items()
        for folder in record["folders"]
        if folder[3] is not None
    }
    return len(grounds ^ banned), len(banned)


def arms_off(web: UnknownWeb, found: Found) -> int:
    """Return how far the picks behind the bandit's counts lie from what they can be."""
    in_levels = {result.url for result in web.results if result.names}
    lane = len(found.judged.keys() - in_levels)
    counted = sum(map(sum, found.order.get("arms", [])))  # all of them fade with every page
    picks = math.log(1 - counted * (1 - DISCOUNT)) / math.log(DISCOUNT)
    least = math.floor(lane * 0.98) - 1
    return max(0, least - round(picks), round(picks) - lane)
